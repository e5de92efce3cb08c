//! Phases of a game: opening, middle game, ending.

use mendel_board::{Color, Position, Rank};
use serde::{Deserialize, Serialize};

/// A phase of a game.
///
/// # Source
///
/// The rule by which Lichess divides a game (`Divider` in its library `scalachess`): the number of
/// pieces other than kings and pawns, and the number of pieces and pawns on the first ranks.
///
/// # Where this differs
///
/// Lichess looks for the first position of each phase in a whole game, and also measures how much
/// the pieces of both sides are mixed. Here each position is judged separately by the first two
/// rules, so that positions without games can be divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Nearly all pieces are left, and the first ranks are full.
    Opening,
    /// Neither of the others.
    MiddleGame,
    /// At most six pieces other than kings and pawns are left.
    Ending,
}

/// Maximum number of pieces other than kings and pawns in an ending.
const MAX_ENDING: usize = 6;
/// Maximum number of pieces other than kings and pawns in a middle game.
const MAX_MIDDLE_GAME: usize = 10;
/// Minimum number of pieces and pawns on the first rank of a side in the opening.
const MIN_FIRST_RANK: usize = 4;

impl Phase {
    /// In the order of a game.
    pub const ALL: [Self; 3] = [Self::Opening, Self::MiddleGame, Self::Ending];

    /// The phase of a position.
    pub fn of(position: &Position) -> Self {
        let board = position.board();
        let pieces = board.occupied() & !board.pawns() & !board.kings();
        let sparse = |color: Color| {
            let rank = color.fold_wb(Rank::First, Rank::Eighth);
            (board.by_color(color) & rank).count() < MIN_FIRST_RANK
        };
        if pieces.count() <= MAX_ENDING {
            Self::Ending
        } else if pieces.count() <= MAX_MIDDLE_GAME || sparse(Color::White) || sparse(Color::Black)
        {
            Self::MiddleGame
        } else {
            Self::Opening
        }
    }

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Opening => "opening",
            Self::MiddleGame => "middle game",
            Self::Ending => "ending",
        }
    }
}
