//! The coordinator's connection to a crew.

use std::fmt;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use tokio::runtime::Runtime;

use super::coordinator_session::CoordinatorSession;
use super::events::{CrewEvent, EventListener};
use crate::blob::BlobId;
use crate::blob_store::BlobStore;
use crate::error::{CrewError, MapError};
use crate::gc::remove_data;
use crate::job::{Job, JobCounts, JobFlow, JobOutcome, check_name};
use crate::lock::lock;
use crate::options::ConnectOptions;
use crate::presence::{ActiveRunStatus, CoordinatorStatus, WorkerStatus};
use crate::registry::Registry;
use crate::server::{Server, background_runtime, until};
use crate::subjects as names;

/// A coordinator's connection to the server of a crew. Clones share it.
#[derive(Clone)]
pub struct CrewClient(Arc<Coordinator>);

/// The state that clones share.
pub(crate) struct Coordinator {
    pub(crate) server: Server,
    pub(crate) blob_store: BlobStore,
    pub(crate) options: ConnectOptions,
    pub(crate) program: String,
    /// The hash of the version, as it is written in subjects.
    pub(crate) token: String,
    runs: Arc<Registry<ActiveRun>>,
    /// The instance of the server that was seen last.
    server_instance: Mutex<String>,
    pub(crate) listener: EventListener,
    // Last, so that tasks on it are dropped first.
    runtime: Runtime,
}

pub(crate) struct ActiveRun {
    pub(crate) run: String,
    since: Instant,
    pub(crate) tally: Mutex<JobCounts>,
}

impl fmt::Debug for CrewClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CrewClient")
            .field("program", &self.0.program)
            .finish_non_exhaustive()
    }
}

impl CrewClient {
    /// Connects as a coordinator of this version of the program; workers of another version
    /// are refused.
    ///
    /// # Errors
    ///
    /// If the server cannot be reached or denies the permission.
    pub fn connect(options: &ConnectOptions, program: &str) -> Result<Self, CrewError> {
        let runtime = background_runtime("crew")?;
        let token = names::token(program);
        let runs: Arc<Registry<ActiveRun>> = Arc::default();
        let listener = EventListener::default();
        let (server, blob_store) = runtime.block_on(async {
            let server =
                Server::connect(options, names::COORDINATOR_INBOX, "mendel coordinator").await?;
            server.ensure_lease(program, options.lease).await?;
            let blob_store = ensure_streams(&server, &token, options, false).await?;
            let (watched, events) = (server.clone(), listener.clone());
            tokio::spawn(async move {
                let report = |away| {
                    events.emit(&if away {
                        CrewEvent::Disconnected
                    } else {
                        CrewEvent::Reconnected
                    });
                };
                watched.watch_connection(report).await;
            });
            let (asked, active, program) = (server.clone(), Arc::clone(&runs), program.to_owned());
            tokio::spawn(async move {
                let status = || {
                    let runs = active.all();
                    let runs = runs.iter().map(|run| run.status(&program)).collect();
                    let program = program.clone();
                    CoordinatorStatus { program, runs }
                };
                asked.reply(names::COORDINATORS, status).await;
            });
            Ok::<_, CrewError>((server, blob_store))
        })?;
        let server_instance = Mutex::new(server.server_instance());
        Ok(Self(Arc::new(Coordinator {
            server,
            blob_store,
            options: options.clone(),
            program: program.to_owned(),
            token,
            runs,
            server_instance,
            listener,
            runtime,
        })))
    }

    /// Calls `callback` from now on with events of [`work`](Self::work): rejected jobs, once for
    /// each worker and reason; a server that disconnects or returns; missing workers.
    pub fn on_event(&self, callback: impl Fn(&CrewEvent) + Send + Sync + 'static) {
        self.0.listener.set(callback);
    }

    pub(crate) fn emit(&self, event: &CrewEvent) {
        self.0.listener.emit(event);
    }

