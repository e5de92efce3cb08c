//! An entrant ready to move.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use mendel_board::{Game, Move};
use mendel_engine::{Clock, Score};

use crate::Pace;

/// An entrant that has been started and can be asked for moves.
///
/// One trait object a game costs nothing beside a search; programs and players
/// in this process look the same from here on.
pub trait Contestant: Send {
    /// Gets ready for a new game. A program that died is started again.
    ///
    /// # Errors
    ///
    /// If it does not get ready within its limit.
    fn new_game(&mut self, chess960: bool) -> Result<(), Fault>;

    /// Whether it can keep to `pace`; asked once before a match.
    ///
    /// # Errors
    ///
    /// If its protocol has no words for such a limit.
    fn can_keep(&self, pace: &Pace) -> Result<(), Fault>;

    /// Asks for a move.
    ///
    /// # Errors
    ///
    /// If no legal move comes within `turn.deadline`. After a fault the program
    /// is not used again before the next [`new_game`](Self::new_game).
    fn ask(&mut self, turn: &Turn) -> Result<Reply, Fault>;

    /// The game is over; xboard programs are told how.
    fn game_over(&mut self, result: &str, reason: &str);

    /// The last lines that went to and fro, and what it wrote to stderr, for the
    /// record of a fault. Empty for players in this process.
    fn last_words(&self) -> Vec<String>;

    /// What the program calls itself, once it has said so.
    fn own_name(&self) -> Option<&str>;
}

/// What a contestant is asked.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    /// The game so far.
    pub game: &'a Game,
    /// Its pace.
    pub pace: Pace,
    /// Both clocks as they stand now; `None` without clocks.
    pub clock: Option<Clock>,
    /// After this it has stalled, whatever the pace says.
    pub deadline: Duration,
    /// When it becomes true nobody wants the answer any more.
    pub stop: Option<&'a Arc<AtomicBool>>,
}

/// What a contestant does when it is its turn.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// It plays a move.
    Move(Answer),
    /// It gives the game up, which is no misdeed.
    Resigns,
}

/// A move and the thought behind it.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The move, legal in the position asked about.
    pub m: Move,
    /// What was said about it.
    pub thought: Thought,
    /// Time from the question to the answer, measured by the runner.
    pub time: Duration,
}

/// What a contestant said about its move; all of it may be missing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Thought {
    /// The score for the side that moves.
    pub score: Option<Score>,
    /// Plies searched.
    pub depth: Option<u32>,
    /// Nodes searched.
    pub nodes: Option<u64>,
    /// A claim or an offer it made beside the move; neither changes the game.
    pub remark: Option<String>,
}

/// A misdeed that loses the game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It could not be started.
    #[error("cannot be started: {reason}")]
    Start {
        /// What the system said.
        reason: String,
    },
    /// It did not get ready in time.
    #[error("said nothing for {waited:?} after `{asked}`")]
    NotReady {
        /// What it was told.
        asked: String,
        /// How long it had.
        waited: Duration,
    },
    /// It ended, by itself or by a signal.
    #[error("ended: {how}")]
    Ended {
        /// Its exit status.
        how: String,
    },
    /// It did not move before the deadline.
    #[error("did not move within {waited:?}")]
    Stalled {
        /// How long it had.
        waited: Duration,
    },
    /// It answered with a move that is not legal, or none where there are some.
    #[error("illegal move `{text}`")]
    Illegal {
        /// What it said.
        text: String,
    },
    /// It wrote more than anybody can mean.
    #[error("flooded its output: {how}")]
    Flood {
        /// How much.
        how: String,
    },
    /// It refused an option or a position.
    #[error("refused `{what}`: {reason}")]
    Refused {
        /// What it was told.
        what: String,
        /// What it said.
        reason: String,
    },
}
