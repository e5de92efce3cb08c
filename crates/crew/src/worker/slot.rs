//! A worker slot: claims a job, runs its handler, stores the result, and prefetches the
//! next job at the same time.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use async_nats::jetstream::AckKind;
use futures_util::future::BoxFuture;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{interval, sleep_until};

use super::WorkerEvent;
use super::claim::{ClaimedJob, Delivery, MAX_STARTS, claim};
use super::lease::{Lease, LeaseCheck};
use super::worker_context::{ActiveJob, WorkerContext};
use crate::error::CrewError;
use crate::handler::JobProgress;
use crate::job::{DeadLetter, HandlerError};
use crate::message as wire;
use crate::subjects as names;

/// The next job is fetched after this share of the expected duration: late, so that no job
/// waits here while another worker is idle.
const PREFETCH_SHARE: f64 = 0.8;
/// Redelivery delay of a failed job, so that another worker can claim it.
const RETRY_DELAY: Duration = Duration::from_secs(1);
/// Time for a handler to stop when the worker ends; otherwise it has two leases.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);
/// Time to store the last results when the worker ends.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(10);

pub(crate) enum JobEnd {
    /// With a result, and its duration in seconds.
    Done(Vec<u8>, f64),
    /// No worker should try it again.
    DeadLetter(DeadLetter),
    /// This worker cannot do it; another may.
    Rejected(String),
    /// It was started and failed; another worker may try.
    Failed(String),
    /// The worker ends, or the result is not needed: it counts as not started.
    Cancelled,
    /// It made no progress for this time, and another worker has it by now.
    LeaseExpired(Duration),
}

#[derive(Default)]
enum Prefetch {
    #[default]
    None,
    Fetching(BoxFuture<'static, Result<Box<ClaimedJob>, CrewError>>),
    Fetched(Result<Box<ClaimedJob>, CrewError>),
}

/// A result that is being stored.
type Storing = Option<JoinHandle<Result<(), CrewError>>>;

pub(crate) async fn work(context: Arc<WorkerContext>) -> Result<(), CrewError> {
    let mut storing = None;
    let ended = work_jobs(&context, &mut storing).await;
    let last = tokio::time::timeout(SHUTDOWN_TIMEOUT, stored(storing)).await;
    ended.and(last.unwrap_or(Ok(())))
}

async fn work_jobs(context: &Arc<WorkerContext>, storing: &mut Storing) -> Result<(), CrewError> {
    let mut next = Prefetch::None;
    loop {
        let claimed = match std::mem::take(&mut next) {
            Prefetch::Fetched(fetched) if context.is_stopping() => {
                if let Ok(claimed) = fetched {
                    release(context, &claimed.delivery).await;
                }
                return Ok(());
            }
            Prefetch::Fetched(fetched) => fetched?,
            waiting => {
                let fetching = match waiting {
                    Prefetch::Fetching(fetching) => fetching,
                    _ => Box::pin(claim(Arc::clone(context))),
                };
                tokio::select! {
                    fetched = fetching => fetched?,
                    () = context.stopped() => return Ok(()),
                }
            }
        };
        let (end, start) = attempt(context, &claimed, &mut next).await?;
        // Each slot stores one result at a time.
        stored(storing.take()).await?;
        let context = Arc::clone(context);
        *storing = Some(tokio::spawn(async move {
            finish_job(&context, &claimed.delivery, end, start).await
        }));
    }
}

async fn stored(storing: Storing) -> Result<(), CrewError> {
    match storing {
        // A panic there is a bug here, and the lease repairs it.
        Some(storing) => storing.await.unwrap_or(Ok(())),
        None => Ok(()),
    }
}

/// Runs a job and prefetches the next one. Returns how it ended, and the sequence number of
/// its start mark.
async fn attempt(
    context: &Arc<WorkerContext>,
    claimed: &ClaimedJob,
    next: &mut Prefetch,
) -> Result<(JobEnd, Option<u64>), CrewError> {
    let Delivery { run, id, .. } = &claimed.delivery;
    let mut start = None;
    if claimed.delivery.deliveries > 1 {
        let mark = context.worker.name.clone().into();
        start = Some(
            context
                .server
                .store(&names::mark(run, id, names::STARTED), mark)
                .await?,
        );
    }
    context.emit(WorkerEvent::Started {
        run: run.clone(),
        id: id.clone(),
        kind: claimed.job.kind.clone(),
    });
    let progress = JobProgress::default();
    let _active = context.active_jobs.add(ActiveJob {
        run: run.clone(),
        progress: progress.clone(),
    });
    let begun = Instant::now();
    let mut result = spawn(claimed, &progress);
    let mut monitor = JobMonitor {
        context,
        claimed,
        progress: &progress,
        lease: Lease::new(claimed.lease, begun),
        counted: 0,
        begun,
        cancelled: None,
    };
    let mut checks = interval(monitor.lease.check_interval());
    let fetch_at = context
        .expected_duration()
        .map(|time| begun + time.mul_f64(PREFETCH_SHARE));
    let end = loop {
        tokio::select! {
            result = &mut result => break monitor.job_end(result),
            _ = checks.tick() => if monitor.check_lease(next).await {
                context.abandon_thread(&claimed.job.kind)?;
                break monitor.stopped_end();
            },
            () = sleep_until(fetch_at.unwrap_or(begun).into()),
                if fetch_at.is_some()
                    && matches!(next, Prefetch::None)
                    && monitor.cancelled.is_none()
                    && !context.is_stopping() =>
            {
                *next = Prefetch::Fetching(Box::pin(claim(Arc::clone(context))));
            }
            fetched = fetch(next) => *next = Prefetch::Fetched(fetched),
        }
    };
    monitor.count();
    if matches!(end, JobEnd::Done(..)) {
        context.record_duration(begun.elapsed().as_secs_f64());
    }
    Ok((end, start))
}

/// Ends when the next job has been fetched, if one is being fetched.
async fn fetch(next: &mut Prefetch) -> Result<Box<ClaimedJob>, CrewError> {
    match next {
        Prefetch::Fetching(fetching) => fetching.await,
        _ => std::future::pending().await,
    }
}

type HandlerResult = Result<Result<Vec<u8>, HandlerError>, String>;

/// Runs the handler on a thread of its own, which is abandoned if it is stuck.
fn spawn(claimed: &ClaimedJob, progress: &JobProgress) -> oneshot::Receiver<HandlerResult> {
    let (sender, result) = oneshot::channel();
    let (handler, job) = (Arc::clone(&claimed.handler), claimed.job.clone());
    let (blobs, progress) = (claimed.blobs.clone(), progress.clone());
    let work = move || {
        let worked = catch_unwind(AssertUnwindSafe(|| handler.work(&job, &blobs, &progress)));
        let worked = worked.map_err(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            text.unwrap_or("a panic").to_owned()
        });
        // The receiver of an abandoned job is gone.
        let _ = sender.send(worked);
    };
    // Without a thread the sender is dropped, and the job has failed.
    let _ = thread::Builder::new().name("slot".to_owned()).spawn(work);
    result
}

