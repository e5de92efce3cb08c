//! A worker slot: claims a job, runs its handler, stores the result, and prefetches the
//! next job meanwhile.

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
use super::worker_context::WorkerContext;
use crate::error::CrewError;
use crate::handler::JobProgress;
use crate::job::{DeadLetter, HandlerError, JobId};
use crate::message::{self as wire, ResultHeader};
use crate::subjects as names;

/// The next job is fetched after this share of the expected duration: late, so that no job
/// waits here while another worker is idle.
const FETCH_AT: f64 = 0.8;
/// Redelivery delay of a failed job, so that another worker can claim it.
const NOT_AGAIN_FOR: Duration = Duration::from_secs(1);
/// Time for a handler to stop when the worker ends; otherwise it has two leases.
const GRACE: Duration = Duration::from_secs(5);
/// Time to store the last results when the worker ends.
const GOODBYE: Duration = Duration::from_secs(10);

/// How a job ended here.
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

/// The next job.
enum Prefetch {
    None,
    Fetching(BoxFuture<'static, Result<Box<ClaimedJob>, CrewError>>),
    Fetched(Result<Box<ClaimedJob>, CrewError>),
}

/// Works until the worker stops.
pub(crate) async fn work(context: Arc<WorkerContext>) -> Result<(), CrewError> {
    let mut next = Prefetch::None;
    let mut delivering: Option<JoinHandle<Result<(), CrewError>>> = None;
    let ended = loop {
        let fetched = match std::mem::replace(&mut next, Prefetch::None) {
            Prefetch::Fetched(fetched) if !context.is_stopping() => fetched,
            Prefetch::Fetched(fetched) => {
                if let Ok(claimed) = fetched {
                    release(&context, &claimed).await;
                }
                break Ok(());
            }
            Prefetch::Fetching(fetching) => tokio::select! {
                fetched = fetching => fetched,
                () = context.stopped() => break Ok(()),
            },
            Prefetch::None => tokio::select! {
                fetched = claim(Arc::clone(&context)) => fetched,
                () = context.stopped() => break Ok(()),
            },
        };
        let claimed = match fetched {
            Ok(claimed) => claimed,
            Err(error) => break Err(error),
        };
        let (end, start) = match attempt(&context, &claimed, &mut next).await {
            Ok(attempted) => attempted,
            Err(error) => break Err(error),
        };
        // Each slot stores one result at a time.
        if let Err(error) = delivered(delivering.take()).await {
            break Err(error);
        }
        let context = Arc::clone(&context);
        delivering = Some(tokio::spawn(async move {
            finish_job(
                &context,
                &claimed.run,
                &claimed.job.id,
                &claimed.delivery,
                end,
                start,
            )
            .await
        }));
    };
    let last = tokio::time::timeout(GOODBYE, delivered(delivering)).await;
    ended.and(last.unwrap_or(Ok(())))
}

async fn delivered(delivering: Option<JoinHandle<Result<(), CrewError>>>) -> Result<(), CrewError> {
    match delivering {
        // A panic there is a bug here, and the lease repairs it.
        Some(delivering) => delivering.await.unwrap_or(Ok(())),
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
    let mut start = None;
    if claimed.delivery.deliveries > 1 {
        let subject = names::start(&claimed.run, &claimed.job.id);
        start = Some(
            context
                .server
                .store(&subject, context.name.clone().into())
                .await?,
        );
    }
    context.emit(WorkerEvent::Started {
        run: claimed.run.clone(),
        id: claimed.job.id.clone(),
        kind: claimed.job.kind.clone(),
    });
    let progress = JobProgress::default();
    let _active = context.track_job(&claimed.run, &progress);
    let begun = Instant::now();
    let mut answer = spawn(claimed, &progress);
    let mut monitor = JobMonitor::new(context, claimed, &progress, begun);
    let mut looks = interval(monitor.lease.pause());
    let fetch_at = context
        .expected()
        .map(|time| begun + time.mul_f64(FETCH_AT));
    let end = loop {
        tokio::select! {
            answered = &mut answer => break monitor.judge(answered),
            _ = looks.tick() => match monitor.check_lease(next).await {
                LeaseAction::Continue => {}
                LeaseAction::GiveUp => {
                    context.abandon_thread(&claimed.job.kind)?;
                    break monitor.given_up();
                }
            },
            () = sleep_until(fetch_at.unwrap_or(begun).into()),
                if fetch_at.is_some()
                    && matches!(next, Prefetch::None)
                    && monitor.told.is_none()
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
    let (sender, answer) = oneshot::channel();
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
    let _ = thread::Builder::new().name("hand".to_owned()).spawn(work);
    answer
}

/// Watches lease, time limit and cancellation of a running job.
struct JobMonitor<'a> {
    context: &'a WorkerContext,
    claimed: &'a ClaimedJob,
    progress: &'a JobProgress,
    lease: Lease,
    counted: u64,
    begun: Instant,
    /// When the handler was told to stop, and why.
    told: Option<(Instant, CancelReason)>,
}

#[derive(Clone, Copy, PartialEq)]
enum CancelReason {
    /// The worker ends, or the result is not needed.
    NotNeeded,
    /// It makes no progress.
    Stuck,
    /// It exceeds the time limit.
    Overtime,
}

enum LeaseAction {
    Continue,
    GiveUp,
}

impl<'a> JobMonitor<'a> {
    fn new(
        context: &'a WorkerContext,
        claimed: &'a ClaimedJob,
        progress: &'a JobProgress,
        begun: Instant,
    ) -> Self {
        Self {
            context,
            claimed,
            progress,
            lease: Lease::new(claimed.lease, begun),
            counted: 0,
            begun,
            told: None,
        }
    }

    /// Counts new units of progress.
    fn count(&mut self) {
        let units = self.progress.units();
        self.context.count(units - self.counted);
        self.counted = units;
    }

    async fn check_lease(&mut self, next: &mut Prefetch) -> LeaseAction {
        let now = Instant::now();
        self.count();
        let look = self.lease.check(self.counted, now);
        if look == LeaseCheck::Extend {
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
        if let Some((when, told)) = self.told {
            let grace = match told {
                CancelReason::NotNeeded => GRACE,
                CancelReason::Stuck | CancelReason::Overtime => 2 * self.claimed.lease,
            };
            return if when.elapsed() < grace {
                LeaseAction::Continue
            } else {
                LeaseAction::GiveUp
            };
        }
        // The job itself may have been cancelled, because its run has enough results.
        let told = if self.context.is_cancelling() || self.progress.is_stopped() {
            CancelReason::NotNeeded
        } else if look == LeaseCheck::Lost {
            CancelReason::Stuck
        } else if self.begun.elapsed() > self.context.limits.job_time {
            CancelReason::Overtime
        } else {
            return LeaseAction::Continue;
        };
        self.told = Some((now, told));
        self.progress.stop();
        if told != CancelReason::NotNeeded {
            self.clear(next).await;
        }
        if told == CancelReason::Stuck {
            self.context.emit(WorkerEvent::Stuck {
                run: self.claimed.run.clone(),
                id: self.claimed.job.id.clone(),
            });
        }
        LeaseAction::Continue
    }

    /// Returns the prefetched job, which must not wait behind one that does not end.
    async fn clear(&self, next: &mut Prefetch) {
        if let Prefetch::Fetched(Ok(waiting)) = next {
            release(self.context, waiting).await;
            *next = Prefetch::None;
        }
    }

    fn judge(&self, answered: Result<HandlerResult, oneshot::error::RecvError>) -> JobEnd {
        let told = self.told.map(|(_, told)| told);
        match answered {
            // A late result is a result.
            Ok(Ok(Ok(result))) => JobEnd::Done(result, self.begun.elapsed().as_secs_f64()),
            Ok(Ok(Err(HandlerError::InvalidJob(why)))) => {
                JobEnd::DeadLetter(self.claimed.delivery.dead(why))
            }
            Ok(Ok(Err(HandlerError::CannotRun(why)))) => JobEnd::Rejected(why),
            // It may have seen the flag before this monitor did.
            Ok(Ok(Err(HandlerError::Stopped))) if told.is_none() && self.progress.is_stopped() => {
                JobEnd::Cancelled
            }
            Ok(Ok(Err(HandlerError::Stopped))) if told.is_none() => {
                JobEnd::Failed("it stopped without being told".to_owned())
            }
            Ok(Ok(Err(HandlerError::Stopped))) => self.given_up(),
            Ok(Err(panic)) => JobEnd::Failed(format!("its handler panicked: {panic}")),
            Err(_) => JobEnd::Failed("the system gave no thread for it".to_owned()),
        }
    }

    fn given_up(&self) -> JobEnd {
        match self.told {
            Some((_, CancelReason::Stuck)) => JobEnd::LeaseExpired(self.claimed.lease),
            Some((_, CancelReason::Overtime)) => JobEnd::Failed(format!(
                "it took more than {} s",
                self.context.limits.job_time.as_secs_f64()
            )),
            _ => JobEnd::Cancelled,
        }
    }
}

/// Reports how a job ended: stores the result first, and only then removes the job from the
/// queue.
pub(crate) async fn finish_job(
    context: &WorkerContext,
    run: &str,
    id: &JobId,
    delivery: &Delivery,
    end: JobEnd,
    start: Option<u64>,
) -> Result<(), CrewError> {
    let refused = |why: String| WorkerEvent::Rejected {
        run: run.to_owned(),
        id: id.clone(),
        why,
    };
    let end = match end {
        JobEnd::Failed(why) if delivery.begun >= MAX_STARTS => {
            let times = delivery.begun;
            JobEnd::DeadLetter(delivery.dead(format!(
                "it was begun {times} times and never finished; the last time {why}"
            )))
        }
        end => end,
    };
    match end {
        JobEnd::Done(result, seconds) => {
            let head = ResultHeader::new(&context.token, run, id, &context.name, seconds);
            let message = wire::encode(&head, &result);
            let most = context.server.client.max_payload();
            if message.len() > most {
                let why = format!(
                    "its result takes {} bytes, and the server takes {most}",
                    message.len()
                );
                let dead = DeadLetter {
                    oversized: true,
                    ..delivery.dead(why)
                };
                return dead_letter(context, run, id, delivery, dead).await;
            }
            context
                .server
                .store(&names::result(run, id), message)
                .await?;
            delivery.done().await;
            context.emit(WorkerEvent::Done {
                run: run.to_owned(),
                id: id.clone(),
                seconds,
            });
        }
        JobEnd::DeadLetter(dead) => dead_letter(context, run, id, delivery, dead).await?,
        JobEnd::Rejected(why) => {
            // Before another worker claims it and counts its starts.
            mark_not_started(context, run, id, delivery, start).await;
            let pause = context.record_rejection(run, id);
            delivery.ack_with(AckKind::Nak(Some(pause))).await;
            context.report(run, id, &why, false).await;
            context.emit(refused(why));
        }
        JobEnd::Failed(why) => {
            delivery.ack_with(AckKind::Nak(Some(NOT_AGAIN_FOR))).await;
            context.report(run, id, &why, true).await;
            context.emit(refused(why));
        }
        JobEnd::Cancelled => {
            mark_not_started(context, run, id, delivery, start).await;
            delivery.ack_with(AckKind::Nak(None)).await;
            context.emit(refused("stopped".to_owned()));
        }
        JobEnd::LeaseExpired(lease) => {
            let why = format!("it showed no progress for {} s", lease.as_secs_f64());
            context.report(run, id, &why, true).await;
        }
    }
    Ok(())
}

/// Stores a dead letter and removes the job from the queue.
async fn dead_letter(
    context: &WorkerContext,
    run: &str,
    id: &JobId,
    delivery: &Delivery,
    dead: DeadLetter,
) -> Result<(), CrewError> {
    let why = dead.why.clone();
    let mut head = ResultHeader::new(&context.token, run, id, &context.name, 0.0);
    head.dead = Some(dead);
    let message = wire::encode(&head, &[]);
    context
        .server
        .store(&names::result(run, id), message)
        .await?;
    delivery.done().await;
    context.emit(WorkerEvent::Rejected {
        run: run.to_owned(),
        id: id.clone(),
        why,
    });
    Ok(())
}

/// Returns a prefetched job to the queue.
async fn release(context: &WorkerContext, claimed: &ClaimedJob) {
    mark_not_started(
        context,
        &claimed.run,
        &claimed.job.id,
        &claimed.delivery,
        None,
    )
    .await;
    claimed.delivery.ack_with(AckKind::Nak(None)).await;
}

/// Records that a job which is returned or rejected was not started. If the message is lost,
/// it counts as started.
async fn mark_not_started(
    context: &WorkerContext,
    run: &str,
    id: &JobId,
    delivery: &Delivery,
    start: Option<u64>,
) {
    let streams = &context.server.streams;
    if let Some(start) = start {
        if let Ok(starts) = streams.get_stream_no_info(names::STARTS).await {
            let _ = starts.delete_message(start).await;
        }
    } else if delivery.deliveries == 1 {
        let said = streams.publish(names::no_start(run, id), "".into()).await;
        if let Ok(said) = said {
            let _ = said.await;
        }
    }
}
