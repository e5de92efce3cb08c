//! A job and what comes back: plain data, complete in itself.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::blob::BlobId;
use crate::error::OptionsError;

/// So long may a name be.
const NAME_LENGTH: usize = 64;

/// The name of a job, unique in its run: the same job has the same name in every
/// life of the run.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct JobId(Box<str>);

impl JobId {
    /// A name of 1 to 64 of `a-z`, `0-9` and `-`.
    ///
    /// # Errors
    ///
    /// If it is anything else.
    pub fn new(name: &str) -> Result<Self, OptionsError> {
        check_name("job", name)?;
        Ok(Self(name.into()))
    }

    /// The name itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for JobId {
    type Error = OptionsError;

    fn try_from(name: String) -> Result<Self, OptionsError> {
        Self::new(&name)
    }
}

impl From<JobId> for String {
    fn from(id: JobId) -> Self {
        id.0.into()
    }
}

/// Names become parts of subjects, where `.`, `*`, `>` and spaces mean something.
pub(crate) fn check_name(what: &'static str, name: &str) -> Result<(), OptionsError> {
    let fits = (1..=NAME_LENGTH).contains(&name.len())
        && name
            .bytes()
            .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'));
    if fits {
        Ok(())
    } else {
        Err(OptionsError::Name {
            what,
            name: name.chars().take(2 * NAME_LENGTH).collect(),
        })
    }
}

/// Some seconds of work: everything a worker needs, and no path and no command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// Its name.
    pub id: JobId,
    /// Which handler does it.
    pub kind: String,
    /// The version of the payload; a handler does its own and no other.
    pub version: u32,
    /// What to do, as the handler reads it.
    pub payload: Vec<u8>,
    /// Larger things that many jobs share, by their contents.
    pub blobs: Vec<BlobId>,
}

/// What became of a job.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The job.
    pub id: JobId,
    /// What the handler gave, or why nobody will do it.
    pub result: Result<Vec<u8>, Dead>,
    /// Who did it.
    pub worker: String,
    /// So long the worker took.
    pub seconds: f64,
}

/// A job that was set aside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("set aside after {deliveries} deliveries: {why}")]
pub struct Dead {
    /// So often a worker was given it.
    pub deliveries: u32,
    /// What is known.
    pub why: String,
    /// Whether its result is more than the server takes: less of it may fit.
    #[serde(default)]
    pub oversized: bool,
}

/// Why a worker did not do a job.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The job makes no sense, to any worker: it is set aside at once.
    #[error("the job makes no sense: {0}")]
    Bad(String),
    /// This worker cannot; another may.
    #[error("this worker cannot: {0}")]
    Cannot(String),
    /// It was asked to stop.
    #[error("stopped")]
    Stopped,
}

/// A job that a worker did not do; it goes to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// The job.
    pub id: JobId,
    /// Who did not do it.
    pub worker: String,
    /// What tells that worker from others of the same name.
    #[serde(default)]
    pub instance: String,
    /// Why not.
    pub why: String,
    /// Whether it had begun with it, so that another may have more luck.
    #[serde(default)]
    pub begun: bool,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            id, worker, why, ..
        } = self;
        write!(f, "worker {worker} did not do job {id}: {why}")
    }
}

/// Whether there is any sense in going on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoOn {
    /// There is.
    Yes,
    /// Enough is known; the rest of the run's jobs need no doing.
    No,
    /// There is, but this result makes no sense: it is thrown away, counted as corrupt,
    /// and its job is done again.
    Again,
}

/// The books of one call of [`crate::Remote::work`]: when all jobs were taken and
/// nothing stopped it, `handed_in + found == done + dead`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Jobs given to the server for the first time in this life of the run.
    pub handed_in: u64,
    /// Jobs that an earlier life had handed in, queued or finished.
    pub found: u64,
    /// Results given to the caller.
    pub done: u64,
    /// Jobs set aside.
    pub dead: u64,
    /// Answers to jobs that were already answered, or that nobody asked for.
    pub duplicates: u64,
    /// Answers that could not be read, or made no sense to whoever took them.
    pub corrupt: u64,
    /// Answers of another build of the program: they are thrown away, and the jobs done
    /// again.
    #[serde(default)]
    pub other_build: u64,
    /// Jobs handed in again because the server had lost them, or their answers were no use.
    pub repeated: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_leave_their_subject() {
        for name in ["a", "job-17", &"x".repeat(64)] {
            assert_eq!(JobId::new(name).map(String::from), Ok(name.to_owned()));
        }
        for name in ["", "a.b", "*", ">", "a b", "A", "é", "a\n", &"x".repeat(65)] {
            assert!(JobId::new(name).is_err(), "{name:?}");
        }
    }
}
