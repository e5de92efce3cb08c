//! One call of the coordinator: jobs out, results in, each counted once.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_nats::Subscriber;
use async_nats::jetstream::Message;
use async_nats::jetstream::context::PublishError;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use tokio::task::block_in_place;
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use crate::blob::BlobId;
use crate::complaints::Complaints;
use crate::error::{CrewError, WorkError};
use crate::job::{Dead, GoOn, Job, JobId, Outcome, Refused, Tally};
use crate::names;
use crate::news::{Lonely, News};
use crate::remote::Office;
use crate::results::Results;
use crate::server::{back_off, full, is_taken};
use crate::status::roll;
use crate::vault::FRESH;
use crate::wire::{self, JobHead, ResultHead, printable};

/// So often somebody looks whether all is to end: soon enough for Ctrl-C.
const GLANCE: Duration = Duration::from_millis(50);
/// Jobs sent whose arrival is not confirmed yet.
const UNCONFIRMED: usize = 256;
/// Results of jobs that were not yet asked for, beyond the window, before they are
/// thrown away; their jobs are worked again then.
const EARLY: usize = 1024;
/// A job that the server did not take so often is worth telling.
const WORTH_TELLING: usize = 3;
/// Saying goodbye takes no longer.
const GOODBYE: Duration = Duration::from_secs(5);

/// Ends when `stop` is set.
pub(crate) async fn until(stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        tokio::time::sleep(GLANCE).await;
    }
}

/// The state of one call.
pub(crate) struct Shift<'a, I> {
    office: &'a Office,
    run: &'a str,
    jobs: I,
    more: bool,
    enough: bool,
    blob: &'a (dyn Fn(&BlobId) -> Option<Arc<[u8]>> + Sync),
    /// What the vault was asked to keep, and when.
    kept: HashMap<BlobId, Instant>,
    results: Results,
    /// What earlier lives left in the server and nobody asked for yet.
    left: HashSet<JobId>,
    /// What is asked for and not answered: the messages, to be sent again.
    open: HashMap<JobId, Open>,
    /// Answers that came before their questions.
    early: HashMap<JobId, (Message, Outcome)>,
    answered: HashSet<JobId>,
    /// What workers say that they did not do; none where the server does not let us hear.
    refusals: Option<Subscriber>,
    complaints: Complaints,
    lonely: Lonely,
    unconfirmed: FuturesUnordered<BoxFuture<'a, (JobId, Result<(), PublishError>)>>,
    /// What the server said last when it did not take a job, once it was told.
    told: Option<String>,
    tally: Tally,
}

/// Why a message is no answer.
enum Unread {
    Corrupt,
    OtherBuild(JobId),
}

/// A job in the server.
struct Open {
    message: Bytes,
    blobs: Vec<BlobId>,
    /// It was in no list, last time somebody looked.
    missing: bool,
    /// How often the server did not take it, and since when.
    failures: usize,
    failing: Option<Instant>,
}

impl<'a, I: Iterator<Item = Job>> Shift<'a, I> {
    pub(crate) async fn begin(
        office: &'a Office,
        run: &'a str,
        jobs: I,
        blob: &'a (dyn Fn(&BlobId) -> Option<Arc<[u8]>> + Sync),
    ) -> Result<Self, CrewError> {
        // The queue first: a job leaves it only after its result has arrived.
        let mut left = held(office, names::JOBS, &names::jobs_of(&office.token, run)).await?;
        left.extend(held(office, names::RESULTS, &names::results_of(run)).await?);
        let results = Results::open(&office.server, run, office.options.lease).await?;
        let subject = names::refused(run);
        let refusals = office.server.client.subscribe(subject).await.ok();
        Ok(Self {
            office,
            run,
            jobs,
            refusals,
            complaints: Complaints::default(),
            lonely: Lonely::new(office.options.nobody),
            told: None,
            more: true,
            enough: false,
            blob,
            kept: HashMap::new(),
            results,
            left,
            open: HashMap::new(),
            early: HashMap::new(),
            answered: HashSet::new(),
            unconfirmed: FuturesUnordered::new(),
            tally: Tally::default(),
        })
    }

