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
//! * The fifth that a piece gains in the centre or loses at home is a weight of its
//!   own, so that breeding may change it; the paper's numbers are those of the
//!   player `teaching`.
//! * The list of the paper for a pawn's advance begins 0, 0: the first is for the
//!   first rank, where no pawn stands. The bonus is not scaled by the centre.
//! * The paper gives checkmate "the greatest number of points"; here the search
//!   finds mates by itself.
//! * Two improvements are named. Pieces gain "a slight edge" for the pieces they attack
//!   and defend: the last two terms, which weigh nothing in `teaching` and a few
//!   centipawns in `teaching-plus`. And checking and attacking moves are to come
//!   first, which is the search's business: ours tries captures first in every
//!   profile, and quiet moves by what they achieved before; checks are not tried
//!   earlier, but the profile `full` searches them deeper.

mod terms;

use mendel_board::{Bitboard, Color, Position, Role};

use self::terms as term;
pub use self::terms::FEATURES;
use crate::side::{Side, White};
use crate::side_view::{SideView, number, side_views};
use crate::{Feature, LinearModel};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Teaching;

/// A term for pieces on certain squares.
type SquareTerm = (usize, Bitboard);

/// A kind of piece: its value, its term in the centre, and its term at home with the
/// squares of the initial position; pawns have no home.
const PIECES: [(Role, usize, usize, Option<SquareTerm>); 5] = [
    (Role::Pawn, term::pawn_value, term::pawn_in_centre, None),
    (
        Role::Knight,
        term::knight_value,
        term::knight_in_centre,
        Some((term::knight_at_home, Bitboard(0x42))),
    ),
    (
        Role::Bishop,
        term::bishop_value,
        term::bishop_in_centre,
        Some((term::bishop_at_home, Bitboard(0x24))),
    ),
    (
        Role::Rook,
        term::rook_value,
        term::rook_in_centre,
        Some((term::rook_at_home, Bitboard(0x81))),
    ),
    (
        Role::Queen,
        term::queen_value,
        term::queen_in_centre,
        Some((term::queen_at_home, Bitboard(0x08))),
    ),
];

/// The ranks on which pawns stand, counted from 0, and their terms.
const RANKS: [(usize, usize); 6] = [
    (1, term::pawn_on_rank_2),
    (2, term::pawn_on_rank_3),
    (3, term::pawn_on_rank_4),
    (4, term::pawn_on_rank_5),
    (5, term::pawn_on_rank_6),
    (6, term::pawn_on_rank_7),
];

const CENTRE: Bitboard = Bitboard(0x0000_3C3C_3C3C_0000);

/// More pieces than this, and a castled king is safer than a central one.
const FEW_PIECES: i32 = 3;

impl LinearModel for Teaching {
    const KIND: &'static str = "teaching";
    const FEATURES: &'static [Feature] = FEATURES;
    const TAPERED: bool = false;

    fn count(position: &Position, tell: &mut impl FnMut(usize, Color, i32)) {
        for (side, view) in side_views(position) {
            let mut tell = |term, count| tell(term, side, count);

            // 1. Pieces and their squares.
            for (role, value, in_centre, home) in PIECES {
                let pieces = view.own(role);
                tell(value, number(pieces));
                tell(in_centre, number(pieces & CENTRE));
                if let Some((at_home, squares)) = home {
                    tell(at_home, -number(pieces & squares));
                }
            }
            for (rank, on_rank) in RANKS {
                let pawns = view.own(Role::Pawn) & White::rank_mask(rank);
                tell(on_rank, number(pawns));
            }

            // 2. The king.
            let hunted = number(view.enemy_minor_major()) > FEW_PIECES;
            tell(term::castled, i32::from(hunted && has_castled(&view)));

            // 3. The improvement: who attacks and defends whom.
            let (mut attacked, mut defended) = (0, 0);
            for (role, ..) in PIECES {
                for from in view.own(role) {
                    let reach = view.attacks(role, from);
                    attacked += number(reach & view.enemy_pieces() & !view.enemy(Role::King));
                    defended += number(reach & view.own_pieces() & !view.own(Role::King));
                }
            }
            tell(term::attacked_men, attacked);
            tell(term::defended_men, defended);
        }
    }
}

fn has_castled(view: &SideView) -> bool {
    let rooks = view.own(Role::Rook);
    // By the king's square on the first rank: the squares from it to the corner.
    let outside = match view.king.to_u32() {
        1 => Bitboard(0x01),
        2 => Bitboard(0x03),
        6 => Bitboard(0x80),
        7 => Bitboard::EMPTY,
        _ => return false,
    };
    (rooks & outside).is_empty()
}
