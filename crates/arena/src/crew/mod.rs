//! Who plays: threads of this process, or workers elsewhere.
//!
//! It is chosen once, where a request is read, and handed down as a value. What comes of
//! a game limited by nodes or depth does not depend on it.

mod book;
mod desk;
mod workers;

use std::path::Path;

pub use self::desk::{Desk, Errand, Pack, Returned};
pub use self::workers::{WhenDead, Workers};
use crate::Hands;
use crate::task::CarryError;

/// Who plays the games of a run or a match.
#[derive(Clone, Debug)]
pub enum Crew {
    /// Threads of this process.
    Here(Hands),
    /// Workers elsewhere.
    There(Desk),
}

impl Crew {
    /// So many threads of this process.
    pub fn threads(threads: usize) -> Self {
        Self::Here(Hands {
            concurrency: threads,
            pin: false,
        })
    }

    /// The workers, for what is kept in `folder`; or threads, if there are none.
    ///
    /// # Errors
    ///
    /// If the folder cannot be written, or what it says of the crew cannot be read.
    pub fn of(workers: Option<&Workers>, folder: &Path, threads: usize) -> Result<Self, AwayError> {
        match workers {
            None => Ok(Self::threads(threads)),
            Some(workers) => Ok(Self::There(workers.desk(folder)?)),
        }
    }

    /// The same for one part of the work, such as a generation: pieces of work are
    /// numbered anew in each.
    #[must_use]
    pub fn for_part(&self, part: &str) -> Self {
        match self {
            Self::Here(hands) => Self::Here(*hands),
            Self::There(desk) => Self::There(desk.for_part(part)),
        }
    }
}

impl From<Hands> for Crew {
    fn from(hands: Hands) -> Self {
        Self::Here(hands)
    }
}

/// Why work given to others is not done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AwayError {
    /// It cannot be given to others.
    #[error(transparent)]
    Carry(#[from] CarryError),
    /// The crew cannot be reached, or does not let us in.
    #[error(transparent)]
    Crew(#[from] mendel_crew::CrewError),
    /// A job that nobody can do.
    #[error(
        "the crew set job {job} aside{}: {why}; going on tries it again, and with `--crew-dead skip` the run does without what nobody can do",
        tried(*deliveries)
    )]
    Dead {
        /// Which.
        job: String,
        /// How often it was given to a worker.
        deliveries: u32,
        /// Why.
        why: String,
    },
    /// An answer that makes no sense.
    #[error(
        "the answer of worker `{worker}` to job {job} makes no sense, also after it was done again: {reason}; stop that worker, and go on"
    )]
    Answer {
        /// Whose.
        worker: String,
        /// To which job.
        job: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The folder cannot be written.
    #[error(transparent)]
    Write(#[from] mendel_store::ReplaceError),
    /// What the folder says of the crew is broken.
    #[error(
        "`{path}` cannot be read: {reason}; remove it, and what the crew has not handed in yet is played again"
    )]
    Book {
        /// The file.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
}

fn tried(deliveries: u32) -> String {
    match deliveries {
        0 | 1 => String::new(),
        times => format!(" after it was given out {times} times"),
    }
}
