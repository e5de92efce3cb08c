//! What a search reports.

use std::time::Duration;

use mendel_board::Move;

/// A report on one line of thought, made while searching.
#[derive(Clone, Debug, PartialEq)]
pub struct Info {
    /// Full plies searched.
    pub depth: u32,
    /// The deepest ply reached.
    pub seldepth: u32,
    /// Which of the best lines this is, from 1.
    pub multipv: u32,
    /// What the line is worth to the side to move.
    pub score: Score,
    /// Whether the score is exact or only bounded.
    pub bound: Bound,
    /// Winning, drawing and losing chances.
    pub wdl: Wdl,
    /// Moves made by all threads.
    pub nodes: u64,
    /// Thousandths of the table in use by this search.
    pub hashfull: u32,
    /// Tablebase positions found.
    pub tbhits: u64,
    pub time: Duration,
    pub pv: Vec<Move>,
}

impl Info {
    pub fn nps(&self) -> u64 {
        (self.nodes as f64 / self.time.as_secs_f64().max(1e-6)) as u64
    }
}

/// A score as people read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// Hundredths of a pawn for the side to move.
    Centipawns(i32),
    /// Full moves until mate; negative where the side to move is mated, zero
    /// where it is mated already.
    Mate(i32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Searched with an open window.
    Exact,
    Lower,
    Upper,
}

/// Chances in thousandths for the side to move; they add up to 1000.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wdl {
    pub win: u16,
    pub draw: u16,
    pub loss: u16,
}

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Best {
    /// The move to play; `None` only where there is no legal move.
    pub best: Option<Move>,
    /// The reply it expects.
    pub ponder: Option<Move>,
    /// The last report, which is on the best line; `None` for a move without a score, from
    /// a book for example.
    pub info: Option<Info>,
    /// Moves made in all, by all threads.
    pub nodes: u64,
    /// Each move that was the best for a while, in their order: a search stopped
    /// at a node count would have played the last one before it. Of the thread
    /// whose move was chosen; with several lines asked for, of the first line.
    pub changes: Vec<Change>,
}

/// A change of the best move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// Moves made before, by the thread.
    pub nodes: u64,
    pub m: Move,
}