/// Watches lease, time limit and cancellation of a running job.
struct JobMonitor<'a> {
    context: &'a WorkerContext,
    claimed: &'a ClaimedJob,
    progress: &'a JobProgress,
    lease: Lease,
    counted: u64,
    begun: Instant,
    /// Time and reason of setting the stop flag.
    cancelled: Option<(Instant, CancelReason)>,
}

#[derive(Clone, Copy, PartialEq)]
enum CancelReason {
    /// The worker ends, or the result is not needed.
    NotNeeded,
    Stuck,
    Overtime,
}

impl JobMonitor<'_> {
    fn count(&mut self) {
        let units = self.progress.units();
        self.context.count(units - self.counted);
        self.counted = units;
    }

    /// Extends the lease after progress, and sets the stop flag of a job that has to end.
    /// Whether the handler has not ended in time after that.
    async fn check_lease(&mut self, next: &mut Prefetch) -> bool {
        let now = Instant::now();
        self.count();
        let check = self.lease.check(self.counted, now);
        if check == LeaseCheck::Extend {
            self.claimed.delivery.ack_with(AckKind::Progress).await;
            // The lease of the prefetched job is extended with this one.
            if let Prefetch::Fetched(Ok(waiting)) = next {
                waiting.delivery.ack_with(AckKind::Progress).await;
            }
        }
        if self.context.is_stopping() {
            // This job is finished; the prefetched one goes to other workers now.
            self.clear(next).await;
        }
        if let Some((when, reason)) = self.cancelled {
            let timeout = match reason {
                CancelReason::NotNeeded => STOP_TIMEOUT,
                CancelReason::Stuck | CancelReason::Overtime => 2 * self.claimed.lease,
            };
            return when.elapsed() >= timeout;
        }
        // The job itself may have been cancelled, because its run has enough results.
        let reason = if self.context.is_cancelling() || self.progress.is_stopped() {
            CancelReason::NotNeeded
        } else if check == LeaseCheck::Lost {
            CancelReason::Stuck
        } else if self.begun.elapsed() > self.context.worker.limits.job_time {
            CancelReason::Overtime
        } else {
            return false;
        };
        self.cancelled = Some((now, reason));
        self.progress.stop();
        if reason != CancelReason::NotNeeded {
            self.clear(next).await;
        }
        if reason == CancelReason::Stuck {
            self.context.emit(WorkerEvent::Stuck {
                run: self.claimed.delivery.run.clone(),
                id: self.claimed.delivery.id.clone(),
            });
        }
        false
    }

    /// Returns the prefetched job, which must not wait behind one that does not end.
    async fn clear(&self, next: &mut Prefetch) {
        if let Prefetch::Fetched(Ok(waiting)) = next {
            release(self.context, &waiting.delivery).await;
            *next = Prefetch::None;
        }
    }

    fn job_end(&self, result: Result<HandlerResult, oneshot::error::RecvError>) -> JobEnd {
        match result {
            // A late result is a result.
            Ok(Ok(Ok(result))) => JobEnd::Done(result, self.begun.elapsed().as_secs_f64()),
            Ok(Ok(Err(HandlerError::InvalidJob(why)))) => {
                JobEnd::DeadLetter(self.claimed.delivery.dead(why))
            }
            Ok(Ok(Err(HandlerError::CannotRun(why)))) => JobEnd::Rejected(why),
            Ok(Ok(Err(HandlerError::Stopped))) => self.stopped_end(),
            Ok(Err(panic)) => JobEnd::Failed(format!("its handler panicked: {panic}")),
            Err(_) => JobEnd::Failed("the system gave no thread for it".to_owned()),
        }
    }

    /// The end of a job that was stopped, or did not stop in time.
    fn stopped_end(&self) -> JobEnd {
        match self.cancelled.map(|(_, reason)| reason) {
            Some(CancelReason::Stuck) => JobEnd::LeaseExpired(self.claimed.lease),
            Some(CancelReason::Overtime) => JobEnd::Failed(format!(
                "it took more than {} s",
                self.context.worker.limits.job_time.as_secs_f64()
            )),
            Some(CancelReason::NotNeeded) => JobEnd::Cancelled,
            // The handler may have seen the flag before this monitor did.
            None if self.progress.is_stopped() => JobEnd::Cancelled,
            None => JobEnd::Failed("it stopped without a reason".to_owned()),
        }
    }
}

