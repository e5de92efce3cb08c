//! Jobs and their outcomes: plain data, complete in itself.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::blob::BlobId;
use crate::error::CrewError;
use crate::printable::printable_text;

const MAX_NAME_LENGTH: usize = 64;

/// The name of a job, unique in its run; a resumed process uses the same names.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct JobId(Box<str>);

impl JobId {
    /// A name of 1 to 64 of `a-z`, `0-9` and `-`.
    ///
    /// # Errors
    ///
    /// If it is anything else.
    pub fn new(name: &str) -> Result<Self, CrewError> {
        check_name("job", name)?;
        Ok(Self(name.into()))
    }

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
    type Error = CrewError;

    fn try_from(name: String) -> Result<Self, CrewError> {
        Self::new(&name)
    }
}

impl From<JobId> for String {
    fn from(id: JobId) -> Self {
        id.0.into()
    }
}

/// Names become parts of subjects, where `.`, `*`, `>` and spaces have a meaning.
pub(crate) fn check_name(what: &'static str, name: &str) -> Result<(), CrewError> {
    let fits = (1..=MAX_NAME_LENGTH).contains(&name.len())
        && name
            .bytes()
            .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'));
    if fits {
        Ok(())
    } else {
        Err(CrewError::Name {
            what,
            name: name.chars().take(2 * MAX_NAME_LENGTH).collect(),
        })
    }
}

/// Some seconds of work: all data that a worker needs, without paths or commands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    pub id: JobId,
    /// The kind of its handler.
    pub kind: String,
    /// The version of the payload; a handler reads one version only.
    pub version: u32,
    pub payload: Vec<u8>,
    /// Larger data that many jobs share.
    pub blobs: Vec<BlobId>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct JobOutcome {
    pub id: JobId,
    /// Output of the handler, or why the job was given up.
    pub result: Result<Vec<u8>, DeadLetter>,
    pub worker: String,
    pub seconds: f64,
}

/// A job that was given up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("dead letter after {deliveries} deliveries: {why}")]
pub struct DeadLetter {
    /// Deliveries to workers.
    pub deliveries: u32,
    #[serde(deserialize_with = "printable_text")]
    pub why: String,
    /// Whether its result exceeds the limit of the server; a smaller job may fit.
    #[serde(default)]
    pub oversized: bool,
}

/// The blobs of a job, and of no other.
pub trait Blobs {
    /// The content of a blob.
    ///
    /// # Errors
    ///
    /// [`HandlerError::CannotRun`] if the job does not name it.
    fn read(&self, id: &BlobId) -> Result<Arc<[u8]>, HandlerError>;
}

impl Blobs for HashMap<BlobId, Arc<[u8]>> {
    fn read(&self, id: &BlobId) -> Result<Arc<[u8]>, HandlerError> {
        let unknown = || HandlerError::CannotRun(format!("the job does not name blob {id}"));
        self.get(id).map(Arc::clone).ok_or_else(unknown)
    }
}

/// The reason why a handler did not do a job.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HandlerError {
    /// No worker can do it: it becomes a dead letter at once.
    #[error("invalid job: {0}")]
    InvalidJob(String),
    /// This worker cannot do it; another may.
    #[error("this worker cannot: {0}")]
    CannotRun(String),
    #[error("stopped")]
    Stopped,
}

/// A job that a worker did not do; it is delivered to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobRejection {
    pub id: JobId,
    #[serde(deserialize_with = "printable_text")]
    pub worker: String,
    /// Distinguishes workers of the same name.
    #[serde(default, deserialize_with = "printable_text")]
    pub instance: String,
    #[serde(deserialize_with = "printable_text")]
    pub why: String,
    /// Whether it was started, so that another attempt may succeed.
    #[serde(default)]
    pub begun: bool,
}

impl fmt::Display for JobRejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            id, worker, why, ..
        } = self;
        write!(f, "worker {worker} did not do job {id}: {why}")
    }
}

/// The caller's decision after an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobFlow {
    Continue,
    /// End the work: the other jobs of the run are not needed.
    Stop,
    /// Discard the result, which is invalid, count it as corrupt, and do the job again.
    Resubmit,
}

/// The counts of one call of [`crate::CrewClient::work`]: when all jobs were taken and
/// nothing stopped it, `handed_in + found == done + dead`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobCounts {
    /// Jobs submitted for the first time.
    pub handed_in: u64,
    /// Jobs that an earlier process had submitted, queued or finished.
    pub found: u64,
    /// Results delivered to the caller.
    pub done: u64,
    pub dead: u64,
    /// Results of jobs that had one already, or that were not submitted.
    pub duplicates: u64,
    /// Results that were damaged, or that the caller rejected.
    pub corrupt: u64,
    /// Results of another build of the program: they are discarded, and the jobs done again.
    #[serde(default)]
    pub other_build: u64,
    /// Jobs submitted again because the server had lost them, or their results were useless.
    pub repeated: u64,
}

impl JobCounts {
    pub(crate) fn add(&mut self, more: &Self) {
        self.handed_in += more.handed_in;
        self.found += more.found;
        self.done += more.done;
        self.dead += more.dead;
        self.duplicates += more.duplicates;
        self.corrupt += more.corrupt;
        self.other_build += more.other_build;
        self.repeated += more.repeated;
    }
}
