//! Workers: claim jobs, run their handlers, and store the results.

mod claim;
mod lease;
mod slot;
mod worker_context;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::sync::mpsc;

use crate::error::CrewError;
use crate::handler::Handler;
use crate::job::JobId;
use crate::options::{ConnectOptions, WorkerLimits};
use crate::presence::WorkerTotals;
use crate::server::{Server, local_runtime, until};
use crate::subjects as names;

use self::worker_context::WorkerContext;

/// Minimum of the default memory limit, in bytes.
const MIN_MEMORY: u64 = 1 << 30;

/// Does the jobs of a crew until it is stopped.
pub struct Worker {
    options: ConnectOptions,
    limits: WorkerLimits,
    name: String,
    program: String,
    handlers: BTreeMap<&'static str, Arc<dyn Handler>>,
    cancel_jobs: Arc<AtomicBool>,
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker")
            .field("name", &self.name)
            .field("program", &self.program)
            .finish_non_exhaustive()
    }
}

#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum WorkerEvent {
    /// The server is there, and no coordinator of another version.
    Joined {
        url: String,
    },
    Disconnected,
    Reconnected,
    Started {
        run: String,
        id: JobId,
        kind: String,
    },
    /// A job is done and its result is stored on the server.
    Done {
        run: String,
        id: JobId,
        seconds: f64,
    },
    Rejected {
        run: String,
        id: JobId,
        why: String,
    },
    /// A job made no progress and its lease expired.
    Stuck {
        run: String,
        id: JobId,
    },
    /// A message that is not a job was discarded.
    Corrupt {
        subject: String,
        why: String,
    },
}

impl Worker {
    /// A worker of this name and version of the program.
    pub fn new(options: ConnectOptions, limits: WorkerLimits, name: &str, program: &str) -> Self {
        Self {
            options,
            limits,
            name: name.to_owned(),
            program: program.to_owned(),
            handlers: BTreeMap::new(),
            cancel_jobs: Arc::default(),
        }
    }

    /// Adds a kind of job.
    #[must_use]
    pub fn handler(mut self, handler: Arc<dyn Handler>) -> Self {
        self.handlers.insert(handler.kind(), handler);
        self
    }

    /// The same worker, which cancels its running jobs as soon as this is set after `stop`.
    #[must_use]
    pub fn dropping(mut self, cancel_jobs: Arc<AtomicBool>) -> Self {
        self.cancel_jobs = cancel_jobs;
        self
    }

    /// Works until `stop`, with one thread for each slot; `watch` is called on this one.
    /// Then it claims no job and finishes the running ones, unless the owner
    /// [cancels](Self::dropping) them: they are returned to the queue at once.
    ///
    /// [`WorkerLimits::memory`] holds for the whole process from here on.
    ///
    /// # Errors
    ///
    /// If there is no server, it is away longer than [`ConnectOptions::server_timeout`], its
    /// coordinators are of another version, or too many jobs are stuck.
    pub fn run(
        self,
        stop: &AtomicBool,
        watch: &mut dyn FnMut(WorkerEvent),
    ) -> Result<WorkerTotals, CrewError> {
        // A lower limit that was set before the start stays.
        let default = || default_memory().filter(|bytes| is_lower(*bytes));
        if let Some(bytes) = self.limits.memory.or_else(default) {
            limit_memory(bytes)?;
        }
        let runtime = local_runtime()?;
        let worked = runtime.block_on(self.serve(stop, watch));
        // Threads of stuck jobs are not waited for.
        runtime.shutdown_background();
        worked
    }

    async fn serve(
        self,
        over: &AtomicBool,
        watch: &mut dyn FnMut(WorkerEvent),
    ) -> Result<WorkerTotals, CrewError> {
        let name = format!("mendel worker {}", self.name);
        let server = Server::connect(&self.options, names::WORKER_INBOX, &name).await?;
        let (events, mut happened) = mpsc::unbounded_channel();
        let url = self.options.url().to_owned();
        let context = WorkerContext::new(server, self, events);
        context.check_version().await?;
        watch(WorkerEvent::Joined { url });
        tokio::spawn(Arc::clone(&context).run_background());

        let slots = (0..context.slots()).map(|_| slot::work(Arc::clone(&context)));
        let mut slots: FuturesUnordered<_> = slots.collect();
        let mut ended = Ok(());
        loop {
            tokio::select! {
                Some(event) = happened.recv() => watch(event),
                ended_slot = slots.next() => match ended_slot {
                    None => break,
                    Some(Ok(())) => {}
                    Some(Err(error)) => {
                        ended = Err(error);
                        // Results that cannot be stored are useless.
                        context.stop();
                        context.cancel_jobs();
                    }
                },
                () = until(over), if !context.is_stopping() => context.stop(),
                () = until(&context.worker.cancel_jobs), if context.is_stopping() && !context.is_cancelling() => {
                    context.cancel_jobs();
                }
            }
        }
        while let Ok(event) = happened.try_recv() {
            watch(event);
        }
        ended.map(|()| context.totals())
    }
}

/// Default memory limit of the process: three quarters of the machine's memory, so that no
/// job can exhaust it. `None` where the system does not report its memory.
fn default_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some((kibibytes << 10) / 4 * 3).map(|bytes| bytes.max(MIN_MEMORY))
}

/// Whether this is less than the present limit.
fn is_lower(bytes: u64) -> bool {
    let now = getrlimit(Resource::As);
    let limits = [now.current, now.maximum];
    limits.into_iter().flatten().all(|limit| bytes < limit)
}

/// Limits the memory of the process. Beyond the limit it crashes, and its jobs are delivered
/// to other workers.
fn limit_memory(bytes: u64) -> Result<(), CrewError> {
    let limit = Rlimit {
        current: Some(bytes),
        maximum: getrlimit(Resource::As).maximum,
    };
    setrlimit(Resource::As, limit)
        .map_err(|error| CrewError::system(&format!("a memory limit of {bytes} bytes"), error))
}
