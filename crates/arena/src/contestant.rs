//! Started players.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use mendel_board::{Game, Move};
use mendel_engine::{Clock, Score};

use crate::Pace;

/// An entrant that has been started and can be asked for moves.
///
/// One trait object a game costs nothing next to a search; programs and players in this
/// process look the same from here on.
pub trait Contestant: Send {
    /// Gets ready for a new game. A program that died is started again.
    ///
    /// # Errors
    ///
    /// If it does not get ready within its limit.
    fn new_game(&mut self, chess960: bool) -> Result<(), Fault>;

    /// Checks once before a match whether the protocol can express `pace`.
    ///
    /// # Errors
    ///
    /// If it cannot.
    fn supports(&self, _pace: &Pace) -> Result<(), Fault> {
        Ok(())
    }

    /// Asks for a move.
    ///
    /// # Errors
    ///
    /// If no legal move comes within `turn.deadline`. After a fault the program
    /// is not used again before the next [`new_game`](Self::new_game).
    fn ask(&mut self, turn: &Turn) -> Result<Reply, Fault>;

    /// The game is over; xboard programs are told how.
    fn game_over(&mut self, _result: &str, _reason: &str) {}

    /// The last lines sent and received, and those on stderr, for the record of a fault. Empty
    /// for players in this process.
    fn recent_output(&self) -> Vec<String> {
        Vec::new()
    }
}

/// What a contestant is asked.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    pub game: &'a Game,
    pub pace: Pace,
    /// Both clocks as they stand now; `None` without clocks.
    pub clock: Option<Clock>,
    /// After this it has stalled, whatever the pace says.
    pub deadline: Duration,
    /// Ends the search when it becomes true; there is no answer then.
    pub stop: Option<&'a Arc<AtomicBool>>,
}

/// What a contestant does when it is its turn.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    Move(Answer),
    /// The player gives the game up, which is not a fault.
    Resigns,
}

/// A move and the thought behind it.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The move, legal in the position asked about.
    pub m: Move,
    pub thought: Thought,
    /// Time from the question to the answer, measured by the runner.
    pub time: Duration,
}

/// What a contestant said about its move; all of it may be missing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Thought {
    /// The score for the side that moves.
    pub score: Option<Score>,
    pub depth: Option<u32>,
    pub nodes: Option<u64>,
    /// A claim or an offer that came with the move; neither changes the game.
    pub remark: Option<String>,
}

/// A fault that loses the game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    #[error("cannot be started: {reason}")]
    Start { reason: String },
    #[error("said nothing for {waited:?} after `{asked}`")]
    NotReady { asked: String, waited: Duration },
    /// It ended, by itself or by a signal.
    #[error("ended: {how}")]
    Ended {
        /// Its exit status.
        how: String,
    },
    #[error("did not move within {waited:?}")]
    Stalled { waited: Duration },
    /// It answered with a move that is not legal, or none where there are some.
    #[error("illegal move `{text}`")]
    Illegal { text: String },
    /// Its output exceeds every bound.
    #[error("flooded its output: {how}")]
    Flood { how: String },
    #[error("refused `{what}`: {reason}")]
    Refused { what: String, reason: String },
}
