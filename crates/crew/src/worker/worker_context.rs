//! State that the slots of a worker share.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::{Consumer, pull};
use futures_util::StreamExt;
use tokio::sync::{OnceCell, mpsc, watch};

use super::claim::Delivery;
use super::{Worker, WorkerEvent};
use crate::blob::BlobCache;
use crate::blob_store::BlobStore;
use crate::error::CrewError;
use crate::handler::JobProgress;
use crate::job::{DeadLetter, JobId, JobRejection};
use crate::lock::lock;
use crate::message::ResultHeader;
use crate::presence::{CoordinatorStatus, WorkerStatus, WorkerTotals};
use crate::printable::printable;
use crate::registry::Registry;
use crate::server::{Server, exponential_backoff};
use crate::subjects as names;

/// Minimum interval between requests for coordinator versions.
const VERSION_CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// The period over which units per second are averaged.
const RATE_WINDOW: Duration = Duration::from_mins(1);
/// Redelivery delay after a rejected job: doubles from the minimum to the maximum.
const MIN_REJECT_DELAY: Duration = Duration::from_secs(1);
const MAX_REJECT_DELAY: Duration = Duration::from_secs(8);
/// Delay before the next claim after consecutive rejections: doubles, so that other workers
/// claim first; a finished job resets it.
const MIN_BACKOFF: Duration = Duration::from_millis(100);
const MAX_BACKOFF: Duration = Duration::from_secs(2);
/// Rejections are counted for at most this many jobs.
const MAX_REJECTED: usize = 16_384;
/// Weight of the last duration in the expected one.
const DURATION_WEIGHT: f64 = 0.2;

pub(crate) struct WorkerContext {
    pub(crate) server: Server,
    pub(crate) worker: Worker,
    /// Distinguishes workers of the same name.
    instance: String,
    /// The hash of the version, as it is written in subjects.
    pub(crate) token: String,
    pub(crate) cache: BlobCache,
    blob_store: OnceCell<BlobStore>,
    /// The queue of jobs, and when it was read.
    queue: Mutex<Option<(Consumer<pull::Config>, Instant)>>,
    pub(crate) active_jobs: Registry<ActiveJob>,
    state: Mutex<WorkerState>,
    events: mpsc::UnboundedSender<WorkerEvent>,
    stopping: watch::Sender<bool>,
    cancelling: AtomicBool,
    since: Instant,
}

/// A job that runs now.
pub(crate) struct ActiveJob {
    pub(crate) run: String,
    pub(crate) progress: JobProgress,
}

#[derive(Default)]
struct WorkerState {
    totals: WorkerTotals,
    /// Units of progress, and when they were done.
    recent: VecDeque<(Instant, u64)>,
    /// Expected duration of a job in seconds, by earlier ones.
    job_seconds: Option<f64>,
    version_checked: Option<Instant>,
    /// Rejections by run and job.
    rejections: HashMap<(String, JobId), u32>,
    consecutive_rejections: u32,
    abandoned_threads: usize,
    /// The kinds of the jobs in abandoned threads.
    stuck_kinds: BTreeSet<String>,
}

impl WorkerContext {
    /// Reports to the coordinator why a job was not done. A lost message does no harm.
    pub(crate) async fn report(&self, delivery: &Delivery, why: &str, begun: bool) {
        let refused = JobRejection {
            id: delivery.id.clone(),
            worker: self.worker.name.clone(),
            instance: self.instance.clone(),
            why: printable(why),
            begun,
        };
        let message = serde_json::to_vec(&refused).expect("it is plain data");
        let client = &self.server.client;
        let subject = names::refused(&delivery.run);
        let _ = client.publish(subject, message.into()).await;
    }

    pub(crate) fn result_header(
        &self,
        delivery: &Delivery,
        seconds: f64,
        dead: Option<DeadLetter>,
    ) -> ResultHeader {
        ResultHeader {
            run: delivery.run.clone(),
            id: delivery.id.clone(),
            build: self.token.clone(),
            worker: self.worker.name.clone(),
            seconds,
            dead,
        }
    }

