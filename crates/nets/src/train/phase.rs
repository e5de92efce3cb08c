//! What figures are counted by.

use mendel_board::{Position, Role};

/// Beyond this, in number of men besides pawns and kings, it is the opening or the
/// middle game; below the other, the ending.
const OPENING_MEN: u32 = 12;
const ENDING_MEN: u32 = 6;

/// What figures are counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The piece that was moved.
    pub role: Option<Role>,
    /// The rating of who moved; 0 if unknown.
    pub rating: u16,
    pub phase: Phase,
}

/// How far a game is, by the men on the board besides pawns and kings: more than 12
/// of 14, the opening or close to it; fewer than 6, the ending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Nearly all men are there.
    Opening,
    Middle,
    /// Few are left.
    Ending,
}

impl Phase {
    pub const ALL: [Self; 3] = [Self::Opening, Self::Middle, Self::Ending];

    pub fn of(position: &Position) -> Self {
        let board = position.board();
        let men = board.occupied().count() - board.pawns().count() - board.kings().count();
        match men as u32 {
            men if men > OPENING_MEN => Self::Opening,
            men if men < ENDING_MEN => Self::Ending,
            _ => Self::Middle,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Opening => "opening",
            Self::Middle => "middle",
            Self::Ending => "ending",
        }
    }
}