    pub(crate) fn tally(&self) -> Tally {
        self.tally
    }

    /// Works until every job is answered. It may be dropped at any await: what is
    /// in the server then is found by the next life.
    pub(crate) async fn work<E>(
        &mut self,
        done: &mut dyn FnMut(Outcome) -> Result<GoOn, E>,
    ) -> Result<(), WorkError<E>> {
        let pause = (self.office.options.lease / 2).max(GLANCE);
        let mut audits = interval_at(Instant::now() + pause, pause);
        let pause = (self.office.options.nobody / 3).max(GLANCE);
        let mut looks = interval_at(Instant::now() + pause, pause);
        // A look that was missed is not made up for.
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut answered = 0;
        let mut changes = self.office.server.changes.clone();
        loop {
            self.fill(done).await?;
            self.office.report(self.run, self.tally);
            if self.enough || (!self.more && self.open.is_empty()) {
                return Ok(());
            }
            tokio::select! {
                message = self.results.next() => self.take(message?, done).await?,
                Some((id, sent)) = self.unconfirmed.next() => self.confirm(id, sent).await?,
                message = next(&mut self.refusals) => self.hear(&message),
                _ = audits.tick() => self.audit().await?,
                _ = looks.tick() => {
                    let quiet = std::mem::replace(&mut answered, self.answered.len()) == answered;
                    self.look_around(quiet, done).await?;
                }
                Ok(()) = changes.changed() => audits.reset_after(GLANCE),
            }
        }
    }

    /// Hands in jobs as long as there is room for them.
    async fn fill<E>(
        &mut self,
        done: &mut dyn FnMut(Outcome) -> Result<GoOn, E>,
    ) -> Result<(), WorkError<E>> {
        while self.more
            && !self.enough
            && self.open.len() < self.office.options.window
            && self.unconfirmed.len() < UNCONFIRMED
        {
            let Some(job) = block_in_place(|| self.jobs.next()) else {
                self.more = false;
                // Nobody will ask for these any more.
                self.left = HashSet::new();
                let early = std::mem::take(&mut self.early);
                self.tally.duplicates += early.len() as u64;
                break;
            };
            if self.open.contains_key(&job.id) || self.answered.contains(&job.id) {
                return Err(CrewError::SameId {
                    run: self.run.to_owned(),
                    job: job.id,
                }
                .into());
            }
            if let Some((message, outcome)) = self.early.remove(&job.id) {
                self.tally.found += 1;
                let open = self.wrap(job)?;
                self.give(Some(&message), outcome, open, done).await?;
                continue;
            }
            let known = self.left.remove(&job.id);
            let id = job.id.clone();
            self.open.insert(id.clone(), self.wrap(job)?);
            if known {
                self.tally.found += 1;
                // Jobs are kept longer than what they need.
                self.keep_blobs(&id).await?;
            } else {
                self.tally.handed_in += 1;
                self.send(&id, Duration::ZERO).await?;
            }
        }
        Ok(())
    }

    fn wrap(&self, job: Job) -> Result<Open, CrewError> {
        let head = JobHead::new(
            &self.office.program,
            self.run,
            &job,
            self.office.options.lease,
        );
        let message = wire::encode(&head, &job.payload);
        let most = self.office.server.client.max_payload();
        if message.len() > most {
            return Err(CrewError::TooLarge {
                job: job.id,
                bytes: message.len(),
                most,
            });
        }
        Ok(Open {
            message: message.into(),
            blobs: job.blobs,
            missing: false,
            failures: 0,
            failing: None,
        })
    }

