//! What the hands of a worker share.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::{Consumer, pull};
use futures_util::StreamExt;
use tokio::sync::{OnceCell, mpsc, watch};

use crate::blob::Cache;
use crate::error::CrewError;
use crate::handler::{Handler, Progress};
use crate::job::{JobId, Refused};
use crate::names;
use crate::options::Limits;
use crate::server::Server;
use crate::status::{Coordinator, WorkerState, read_all};
use crate::vault::Vault;
use crate::wire::printable;
use crate::worker::{Event, Worked};

/// Whose versions are asked for no more often.
const QUESTIONS: Duration = Duration::from_secs(1);
/// The time over which units are counted.
const RECENT: Duration = Duration::from_mins(1);
/// A job that this worker cannot do is left alone for so long the first time, twice as
/// long the next, and at last for so long.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LAST_PAUSE: Duration = Duration::from_secs(8);
/// A worker that refuses one job after the other asks for the next a little later each
/// time, so that those who can are asked first; one job done, and it is in a hurry again.
const FIRST_REST: Duration = Duration::from_millis(100);
const LAST_REST: Duration = Duration::from_secs(2);
/// More refused jobs than this are not told apart.
const MOST_REFUSED: usize = 16_384;
/// How much a job's time counts in what is expected of the next.
const LATEST_COUNTS: f64 = 0.2;

/// What the hands of a worker share.
pub(crate) struct Shop {
    pub(crate) server: Server,
    pub(crate) limits: Limits,
    pub(crate) name: String,
    /// What tells this worker from others of the same name.
    instance: String,
    pub(crate) program: String,
    /// The program's version, as it is called in subjects.
    pub(crate) token: String,
    pub(crate) handlers: BTreeMap<&'static str, Arc<dyn Handler>>,
    pub(crate) cache: Cache,
    vault: OnceCell<Vault>,
    /// The queue of jobs, and when the server showed it.
    queue: Mutex<Option<(Consumer<pull::Config>, Instant)>>,
    events: mpsc::UnboundedSender<Event>,
    stopping: watch::Sender<bool>,
    dropping: AtomicBool,
    asked: Mutex<Option<Instant>>,
    at_work: Mutex<Vec<(String, Progress)>>,
    expected: Mutex<Option<f64>>,
    recent: Mutex<VecDeque<(Instant, u64)>>,
    stuck: Mutex<BTreeSet<String>>,
    abandoned: AtomicUsize,
    since: Instant,
    jobs: AtomicU64,
    units: AtomicU64,
    refused: AtomicU64,
    /// How often this worker could not do a job, by its run and name.
    cannot: Mutex<HashMap<(String, JobId), u32>>,
    /// Jobs it could not do, one after the other.
    in_a_row: AtomicU32,
}

