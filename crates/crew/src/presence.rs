//! What workers and coordinators reply to requests for their status.

use serde::{Deserialize, Serialize};

use crate::job::JobCounts;
use crate::printable::printable_text;

/// The totals of a worker since it joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerTotals {
    /// Results stored.
    pub jobs: u64,
    /// Units of progress, such as games.
    pub units: u64,
    /// Jobs not done: rejected, stuck or cancelled.
    pub refused: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkerStatus {
    #[serde(deserialize_with = "printable_text")]
    pub name: String,
    /// Distinguishes workers of the same name.
    #[serde(default, deserialize_with = "printable_text")]
    pub instance: String,
    /// Its version of the program.
    #[serde(deserialize_with = "printable_text")]
    pub program: String,
    pub slots: usize,
    pub active_jobs: usize,
    pub totals: WorkerTotals,
    /// Units of progress (games) a second, over the last minute.
    pub per_second: f64,
    /// Seconds since it joined.
    pub seconds: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ActiveRunStatus {
    #[serde(deserialize_with = "printable_text")]
    pub run: String,
    /// Its coordinator's version of the program.
    #[serde(deserialize_with = "printable_text")]
    pub program: String,
    pub tally: JobCounts,
    /// Seconds since it was started or resumed.
    pub seconds: f64,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct CoordinatorStatus {
    #[serde(deserialize_with = "printable_text")]
    pub(crate) program: String,
    pub(crate) runs: Vec<ActiveRunStatus>,
}
