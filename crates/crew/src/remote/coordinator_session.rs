//! One call of `CrewClient::work`: submits jobs and counts each result once.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::Message;
use async_nats::jetstream::context::PublishError;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream, FuturesUnordered};
use futures_util::{FutureExt, StreamExt};
use tokio::task::block_in_place;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use super::client::{ActiveRun, Coordinator};
use super::events::{CrewEvent, NoWorkersTimer};
use super::rejections::RejectionLog;
use super::results::{Results, discard};
use crate::blob::BlobId;
use crate::blob_store::REFRESH_AGE;
use crate::error::{CrewError, MapError};
use crate::gc::remove_data;
use crate::job::{DeadLetter, Job, JobCounts, JobFlow, JobId, JobOutcome, JobRejection};
use crate::lock::lock;
use crate::message::{self as wire, JobHeader, ResultHeader, nanoseconds};
use crate::server::{STOP_POLL_INTERVAL, Server, back_off, error_chain, is_taken};
use crate::subjects as names;

/// Jobs whose submission the server has not confirmed yet.
const MAX_UNCONFIRMED: usize = 256;
/// Results that arrive before their jobs are submitted are kept up to this number beyond
/// the window. More are discarded, and their jobs are done again.
const MAX_EARLY_RESULTS: usize = 1024;
/// Failed submissions of a job before an event is emitted.
const WARN_AFTER_FAILURES: usize = 3;
/// Time limit of the clean-up at the end.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

type TakeOutcome<'a, E> = dyn FnMut(JobOutcome) -> Result<JobFlow, E> + 'a;

pub(crate) struct CoordinatorSession<'a, I, E> {
    coordinator: &'a Coordinator,
    server: &'a Server,
    active: &'a ActiveRun,
    run: &'a str,
    jobs: I,
    /// Whether `jobs` may have more.
    more: bool,
    /// Whether the caller wants no more outcomes.
    enough: bool,
    blob: &'a (dyn Fn(&BlobId) -> Option<Arc<[u8]>> + Sync),
    /// Takes the outcomes.
    done: &'a mut TakeOutcome<'a, E>,
    /// Blobs that were uploaded, and when.
    kept: HashMap<BlobId, Instant>,
    results: Results,
    /// Jobs that an earlier process left on the server and that were not submitted again yet.
    left: HashSet<JobId>,
    /// Jobs without a result; the messages are kept to be sent again.
    open: HashMap<JobId, PendingJob>,
    /// Results that arrived before their jobs were submitted.
    early: HashMap<JobId, (Message, JobOutcome)>,
    answered: HashSet<JobId>,
    /// Rejections by workers; never ends.
    rejections: BoxStream<'a, async_nats::Message>,
    rejection_log: RejectionLog,
    no_workers: NoWorkersTimer,
    unconfirmed: FuturesUnordered<BoxFuture<'a, (JobId, Result<(), PublishError>)>>,
    /// The last submission error that was emitted.
    reported_error: Option<String>,
    pub(crate) tally: JobCounts,
}

/// A submitted job without a result.
struct PendingJob {
    message: Bytes,
    blobs: Vec<BlobId>,
    /// It was sent, and the server has not confirmed it yet.
    on_the_way: bool,
    /// It was in neither stream at the last audit.
    missing: bool,
    /// Time of the first failed submission in a row, and their number.
    failures: Option<(Instant, usize)>,
}

