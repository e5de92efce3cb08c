//! A position as one side sees it: its own pieces play upwards.
//!
//! The features of the published evaluators are counted for one side at a time
//! and in no hurry, so they are written once, for a side that plays from the first
//! rank to the eighth; Black gets the board turned over. That they are blind to
//! colour then needs no care in any single feature.

use mendel_board::{Bitboard, Board, Color, Position, Role, Square, attacks};

use crate::side::{Black, Side, White, fill_files, sideways};

/// The four squares d4, e4, d5 and e5.
pub(crate) const CENTRE: Bitboard = Bitboard(0x0000_0018_1800_0000);
/// The upper half of the board: the enemy's.
pub(crate) const ENEMY_HALF: Bitboard = Bitboard(0xFFFF_FFFF_0000_0000);

/// What one side sees. "Up" is towards its promotion squares.
#[derive(Debug)]
pub(crate) struct SideView {
    own: [Bitboard; 6],
    enemy: [Bitboard; 6],
    pub(crate) occupied: Bitboard,
    pub(crate) king: Square,
    pub(crate) enemy_king: Square,
    /// Whether the side to move is the other one and is checkmated.
    pub(crate) mates: bool,
    /// Own pieces that the enemy, if it is to move, can take and win something:
    /// attacked by a cheaper piece, or by any and not defended.
    pub(crate) hanging: Bitboard,
    pub(crate) passed: Bitboard,
    pub(crate) enemy_passed: Bitboard,
    pub(crate) isolated: Bitboard,
    pub(crate) backward: Bitboard,
    /// Enemy pawns that are isolated or backward.
    pub(crate) enemy_weak: Bitboard,
    /// Files with own pawns, and files with enemy pawns.
    pub(crate) own_files: Bitboard,
    pub(crate) enemy_files: Bitboard,
}

impl SideView {
    /// What `side` sees on `board` while `turn` is to move; whether that is mate is
    /// for the caller to know.
    fn new(board: &Board, side: Color, turn: Color, mated: bool) -> Self {
        let turned = |squares: Bitboard| match side {
            Color::White => squares,
            Color::Black => squares.flip_vertical(),
        };
        let pieces = |color: Color| {
            Role::ALL.map(|role| turned(board.by_role(role) & board.by_color(color)))
        };
        let king = |pieces: &[Bitboard; 6]| {
            let king = pieces[index(Role::King)].first();
            king.expect("both kings stand in a legal position")
        };
        let (own, enemy) = (pieces(side), pieces(!side));
        let (pawns, enemy_pawns) = (own[0], enemy[0]);
        let mut view = Self {
            own,
            enemy,
            occupied: turned(board.occupied()),
            king: king(&own),
            enemy_king: king(&enemy),
            mates: mated && side != turn,
            hanging: Bitboard::EMPTY,
            passed: passed::<White>(pawns, enemy_pawns),
            enemy_passed: passed::<Black>(enemy_pawns, pawns),
            isolated: isolated(pawns),
            backward: backward::<White>(pawns, enemy_pawns),
            enemy_weak: isolated(enemy_pawns) | backward::<Black>(enemy_pawns, pawns),
            own_files: fill_files(pawns),
            enemy_files: fill_files(enemy_pawns),
        };
        if side != turn {
            view.hanging = view.find_hanging();
        }
        view
    }

    fn find_hanging(&self) -> Bitboard {
        let reach = |role, pieces: Bitboard| {
            let squares = pieces.into_iter().map(|from| self.attacks(role, from));
            squares.fold(Bitboard::EMPTY, |all, squares| all | squares)
        };
        let enemy = |role| reach(role, self.enemy(role));
        let defended = Role::ALL.into_iter().fold(Bitboard::EMPTY, |all, role| {
            all | reach(role, self.own(role))
        });

        // From the cheapest attacker on: what was attacked before a kind's turn has
        // come is attacked by something cheaper.
        let by_pawns = Black::pawn_attacks(self.enemy(Role::Pawn));
        let by_minors = by_pawns | enemy(Role::Knight) | enemy(Role::Bishop);
        let by_rooks = by_minors | enemy(Role::Rook);
        let by_all = by_rooks | enemy(Role::Queen) | enemy(Role::King);
        let minors = self.own(Role::Knight) | self.own(Role::Bishop);
        (minors & by_pawns)
            | (self.own(Role::Rook) & by_minors)
            | (self.own(Role::Queen) & by_rooks)
            | (self.own_minor_major() & by_all & !defended)
    }

    pub(crate) fn own(&self, role: Role) -> Bitboard {
        self.own[index(role)]
    }

    pub(crate) fn enemy(&self, role: Role) -> Bitboard {
        self.enemy[index(role)]
    }

    pub(crate) fn own_pieces(&self) -> Bitboard {
        all(&self.own)
    }

    pub(crate) fn enemy_pieces(&self) -> Bitboard {
        all(&self.enemy)
    }

    /// Own knights, bishops, rooks and queens.
    pub(crate) fn own_minor_major(&self) -> Bitboard {
        all(&self.own[index(Role::Knight)..=index(Role::Queen)])
    }