    /// Sees to it that the server has what an open job needs.
    async fn keep_blobs(&mut self, id: &JobId) -> Result<(), CrewError> {
        let Some(open) = self.open.get(id) else {
            return Ok(());
        };
        for blob in &open.blobs {
            let kept = self.kept.get(blob);
            if kept.is_some_and(|when| when.elapsed() < FRESH) {
                continue;
            }
            let contents =
                block_in_place(|| (self.blob)(blob)).ok_or_else(|| CrewError::NoBlob {
                    job: id.clone(),
                    blob: *blob,
                })?;
            let office = self.office;
            office.vault.keep(&office.server, blob, &contents).await?;
            self.kept.insert(*blob, Instant::now());
        }
        Ok(())
    }

    /// Sends an open job, after a pause, and what it needs.
    async fn send(&mut self, id: &JobId, pause: Duration) -> Result<(), CrewError> {
        self.keep_blobs(id).await?;
        let Some(open) = self.open.get(id) else {
            return Ok(());
        };
        let subject = names::job(&self.office.token, self.run, id);
        let (id, message) = (id.clone(), open.message.clone());
        let streams = &self.office.server.streams;
        self.unconfirmed.push(Box::pin(async move {
            tokio::time::sleep(pause).await;
            let sent = async { streams.publish(subject, message).await?.await };
            (id, sent.await.map(|_| ()))
        }));
        Ok(())
    }

    /// Learns whether a job arrived. One that did not is sent again, as long as there is
    /// patience; sent twice, it is refused by the server, or worked twice and counted
    /// once.
    async fn confirm(
        &mut self,
        id: JobId,
        sent: Result<(), PublishError>,
    ) -> Result<(), CrewError> {
        let Some(open) = self.open.get_mut(&id) else {
            return Ok(());
        };
        let error = match sent {
            Err(error) if !is_taken(&error) => full(&error),
            _ => {
                (open.failures, open.failing) = (0, None);
                return Ok(());
            }
        };
        let office = self.office;
        let waited = open.failing.get_or_insert_with(Instant::now).elapsed();
        open.failures += 1;
        let failures = open.failures;
        if waited >= office.options.patience || office.server.forbids() {
            let what = format!("store job {id}");
            return Err(office.server.lost(&what, error, waited));
        }
        let told = self.told.as_ref() == Some(&error);
        if failures >= WORTH_TELLING && !told && !office.server.away() {
            let why = error.clone();
            block_in_place(|| office.listener.tell(&News::NotTaken { why }));
            self.told = Some(error);
        }
        self.send(&id, back_off(failures)).await
    }

    /// Takes a message from the results. Whatever it is, it does no harm.
    async fn take<E>(
        &mut self,
        message: Message,
        done: &mut dyn FnMut(Outcome) -> Result<GoOn, E>,
    ) -> Result<(), WorkError<E>> {
        let outcome = match self.read(&message) {
            Ok(outcome) => outcome,
            Err(unread) => {
                discard(&message).await;
                match unread {
                    Unread::Corrupt => self.tally.corrupt += 1,
                    Unread::OtherBuild(id) => self.ask_this_build(&id).await?,
                }
                return Ok(());
            }
        };
        if let Some(open) = self.open.remove(&outcome.id) {
            return self.give(Some(&message), outcome, open, done).await;
        }
        let room = self.office.options.window + EARLY;
        let again = self.early.contains_key(&outcome.id);
        let wanted = self.more && !self.answered.contains(&outcome.id);
        if wanted && (again || self.early.len() < room) {
            self.early.insert(outcome.id.clone(), (message, outcome));
        } else {
            self.tally.duplicates += 1;
            discard(&message).await;
        }
        Ok(())
    }

    /// Passes on why a worker did not do a job, the first time it says so.
    fn hear(&mut self, message: &async_nats::Message) {
        let Ok(mut refused) = serde_json::from_slice::<Refused>(&message.payload) else {
            return;
        };
        refused.worker = printable(&refused.worker);
        refused.instance = printable(&refused.instance);
        refused.why = printable(&refused.why);
        if self.complaints.note(&refused) {
            let listener = &self.office.listener;
            block_in_place(|| listener.tell(&News::Refused(refused)));
        }
    }