/// `first`, doubled so many times, and at most `last`.
fn grown(first: Duration, last: Duration, doublings: u32) -> Duration {
    last.min(first * 2_u32.pow(doublings.min(16)))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shop {
    /// Lets the coordinator know why a job was not done; if it does not hear it, no
    /// harm is done.
    pub(crate) async fn report(&self, run: &str, id: &JobId, why: &str, begun: bool) {
        let refused = Refused {
            id: id.clone(),
            worker: self.name.clone(),
            instance: self.instance.clone(),
            why: printable(why),
            begun,
        };
        let message = serde_json::to_vec(&refused).expect("it is plain data");
        let client = &self.server.client;
        let _ = client.publish(names::refused(run), message.into()).await;
    }

    pub(crate) fn new(
        server: Server,
        limits: Limits,
        name: &str,
        program: &str,
        handlers: BTreeMap<&'static str, Arc<dyn Handler>>,
        events: mpsc::UnboundedSender<Event>,
    ) -> Arc<Self> {
        let inbox = server.client.new_inbox();
        Arc::new(Self {
            server,
            // No two are the same.
            instance: names::last(&inbox).to_owned(),
            cache: Cache::new(limits.cache),
            limits,
            name: name.to_owned(),
            program: program.to_owned(),
            token: names::token(program),
            handlers,
            vault: OnceCell::new(),
            queue: Mutex::default(),
            events,
            stopping: watch::Sender::new(false),
            dropping: AtomicBool::new(false),
            asked: Mutex::default(),
            at_work: Mutex::default(),
            expected: Mutex::default(),
            recent: Mutex::default(),
            stuck: Mutex::default(),
            abandoned: AtomicUsize::new(0),
            since: Instant::now(),
            jobs: AtomicU64::new(0),
            units: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            cannot: Mutex::default(),
            in_a_row: AtomicU32::new(0),
        })
    }

    /// Notes that this worker cannot do a job, and says for how long nobody should be
    /// given it.
    pub(crate) fn refuse(&self, run: &str, id: &JobId) -> Duration {
        self.in_a_row.fetch_add(1, Ordering::Relaxed);
        let mut cannot = lock(&self.cannot);
        if cannot.len() >= MOST_REFUSED {
            cannot.clear();
        }
        let times = cannot.entry((run.to_owned(), id.clone())).or_default();
        *times += 1;
        grown(FIRST_PAUSE, LAST_PAUSE, *times - 1)
    }

    /// Waits as long as a worker should that could not do the last jobs.
    pub(crate) async fn rest(&self) {
        let in_a_row = self.in_a_row.load(Ordering::Relaxed);
        if in_a_row > 0 {
            tokio::time::sleep(grown(FIRST_REST, LAST_REST, in_a_row - 1)).await;
        }
    }

    pub(crate) async fn vault(&self) -> Result<&Vault, CrewError> {
        self.vault
            .get_or_try_init(|| Vault::open(&self.server))
            .await
    }

    /// The queue of jobs, if it was seen in the last `age`.
    pub(crate) fn queue(&self, age: Duration) -> Option<Consumer<pull::Config>> {
        let queue = lock(&self.queue);
        let (queue, seen) = queue.as_ref()?;
        (seen.elapsed() < age).then(|| queue.clone())
    }

    pub(crate) fn set_queue(&self, queue: Option<Consumer<pull::Config>>) {
        *lock(&self.queue) = queue.map(|queue| (queue, Instant::now()));
    }

    /// Tells the owner, whose terminal may show it: what is in it may be from anybody.
    pub(crate) fn tell(&self, mut event: Event) {
        match &mut event {
            Event::Refused { why, .. } => *why = printable(why),
            Event::Corrupt { subject, why } => {
                *subject = printable(subject);
                *why = printable(why);
            }
            _ => {}
        }
        match event {
            Event::Done { .. } => self.jobs.fetch_add(1, Ordering::Relaxed),
            Event::Refused { .. } | Event::Stuck { .. } | Event::Corrupt { .. } => {
                self.refused.fetch_add(1, Ordering::Relaxed)
            }
            _ => 0,
        };
        // Nobody listens any more when all ends.
        let _ = self.events.send(event);
    }

    /// No job is taken any more; those at hand are finished.
    pub(crate) fn stop(&self) {
        self.stopping.send_replace(true);
    }

    pub(crate) fn is_stopping(&self) -> bool {
        *self.stopping.borrow()
    }

    /// The jobs at hand are given back, too.
    pub(crate) fn drop_jobs(&self) {
        self.dropping.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_dropping(&self) -> bool {
        self.dropping.load(Ordering::Relaxed)
    }

    /// Ends when the worker is to stop.
    pub(crate) async fn stopped(&self) {
        // The sender lives as long as `self`.
        let _ = self
            .stopping
            .subscribe()
            .wait_for(|stopping| *stopping)
            .await;
    }

    /// Refuses to work where all coordinators are of other versions.
    pub(crate) async fn check_version(&self) -> Result<(), CrewError> {
        {
            let mut asked = lock(&self.asked);
            if asked.is_some_and(|asked| asked.elapsed() < QUESTIONS) {
                return Ok(());
            }
            *asked = Some(Instant::now());
        }
        let answers = self.server.ask_all(names::COORDINATORS).await?;
        let coordinators: Vec<Coordinator> = read_all(&answers);
        let coordinators = coordinators.iter();
        let theirs: BTreeSet<String> = coordinators.map(|one| printable(&one.program)).collect();
        if theirs.is_empty() || theirs.contains(&self.program) {
            return Ok(());
        }
        Err(CrewError::OtherVersion {
            url: self.server.url().to_owned(),
            ours: self.program.clone(),
            theirs: theirs.into_iter().collect::<Vec<_>>().join(", "),
        })
    }

    /// Notes a job as being worked on until what is given back is dropped.
    pub(crate) fn begin(&self, run: &str, progress: &Progress) -> Began<'_> {
        lock(&self.at_work).push((run.to_owned(), progress.clone()));
        Began {
            shop: self,
            progress: progress.clone(),
        }
    }

    /// Counts new units of progress.
    pub(crate) fn count(&self, units: u64) {
        if units > 0 {
            self.units.fetch_add(units, Ordering::Relaxed);
            lock(&self.recent).push_back((Instant::now(), units));
        }
    }

    fn per_second(&self) -> f64 {
        let mut recent = lock(&self.recent);
        recent.retain(|(when, _)| when.elapsed() < RECENT);
        let units: u64 = recent.iter().map(|(_, units)| units).sum();
        units as f64 / self.since.elapsed().min(RECENT).as_secs_f64().max(1.0)
    }

    /// So long a job will take, by those before it.
    pub(crate) fn expected(&self) -> Option<Duration> {
        lock(&self.expected).map(Duration::from_secs_f64)
    }

    pub(crate) fn took(&self, seconds: f64) {
        self.in_a_row.store(0, Ordering::Relaxed);
        let mut expected = lock(&self.expected);
        *expected =
            Some(expected.map_or(seconds, |known| known + LATEST_COUNTS * (seconds - known)));
    }

    /// Gives up a thread. A worker that has given up as many as it has hands has
    /// no right to go on.
    pub(crate) fn abandon(&self, kind: &str) -> Result<(), CrewError> {
        let mut kinds = lock(&self.stuck);
        kinds.insert(kind.to_owned());
        let abandoned = self.abandoned.fetch_add(1, Ordering::Relaxed) + 1;
        if abandoned < self.limits.hands.max(1) + 1 {
            return Ok(());
        }
        Err(CrewError::Stuck {
            abandoned,
            kinds: kinds.iter().cloned().collect::<Vec<_>>().join(", "),
        })
    }

    pub(crate) fn worked(&self) -> Worked {
        Worked {
            jobs: self.jobs.load(Ordering::Relaxed),
            units: self.units.load(Ordering::Relaxed),
            refused: self.refused.load(Ordering::Relaxed),
        }
    }

    /// Answers roll calls, for ever.
    pub(crate) async fn answer(self: Arc<Self>) {
        let Ok(mut questions) = self.server.client.subscribe(names::ROLL_CALL).await else {
            return;
        };
        while let Some(question) = questions.next().await {
            let Some(reply) = question.reply else {
                continue;
            };
            let state = WorkerState {
                name: self.name.clone(),
                instance: self.instance.clone(),
                program: self.program.clone(),
                hands: self.limits.hands.max(1),
                working: lock(&self.at_work).len(),
                worked: self.worked(),
                per_second: self.per_second(),
                seconds: self.since.elapsed().as_secs_f64(),
            };
            let answer = serde_json::to_vec(&state).expect("an answer is plain data");
            let _ = self.server.client.publish(reply, answer.into()).await;
        }
    }

    /// Drops the jobs of runs that have enough, for ever.
    pub(crate) async fn heed(self: Arc<Self>) {
        let every = format!("{}.*", names::ENOUGH);
        let Ok(mut orders) = self.server.client.subscribe(every).await else {
            return;
        };
        while let Some(order) = orders.next().await {
            let run = names::last(&order.subject);
            for (_, progress) in lock(&self.at_work).iter().filter(|(own, _)| own == run) {
                progress.stop();
            }
        }
    }

    /// Tells of a server that goes and comes, for ever.
    pub(crate) async fn tell_changes(self: Arc<Self>) {
        let mut changes = self.server.changes.clone();
        while changes.changed().await.is_ok() {
            self.tell(if self.server.away() {
                Event::Away
            } else {
                Event::Back
            });
        }
    }
}

/// A job being worked on.
pub(crate) struct Began<'a> {
    shop: &'a Shop,
    progress: Progress,
}

impl Drop for Began<'_> {
    fn drop(&mut self) {
        lock(&self.shop.at_work).retain(|(_, progress)| !progress.is(&self.progress));
    }
}
