//! What workers and coordinators reply to requests for their status.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::job::JobCounts;
use crate::message::printable;

/// The totals of a worker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct WorkerTotals {
    /// Results stored.
    pub jobs: u64,
    /// Units of progress, such as games.
    pub units: u64,
    /// Jobs not done: rejected, stuck or cancelled.
    pub refused: u64,
}

/// The status of a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkerStatus {
    /// Its name.
    pub name: String,
    /// Tells workers of one name apart.
    #[serde(default)]
    pub instance: String,
    /// Its version of the program.
    pub program: String,
    /// Jobs it can do at once.
    pub slots: usize,
    /// Jobs it runs now.
    pub active_jobs: usize,
    /// Totals since it joined.
    pub totals: WorkerTotals,
    /// Units of progress (games) a second, over the last minute.
    pub per_second: f64,
    /// Seconds since it joined.
    pub seconds: f64,
}

/// The status of an active run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ActiveRunStatus {
    /// The run.
    pub run: String,
    /// Its coordinator's version of the program.
    pub program: String,
    /// Its counts so far.
    pub tally: JobCounts,
    /// Seconds since it was started or resumed.
    pub seconds: f64,
}

/// The reply of a coordinator.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct CoordinatorStatus {
    pub(crate) program: String,
    pub(crate) runs: Vec<ActiveRunStatus>,
}

/// The workers that replied, by name.
pub(crate) fn roll(answers: &[Vec<u8>]) -> Vec<WorkerStatus> {
    let mut workers: Vec<WorkerStatus> = read_all(answers)
        .into_iter()
        .map(|worker: WorkerStatus| WorkerStatus {
            name: printable(&worker.name),
            instance: printable(&worker.instance),
            program: printable(&worker.program),
            ..worker
        })
        .collect();
    workers.sort_by(|a, b| a.name.cmp(&b.name));
    workers
}

/// The replies that can be read.
pub(crate) fn read_all<T: DeserializeOwned>(answers: &[Vec<u8>]) -> Vec<T> {
    let read = |answer: &Vec<u8>| serde_json::from_slice(answer).ok();
    answers.iter().filter_map(read).collect()
}