/// Reports how a job ended: stores the result first, and only then removes the job from the
/// queue. `start` is the sequence number of its start mark.
pub(crate) async fn finish_job(
    context: &WorkerContext,
    delivery: &Delivery,
    end: JobEnd,
    start: Option<u64>,
) -> Result<(), CrewError> {
    match end {
        JobEnd::Done(result, seconds) => {
            let message = wire::encode(&context.result_header(delivery, seconds, None), &result);
            let (bytes, max) = (message.len(), context.server.client.max_payload());
            if bytes > max {
                let why = format!("its result takes {bytes} bytes, and the server takes {max}");
                let dead = DeadLetter {
                    oversized: true,
                    ..delivery.dead(why)
                };
                return dead_letter(context, delivery, dead).await;
            }
            store_result(context, delivery, message).await?;
            context.emit(WorkerEvent::Done {
                run: delivery.run.clone(),
                id: delivery.id.clone(),
                seconds,
            });
        }
        JobEnd::DeadLetter(dead) => dead_letter(context, delivery, dead).await?,
        JobEnd::Rejected(why) => {
            // Before another worker claims it and counts its starts.
            mark_not_started(context, delivery, start).await;
            let pause = context.record_rejection(&delivery.run, &delivery.id);
            delivery.ack_with(AckKind::Nak(Some(pause))).await;
            context.report(delivery, &why, false).await;
            context.emit(delivery.rejected(why));
        }
        JobEnd::Failed(why) if delivery.starts >= MAX_STARTS => {
            let times = delivery.starts;
            let why = format!("it was begun {times} times and never finished; the last time {why}");
            dead_letter(context, delivery, delivery.dead(why)).await?;
        }
        JobEnd::Failed(why) => {
            delivery.ack_with(AckKind::Nak(Some(RETRY_DELAY))).await;
            context.report(delivery, &why, true).await;
            context.emit(delivery.rejected(why));
        }
        JobEnd::Cancelled => {
            mark_not_started(context, delivery, start).await;
            delivery.ack_with(AckKind::Nak(None)).await;
            context.emit(delivery.rejected("stopped".to_owned()));
        }
        JobEnd::LeaseExpired(lease) => {
            let why = format!("it showed no progress for {} s", lease.as_secs_f64());
            context.report(delivery, &why, true).await;
        }
    }
    Ok(())
}

/// Stores a dead letter and removes the job from the queue.
async fn dead_letter(
    context: &WorkerContext,
    delivery: &Delivery,
    dead: DeadLetter,
) -> Result<(), CrewError> {
    let why = dead.why.clone();
    let header = context.result_header(delivery, 0.0, Some(dead));
    store_result(context, delivery, wire::encode(&header, &[])).await?;
    context.emit(delivery.rejected(why));
    Ok(())
}

async fn store_result(
    context: &WorkerContext,
    delivery: &Delivery,
    message: Vec<u8>,
) -> Result<(), CrewError> {
    let subject = names::result(&delivery.run, &delivery.id);
    context.server.store(&subject, message).await?;
    delivery.done().await;
    Ok(())
}

async fn release(context: &WorkerContext, delivery: &Delivery) {
    mark_not_started(context, delivery, None).await;
    delivery.ack_with(AckKind::Nak(None)).await;
}

/// Records that a job which is returned or rejected was not started. If the message is lost,
/// it counts as started.
async fn mark_not_started(context: &WorkerContext, delivery: &Delivery, start: Option<u64>) {
    let streams = &context.server.streams;
    if let Some(start) = start {
        if let Ok(starts) = streams.get_stream_no_info(names::STARTS).await {
            let _ = starts.delete_message(start).await;
        }
    } else if delivery.deliveries == 1 {
        let mark = names::mark(&delivery.run, &delivery.id, names::NOT_STARTED);
        if let Ok(sent) = streams.publish(mark, "".into()).await {
            let _ = sent.await;
        }
    }
}
