//! The status of a crew: workers, runs and queued jobs.

use std::collections::BTreeMap;

use futures_util::StreamExt;
use serde::Serialize;

use crate::error::CrewError;
use crate::options::ConnectOptions;
use crate::presence::{ActiveRunStatus, CoordinatorStatus, WorkerStatus};
use crate::server::{BoxedError, Server, local_runtime};
use crate::subjects as names;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CrewStatus {
    pub server: String,
    pub waiting: u64,
    pub running: u64,
    /// Jobs whose results the present coordinators took.
    pub done: u64,
    pub dead: u64,
    /// Jobs that workers did not do.
    pub refused: u64,
    /// Units of progress (games) a second, over the last minute.
    pub per_second: f64,
    pub workers: Vec<WorkerStatus>,
    pub coordinators: Vec<ActiveRunStatus>,
    /// All runs with data on the server.
    pub runs: Vec<StoredRun>,
}

/// Data of a run on the server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StoredRun {
    pub run: String,
    /// Jobs, waiting or claimed.
    pub jobs: u64,
    /// Results that its coordinator has not taken yet.
    pub results: u64,
}

/// Asks the server, its workers and its coordinators.
///
/// # Errors
///
/// If the server cannot be reached or denies the permission.
pub fn status(options: &ConnectOptions) -> Result<CrewStatus, CrewError> {
    local_runtime()?.block_on(ask(options))
}

async fn ask(options: &ConnectOptions) -> Result<CrewStatus, CrewError> {
    let server = Server::connect(options, names::COORDINATOR_INBOX, "mendel crew status").await?;
    let (workers, coordinators) = tokio::try_join!(
        server.workers(),
        server.request_many::<CoordinatorStatus>(names::COORDINATORS)
    )?;
    let mut coordinators: Vec<ActiveRunStatus> =
        coordinators.into_iter().flat_map(|one| one.runs).collect();
    coordinators.sort_by(|a, b| a.run.cmp(&b.run));
    let runs = held(&server).await?;
    let jobs: u64 = runs.iter().map(|run| run.jobs).sum();
    // Without jobs the stream may be missing.
    let running = match jobs {
        0 => 0,
        _ => claimed_jobs(&server).await?,
    };
    Ok(CrewStatus {
        server: options.url().to_owned(),
        waiting: jobs.saturating_sub(running),
        running,
        done: coordinators.iter().map(|run| run.tally.done).sum(),
        dead: coordinators.iter().map(|run| run.tally.dead).sum(),
        refused: workers.iter().map(|worker| worker.totals.refused).sum(),
        // The sum of an empty list would be -0.
        per_second: workers.iter().fold(0.0, |sum, it| sum + it.per_second),
        workers,
        coordinators,
        runs,
    })
}

/// The data of each run; empty before the first coordinator.
pub(crate) async fn held(server: &Server) -> Result<Vec<StoredRun>, CrewError> {
    let mut runs: BTreeMap<String, StoredRun> = BTreeMap::new();
    for (subject, count) in server.subjects(names::JOBS, names::ALL_JOBS).await? {
        let run = names::run_of(&subject).to_owned();
        runs.entry(run).or_default().jobs += count as u64;
    }
    for (subject, count) in server.subjects(names::RESULTS, names::ALL_RESULTS).await? {
        let run = names::run_of(&subject).to_owned();
        runs.entry(run).or_default().results += count as u64;
    }
    let runs = runs
        .into_iter()
        .map(|(run, held)| StoredRun { run, ..held });
    Ok(runs.collect())
}

/// The number of claimed jobs of all versions.
async fn claimed_jobs(server: &Server) -> Result<u64, CrewError> {
    let counted = server.persist("count the jobs", || async {
        let stream = server.streams.get_stream_no_info(names::JOBS).await?;
        let mut consumers = stream.consumers();
        let mut count = 0;
        while let Some(consumer) = consumers.next().await {
            count += consumer?.num_ack_pending as u64;
        }
        Ok::<_, BoxedError>(count)
    });
    counted.await
}
