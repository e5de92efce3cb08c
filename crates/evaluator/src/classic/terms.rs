//! Every term of the classic evaluator, declared once.
//!
//! A row gives the name, which is also the key in a player file, the number of
//! weights, how the index is read, and what is counted. The weights themselves
//! stand in player files only.

use mendel_board::Square;

/// A row of the table: terms that belong together.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// The name, also the key in a player file.
    pub name: &'static str,
    about: &'static str,
    labels: Labels,
    /// The number of the group's first term.
    pub first: usize,
    /// How many terms the group has.
    pub length: usize,
    /// The largest weight, without sign, that a player file may hold.
    pub limit: i32,
    /// Whether a player file may leave it out, which means zeros.
    pub optional: bool,
}

/// How the index within a group is read.
#[derive(Clone, Copy, Debug)]
enum Labels {
    /// There is only one.
    Single,
    /// Each has a name.
    Named(&'static [&'static str]),
    /// A square as White sees it, a1 first.
    Square,
    /// A number of things.
    Count,
    /// A rank, counted from the own side.
    Rank,
    /// King steps.
    Distance,
    /// A file, counted from the nearer edge, and a rank; rank 1 means no pawn.
    FileAndRank,
}

impl Group {
    /// What is counted, in a sentence.
    pub fn about(&self) -> &'static str {
        self.about.trim()
    }

    /// The number of the group's term `index`.
    #[inline]
    pub(super) const fn at(&self, index: usize) -> usize {
        debug_assert!(index < self.length);
        self.first + index
    }

    /// What the term `index` of the group is called; empty in a group of one.
    pub fn label(&self, index: usize) -> String {
        match self.labels {
            Labels::Single => String::new(),
            Labels::Named(names) => names[index].to_owned(),
            Labels::Square => Square::new(index as u32).to_string(),
            Labels::Count => index.to_string(),
            Labels::Rank => format!("rank {}", index + 1),
            Labels::Distance => format!("distance {index}"),
            Labels::FileAndRank => {
                let files = ["a/h", "b/g", "c/f", "d/e"][index / 8];
                match index % 8 {
                    0 => format!("{files} none"),
                    rank => format!("{files} rank {}", rank + 1),
                }
            }
        }
    }
}