impl<'a, I: Iterator<Item = Job>, E> CoordinatorSession<'a, I, E> {
    pub(crate) async fn start(
        coordinator: &'a Coordinator,
        active: &'a ActiveRun,
        jobs: I,
        blob: &'a (dyn Fn(&BlobId) -> Option<Arc<[u8]>> + Sync),
        done: &'a mut TakeOutcome<'a, E>,
    ) -> Result<Self, CrewError> {
        let (server, run) = (&coordinator.server, &active.run);
        // The queue first: a job leaves it only after its result has arrived.
        let queue = names::jobs_of(&coordinator.token, run);
        let mut left = stored_jobs(server, names::JOBS, &queue).await?;
        left.extend(stored_jobs(server, names::RESULTS, &names::results_of(run)).await?);
        let results = Results::open(server, run, coordinator.options.lease).await?;
        // Without the permission there are no rejections.
        let rejections = server.client.subscribe(names::refused(run)).await.ok();
        let rejections = stream::iter(rejections).flatten().chain(stream::pending());
        Ok(Self {
            coordinator,
            server,
            active,
            run,
            jobs,
            rejections: rejections.boxed(),
            rejection_log: RejectionLog::default(),
            no_workers: NoWorkersTimer::new(coordinator.options.no_worker_timeout),
            reported_error: None,
            more: true,
            enough: false,
            blob,
            done,
            kept: HashMap::new(),
            results,
            left,
            open: HashMap::new(),
            early: HashMap::new(),
            answered: HashSet::new(),
            unconfirmed: FuturesUnordered::new(),
            tally: JobCounts::default(),
        })
    }

    /// Works until every job has a result. It may be dropped at any await: a resumed
    /// process finds what is on the server then.
    pub(crate) async fn work(&mut self) -> Result<(), MapError<E>> {
        let mut audits = every(self.coordinator.options.lease / 2);
        let mut checks = every(self.coordinator.options.no_worker_timeout / 3);
        let mut answered = 0;
        let mut changes = self.server.changes.clone();
        loop {
            self.fill().await?;
            *lock(&self.active.tally) = self.tally;
            if self.enough || (!self.more && self.open.is_empty()) {
                return Ok(());
            }
            tokio::select! {
                Some(message) = self.results.arrived.recv() => self.handle_message(message?).await?,
                Some((id, sent)) = self.unconfirmed.next() => self.confirm(id, sent).await?,
                Some(message) = self.rejections.next() => self.forward_rejection(&message),
                _ = audits.tick() => self.audit().await?,
                _ = checks.tick() => {
                    let quiet = std::mem::replace(&mut answered, self.answered.len()) == answered;
                    self.check_workers(quiet).await?;
                }
                Ok(()) = changes.changed() => audits.reset_after(STOP_POLL_INTERVAL),
            }
        }
    }

    /// Submits jobs while the window has room.
    async fn fill(&mut self) -> Result<(), MapError<E>> {
        while self.more
            && !self.enough
            && self.open.len() < self.coordinator.options.window
            && self.unconfirmed.len() < MAX_UNCONFIRMED
        {
            let Some(job) = block_in_place(|| self.jobs.next()) else {
                self.more = false;
                // No job will ask for these any more.
                self.left = HashSet::new();
                let early = std::mem::take(&mut self.early);
                self.tally.duplicates += early.len() as u64;
                break;
            };
            if self.open.contains_key(&job.id) || self.answered.contains(&job.id) {
                return Err(CrewError::SameId {
                    run: self.run.to_owned(),
                    job: job.id.into(),
                }
                .into());
            }
            if let Some((message, outcome)) = self.early.remove(&job.id) {
                self.tally.found += 1;
                let open = self.wrap(job)?;
                self.deliver(Some(&message), outcome, open).await?;
                continue;
            }
            let known = self.left.remove(&job.id);
            let id = job.id.clone();
            self.open.insert(id.clone(), self.wrap(job)?);
            if known {
                self.tally.found += 1;
                // Jobs stay on the server longer than their blobs.
                self.refresh_blobs(&id).await?;
            } else {
                self.tally.handed_in += 1;
                self.send(&id, Duration::ZERO).await?;
            }
        }
        Ok(())
    }

