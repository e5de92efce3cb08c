//! One call of the coordinator: jobs out, results in, each counted once.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_nats::Subscriber;
use async_nats::jetstream::Message;
use async_nats::jetstream::context::PublishError;
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use tokio::task::block_in_place;
use tokio::time::{Instant, interval_at};

use crate::blob::BlobId;
use crate::error::{CrewError, WorkError};
use crate::job::{GoOn, Job, JobId, Outcome, Refused, Tally};
use crate::names;
use crate::remote::Office;
use crate::results::Results;
use crate::server::is_taken;
use crate::wire::{self, JobHead, ResultHead};

/// So often somebody looks whether all is to end: soon enough for Ctrl-C.
const GLANCE: Duration = Duration::from_millis(50);
/// Jobs sent whose arrival is not confirmed yet.
const UNCONFIRMED: usize = 256;
/// Results of jobs that were not yet asked for, beyond the window, before they are
/// thrown away; their jobs are worked again then.
const EARLY: usize = 1024;
/// So many different refusals are passed on.
const MOST_HEARD: usize = 1000;
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
    kept: HashSet<BlobId>,
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
    /// Who was heard, and what was said.
    heard: HashSet<(String, String)>,
    unconfirmed: FuturesUnordered<BoxFuture<'a, (JobId, Result<(), PublishError>)>>,
    tally: Tally,
}

/// A job in the server.
struct Open {
    message: Bytes,
    blobs: Vec<BlobId>,
    /// It was in no list, last time somebody looked.
    missing: bool,
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
            heard: HashSet::new(),
            more: true,
            enough: false,
            blob,
            kept: HashSet::new(),
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
                self.give(message, outcome, done).await?;
                continue;
            }
            let known = self.left.remove(&job.id);
            let id = job.id.clone();
            self.open.insert(id.clone(), self.wrap(job)?);
            if known {
                self.tally.found += 1;
            } else {
                self.tally.handed_in += 1;
                self.send(&id).await?;
            }
        }
        Ok(())
    }

    fn wrap(&self, job: Job) -> Result<Open, CrewError> {
        let head = JobHead::new(&self.office.program, self.run, &job);
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
        })
    }

    /// Sends an open job and what it needs.
    async fn send(&mut self, id: &JobId) -> Result<(), CrewError> {
        let Some(open) = self.open.get(id) else {
            return Ok(());
        };
        for blob in &open.blobs {
            if self.kept.contains(blob) {
                continue;
            }
            let contents =
                block_in_place(|| (self.blob)(blob)).ok_or_else(|| CrewError::NoBlob {
                    job: id.clone(),
                    blob: *blob,
                })?;
            let office = self.office;
            office.vault.keep(&office.server, blob, &contents).await?;
            self.kept.insert(*blob);
        }
        let subject = names::job(&self.office.token, self.run, id);
        let (id, message) = (id.clone(), open.message.clone());
        let streams = &self.office.server.streams;
        self.unconfirmed.push(Box::pin(async move {
            let sent = async { streams.publish(subject, message).await?.await };
            (id, sent.await.map(|_| ()))
        }));
        Ok(())
    }

    /// Learns whether a job arrived. One that did not is sent again; sent twice, it
    /// is refused by the server, or worked twice and counted once.
    async fn confirm(
        &mut self,
        id: JobId,
        sent: Result<(), PublishError>,
    ) -> Result<(), CrewError> {
        match sent {
            Ok(()) => Ok(()),
            Err(error) if is_taken(&error) => Ok(()),
            Err(_) if !self.open.contains_key(&id) => Ok(()),
            Err(_) => {
                // Waits for the server as long as there is patience.
                self.queue().await?;
                tokio::time::sleep(GLANCE).await;
                self.send(&id).await
            }
        }
    }

    /// Takes a message from the results. Whatever it is, it does no harm.
    async fn take<E>(
        &mut self,
        message: Message,
        done: &mut dyn FnMut(Outcome) -> Result<GoOn, E>,
    ) -> Result<(), WorkError<E>> {
        let Some(outcome) = self.read(&message) else {
            self.tally.corrupt += 1;
            discard(&message).await;
            return Ok(());
        };
        if self.open.remove(&outcome.id).is_some() {
            return self.give(message, outcome, done).await;
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
        let Ok(refused) = serde_json::from_slice::<Refused>(&message.payload) else {
            return;
        };
        let what = (refused.worker.clone(), refused.why.clone());
        if self.heard.len() < MOST_HEARD && self.heard.insert(what) {
            block_in_place(|| self.office.refused(&refused));
        }
    }

    /// What a message says, if it says it under its own name.
    fn read(&self, message: &Message) -> Option<Outcome> {
        let (head, bytes) = wire::decode::<ResultHead>(&message.payload).ok()?;
        let named = head.run == self.run && names::last(&message.subject) == head.id.as_str();
        named.then(|| Outcome {
            id: head.id,
            result: head.dead.map_or_else(|| Ok(bytes.to_vec()), Err),
            worker: head.worker,
            seconds: head.seconds,
        })
    }

    /// Gives an outcome to the caller; only then is it removed from the server. That a
    /// job was set aside is no work to keep: where the caller cannot go on because of
    /// it, the next life tries the job anew, with all its attempts.
    async fn give<E>(
        &mut self,
        message: Message,
        outcome: Outcome,
        done: &mut dyn FnMut(Outcome) -> Result<GoOn, E>,
    ) -> Result<(), WorkError<E>> {
        let (id, dead) = (outcome.id.clone(), outcome.result.is_err());
        let given = block_in_place(|| done(outcome));
        // In the books before anything else: this may be dropped at the next await.
        if given.is_ok() {
            self.answered.insert(id.clone());
            self.tally.dead += u64::from(dead);
            self.tally.done += u64::from(!dead);
        }
        if dead {
            let starts = names::start(self.run, &id);
            self.office.server.purge(names::STARTS, &starts).await?;
        }
        if dead || given.is_ok() {
            discard(&message).await;
        }
        let go_on = given.map_err(WorkError::Taker)?;
        self.enough = go_on == GoOn::No;
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
            self.send(&id).await?;
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
