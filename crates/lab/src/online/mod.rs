//! Learning after each game.
//!
//! A population of sets of weights plays: against people, in a GUI, against other
//! programs. After each game the set that played is judged anew; once it has been judged
//! enough, a child of good ones takes the place of the worst.
//!
//! A game is an [`Event`] with an id of its own, and the journal of events is all there
//! is on the disk: the [`Population`] is what comes of the events in the order of their
//! ids. So games of other installations can be [merged](Learning::merge) at any time and
//! in any order, and none is lost or counted twice; [`Shared`] exchanges them through the
//! server of a crew.
//!
//! # Source
//!
//! Lemley and others, "CWU-Chess: An Adaptive Chess Program that Improves After Each
//! Game", section III, the second and the third way to learn.
//!
//! # Where this differs
//!
//! The paper re-scores a set each time it wins; here every game counts. How its sets are
//! chosen and replaced is not said.

mod event;
mod learning;
mod opponents;
mod page;
mod population;
mod shared;
mod spool;
mod teach;

pub use self::event::{Against, Event, EventId, Scored, opponent_name};
pub use self::learning::{
    EVENTS, FOUNDING, Finished, Founding, INSTALLATION, LOCK_PATIENCE, Learning, LearningError,
    Merged,
};
pub use self::opponents::{Opponent, opponents};
pub use self::page::{REPORT, page};
pub use self::population::{Member, Population, Rules, Start, Tally};
pub use self::shared::{Exchanged, Shared, SharedError};
pub use self::spool::Spool;
pub use self::teach::{Course, DEPTH, TeachError, teach};

/// What `mendel breed` calls learning after each game.
pub const NAME: &str = "cwu-online";

/// What it is about, for a list of recipes.
pub const ABOUT: &str = "CWU-Chess learns after each game against the player `--opponent` names";

/// The player whose weights are learned, unless another is named.
pub const PLAYER: &str = "cwu";
