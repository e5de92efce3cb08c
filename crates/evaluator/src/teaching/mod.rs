//! The heuristic of the teaching engine, and what its author would add to it.
//!
//! The paper counts in pawns; here a weight is in centipawns, so that its numbers
//! are whole: a bishop of 3.3 in the centre gains a fifth of itself, 66.
//!
//! # Source
//!
//! "Chess Programming and Engine Evaluation", University of Texas at Austin, 2024,
//! sections 3.3 (the rules) and 4.3 (improvements).
//!
//! # Where this differs
//!
//! * "Castled" is read off the board, because an evaluator has no memory: the king
//!   stands where castling would have brought it, or one step nearer to the corner,
//!   and no own rook stands between it and the corner, the corner included.
//! * The fifth that a man gains in the centre or loses at home is a weight of its
//!   own, so that breeding may change it; the paper's numbers are those of the
//!   player `teaching`.
//! * The list of the paper for a pawn's advance begins 0, 0: the first is for the
//!   first rank, where no pawn stands. The bonus is not scaled by the centre.
//! * The paper gives checkmate "the greatest number of points"; here the search
//!   finds mates by itself.
//! * Two improvements are named. Pieces gain "a slight edge" for the men they attack
//!   and defend: the last two terms, which weigh nothing in `teaching` and a few
//!   centipawns in `teaching-plus`. And checking and attacking moves are to come
//!   first, which is the search's business: ours tries captures first in every
//!   profile, and quiet moves by what they achieved before; checks are not tried
//!   earlier, but the profile `full` searches them deeper.

mod terms;

use mendel_board::{Bitboard, Color, Position, Role};

pub use self::terms::FEATURES;
use self::terms::{
    attacked_men, bishop_at_home, bishop_in_centre, bishop_value, castled, defended_men,
    knight_at_home, knight_in_centre, knight_value, pawn_in_centre, pawn_on_rank_2, pawn_on_rank_3,
    pawn_on_rank_4, pawn_on_rank_5, pawn_on_rank_6, pawn_on_rank_7, pawn_value, queen_at_home,
    queen_in_centre, queen_value, rook_at_home, rook_in_centre, rook_value,
};
use crate::side::{Side, White};
use crate::sight::{Sight, number, sight_of_both};
use crate::{Feature, LinearModel};

/// The heuristic of the teaching engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Teaching;

/// A term for men on certain squares.
type Place = (usize, Bitboard);

/// A kind of man: its value, its term in the centre, and its term at home with the
/// squares of the initial position; pawns have no home.
const MEN: [(Role, usize, usize, Option<Place>); 5] = [
    (Role::Pawn, pawn_value, pawn_in_centre, None),
    (
        Role::Knight,
        knight_value,
        knight_in_centre,
        Some((knight_at_home, Bitboard(0x42))),
    ),
    (
        Role::Bishop,
        bishop_value,
        bishop_in_centre,
        Some((bishop_at_home, Bitboard(0x24))),
    ),
    (
        Role::Rook,
        rook_value,
        rook_in_centre,
        Some((rook_at_home, Bitboard(0x81))),
    ),
    (
        Role::Queen,
        queen_value,
        queen_in_centre,
        Some((queen_at_home, Bitboard(0x08))),
    ),
];

/// The ranks on which pawns stand, counted from 0, and their terms.
const RANKS: [(usize, usize); 6] = [
    (1, pawn_on_rank_2),
    (2, pawn_on_rank_3),
    (3, pawn_on_rank_4),
    (4, pawn_on_rank_5),
    (5, pawn_on_rank_6),
    (6, pawn_on_rank_7),
];

/// The squares c3 to f6.
const CENTRE: Bitboard = Bitboard(0x0000_3C3C_3C3C_0000);

/// More pieces than this, and a castled king is safer than a central one.
const FEW_PIECES: i32 = 3;

impl LinearModel for Teaching {
    const KIND: &'static str = "teaching";
    const FEATURES: &'static [Feature] = FEATURES;
    const TAPERED: bool = false;

    fn count(position: &Position, tell: &mut impl FnMut(usize, Color, i32)) {
        for (side, sight) in sight_of_both(position) {
            let mut tell = |term, count| tell(term, side, count);

            // 1. Men, where they stand.
            for (role, value, in_centre, home) in MEN {
                let men = sight.own(role);
                tell(value, number(men));
                tell(in_centre, number(men & CENTRE));
                if let Some((at_home, squares)) = home {
                    tell(at_home, -number(men & squares));
                }
            }
            for (rank, on_rank) in RANKS {
                let pawns = sight.own(Role::Pawn) & White::rank_mask(rank);
                tell(on_rank, number(pawns));
            }

            // 2. The king.
            let hunted = number(sight.enemy_pieces()) > FEW_PIECES;
            tell(castled, i32::from(hunted && has_castled(&sight)));

            // 3. The improvement: who attacks and defends whom.
            let (mut attacked, mut defended) = (0, 0);
            for (role, ..) in MEN {
                for from in sight.own(role) {
                    let reach = sight.attacks(role, from);
                    attacked += number(reach & sight.enemy_men() & !sight.enemy(Role::King));
                    defended += number(reach & sight.own_men() & !sight.own(Role::King));
                }
            }
            tell(attacked_men, attacked);
            tell(defended_men, defended);
        }
    }
}

/// Whether the king stands as if it had castled.
fn has_castled(sight: &Sight) -> bool {
    let rooks = sight.own(Role::Rook);
    // By the king's square on the first rank: the squares from it to the corner.
    let outside = match sight.king.to_u32() {
        1 => Bitboard(0x01),
        2 => Bitboard(0x03),
        6 => Bitboard(0x80),
        7 => Bitboard::EMPTY,
        _ => return false,
    };
    (rooks & outside).is_empty()
}
