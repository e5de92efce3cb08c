//! Who is there and what there is to do.

use std::collections::BTreeMap;

use futures_util::StreamExt;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::error::CrewError;
use crate::job::Tally;
use crate::names::{self, Role};
use crate::options::Options;
use crate::server::{Any, Server, any};
use crate::wire::printable;
use crate::worker::Worked;

/// A crew at a moment.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Status {
    /// The address of the server.
    pub server: String,
    /// Jobs that wait for a worker.
    pub waiting: u64,
    /// Jobs that are with a worker.
    pub running: u64,
    /// Jobs whose outcomes the present coordinators took.
    pub done: u64,
    /// Jobs set aside.
    pub dead: u64,
    /// Jobs that workers did not do.
    pub refused: u64,
    /// Units of progress (games) a second, over the last minute.
    pub per_second: f64,
    /// The workers.
    pub workers: Vec<WorkerState>,
    /// The runs at work now, with their coordinators.
    pub coordinators: Vec<RunState>,
    /// All runs the server holds something of.
    pub runs: Vec<Held>,
}

/// A worker at a moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkerState {
    /// Its name.
    pub name: String,
    /// What tells it from others of the same name.
    #[serde(default)]
    pub instance: String,
    /// Its version of the program.
    pub program: String,
    /// Jobs it can do at once.
    pub hands: usize,
    /// Jobs it does now.
    pub working: usize,
    /// What it did since it joined.
    pub worked: Worked,
    /// Units of progress (games) a second, over the last minute.
    pub per_second: f64,
    /// Since it joined.
    pub seconds: f64,
}

/// A run at work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunState {
    /// The run.
    pub run: String,
    /// Its coordinator's version of the program.
    pub program: String,
    /// Its books so far.
    pub tally: Tally,
    /// Since it began or was resumed.
    pub seconds: f64,
}

/// What a coordinator answers to all who ask.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Coordinator {
    pub(crate) program: String,
    pub(crate) runs: Vec<RunState>,
}

/// What the server holds of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Held {
    /// The run.
    pub run: String,
    /// Jobs, waiting or with a worker.
    pub jobs: u64,
    /// Results that its coordinator has not taken yet.
    pub results: u64,
}

/// Asks the server and everybody at it.
///
/// # Errors
///
/// If there is no server, or it does not let us ask.
pub fn status(options: &Options) -> Result<Status, CrewError> {
    event_loop()?.block_on(ask(options))
}

pub(crate) fn event_loop() -> Result<tokio::runtime::Runtime, CrewError> {
    let built = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    built.map_err(|error| CrewError::System {
        what: "an event loop".to_owned(),
        why: error.to_string(),
    })
}

async fn ask(options: &Options) -> Result<Status, CrewError> {
    let server = Server::connect(options, Role::Coordinator, "mendel crew status").await?;
    let (workers, coordinators) = tokio::try_join!(
        server.ask_all(names::ROLL_CALL),
        server.ask_all(names::COORDINATORS)
    )?;
    let workers = roll(&workers);
    let coordinators: Vec<Coordinator> = read_all(&coordinators);
    let mut coordinators: Vec<RunState> =
        coordinators.into_iter().flat_map(|one| one.runs).collect();
    for state in &mut coordinators {
        state.run = printable(&state.run);
        state.program = printable(&state.program);
    }
    coordinators.sort_by(|a, b| a.run.cmp(&b.run));
    let runs = held(&server).await?;
    let running = with_workers(&server).await?;
    let jobs: u64 = runs.iter().map(|run| run.jobs).sum();
    Ok(Status {
        server: options.url().to_owned(),
        waiting: jobs.saturating_sub(running),
        running,
        done: coordinators.iter().map(|run| run.tally.done).sum(),
        dead: coordinators.iter().map(|run| run.tally.dead).sum(),
        refused: workers.iter().map(|worker| worker.worked.refused).sum(),
        // The sum of nothing would be -0.
        per_second: workers.iter().fold(0.0, |sum, it| sum + it.per_second),
        workers,
        coordinators,
        runs,
    })
}

/// Who answered a roll call, by name.
pub(crate) fn roll(answers: &[Vec<u8>]) -> Vec<WorkerState> {
    let mut workers: Vec<WorkerState> = read_all(answers)
        .into_iter()
        .map(|worker: WorkerState| WorkerState {
            name: printable(&worker.name),
            instance: printable(&worker.instance),
            program: printable(&worker.program),
            ..worker
        })
        .collect();
    workers.sort_by(|a, b| a.name.cmp(&b.name));
    workers
}

/// The answers that can be read.
pub(crate) fn read_all<T: DeserializeOwned>(answers: &[Vec<u8>]) -> Vec<T> {
    let read = |answer: &Vec<u8>| serde_json::from_slice(answer).ok();
    answers.iter().filter_map(read).collect()
}

/// What the server holds of each run; of none, where no coordinator ever was.
pub(crate) async fn held(server: &Server) -> Result<Vec<Held>, CrewError> {
    let mut runs: BTreeMap<String, Held> = BTreeMap::new();
    for (stream, filter) in [
        (names::JOBS, names::ALL_JOBS),
        (names::RESULTS, names::ALL_RESULTS),
    ] {
        if !server.has_stream(stream).await? {
            continue;
        }
        for (subject, count) in server.subjects(stream, filter).await? {
            let run = names::run_of(&subject);
            let held = runs.entry(run.to_owned()).or_insert_with(|| Held {
                run: run.to_owned(),
                ..Held::default()
            });
            if stream == names::JOBS {
                held.jobs += count as u64;
            } else {
                held.results += count as u64;
            }
        }
    }
    Ok(runs.into_values().collect())
}

/// How many jobs are with workers, of whatever version.
async fn with_workers(server: &Server) -> Result<u64, CrewError> {
    if !server.has_stream(names::JOBS).await? {
        return Ok(0);
    }
    let counted = server.persist("count the jobs", || async {
        let stream = server
            .streams
            .get_stream_no_info(names::JOBS)
            .await
            .map_err(any)?;
        let mut consumers = stream.consumers();
        let mut count = 0;
        while let Some(consumer) = consumers.next().await {
            count += consumer.map_err(any)?.num_ack_pending as u64;
        }
        Ok::<_, Any>(count)
    });
    counted.await
}