    /// Has `jobs` done by the workers and gives every outcome to `done` exactly once, on this
    /// thread, in any order.
    ///
    /// Jobs are taken one by one, so that no more than [`ConnectOptions::window`] are on the
    /// server. Jobs and results that an earlier process of the run left there are found by
    /// the ids of the jobs. A result stays on the server until `done` has returned `Ok`, so
    /// `done` should return when it is on the disk. An invalid result
    /// ([`JobFlow::Resubmit`]) is discarded, and its job is submitted again.
    ///
    /// A job that all present workers have rejected for [`ConnectOptions::no_worker_timeout`]
    /// becomes a dead letter.
    ///
    /// A run has one coordinator at a time. `stop` ends the work and keeps the run's data on
    /// the server for a resume; [`JobFlow::Stop`] and the last outcome end it and delete the
    /// data.
    ///
    /// # Errors
    ///
    /// If the server stays away longer than [`ConnectOptions::server_timeout`], a job is too
    /// large, has the id of another or names a blob that `blob` does not have, or
    /// `done` fails. All can be resumed.
    pub fn work<E>(
        &self,
        run: &str,
        jobs: impl Iterator<Item = Job>,
        blob: &(dyn Fn(&BlobId) -> Option<Arc<[u8]>> + Sync),
        stop: &AtomicBool,
        done: &mut dyn FnMut(JobOutcome) -> Result<JobFlow, E>,
    ) -> Result<JobCounts, MapError<E>> {
        check_name("run", run)?;
        let coordinator = &*self.0;
        let active = coordinator.runs.add(ActiveRun {
            run: run.to_owned(),
            since: Instant::now(),
            tally: Mutex::default(),
        });
        coordinator.runtime.block_on(async {
            let mut session =
                CoordinatorSession::start(coordinator, &active, jobs, blob, done).await?;
            let ended = tokio::select! {
                ended = session.work() => ended,
                () = until(stop) => Ok(()),
            };
            session.end(ended.is_ok()).await;
            ended.map(|()| session.tally)
        })
    }

    /// The number of slots of all present workers of this version.
    ///
    /// # Errors
    ///
    /// If the server stays away.
    pub fn slot_count(&self) -> Result<usize, CrewError> {
        let workers = self.0.runtime.block_on(self.0.workers())?;
        let slots = workers.iter().map(|worker| worker.slots);
        Ok(slots.fold(0, usize::saturating_add))
    }

    /// Deletes the jobs and results of a run on the server.
    ///
    /// # Errors
    ///
    /// If the server cannot.
    pub fn remove_run(&self, run: &str) -> Result<(), CrewError> {
        check_name("run", run)?;
        self.0.runtime.block_on(remove_data(&self.0.server, run))
    }
}

impl Coordinator {
    /// The present workers of this version.
    pub(crate) async fn workers(&self) -> Result<Vec<WorkerStatus>, CrewError> {
        let mut workers = self.server.workers().await?;
        workers.retain(|worker| worker.program == self.program);
        Ok(workers)
    }

    /// Creates streams and stores that the server lost.
    pub(crate) async fn ensure_streams(&self) -> Result<(), CrewError> {
        // The reply comes from the instance that is there now.
        self.server.stream(names::jobs_stream()).await?;
        let now = self.server.server_instance();
        let before = std::mem::replace(&mut *lock(&self.server_instance), now.clone());
        let restarted = before != now;
        ensure_streams(&self.server, &self.token, &self.options, restarted).await?;
        Ok(())
    }
}

/// Creates the streams and stores of a crew where they are missing.
async fn ensure_streams(
    server: &Server,
    token: &str,
    options: &ConnectOptions,
    restarted: bool,
) -> Result<BlobStore, CrewError> {
    server.stream(names::jobs_stream()).await?;
    server.stream(names::results_stream()).await?;
    server.stream(names::starts_stream()).await?;
    server
        .ensure_consumer(token, options.lease, restarted)
        .await?;
    BlobStore::make(server).await
}

impl ActiveRun {
    fn status(&self, program: &str) -> ActiveRunStatus {
        ActiveRunStatus {
            run: self.run.clone(),
            program: program.to_owned(),
            tally: *lock(&self.tally),
            seconds: self.since.elapsed().as_secs_f64(),
        }
    }
}
