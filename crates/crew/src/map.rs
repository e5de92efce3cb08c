//! A crew does the items of a task: threads of this process, or workers of a queue.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::thread;

use crate::chunks::{DeadLetterPolicy, RemotePart, RemoteWorkers};
use crate::error::{CrewError, MapError};
use crate::handler::JobProgress;
use crate::job::{HandlerError, JobCounts};
use crate::job_names::{JobNameStore, UnboundJobNames};
use crate::lock::lock;
use crate::remote::CrewClient;
use crate::server::STOP_POLL_INTERVAL;
use crate::task::{Done, Flow, Mapped, Site, TakeOutput, Task};

/// The part of a crew without a named one.
const DEFAULT_PART: &str = "games";

/// Threads of this process, or workers of a queue. They change how long work takes and no
/// result. Clones share workers and connections.
#[derive(Clone)]
pub struct Crew {
    threads: usize,
    pin: bool,
    remote: Option<RemotePart>,
}

impl std::fmt::Debug for Crew {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Crew")
            .field("threads", &self.threads)
            .field("pin", &self.pin)
            .field("part", &self.remote.as_ref().map(|remote| &remote.part))
            .finish_non_exhaustive()
    }
}

impl Crew {
    /// Threads of this process; at least one.
    pub fn threads(threads: usize) -> Self {
        Self {
            threads: threads.max(1),
            pin: false,
            remote: None,
        }
    }

    /// The same crew, with each thread at a core of its own.
    #[must_use]
    pub fn pinned(mut self, pin: bool) -> Self {
        self.pin = pin;
        self
    }

    /// The same crew with another number of threads of this process; at least one.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    /// Workers behind `client`; `threads` run tasks that are not portable. Events go to the
    /// callback of [`CrewClient::on_event`].
    pub fn remote(client: CrewClient, threads: usize, policy: DeadLetterPolicy) -> Self {
        Self {
            remote: Some(RemotePart {
                workers: Arc::new(RemoteWorkers::new(client, policy)),
                names: Arc::new(UnboundJobNames::default()),
                part: DEFAULT_PART.to_owned(),
            }),
            ..Self::threads(threads)
        }
    }

    /// The same crew without workers, for tasks that are not portable.
    #[must_use]
    pub fn local(&self) -> Self {
        Self {
            remote: None,
            ..self.clone()
        }
    }

    /// The threads of this process that the crew may use.
    pub fn local_threads(&self) -> usize {
        self.threads
    }

    /// Whether workers of a queue do the items of [`map`](Self::map).
    pub fn is_remote(&self) -> bool {
        self.remote.is_some()
    }

    /// The same crew for the work of a folder: a resumed process that is bound to the same
    /// names finds the jobs of the earlier one. Its part is the default one.
    #[must_use]
    pub fn bind(&self, names: Arc<dyn JobNameStore>) -> Self {
        let mut bound = self.clone();
        if let Some(remote) = &mut bound.remote {
            remote.names = names;
            DEFAULT_PART.clone_into(&mut remote.part);
        }
        bound
    }

    /// The same crew for a part of the work, such as a generation: item ids start at 0 in
    /// each. The name is made of small letters, digits and hyphens.
    #[must_use]
    pub fn part(&self, name: &str) -> Self {
        let mut crew = self.clone();
        if let Some(remote) = &mut crew.remote {
            name.clone_into(&mut remote.part);
        }
        crew
    }

    /// All remote jobs of this crew and its clones so far.
    pub fn job_counts(&self) -> JobCounts {
        let remote = self.remote.as_ref();
        remote.map_or_else(JobCounts::default, |remote| remote.workers.counts())
    }

    /// Has each item done once and gives its outcome to `done`, on this thread, as soon as it
    /// arrives and in any order.
    ///
    /// Items are taken one by one, so that the iterator may be endless; a slow `done` delays
    /// the work. The ids of the items ascend. Locally an output is delivered as soon as
    /// it is complete. From workers the outputs of a job are delivered all or none, and what
    /// `done` has taken without an error is removed from the server: it must be on the disk
    /// by then.
    ///
    /// The work ends when all items are done, `stop` is set or `done` returns
    /// [`Flow::Stop`]. An output that is complete by then is still delivered; one that was
    /// cut short never is. `stop` belongs to the caller: tasks watch another flag.
    ///
    /// # Errors
    ///
    /// If the work cannot be done, or `done` fails; `done` is not called again.
    pub fn map<T: Task, E>(
        &self,
        task: &T,
        items: impl Iterator<Item = T::Item> + Send,
        stop: &AtomicBool,
        done: &mut TakeOutput<'_, T, E>,
    ) -> Result<Mapped, MapError<E>> {
        match &self.remote {
            None => self.map_on_threads(task, items, stop, done),
            Some(remote) => remote.map(task, items, stop, done),
        }
    }