    /// Enemy knights, bishops, rooks and queens.
    pub(crate) fn enemy_minor_major(&self) -> Bitboard {
        all(&self.enemy[index(Role::Knight)..=index(Role::Queen)])
    }

    /// Reports the number of own pieces from pawn to queen, each kind as its term.
    pub(crate) fn count_material(&self, terms: [usize; 5], tell: &mut impl FnMut(usize, i32)) {
        for (term, role) in terms.into_iter().zip(Role::ALL) {
            tell(term, number(self.own(role)));
        }
    }

    /// The squares an own piece of that kind attacks from the square, those of own
    /// pieces included.
    pub(crate) fn attacks(&self, role: Role, from: Square) -> Bitboard {
        match role {
            Role::Pawn => attacks::pawn_attacks(Color::White, from),
            Role::Knight => attacks::knight_attacks(from),
            Role::Bishop => attacks::bishop_attacks(from, self.occupied),
            Role::Rook => attacks::rook_attacks(from, self.occupied),
            Role::Queen => attacks::queen_attacks(from, self.occupied),
            Role::King => attacks::king_attacks(from),
        }
    }

    /// How many squares the own pieces of one kind control, those of each piece
    /// added: the squares it attacks, own pieces' included, or none if it is about to
    /// be lost.
    pub(crate) fn controlled(&self, role: Role) -> i32 {
        (self.own(role) & !self.hanging)
            .into_iter()
            .map(|from| self.attacks(role, from).count() as i32)
            .sum()
    }

    pub(crate) fn pawn_attacks(&self) -> Bitboard {
        White::pawn_attacks(self.own(Role::Pawn))
    }

    /// Squares that an enemy pawn attacks or could attack further down its way.
    pub(crate) fn enemy_pawn_span(&self) -> Bitboard {
        Black::fill_up(Black::pawn_attacks(self.enemy(Role::Pawn)))
    }

    /// Squares that no own pawn attacks or could attack further up its way.
    pub(crate) fn beyond_pawns(&self) -> Bitboard {
        !White::fill_up(self.pawn_attacks())
    }

    /// Own pawns with another own pawn in front of them on their file.
    pub(crate) fn doubled(&self) -> Bitboard {
        let pawns = self.own(Role::Pawn);
        pawns & Black::fill_up(Black::up(pawns))
    }

    /// Whether two own rooks stand on one line with nothing between them.
    pub(crate) fn rooks_connected(&self) -> bool {
        let rooks = self.own(Role::Rook);
        rooks
            .into_iter()
            .any(|rook| (attacks::rook_attacks(rook, self.occupied) & rooks).any())
    }

    /// Own rooks that have a passed pawn of those given somewhere above them on
    /// their file (`White`), or below (`Black`).
    pub(crate) fn rooks_behind<S: Side>(&self, passed: Bitboard) -> Bitboard {
        self.own(Role::Rook) & S::Them::fill_up(S::Them::up(passed))
    }
}

pub(crate) fn side_views(position: &Position) -> [(Color, SideView); 2] {
    let mated = position.is_check() && position.legal_moves().is_empty();
    Color::ALL.map(|side| {
        let view = SideView::new(position.board(), side, position.turn(), mated);
        (side, view)
    })
}

fn all(pieces: &[Bitboard]) -> Bitboard {
    pieces
        .iter()
        .fold(Bitboard::EMPTY, |all, pieces| all | *pieces)
}

/// A kind of piece as the index of an array.
fn index(role: Role) -> usize {
    role as usize - 1
}

/// Pawns of `S` that no enemy pawn on their own file or a file beside it stands
/// in front of.
pub(crate) fn passed<S: Side>(pawns: Bitboard, enemy: Bitboard) -> Bitboard {
    let front = S::Them::fill_up(S::Them::up(enemy));
    pawns & !(front | sideways(front))
}

/// Pawns without own pawns on the files beside them.
pub(crate) fn isolated(pawns: Bitboard) -> Bitboard {
    pawns & !sideways(fill_files(pawns))
}

/// Pawns of `S` with own pawns on a file beside them, all too far advanced to
/// defend the square in front, which an enemy pawn attacks.
fn backward<S: Side>(pawns: Bitboard, enemy: Bitboard) -> Bitboard {
    let held = S::fill_up(S::pawn_attacks(pawns));
    let lost = S::up(pawns) & S::Them::pawn_attacks(enemy) & !held;
    S::Them::up(lost) & !isolated(pawns)
}

/// Steps along files and ranks between two squares.
pub(crate) fn manhattan(a: Square, b: Square) -> i32 {
    let (a, b) = (a.to_u32(), b.to_u32());
    ((a & 7).abs_diff(b & 7) + (a >> 3).abs_diff(b >> 3)) as i32
}

pub(crate) fn file_of(square: Square) -> Bitboard {
    Bitboard::from(square.file())
}

/// The whole files beside that of a square.
pub(crate) fn files_beside(square: Square) -> Bitboard {
    sideways(file_of(square))
}

#[inline]
pub(crate) fn number(squares: Bitboard) -> i32 {
    squares.count() as i32
}