macro_rules! terms {
    ($($(#[doc = $about:literal])+ $name:ident[$length:expr] $labels:expr;)+) => {
        #[allow(non_camel_case_types, reason = "a group is called the same everywhere")]
        #[allow(dead_code, reason = "only the numbers of the variants are used")]
        enum Order { $($name),+ }

        const LENGTHS: &[usize] = &[$($length),+];

        $(
            $(#[doc = $about])+
            #[allow(non_upper_case_globals, reason = "a group is called the same everywhere")]
            pub(super) const $name: Group = Group {
                name: stringify!($name),
                about: concat!($($about),+),
                labels: $labels,
                first: first(Order::$name as usize),
                length: $length,
                limit: limit(Order::$name as usize),
                optional: Order::$name as usize == Order::network as usize,
            };
        )+

        /// All groups, in the order of their terms' numbers.
        pub const GROUPS: &[Group] = &[$($name),+];
    };
}

/// The number of terms.
pub const COUNT: usize = first(LENGTHS.len());

const fn first(group: usize) -> usize {
    let (mut sum, mut index) = (0, 0);
    while index < group {
        sum += LENGTHS[index];
        index += 1;
    }
    sum
}

/// A queen may be worth more than any other single thing.
const fn limit(group: usize) -> i32 {
    if group == Order::material as usize {
        3000
    } else if group == Order::network as usize {
        4
    } else {
        2000
    }
}

use Labels::{Count, Distance, FileAndRank, Named, Rank, Single};

const PIECES: Labels = Named(&["pawn", "knight", "bishop", "rook", "queen"]);
const OFFICERS: Labels = Named(&["knight", "bishop", "rook", "queen"]);
const SQUARES: Labels = Labels::Square;
const OPPOSED: Labels = Named(&["opposed", "unopposed"]);
const OUTPOST: Labels = Named(&["alone", "with a pawn"]);

terms! {
    /// A piece on the board.
    material[5] PIECES;

    /// A pawn on its square.
    square_pawn[64] SQUARES;
    /// A knight on its square.
    square_knight[64] SQUARES;
    /// A bishop on its square.
    square_bishop[64] SQUARES;
    /// A rook on its square.
    square_rook[64] SQUARES;
    /// A queen on its square.
    square_queen[64] SQUARES;
    /// The king on its square.
    square_king[64] SQUARES;

    /// A knight by how many safe squares it can reach.
    mobility_knight[9] Count;
    /// A bishop by how many safe squares it can reach, looking through queens.
    mobility_bishop[14] Count;
    /// A rook by how many safe squares it can reach, looking through queens and own rooks.
    mobility_rook[15] Count;
    /// A queen by how many safe squares it can reach.
    mobility_queen[28] Count;

    /// A pawn with an own pawn in front of it on its file.
    pawn_doubled[1] Single;
    /// A pawn without own pawns on the files beside it; opposed if an enemy pawn stands on its file in front.
    pawn_isolated[2] OPPOSED;
    /// A pawn that no own pawn can come to defend and that would be taken by a pawn if it stepped forward.
    pawn_backward[2] OPPOSED;
    /// A pawn defended by a pawn.
    pawn_connected[8] Rank;
    /// A pawn with an own pawn right beside it.
    pawn_phalanx[8] Rank;
    /// A pawn that is not passed but faces no pawn on its file, and has as many helpers beside it as there are guards in front.
    pawn_candidate[8] Rank;

    /// A passed pawn: no enemy pawn can stop or take it, no own pawn is in its way.
    passed[8] Rank;
    /// How far the own king is from the square in front of a passed pawn; once for each rank beyond the third.
    passed_own_king[8] Distance;
    /// How far the enemy king is from the square in front of a passed pawn; once for each rank beyond the third.
    passed_enemy_king[8] Distance;
    /// A passed pawn with an enemy piece right in front of it.
    passed_blocked[8] Rank;
    /// A passed pawn whose next square is empty and not attacked by the enemy.
    passed_free[8] Rank;
    /// A passed pawn with no piece and no enemy attack on its whole way.
    passed_clear[8] Rank;
    /// A passed pawn whose next square the own side attacks.
    passed_supported[8] Rank;
    /// Some passed pawn that a king without pieces can no longer catch.
    passed_unstoppable[1] Single;

    /// Two bishops on squares of different colours.
    bishop_pair[1] Single;
    /// An own pawn on a square of a bishop's colour, for each bishop.
    bishop_pawns[1] Single;
    /// An own pawn on the files c to f that is blocked on a square of a bishop's colour, for each bishop.
    bishop_blocked_pawns[1] Single;
    /// A knight on the fourth to sixth rank where no enemy pawn can ever attack it.
    knight_outpost[2] OUTPOST;
    /// Some knight can reach an outpost defended by a pawn in one move.
    knight_near_outpost[1] Single;
    /// A bishop on the fourth to sixth rank where no enemy pawn can ever attack it.
    bishop_outpost[2] OUTPOST;
    /// Some bishop can reach an outpost defended by a pawn in one move.
    bishop_near_outpost[1] Single;
    /// A knight or bishop right behind a pawn of either side.
    minor_behind_pawn[1] Single;
    /// King steps between a minor piece and the own king, by kind.
    minor_from_king[2] Named(&["knight", "bishop"]);
    /// A rook on a file without pawns.
    rook_open_file[1] Single;
    /// A rook on a file with enemy pawns only.
    rook_half_open_file[1] Single;
    /// A rook on the seventh rank with enemy pawns there or the enemy king behind it.
    rook_on_seventh[1] Single;
    /// A rook behind a passed pawn on its file, by whose pawn it is.
    rook_behind_passer[2] Named(&["own", "enemy"]);
    /// A rook with at most three safe squares shut in by its own king, behind an own pawn, by whether that king may still castle.
    rook_trapped[2] Named(&["may castle", "may not castle"]);
    /// A queen on a file without own pawns.
    queen_open_file[1] Single;
    /// A queen on the seventh rank with enemy pawns there or the enemy king behind it.
    queen_on_seventh[1] Single;
    /// A piece between the own king and an enemy slider, tied to the line, by kind.
    pinned[5] PIECES;

    /// An enemy piece attacked by a safe pawn.
    threat_by_pawn[4] OFFICERS;
    /// An enemy piece attacked by a knight or bishop, unless it is a pawn that is well defended.
    threat_by_minor[5] PIECES;
    /// An enemy piece, not well defended, attacked by a rook.
    threat_by_rook[5] PIECES;
    /// An enemy piece, not well defended, attacked by the king.
    threat_by_king[1] Single;
    /// An enemy piece that is attacked and not defended, or attacked twice by our pieces and not well defended.
    threat_hanging[1] Single;
    /// An enemy piece that a safe pawn step would attack.
    threat_by_push[1] Single;
    /// A square both sides attack that the enemy does not hold firmly.
    threat_contested[1] Single;
    /// A safe square from which a minor piece or a rook could attack the only enemy queen next move.
    threat_on_queen[1] Single;

    /// The own pawn nearest to the king in front of it, on its own file and the two beside it.
    shelter[32] FileAndRank;
    /// The nearest enemy pawn on the files of the king, not stopped by an own pawn.
    storm[32] FileAndRank;
    /// The nearest enemy pawn on the files of the king, stopped by an own pawn.
    storm_blocked[8] Rank;
    /// The king on a file without own pawns, or without any pawns.
    king_open_file[2] Named(&["half open", "open"]);
    /// No pawns of either side on the king's wing.
    king_pawnless_wing[1] Single;
    /// How far the king is from its nearest own pawn.
    king_nearest_pawn[8] Distance;
    /// The right to castle later.
    castling[2] Named(&["king side", "queen side"]);
    /// How dangerous the attack on the enemy king is, in units that the evaluator counts.
    king_attack[64] Count;
    /// A safe check on the enemy king next move, by the checking piece.
    king_safe_check[4] OFFICERS;
    /// A square near the enemy king that we attack and at most king or queen defend.
    king_weak_square[1] Single;

    /// A safe square behind the own pawns on the files c to f, weighed by the pieces there are to use it.
    space[1] Single;

    /// The enemy king, alone and lost: how far its file and its rank are from the edge.
    mate_edge[4] Distance;
    /// The enemy king, alone and lost: how far our king is from it.
    mate_kings[8] Distance;
    /// The enemy king against bishop and knight: how far it is from the corners of the bishop's colour.
    mate_corner[8] Distance;

    /// The move.
    tempo[1] Single;

    /// A centipawn that the network beside the terms gives the side to move.
    network[1] Single;
}
