//! One position of a game, with all that a network may learn from it.

use arrayvec::ArrayVec;
use mendel_board::{Move, Position};

/// Moves before a position that are kept with it.
pub const HISTORY: usize = 8;

/// A position of a game and what was played there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    pub position: Position,
    /// The moves that led to it, the newest last; fewer at a game's beginning.
    pub before: ArrayVec<Move, HISTORY>,
    pub played: Move,
    /// The ratings of the side to move and of the other; 0 if unknown.
    pub ratings: [u16; 2],
    /// How the game ended for the side to move: 1 won, 0 drawn, -1 lost.
    pub result: i8,
    /// Plies that were played before, so that a game begins with 0.
    pub ply: u16,
    /// Whether the position was on the board before, in this game.
    pub repeated: bool,
    /// What an engine thinks of the position for the side to move, in centipawns,
    /// where the games came with scores.
    pub score: Option<i16>,
}
