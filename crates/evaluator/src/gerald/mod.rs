//! GERALD's evaluation: 29 terms, each with a weight for the middle game and one
//! for the end game.
//!
//! # Source
//!
//! Elliot M. Harris, "Applications of Genetic Algorithms to Chess", Bard College,
//! Senior Projects Spring 2024, no. 119: section 2.5 with Figures 2.5.3 (what is
//! counted) and 3.2.2 (weights). The author names his source code as the full
//! definition, so it was read where a line of the figure leaves a choice.
//!
//! # Where this differs
//!
//! The published weights of penalties are positive. Here a penalty is *counted*
//! negative, so that every weight stays the published number. What the text means
//! is built, also where the author's program does something else:
//!
//! * **Doubled pawns**: his program subtracts Black's count from itself, so that
//!   the term is always zero. Here it works: a pawn for each own pawn behind
//!   another.
//! * **Weak pawns and weak squares**: his program adds both where the text calls
//!   them penalties. Here they are penalties.
//! * **Passed pawns**: "no other pawns in its way" includes own pawns, so that
//!   only the first of two doubled pawns is passed.
//! * **Passed pawn, enemy king's square**: the figure asks whether the king can
//!   prevent the promotion, and shows −1 where Black has a passed pawn; so it is
//!   the pawn that profits. Counted is a passed pawn outside the square of the
//!   enemy king, whose move it is included. His program looks at ranks only.
//! * **Rook attacks weak pawn**: "directly", so nothing stands between them. His
//!   program only asks for the same file.
//! * **King, friendly pawns**: a pawn far away counts nothing. In his program it
//!   counts more than a near one.
//! * **King, no enemy pawn near**: his program counts a near pawn as less bad than
//!   a far one. Here what is near costs more, and from three steps on nothing.
//!
//! Where the text is silent:
//!
//! * **Backward**: all neighbours advanced would make a7 and f7 in Kiwipete
//!   backward, where the figure shows none. So the square in front must be
//!   guarded by an enemy pawn too, which is the usual meaning. Isolated and passed
//!   pawns are not backward.
//! * **Mobility** counts squares, not moves: one that two knights reach counts
//!   once, and only so Kiwipete has the figure's 2.
//! * **Captures** count as a move of a bishop or a rook only if they win something
//!   dearer, as his program has it; only so the pressure in Kiwipete is 6.
//! * **King's zone**: the king, the squares around it, and three more in front and
//!   behind. "Number of attacks" alone cannot make the figure's 6; 1, 1, 3 and 5 by
//!   kind of piece can.
//! * **Whose pressure**: the figure counts what a king suffers (−6 for White in
//!   Kiwipete, where White attacks). Here the attacker has it, as in his program,
//!   so that the weight is positive.
//! * **Central pawns** are missing in the figure, not in the table of weights: the
//!   four squares in the middle.

mod count;
mod facts;
mod features;

use mendel_board::{Bitboard, Color, Position};

use self::facts::Facts;
pub use self::features::FEATURES;
use crate::side::{Black, White};
use crate::{Feature, LinearModel, Share};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gerald;

impl LinearModel for Gerald {
    const KIND: &'static str = "gerald";
    const FEATURES: &'static [Feature] = FEATURES;
    const TAPERED: bool = true;

    #[inline]
    fn count(position: &Position, tell: &mut impl FnMut(usize, Color, i32)) {
        let facts = Facts::new(position.board());
        let turn = position.turn();
        count::side::<White>(&facts, turn, tell);
        count::side::<Black>(&facts, turn, tell);
    }

    /// φ = (g − 24) / 24 within 0 and 1, where g is the material of both sides with
    /// 1, 3, 3, 5 and 9 for pawn, knight, bishop, rook and queen.
    #[inline]
    fn taper(position: &Position) -> Share {
        let board = position.board();
        let count = |pieces: Bitboard| pieces.count() as i32;
        let material = count(board.pawns())
            + 3 * count(board.knights() | board.bishops())
            + 5 * count(board.rooks())
            + 9 * count(board.queens());
        Share {
            part: (material - 24).clamp(0, 24),
            of: 24,
        }
    }
}
