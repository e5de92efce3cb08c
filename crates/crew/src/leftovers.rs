//! What nobody will come back for.

use futures_util::StreamExt;
use serde::Serialize;

use crate::error::CrewError;
use crate::job::check_name;
use crate::names::{self, Role};
use crate::options::Options;
use crate::server::{Any, Server, any};
use crate::status::{self, Coordinator, Held};

/// What was removed of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Forgotten {
    /// The run.
    pub run: String,
    /// Jobs that nobody had done.
    pub jobs: u64,
    /// Results that nobody had taken.
    pub results: u64,
    /// Blobs. They are shared, so that they go with the last run and when no
    /// coordinator is there; before that they go by their age.
    pub blobs: u64,
}

/// Removes all that the server holds of a run that nobody works on.
///
/// # Errors
///
/// If there is no server, it holds nothing of the run, or its coordinator is there.
pub fn forget(options: &Options, run: &str) -> Result<Forgotten, CrewError> {
    check_name("run", run)?;
    let runtime = status::event_loop()?;
    runtime.block_on(remove(options, run))
}

async fn remove(options: &Options, run: &str) -> Result<Forgotten, CrewError> {
    let server = Server::connect(options, Role::Coordinator, "mendel crew forget").await?;
    let all = status::held(&server).await?;
    let Some(held) = all.iter().find(|held| held.run == run) else {
        return Err(CrewError::UnknownRun {
            url: options.url().to_owned(),
            run: run.to_owned(),
            runs: all.into_iter().map(|held| held.run).collect(),
        });
    };
    let answers = server.ask_all(names::COORDINATORS).await?;
    let coordinators: Vec<Coordinator> = status::read_all(&answers);
    let mut at_work = coordinators.iter().flat_map(|one| &one.runs);
    if at_work.any(|state| state.run == run) {
        return Err(CrewError::AtWork {
            run: run.to_owned(),
        });
    }
    // Who still works on it may as well stop.
    let told = server.client.publish(names::enough(run), "".into());
    let _ = told.await;
    for (stream, filter) in [
        (names::JOBS, names::jobs_of_any(run)),
        (names::RESULTS, names::results_of(run)),
        (names::STARTS, names::starts_of(run)),
    ] {
        if server.has_stream(stream).await? {
            server.purge(stream, &filter).await?;
        }
    }
    let consumer = names::coordinator(run);
    let removed = server
        .streams
        .delete_consumer_from_stream(consumer, names::RESULTS);
    // There may be none.
    let _ = removed.await;
    let last = coordinators.is_empty() && !all.iter().any(|other| is_other(other, run));
    let blobs = if last {
        remove_blobs(&server).await?
    } else {
        0
    };
    Ok(Forgotten {
        run: run.to_owned(),
        jobs: held.jobs,
        results: held.results,
        blobs,
    })
}

fn is_other(held: &Held, run: &str) -> bool {
    held.run != run && held.jobs > 0
}

/// Removes all blobs, and says how many they were.
async fn remove_blobs(server: &Server) -> Result<u64, CrewError> {
    if !server.has_stream(&format!("OBJ_{}", names::BLOBS)).await? {
        return Ok(0);
    }
    let removed = server.persist("remove the blobs", || async {
        let store = server
            .streams
            .get_object_store(names::BLOBS)
            .await
            .map_err(any)?;
        let mut list = store.list().await.map_err(any)?;
        let mut known = Vec::new();
        while let Some(blob) = list.next().await {
            known.push(blob.map_err(any)?.name);
        }
        for name in &known {
            store.delete(name).await.map_err(any)?;
        }
        Ok::<_, Any>(known.len() as u64)
    });
    removed.await
}