    pub(crate) fn new(
        server: Server,
        worker: Worker,
        events: mpsc::UnboundedSender<WorkerEvent>,
    ) -> Arc<Self> {
        let inbox = server.client.new_inbox();
        Arc::new(Self {
            server,
            // Inboxes are unique.
            instance: names::last(&inbox).to_owned(),
            cache: BlobCache::new(worker.limits.cache),
            token: names::token(&worker.program),
            worker,
            blob_store: OnceCell::new(),
            queue: Mutex::default(),
            active_jobs: Registry::default(),
            state: Mutex::default(),
            events,
            stopping: watch::Sender::new(false),
            cancelling: AtomicBool::new(false),
            since: Instant::now(),
        })
    }

    /// Counts a rejection and returns the redelivery delay.
    pub(crate) fn record_rejection(&self, run: &str, id: &JobId) -> Duration {
        let mut state = lock(&self.state);
        state.consecutive_rejections += 1;
        if state.rejections.len() >= MAX_REJECTED {
            state.rejections.clear();
        }
        let job = (run.to_owned(), id.clone());
        let times = state.rejections.entry(job).or_default();
        *times += 1;
        exponential_backoff(MIN_REJECT_DELAY, MAX_REJECT_DELAY, *times - 1)
    }

    pub(crate) async fn back_off(&self) {
        let rejections = lock(&self.state).consecutive_rejections;
        if let Some(doublings) = rejections.checked_sub(1) {
            tokio::time::sleep(exponential_backoff(MIN_BACKOFF, MAX_BACKOFF, doublings)).await;
        }
    }

    pub(crate) async fn blob_store(&self) -> Result<&BlobStore, CrewError> {
        self.blob_store
            .get_or_try_init(|| BlobStore::open(&self.server))
            .await
    }

    /// The queue of our version, if a coordinator has created it, as it was within `age`. It is
    /// read rarely, because the server counts all jobs for the reply.
    pub(crate) async fn queue(
        &self,
        age: Duration,
    ) -> Result<Option<Consumer<pull::Config>>, CrewError> {
        if let Some((queue, seen)) = &*lock(&self.queue)
            && seen.elapsed() < age
        {
            return Ok(Some(queue.clone()));
        }
        let server = &self.server;
        let found = server.queue(&self.token, server.timeout).await?;
        *lock(&self.queue) = found.clone().map(|queue| (queue, Instant::now()));
        Ok(found)
    }

    pub(crate) fn forget_queue(&self) {
        *lock(&self.queue) = None;
    }

    /// Sends an event to the owner, whose terminal may show it: its texts are untrusted.
    pub(crate) fn emit(&self, mut event: WorkerEvent) {
        let totals = &mut lock(&self.state).totals;
        match &mut event {
            WorkerEvent::Done { .. } => totals.jobs += 1,
            WorkerEvent::Stuck { .. } => totals.refused += 1,
            WorkerEvent::Rejected { why, .. } => {
                *why = printable(why);
                totals.refused += 1;
            }
            WorkerEvent::Corrupt { subject, why } => {
                *subject = printable(subject);
                *why = printable(why);
                totals.refused += 1;
            }
            _ => {}
        }
        // The receiver is gone when the worker ends.
        let _ = self.events.send(event);
    }

    /// Stops claiming jobs; running jobs are finished.
    pub(crate) fn stop(&self) {
        self.stopping.send_replace(true);
    }

    pub(crate) fn is_stopping(&self) -> bool {
        *self.stopping.borrow()
    }