    fn wrap(&self, job: Job) -> Result<PendingJob, CrewError> {
        let header = JobHeader {
            program: self.coordinator.program.clone(),
            run: self.run.to_owned(),
            id: job.id,
            kind: job.kind,
            version: job.version,
            blobs: job.blobs,
            lease: nanoseconds(self.coordinator.options.lease),
        };
        let message = wire::encode(&header, &job.payload);
        let (bytes, max) = (message.len(), self.server.client.max_payload());
        if bytes > max {
            let job = header.id.into();
            return Err(CrewError::TooLarge { job, bytes, max });
        }
        Ok(PendingJob {
            message: message.into(),
            blobs: header.blobs,
            on_the_way: false,
            missing: false,
            failures: None,
        })
    }

    /// Uploads the blobs of an open job unless they are there.
    async fn refresh_blobs(&mut self, id: &JobId) -> Result<(), CrewError> {
        let Some(open) = self.open.get(id) else {
            return Ok(());
        };
        for blob in &open.blobs {
            let kept = self.kept.get(blob);
            if kept.is_some_and(|when| when.elapsed() < REFRESH_AGE) {
                continue;
            }
            let contents =
                block_in_place(|| (self.blob)(blob)).ok_or_else(|| CrewError::NoBlob {
                    job: id.to_string(),
                    blob: blob.to_string(),
                })?;
            let store = &self.coordinator.blob_store;
            store.ensure_blob(self.server, blob, &contents).await?;
            self.kept.insert(*blob, Instant::now());
        }
        Ok(())
    }

    /// Sends an open job and its blobs, after a pause.
    async fn send(&mut self, id: &JobId, pause: Duration) -> Result<(), CrewError> {
        self.refresh_blobs(id).await?;
        let Some(open) = self.open.get_mut(id) else {
            return Ok(());
        };
        open.on_the_way = true;
        let subject = names::job(&self.coordinator.token, self.run, id);
        let (id, message) = (id.clone(), open.message.clone());
        let streams = &self.server.streams;
        self.unconfirmed.push(Box::pin(async move {
            tokio::time::sleep(pause).await;
            let sent = async { streams.publish(subject, message).await?.await };
            (id, sent.await.map(|_| ()))
        }));
        Ok(())
    }

    /// Handles the confirmation of a submission. A job that did not arrive is sent again
    /// until the time limit; the server refuses a duplicate, or it is worked twice and
    /// counted once.
    async fn confirm(
        &mut self,
        id: JobId,
        sent: Result<(), PublishError>,
    ) -> Result<(), CrewError> {
        let Some(open) = self.open.get_mut(&id) else {
            return Ok(());
        };
        open.on_the_way = false;
        let error = match sent {
            Err(error) if !is_taken(&error) => error_chain(&error),
            _ => {
                open.failures = None;
                return Ok(());
            }
        };
        let (first, failures) = open.failures.unwrap_or((Instant::now(), 0));
        let (waited, failures) = (first.elapsed(), failures + 1);
        open.failures = Some((first, failures));
        if waited >= self.server.timeout || self.server.forbidden().is_some() {
            let what = format!("store job {id}");
            return Err(self.server.connection_lost(&what, error, waited));
        }
        let reported = self.reported_error.as_ref() == Some(&error);
        if failures >= WARN_AFTER_FAILURES && !reported && !self.server.is_disconnected() {
            let why = error.clone();
            self.emit(&CrewEvent::SubmitFailed { why });
            self.reported_error = Some(error);
        }
        self.send(&id, back_off(failures)).await
    }

