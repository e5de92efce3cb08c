//! Removes what the server still stores for orphaned runs.

use futures_util::StreamExt;
use serde::Serialize;

use crate::error::CrewError;
use crate::job::check_name;
use crate::options::ConnectOptions;
use crate::presence::CoordinatorStatus;
use crate::server::{BoxedError, Server, local_runtime};
use crate::status;
use crate::subjects as names;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RemovedRun {
    pub run: String,
    /// Jobs without a result.
    pub jobs: u64,
    /// Results that no coordinator had taken.
    pub results: u64,
    /// Blobs. Runs share them, so they are removed with the last run if no coordinator is
    /// there; otherwise they expire.
    pub blobs: u64,
}

/// Deletes the data of a run on the server. The run must not be active.
///
/// # Errors
///
/// If the server cannot be reached or has no data of the run, or the run is active.
pub fn remove_run(options: &ConnectOptions, run: &str) -> Result<RemovedRun, CrewError> {
    check_name("run", run)?;
    local_runtime()?.block_on(remove(options, run))
}

async fn remove(options: &ConnectOptions, run: &str) -> Result<RemovedRun, CrewError> {
    let server = Server::connect(options, names::COORDINATOR_INBOX, "mendel crew forget").await?;
    let all = status::held(&server).await?;
    let Some(held) = all.iter().find(|held| held.run == run) else {
        return Err(CrewError::UnknownRun {
            url: options.url().to_owned(),
            run: run.to_owned(),
            runs: all.into_iter().map(|held| held.run).collect(),
        });
    };
    let at_work = |one: &CoordinatorStatus| one.runs.iter().any(|state| state.run == run);
    let coordinators = server.coordinators(at_work).await?;
    if coordinators.iter().any(at_work) {
        return Err(CrewError::AtWork {
            run: run.to_owned(),
        });
    }
    remove_data(&server, run).await?;
    let consumer = names::coordinator(run);
    server.remove_consumer(&consumer, names::RESULTS).await;
    let others = all.iter().any(|held| held.run != run && held.jobs > 0);
    let blobs = if coordinators.is_empty() && !others {
        remove_blobs(&server).await?
    } else {
        0
    };
    Ok(RemovedRun {
        run: run.to_owned(),
        jobs: held.jobs,
        results: held.results,
        blobs,
    })
}

/// Cancels the jobs of a run at its workers, and removes its jobs, those of other builds as
/// well, its results and its start marks.
pub(crate) async fn remove_data(server: &Server, run: &str) -> Result<(), CrewError> {
    // Workers that miss the message do no harm.
    let _ = server.client.publish(names::enough(run), "".into()).await;
    let jobs = names::jobs_of("*", run);
    server.remove_messages(names::JOBS, &jobs).await?;
    // nats-server 2.9.10 may keep the other results of a job that has several until they expire.
    // No count depends on them: a later session of the run counts one result of each job that it
    // asks for, and an id always means the same items of the same run.
    let results = names::results_of(run);
    server.remove_messages(names::RESULTS, &results).await?;
    server.purge(names::STARTS, &names::starts_of(run)).await
}

/// Removes all blobs and returns their number.
async fn remove_blobs(server: &Server) -> Result<u64, CrewError> {
    let stream = format!("OBJ_{}", names::BLOBS);
    if server.subjects(&stream, ">").await?.is_empty() {
        return Ok(0);
    }
    let removed = server.persist("remove the blobs", || async {
        let store = server.streams.get_object_store(names::BLOBS).await?;
        let mut list = store.list().await?;
        let mut known = Vec::new();
        while let Some(blob) = list.next().await {
            known.push(blob?.name);
        }
        for name in &known {
            store.delete(name).await?;
        }
        Ok::<_, BoxedError>(known.len() as u64)
    });
    removed.await
}