    /// Cancels the running jobs, too.
    pub(crate) fn cancel_jobs(&self) {
        self.cancelling.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_cancelling(&self) -> bool {
        self.cancelling.load(Ordering::Relaxed)
    }

    /// Ends when the worker has to stop.
    pub(crate) async fn stopped(&self) {
        // The sender lives as long as `self`.
        let _ = self
            .stopping
            .subscribe()
            .wait_for(|stopping| *stopping)
            .await;
    }

    /// Fails if all coordinators are of other versions.
    pub(crate) async fn check_version(&self) -> Result<(), CrewError> {
        {
            let checked = &mut lock(&self.state).version_checked;
            if checked.is_some_and(|checked| checked.elapsed() < VERSION_CHECK_INTERVAL) {
                return Ok(());
            }
            *checked = Some(Instant::now());
        }
        let coordinators = self.server.request_many(names::COORDINATORS).await?;
        let theirs: BTreeSet<String> = coordinators
            .into_iter()
            .map(|one: CoordinatorStatus| one.program)
            .collect();
        if theirs.is_empty() || theirs.contains(&self.worker.program) {
            return Ok(());
        }
        Err(CrewError::OtherVersion {
            url: self.server.url().to_owned(),
            ours: self.worker.program.clone(),
            theirs: Vec::from_iter(theirs).join(", "),
        })
    }

    /// Counts new units of progress.
    pub(crate) fn count(&self, units: u64) {
        if units > 0 {
            let mut state = lock(&self.state);
            state.totals.units += units;
            state.recent.push_back((Instant::now(), units));
        }
    }

    fn per_second(&self) -> f64 {
        let recent = &mut lock(&self.state).recent;
        recent.retain(|(when, _)| when.elapsed() < RATE_WINDOW);
        let units: u64 = recent.iter().map(|(_, units)| units).sum();
        units as f64 / self.since.elapsed().min(RATE_WINDOW).as_secs_f64().max(1.0)
    }

    /// The expected duration of a job, by earlier ones.
    pub(crate) fn expected_duration(&self) -> Option<Duration> {
        lock(&self.state).job_seconds.map(Duration::from_secs_f64)
    }

    pub(crate) fn record_duration(&self, seconds: f64) {
        let mut state = lock(&self.state);
        state.consecutive_rejections = 0;
        let known = state.job_seconds.unwrap_or(seconds);
        state.job_seconds = Some(known + DURATION_WEIGHT * (seconds - known));
    }

    /// Abandons a thread. A worker that has abandoned more threads than it has slots ends.
    pub(crate) fn abandon_thread(&self, kind: &str) -> Result<(), CrewError> {
        let mut state = lock(&self.state);
        state.stuck_kinds.insert(kind.to_owned());
        state.abandoned_threads += 1;
        if state.abandoned_threads <= self.slots() {
            return Ok(());
        }
        Err(CrewError::Stuck {
            abandoned: state.abandoned_threads,
            kinds: Vec::from_iter(state.stuck_kinds.clone()).join(", "),
        })
    }

    pub(crate) fn slots(&self) -> usize {
        self.worker.limits.slots.max(1)
    }

    pub(crate) fn totals(&self) -> WorkerTotals {
        lock(&self.state).totals
    }

    fn status(&self) -> WorkerStatus {
        WorkerStatus {
            name: self.worker.name.clone(),
            instance: self.instance.clone(),
            program: self.worker.program.clone(),
            slots: self.slots(),
            active_jobs: self.active_jobs.all().len(),
            totals: self.totals(),
            per_second: self.per_second(),
            seconds: self.since.elapsed().as_secs_f64(),
        }
    }

    /// Replies to status requests, emits connection events and cancels jobs of finished runs;
    /// ends when the client is closed.
    pub(crate) async fn run_background(self: Arc<Self>) {
        let status = || self.status();
        let report = |away| {
            self.emit(if away {
                WorkerEvent::Disconnected
            } else {
                WorkerEvent::Reconnected
            });
        };
        tokio::join!(
            self.server.reply(names::ROLL_CALL, status),
            self.server.watch_connection(report),
            self.cancel_finished_runs()
        );
    }

    /// Cancels the jobs of runs that have enough results.
    async fn cancel_finished_runs(&self) {
        let all_runs = names::enough("*");
        let Ok(mut finished) = self.server.client.subscribe(all_runs).await else {
            return;
        };
        while let Some(message) = finished.next().await {
            let run = names::last(&message.subject);
            for job in self.active_jobs.all().iter().filter(|job| job.run == run) {
                job.progress.stop();
            }
        }
    }
}