    /// Handles one message from the results, which may be anything.
    async fn handle_message(&mut self, message: Message) -> Result<(), MapError<E>> {
        let Some((build, outcome)) = self.read(&message) else {
            discard(&message).await;
            self.tally.corrupt += 1;
            return Ok(());
        };
        if build != self.coordinator.token {
            discard(&message).await;
            return Ok(self.resubmit_other_build(&outcome.id).await?);
        }
        if let Some(open) = self.open.remove(&outcome.id) {
            return self.deliver(Some(&message), outcome, open).await;
        }
        let room = self.coordinator.options.window + MAX_EARLY_RESULTS;
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

    /// The callback may take its time.
    fn emit(&self, event: &CrewEvent) {
        block_in_place(|| self.coordinator.listener.emit(event));
    }

    /// Reports why a worker did not do a job, once for each worker and reason.
    fn forward_rejection(&mut self, message: &async_nats::Message) {
        let Ok(refused) = serde_json::from_slice::<JobRejection>(&message.payload) else {
            return;
        };
        if self.rejection_log.note(&refused, std::time::Instant::now()) {
            self.emit(&CrewEvent::Rejected(refused));
        }
    }

    /// Reports all rejections that have arrived.
    fn forward_rejections(&mut self) {
        while let Some(Some(message)) = self.rejections.next().now_or_never() {
            self.forward_rejection(&message);
        }
    }

    /// The build and the outcome in a message, if the message belongs to its subject.
    fn read(&self, message: &Message) -> Option<(String, JobOutcome)> {
        let (header, bytes) = wire::decode::<ResultHeader>(&message.payload).ok()?;
        if header.run != self.run || names::last(&message.subject) != header.id.as_str() {
            return None;
        }
        let outcome = JobOutcome {
            id: header.id,
            result: header.dead.map_or_else(|| Ok(bytes.to_vec()), Err),
            worker: header.worker,
            seconds: header.seconds,
        };
        Some((header.build, outcome))
    }

    /// Submits a job again whose result is of another build, which an earlier process of the
    /// run was. If the queue of this build has the job, the server refuses the duplicate.
    async fn resubmit_other_build(&mut self, id: &JobId) -> Result<(), CrewError> {
        self.tally.other_build += 1;
        self.left.remove(id);
        if self.open.contains_key(id) {
            self.tally.repeated += 1;
            self.send(id, Duration::ZERO).await?;
        }
        Ok(())
    }

    /// Delivers an outcome to the caller, then removes it from the server. A dead letter is
    /// always removed: if the caller stops because of it, a resumed process tries the job
    /// again, with all its attempts.
    async fn deliver(
        &mut self,
        message: Option<&Message>,
        mut outcome: JobOutcome,
        open: PendingJob,
    ) -> Result<(), MapError<E>> {
        let (id, dead) = (outcome.id.clone(), outcome.result.is_err());
        if let Err(dead) = outcome.result {
            self.forward_rejections();
            outcome.result = Err(self.rejection_log.explain(&id, dead));
        }
        let given = block_in_place(|| (self.done)(outcome));
        // Counted before anything else: this may be dropped at the next await.
        let again = matches!(given, Ok(JobFlow::Resubmit));
        if again {
            self.tally.corrupt += 1;
            self.open.insert(id.clone(), open);
        } else if given.is_ok() {
            self.rejection_log.remove(&id);
            self.answered.insert(id.clone());
            self.tally.dead += u64::from(dead);
            self.tally.done += u64::from(!dead);
        }
        if dead {
            let starts = names::mark(self.run, &id, "*");
            self.server.purge(names::STARTS, &starts).await?;
        }
        if let Some(message) = message.filter(|_| dead || given.is_ok()) {
            discard(message).await;
        }
        if again {
            return Ok(self.resubmit(&id).await?);
        }
        let flow = given.map_err(MapError::Consumer)?;
        self.enough = flow == JobFlow::Stop;
        Ok(())
    }

    /// Submits an open job again. It is removed from the queue first: its worker may not have
    /// removed it yet, and the server would refuse the duplicate.
    async fn resubmit(&mut self, id: &JobId) -> Result<(), CrewError> {
        self.remove_from_queue(id).await?;
        self.tally.repeated += 1;
        self.send(id, Duration::ZERO).await
    }

    async fn remove_from_queue(&self, id: &JobId) -> Result<(), CrewError> {
        let subject = names::job(&self.coordinator.token, self.run, id);
        self.server.remove_messages(names::JOBS, &subject).await
    }

    /// Checks which workers are there: emits an event if there are none, and turns jobs that
    /// all of them rejected into dead letters.
    async fn check_workers(&mut self, quiet: bool) -> Result<(), MapError<E>> {
        if self.server.is_disconnected()
            || self.open.is_empty()
            || !(quiet || self.rejection_log.any())
        {
            self.no_workers.interrupt();
            return Ok(());
        }
        let workers = self.coordinator.workers().await?;
        let there: BTreeSet<(String, String)> = workers
            .into_iter()
            .map(|worker| (worker.name, worker.instance))
            .collect();
        if let Some(seconds) = self.no_workers.check(there.is_empty()) {
            let jobs = self.open.len();
            self.emit(&CrewEvent::NoWorkers { seconds, jobs });
        }
        self.forward_rejections();
        let timeout = self.coordinator.options.no_worker_timeout;
        let now = std::time::Instant::now();
        for (id, why) in self.rejection_log.undoable(&there, timeout, now) {
            let Some(open) = self.open.remove(&id) else {
                self.rejection_log.remove(&id);
                continue;
            };
            self.remove_from_queue(&id).await?;
            let outcome = JobOutcome {
                id,
                result: Err(DeadLetter {
                    deliveries: 0,
                    why,
                    oversized: false,
                }),
                worker: String::new(),
                seconds: 0.0,
            };
            self.deliver(None, outcome, open).await?;
        }
        Ok(())
    }

    /// Finds jobs that the server lost: a job that is neither in the queue nor in the results
    /// at two audits is submitted again.
    async fn audit(&mut self) -> Result<(), CrewError> {
        self.coordinator.ensure_streams().await?;
        // The queue first, as at the start.
        let queue = names::jobs_of(&self.coordinator.token, self.run);
        let queued = stored_jobs(self.server, names::JOBS, &queue).await?;
        let unread = self.results.unread().await?;
        let lost = self.open.iter_mut().filter_map(|(id, open)| {
            let missing = !queued.contains(id) && !open.on_the_way;
            let lost = missing && open.missing && !unread;
            open.missing = missing && !lost;
            lost.then(|| id.clone())
        });
        let mut again: Vec<JobId> = lost.collect();
        again.sort();
        if !again.is_empty() {
            // A server that lost the jobs may have lost the blobs.
            self.kept.clear();
        }
        for id in again {
            self.tally.repeated += 1;
            self.send(&id, Duration::ZERO).await?;
        }
        // Jobs may stay in the queue longer than their blobs.
        let open: Vec<JobId> = self.open.keys().cloned().collect();
        for id in open {
            self.refresh_blobs(&id).await?;
        }
        Ok(())
    }

    /// Deletes the run's data on the server if the run is finished; otherwise keeps it for
    /// a resume.
    pub(crate) async fn end(&mut self, well: bool) {
        self.results.close();
        let over = well && (self.enough || (!self.more && self.open.is_empty()));
        let clean_up = async {
            if over {
                let _ = remove_data(self.server, self.run).await;
                self.results.remove().await;
            }
            let _ = self.server.client.flush().await;
        };
        // Remaining data is found by a resume or expires.
        let _ = tokio::time::timeout(SHUTDOWN_TIMEOUT, clean_up).await;
    }
}

/// Ticks at this interval, after a late tick as well.
fn every(interval: Duration) -> Interval {
    let interval = interval.max(STOP_POLL_INTERVAL);
    let mut ticks = interval_at(Instant::now() + interval, interval);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

/// The ids of the jobs in a stream.
async fn stored_jobs(
    server: &Server,
    stream: &str,
    filter: &str,
) -> Result<HashSet<JobId>, CrewError> {
    let list = server.subjects(stream, filter).await?;
    let ids = list.iter().map(|(subject, _)| names::last(subject));
    Ok(ids.filter_map(|id| JobId::new(id).ok()).collect())
}