    /// Hears what has arrived and was not heard yet.
    fn hear_all(&mut self) {
        while let Some(message) = next(&mut self.refusals).now_or_never() {
            self.hear(&message);
        }
    }

    /// What a message says, if it says it under its own name and is of this build.
    fn read(&self, message: &Message) -> Result<Outcome, Unread> {
        let decoded = wire::decode::<ResultHead>(&message.payload);
        let (head, bytes) = decoded.map_err(|_| Unread::Corrupt)?;
        if head.run != self.run || names::last(&message.subject) != head.id.as_str() {
            return Err(Unread::Corrupt);
        }
        if head.build != self.office.token {
            return Err(Unread::OtherBuild(head.id));
        }
        Ok(Outcome {
            id: head.id,
            result: head.dead.map_or_else(|| Ok(bytes.to_vec()), Err),
            worker: head.worker,
            seconds: head.seconds,
        })
    }

    /// An earlier life of the run was of another build, and so is its answer to a job: the
    /// job is done again. Where this build's queue holds it already, the server refuses it
    /// a second time.
    async fn ask_this_build(&mut self, id: &JobId) -> Result<(), CrewError> {
        self.tally.other_build += 1;
        self.left.remove(id);
        if self.open.contains_key(id) {
            self.tally.repeated += 1;
            self.send(id, Duration::ZERO).await?;
        }
        Ok(())
    }

    /// Gives an outcome to the caller; only then is it removed from the server. That a
    /// job was set aside is no work to keep: where the caller cannot go on because of
    /// it, the next life tries the job anew, with all its attempts.
    async fn give<E>(
        &mut self,
        message: Option<&Message>,
        mut outcome: Outcome,
        open: Open,
        done: &mut dyn FnMut(Outcome) -> Result<GoOn, E>,
    ) -> Result<(), WorkError<E>> {
        let (id, dead) = (outcome.id.clone(), outcome.result.is_err());
        if dead {
            self.hear_all();
            let complaints = &self.complaints;
            outcome.result = outcome.result.map_err(|dead| complaints.explain(&id, dead));
        }
        let given = block_in_place(|| done(outcome));
        // In the books before anything else: this may be dropped at the next await.
        let again = matches!(given, Ok(GoOn::Again));
        if again {
            self.tally.corrupt += 1;
            self.open.insert(id.clone(), open);
        } else if given.is_ok() {
            self.complaints.forget(&id);
            self.answered.insert(id.clone());
            self.tally.dead += u64::from(dead);
            self.tally.done += u64::from(!dead);
        }
        if dead {
            let starts = names::starts(self.run, &id);
            self.office.server.purge(names::STARTS, &starts).await?;
        }
        if let Some(message) = message.filter(|_| dead || given.is_ok()) {
            discard(message).await;
        }
        if again {
            return Ok(self.hand_in_again(&id).await?);
        }
        let go_on = given.map_err(WorkError::Taker)?;
        self.enough = go_on == GoOn::No;
        Ok(())
    }

    /// Has an open job done once more. It may still lie in the queue, because its worker
    /// has not removed it yet; and there it would not be taken a second time.
    async fn hand_in_again(&mut self, id: &JobId) -> Result<(), CrewError> {
        let subject = names::job(&self.office.token, self.run, id);
        self.office.server.purge(names::JOBS, &subject).await?;
        self.tally.repeated += 1;
        self.send(id, Duration::ZERO).await
    }

