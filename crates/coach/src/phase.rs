//! Whether a position belongs to the opening, the middle game or the ending.

use mendel_board::{Color, Position, Rank};
use serde::{Deserialize, Serialize};

/// A part of a game.
///
/// # Source
///
/// The rule by which Lichess divides a game into its parts (`Divider` in its library
/// `scalachess`): by the pieces beside kings and pawns, and by how many men are left on
/// the first ranks.
///
/// # Where this differs
///
/// Lichess looks for the first position of each part in a whole game, and also asks how
/// much the men of both sides are mixed. Here each position is judged alone and by the
/// first two rules, so that sets without games can be divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Nearly all pieces are there, and the first ranks are full.
    Opening,
    /// Neither of the others.
    MiddleGame,
    /// At most six pieces beside kings and pawns are left.
    Ending,
}

/// With so many pieces beside kings and pawns an ending begins.
const ENDING: usize = 6;
/// With so many at most it is no opening.
const MIDDLE_GAME: usize = 10;
/// With fewer men on its first rank a side has left the opening.
const FULL_RANK: usize = 4;

impl Phase {
    /// All, in the order of a game.
    pub const ALL: [Self; 3] = [Self::Opening, Self::MiddleGame, Self::Ending];

    /// The part of the game that a position belongs to.
    pub fn of(position: &Position) -> Self {
        let board = position.board();
        let pieces = board.occupied() & !board.pawns() & !board.kings();
        let sparse = |color: Color| {
            let rank = color.fold_wb(Rank::First, Rank::Eighth);
            (board.by_color(color) & rank).count() < FULL_RANK
        };
        if pieces.count() <= ENDING {
            Self::Ending
        } else if pieces.count() <= MIDDLE_GAME || sparse(Color::White) || sparse(Color::Black) {
            Self::MiddleGame
        } else {
            Self::Opening
        }
    }

    /// In tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Opening => "opening",
            Self::MiddleGame => "middle game",
            Self::Ending => "ending",
        }
    }
}