    fn map_on_threads<T: Task, E>(
        &self,
        task: &T,
        items: impl Iterator<Item = T::Item> + Send,
        stop: &AtomicBool,
        done: &mut TakeOutput<'_, T, E>,
    ) -> Result<Mapped, MapError<E>> {
        // More threads than items would only make states that nothing uses.
        let max_threads = items.size_hint().1.unwrap_or(usize::MAX);
        let threads = self.threads.min(max_threads).max(1);
        let items = Mutex::new(items);
        let halt = Arc::new(AtomicBool::new(stop.load(Ordering::Relaxed)));
        let cut_short = AtomicBool::new(false);
        let result = thread::scope(|scope| {
            // 1. Threads that are faster than the consumer wait for it.
            let (sender, receiver) = mpsc::sync_channel(threads);
            for thread in 0..threads {
                let progress = JobProgress::stopped_by(Arc::clone(&halt));
                let (sender, items, cut_short) = (sender.clone(), &items, &cut_short);
                scope.spawn(move || {
                    if self.pin {
                        pin_to(thread);
                    }
                    let next = || lock(items).next();
                    let send = |done| sender.send(Ok(done)).is_ok();
                    if let Err(error) = run_items(task, next, &progress, send) {
                        cut_short.store(true, Ordering::Relaxed);
                        if error != HandlerError::Stopped || !progress.is_stopped() {
                            // Without a receiver the work ends already.
                            let _ = sender.send(Err(task_error(error)));
                        }
                    }
                });
            }
            drop(sender);

            // 2. Their outputs are delivered, also while the work ends.
            let mut result = Ok(Flow::Continue);
            loop {
                match receiver.recv_timeout(STOP_POLL_INTERVAL) {
                    Ok(sent) if result.is_ok() => {
                        let taken = match sent {
                            Ok((item, output)) => {
                                done(&item, Done::Output(output)).map_err(MapError::Consumer)
                            }
                            Err(error) => Err(MapError::Work(error)),
                        };
                        match taken {
                            Ok(Flow::Continue) => {}
                            ended => {
                                result = ended;
                                halt.store(true, Ordering::Relaxed);
                            }
                        }
                    }
                    Ok(_) | Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break,
                }
                if stop.load(Ordering::Relaxed) {
                    halt.store(true, Ordering::Relaxed);
                }
            }
            result
        })?;

        // 3. Whether anything is left.
        let all = !cut_short.load(Ordering::Relaxed) && lock(&items).next().is_none();
        Ok(Mapped::new(result, all))
    }
}

/// One thread: claims an item, runs it, sends the output.
fn run_items<T: Task>(
    task: &T,
    next: impl Fn() -> Option<T::Item>,
    progress: &JobProgress,
    send: impl Fn((T::Item, T::Output)) -> bool,
) -> Result<(), HandlerError> {
    if progress.is_stopped() {
        return Ok(());
    }
    let mut state = task.new_state(Site::Local)?;
    while !progress.is_stopped() {
        let Some(item) = next() else {
            break;
        };
        let output = task.run(&mut state, &item, progress)?;
        if !send((item, output.into_inner())) {
            break;
        }
    }
    Ok(())
}

fn task_error(error: HandlerError) -> CrewError {
    let reason = match error {
        HandlerError::InvalidJob(reason) | HandlerError::CannotRun(reason) => reason,
        HandlerError::Stopped => "a task stopped without a reason".to_owned(),
    };
    CrewError::Task { reason }
}

/// Pins this thread to one of the cores the process may use. Without the permission the work
/// is slower and not wrong.
fn pin_to(core: usize) {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
    let Ok(allowed) = sched_getaffinity(None) else {
        return;
    };
    let cores: Vec<usize> = (0..CpuSet::MAX_CPU)
        .filter(|&core| allowed.is_set(core))
        .collect();
    let Some(&chosen) = cores.get(core % cores.len().max(1)) else {
        return;
    };
    let mut set = CpuSet::new();
    set.set(chosen);
    let _ = sched_setaffinity(None, &set);
}