    /// Looks who is there: if nobody is, it is told; what nobody can do who is there is
    /// set aside.
    async fn look_around<E>(
        &mut self,
        quiet: bool,
        done: &mut dyn FnMut(Outcome) -> Result<GoOn, E>,
    ) -> Result<(), WorkError<E>> {
        let office = self.office;
        if office.server.away() || self.open.is_empty() || !(quiet || self.complaints.any()) {
            self.lonely.interrupt();
            return Ok(());
        }
        let workers = roll(&office.server.ask_all(names::ROLL_CALL).await?);
        let ours = workers
            .into_iter()
            .filter(|it| it.program == office.program);
        let there: BTreeSet<(String, String)> =
            ours.map(|worker| (worker.name, worker.instance)).collect();
        if let Some(seconds) = self.lonely.look(there.is_empty()) {
            let jobs = self.open.len();
            block_in_place(|| office.listener.tell(&News::Nobody { seconds, jobs }));
        }
        self.hear_all();
        let nobody = office.options.nobody;
        for (id, why) in self.complaints.hopeless(&there, nobody) {
            let Some(open) = self.open.remove(&id) else {
                self.complaints.forget(&id);
                continue;
            };
            let subject = names::job(&office.token, self.run, &id);
            office.server.purge(names::JOBS, &subject).await?;
            let deliveries = 0;
            let outcome = Outcome {
                id,
                result: Err(Dead {
                    deliveries,
                    why,
                    oversized: false,
                }),
                worker: String::new(),
                seconds: 0.0,
            };
            self.give(None, outcome, open, done).await?;
        }
        Ok(())
    }

    /// The ids of the jobs that are in the server.
    async fn queue(&self) -> Result<HashSet<JobId>, CrewError> {
        let filter = names::jobs_of(&self.office.token, self.run);
        held(self.office, names::JOBS, &filter).await
    }

    /// Finds jobs that the server lost, however it did: what is neither in the
    /// queue nor in the results, at two looks, is handed in again.
    async fn audit(&mut self) -> Result<(), CrewError> {
        self.office.furnish().await?;
        // The queue first, as in the beginning.
        let queued = self.queue().await?;
        let unread = self.results.unread().await?;
        let sent: HashSet<JobId> = self
            .open
            .iter_mut()
            .filter_map(|(id, open)| {
                let missing = !queued.contains(id);
                let lost = missing && open.missing && !unread;
                open.missing = missing && !lost;
                lost.then(|| id.clone())
            })
            .collect();
        let mut again: Vec<JobId> = sent.into_iter().collect();
        again.sort();
        if !again.is_empty() {
            // A server without the jobs may be one without the blobs.
            self.kept.clear();
        }
        for id in again {
            self.tally.repeated += 1;
            self.send(&id, Duration::ZERO).await?;
        }
        // What has long been in the queue needs its blobs as well.
        let open: Vec<JobId> = self.open.keys().cloned().collect();
        for id in open {
            self.keep_blobs(&id).await?;
        }
        Ok(())
    }

    /// Leaves the server as the next life, or nobody, needs it.
    pub(crate) async fn end(&mut self, well: bool) {
        self.results.close();
        let over = well && (self.enough || (!self.more && self.open.is_empty()));
        let goodbye = async {
            if over {
                let _ = self.office.forget(self.run).await;
                self.results.remove().await;
            }
            let _ = self.office.server.client.flush().await;
        };
        // What remains is found or swept away later.
        let _ = tokio::time::timeout(GOODBYE, goodbye).await;
    }
}

/// The next message; without a subscription, none ever.
async fn next(from: &mut Option<Subscriber>) -> async_nats::Message {
    match from {
        Some(subscriber) => match subscriber.next().await {
            Some(message) => message,
            None => std::future::pending().await,
        },
        None => std::future::pending().await,
    }
}

/// Removes a result from the server. Where that fails it comes again, and counts
/// as a duplicate.
async fn discard(message: &Message) {
    let _ = message.ack().await;
}

/// The ids of the jobs whose subjects a stream holds.
async fn held(office: &Office, stream: &str, filter: &str) -> Result<HashSet<JobId>, CrewError> {
    let list = office.server.subjects(stream, filter).await?;
    let ids = list.iter().map(|(subject, _)| names::last(subject));
    Ok(ids.filter_map(|id| JobId::new(id).ok()).collect())
}
