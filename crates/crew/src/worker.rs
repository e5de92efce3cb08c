//! The worker's end.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::sync::mpsc;

use crate::error::CrewError;
use crate::hand;
use crate::handler::Handler;
use crate::job::JobId;
use crate::names::Role;
use crate::options::{Limits, Options};
use crate::server::Server;
use crate::shift::until;
use crate::shop::Shop;

/// With less than this a worker is no use.
const LEAST_MEMORY: u64 = 1 << 30;

/// Does the jobs of others until it is told to stop.
pub struct Worker {
    options: Options,
    limits: Limits,
    name: String,
    program: String,
    handlers: BTreeMap<&'static str, Arc<dyn Handler>>,
    drop_jobs: Arc<AtomicBool>,
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker")
            .field("name", &self.name)
            .field("program", &self.program)
            .field("limits", &self.limits)
            .field("options", &self.options)
            .field("kinds", &self.handlers.keys())
            .field("drop_jobs", &self.drop_jobs)
            .finish()
    }
}

/// Something worth telling the worker's owner.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// The server is there, and no coordinator of another version.
    Joined {
        /// The address.
        url: String,
    },
    /// The server is gone; it is tried again and again.
    Away,
    /// The server is back.
    Back,
    /// A job begins.
    Began {
        /// The run.
        run: String,
        /// The job.
        id: JobId,
        /// Its kind.
        kind: String,
    },
    /// A job is done and its result is with the server.
    Done {
        /// The run.
        run: String,
        /// The job.
        id: JobId,
        /// So long it took.
        seconds: f64,
    },
    /// A job was not done here.
    Refused {
        /// The run.
        run: String,
        /// The job.
        id: JobId,
        /// Why.
        why: String,
    },
    /// A job went on without progress and was lost to others.
    Stuck {
        /// The run.
        run: String,
        /// The job.
        id: JobId,
    },
    /// A message that is no job was thrown away.
    Corrupt {
        /// Where it lay.
        subject: String,
        /// What is wrong with it.
        why: String,
    },
}

/// The books of a worker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Worked {
    /// Results stored.
    pub jobs: u64,
    /// Units of progress, such as games.
    pub units: u64,
    /// Jobs not done: refused, stuck or stopped.
    pub refused: u64,
}

impl Worker {
    /// A worker of this name and version of the program.
    pub fn new(options: Options, limits: Limits, name: &str, program: &str) -> Self {
        Self {
            options,
            limits,
            name: name.to_owned(),
            program: program.to_owned(),
            handlers: BTreeMap::new(),
            drop_jobs: Arc::default(),
        }
    }

    /// The same worker, which can also do these jobs.
    #[must_use]
    pub fn handler(mut self, handler: Arc<dyn Handler>) -> Self {
        self.handlers.insert(handler.kind(), handler);
        self
    }

    /// The same worker, which gives back the jobs at hand as soon as this is set, after
    /// it was told to stop.
    #[must_use]
    pub fn dropping(mut self, drop_jobs: Arc<AtomicBool>) -> Self {
        self.drop_jobs = drop_jobs;
        self
    }

    /// Works until `stop`, with one thread for each hand; `watch` is told on this
    /// one. It takes no job after that and finishes those at hand, unless it is told to
    /// [drop](Self::dropping) them: then they go to others at once.
    ///
    /// [`Limits::memory`] holds for the whole process from here on.
    ///
    /// # Errors
    ///
    /// If there is no server, it stays away longer than [`Options::patience`], its
    /// coordinators are of another version, or too many jobs are stuck.
    pub fn run(self, stop: &AtomicBool, watch: &mut dyn FnMut(Event)) -> Result<Worked, CrewError> {
        match self.limits.memory {
            Some(bytes) => limit_memory(bytes)?,
            // Who starts it under a limit that is lower still has said what is right.
            None => {
                if let Some(bytes) = usual_memory().filter(|bytes| is_lower(*bytes)) {
                    limit_memory(bytes)?;
                }
            }
        }
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| refused("an event loop", error))?;
        let worked = runtime.block_on(self.serve(stop, watch));
        // Threads of stuck jobs are not waited for.
        runtime.shutdown_background();
        worked
    }

    async fn serve(
        self,
        over: &AtomicBool,
        watch: &mut dyn FnMut(Event),
    ) -> Result<Worked, CrewError> {
        let name = format!("mendel worker {}", self.name);
        let server = Server::connect(&self.options, Role::Worker, &name).await?;
        let (events, mut happened) = mpsc::unbounded_channel();
        let shop = Shop::new(
            server,
            self.limits,
            &self.name,
            &self.program,
            self.handlers,
            events,
        );
        shop.check_version().await?;
        watch(Event::Joined {
            url: self.options.url().to_owned(),
        });
        tokio::spawn(Arc::clone(&shop).answer());
        tokio::spawn(Arc::clone(&shop).heed());
        tokio::spawn(Arc::clone(&shop).tell_changes());

        let hands = (0..shop.limits.hands.max(1)).map(|_| hand::work(Arc::clone(&shop)));
        let mut hands: FuturesUnordered<_> = hands.collect();
        let mut ended = Ok(());
        loop {
            tokio::select! {
                Some(event) = happened.recv() => watch(event),
                hand = hands.next() => match hand {
                    None => break,
                    Some(Ok(())) => {}
                    Some(Err(error)) => {
                        ended = Err(error);
                        // There is no point in results that nobody will get.
                        shop.stop();
                        shop.drop_jobs();
                    }
                },
                () = until(over), if !shop.is_stopping() => shop.stop(),
                () = until(&self.drop_jobs), if shop.is_stopping() && !shop.is_dropping() => {
                    shop.drop_jobs();
                }
            }
        }
        while let Ok(event) = happened.try_recv() {
            watch(event);
        }
        ended.map(|()| shop.worked())
    }
}

fn refused(what: &str, error: impl fmt::Display) -> CrewError {
    CrewError::System {
        what: what.to_owned(),
        why: error.to_string(),
    }
}

/// What a process may take where its owner says nothing: three quarters of the machine's
/// memory, so that whatever a job asks for, the machine itself lives. `None` where the
/// system does not tell.
fn usual_memory() -> Option<u64> {
    let told = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = told
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some((kibibytes << 10) / 4 * 3).map(|bytes| bytes.max(LEAST_MEMORY))
}

/// Whether this is less memory than the process may have now.
fn is_lower(bytes: u64) -> bool {
    let now = getrlimit(Resource::As);
    let limits = [now.current, now.maximum];
    limits.into_iter().flatten().all(|limit| bytes < limit)
}

/// Beyond this the process cannot get memory, and dies; its jobs go to others.
fn limit_memory(bytes: u64) -> Result<(), CrewError> {
    let limit = Rlimit {
        current: Some(bytes),
        maximum: getrlimit(Resource::As).maximum,
    };
    setrlimit(Resource::As, limit)
        .map_err(|error| refused(&format!("a memory limit of {bytes} bytes"), error))
}
