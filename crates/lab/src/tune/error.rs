//! Why an engine cannot be tuned.

use std::io;
use std::path::PathBuf;

use super::play::LeftOut;
use mendel_arena::{AwayError, ContestError, EntrantError, OpeningError, SeatError};
use mendel_store::{JournalError, LockError, ReplaceError};

/// Why an engine cannot be tuned.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TuneError {
    /// Nobody is meant by the engine's name.
    #[error(transparent)]
    Entrant(#[from] EntrantError),
    /// The engine does not get ready.
    #[error("the engine cannot be tuned: {0}")]
    Seat(#[from] SeatError),
    /// It has nothing that could be tuned.
    #[error(
        "`{engine}` offers no options that could be tuned{}",
        if only.is_empty() { String::new() } else { format!(": only {}", only.join(", ")) }
    )]
    NoOptions {
        /// The engine.
        engine: String,
        /// What it offers.
        only: Vec<String>,
    },
    /// A pattern means none of its options.
    #[error("`{pattern}` matches none of the options of `{engine}`: {}", known.join(", "))]
    NoMatch {
        /// The engine.
        engine: String,
        /// The pattern.
        pattern: String,
        /// What could be tuned.
        known: Vec<String>,
    },
    /// Nothing is left to tune after the probe.
    #[error("none of the options has a visible effect: {}", names.join(", "))]
    NoEffect {
        /// Which ones were tried.
        names: Vec<String>,
    },
    /// The parameter file cannot be read.
    #[error("cannot read the parameter file `{}`: {reason}", path.display())]
    NoFile {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// The parameter file is not one.
    #[error("{origin} is no parameter file: {reason}")]
    Syntax {
        /// The file.
        origin: String,
        /// What is wrong, with line and column.
        reason: String,
    },
    /// A parameter does not fit the engine.
    #[error("{origin}: `{name}` {reason}")]
    Param {
        /// The file.
        origin: String,
        /// The parameter.
        name: String,
        /// What is wrong and what would be right.
        reason: String,
    },
    /// A setting is impossible.
    #[error("`{what}` {reason}")]
    Setting {
        /// Which one.
        what: &'static str,
        /// What is wrong and what would be right.
        reason: String,
    },
    /// The openings cannot be used.
    #[error(transparent)]
    Openings(#[from] OpeningError),
    /// The start itself fails before the first game.
    #[error("the engine fails with the values that it starts from: {reason}")]
    Start {
        /// How.
        reason: String,
    },
    /// The start itself fails in games.
    #[error(
        "the engine fails with the values that it starts from, in {pairs} pairs of games; last {}, in game {} from `{}`",
        last.reason, last.game, last.opening
    )]
    StartFails {
        /// In how many pairs.
        pairs: usize,
        /// The last of them.
        last: LeftOut,
    },
    /// Nothing that was tried works.
    #[error("the engine fails with every setting that was tried, such as `{options}`: {reason}")]
    AllFail {
        /// One of them.
        options: String,
        /// How it failed.
        reason: String,
    },
    /// The folder holds another tuning.
    #[error("`{}` holds something else already", path.display())]
    Taken {
        /// The folder.
        path: PathBuf,
    },
    /// The folder holds no tuning.
    #[error("`{}` is not the folder of a tuning: {reason}", path.display())]
    NoTuning {
        /// The folder.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The engine or the openings are others than when it began.
    #[error(
        "{what} has changed since the tuning began; restore it, or begin anew in another folder"
    )]
    Changed {
        /// What has.
        what: String,
    },
    /// A file cannot be read or written.
    #[error("cannot use `{}`", path.display())]
    Io {
        /// Which one.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Somebody else is at it.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// A journal cannot be read or written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A file cannot be replaced.
    #[error(transparent)]
    Replace(#[from] ReplaceError),
    /// A match cannot be played.
    #[error(transparent)]
    Contest(#[from] ContestError),
    /// The crew cannot be used.
    #[error(transparent)]
    Away(#[from] AwayError),
    /// The folder of the last match cannot be used.
    #[error(transparent)]
    Match(#[from] mendel_arena::FolderError),
    /// It was asked to stop; the folder goes on from there.
    #[error("stopped before its end")]
    Stopped,
}
