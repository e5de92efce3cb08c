//! What a search may use.

use std::time::Duration;

use mendel_board::{Color, Move};

/// What a search may use. The first limit that is reached ends it; with none it
/// runs until it is stopped.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Limits {
    /// Full plies of iterative deepening.
    pub depth: Option<u32>,
    /// Moves made, null moves included; exact on one thread.
    pub nodes: Option<u64>,
    pub movetime: Option<Duration>,
    /// Look for a mate in at most this many moves.
    pub mate: Option<u32>,
    /// The game's clocks, from which the engine budgets this move itself.
    pub clock: Option<Clock>,
    /// Answer only once stopped, also where a mate or the last ply is found.
    pub infinite: bool,
    /// Think on the opponent's time: clocks count only from `ponderhit` on.
    pub ponder: bool,
    /// Consider only these moves at the root; empty means all.
    pub searchmoves: Vec<Move>,
}

impl Limits {
    /// Whether a move is wanted, and not an analysis of the position.
    pub(crate) fn is_for_playing(&self) -> bool {
        !self.infinite && self.mate.is_none()
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    pub white: SideClock,
    pub black: SideClock,
    /// Moves until more time is added; `None` for the rest of the game.
    pub moves_to_go: Option<u32>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SideClock {
    pub remaining: Duration,
    pub increment: Duration,
}

impl Clock {
    pub fn of(&self, color: Color) -> SideClock {
        match color {
            Color::White => self.white,
            Color::Black => self.black,
        }
    }
}
