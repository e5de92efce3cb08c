//! Claims a job: takes it from the queue, checks it, and fetches its blobs.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::consumer::{Consumer, pull};
use async_nats::jetstream::{AckKind, Message};
use futures_util::StreamExt;

use super::WorkerEvent;
use super::slot::{JobEnd, finish_job};
use super::worker_context::WorkerContext;
use crate::blob::BlobId;
use crate::blob_store::too_large;
use crate::error::CrewError;
use crate::handler::Handler;
use crate::job::{DeadLetter, Job, JobId, check_name};
use crate::message::{self as wire, JobHeader, nanoseconds};
use crate::subjects as names;

/// A job started this many times without a result becomes a dead letter.
pub(crate) const MAX_STARTS: usize = 3;
/// Time limit of a request for a job: doubles from the minimum to the maximum. The first
/// requests are short, so that a worker of another version ends soon.
const MIN_CLAIM_TIMEOUT: Duration = Duration::from_secs(1);
const MAX_CLAIM_TIMEOUT: Duration = Duration::from_secs(20);
/// Interval between requests until a coordinator has created the queue.
const QUEUE_POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Interval between reads of the queue, whose lease may change; it is also read when a job
/// has another lease.
const QUEUE_REFRESH_INTERVAL: Duration = Duration::from_secs(20);

type JobBlobs = HashMap<BlobId, Arc<[u8]>>;

/// A job with all that its handler needs.
pub(crate) struct ClaimedJob {
    pub(crate) job: Job,
    pub(crate) blobs: JobBlobs,
    pub(crate) handler: Arc<dyn Handler>,
    pub(crate) lease: Duration,
    pub(crate) delivery: Delivery,
}

/// The message of a job on the server.
pub(crate) struct Delivery {
    pub(crate) run: String,
    pub(crate) id: JobId,
    message: Message,
    /// Deliveries of the job, this one included.
    pub(crate) deliveries: u32,
    /// Known starts of the job, this one included.
    pub(crate) starts: usize,
}

impl Delivery {
    /// Sends an acknowledgement of this kind. If it is lost, the lease decides.
    pub(crate) async fn ack_with(&self, kind: AckKind) {
        let _ = self.message.ack_with(kind).await;
    }

    /// Removes the job from the queue, and waits for the confirmation.
    pub(crate) async fn done(&self) {
        let _ = self.message.double_ack().await;
    }

    /// The job as a dead letter.
    pub(crate) fn dead(&self, why: String) -> DeadLetter {
        DeadLetter {
            deliveries: self.deliveries,
            why,
            oversized: false,
        }
    }

    pub(crate) fn rejected(&self, why: String) -> WorkerEvent {
        WorkerEvent::Rejected {
            run: self.run.clone(),
            id: self.id.clone(),
            why,
        }
    }
}

/// Waits for a job. An error ends the worker.
pub(crate) async fn claim(context: Arc<WorkerContext>) -> Result<Box<ClaimedJob>, CrewError> {
    let mut wait = MIN_CLAIM_TIMEOUT;
    loop {
        let Some(queue) = context.queue(QUEUE_REFRESH_INTERVAL).await? else {
            context.check_version().await?;
            tokio::time::sleep(QUEUE_POLL_INTERVAL).await;
            continue;
        };
        // Workers that can do what this one rejects go first.
        context.back_off().await;
        if let Some(message) = next(&context, &queue, wait).await {
            let lease = queue.cached_info().config.ack_wait;
            if let Some(claimed) = open(&context, message, lease).await? {
                return Ok(Box::new(claimed));
            }
            continue;
        }
        // The queue may have been replaced, or have another lease.
        context.forget_queue();
        context.check_version().await?;
        wait = MAX_CLAIM_TIMEOUT.min(2 * wait);
    }
}

/// The next job in the queue, if one arrives in time and the connection holds.
async fn next(
    context: &WorkerContext,
    queue: &Consumer<pull::Config>,
    wait: Duration,
) -> Option<Message> {
    let mut changes = context.server.changes.clone();
    changes.mark_unchanged();
    let asked = async {
        let batch = queue.batch().max_messages(1).expires(wait).messages();
        batch.await.ok()?.next().await?.ok()
    };
    tokio::select! {
        message = asked => message,
        // After a disconnect the server has lost the request.
        _ = changes.changed() => None,
    }
}

/// Reads a message, which is untrusted. A job that this worker cannot do is returned to the
/// queue, or becomes a dead letter.
async fn open(
    context: &WorkerContext,
    message: Message,
    mut lease: Duration,
) -> Result<Option<ClaimedJob>, CrewError> {
    let (run, job, submitted_lease) = match read(context, &message) {
        Ok(read) => read,
        Err(why) => {
            // The coordinator will miss the job and submit it again.
            let _ = message.ack_with(AckKind::Term).await;
            let subject = message.subject.to_string();
            context.emit(WorkerEvent::Corrupt { subject, why });
            return Ok(None);
        }
    };
    if submitted_lease != nanoseconds(lease)
        && let Some(queue) = context.queue(Duration::ZERO).await?
    {
        lease = queue.cached_info().config.ack_wait;
    }
    let info = message.info();
    let mut delivery = Delivery {
        run,
        id: job.id.clone(),
        deliveries: info.map_or(1, |info| info.delivered.max(1) as u32),
        starts: 1,
        message,
    };
    match prepare_claim(context, &job, &mut delivery).await? {
        Ok((handler, blobs)) => {
            // Fetching the blobs was progress.
            delivery.ack_with(AckKind::Progress).await;
            Ok(Some(ClaimedJob {
                job,
                blobs,
                handler,
                lease,
                delivery,
            }))
        }
        Err(end) => {
            finish_job(context, &delivery, end, None).await?;
            Ok(None)
        }
    }
}

/// The run, the job and its lease, if the message belongs to its subject.
fn read(context: &WorkerContext, message: &Message) -> Result<(String, Job, u64), String> {
    let (header, payload) = wire::decode::<JobHeader>(&message.payload)?;
    if header.program != context.worker.program {
        return Err(format!("it is of version {}", header.program));
    }
    check_name("run", &header.run).map_err(|error| error.to_string())?;
    let named = names::job(&context.token, &header.run, &header.id);
    if *message.subject != *named {
        return Err(format!("it calls itself {named}"));
    }
    let job = Job {
        id: header.id,
        kind: header.kind,
        version: header.version,
        payload: payload.to_vec(),
        blobs: header.blobs,
    };
    Ok((header.run, job, header.lease))
}

/// Counts the starts of a job, checks its kind, version and size, and fetches its blobs.
/// `Err` if the job is not started here.
async fn prepare_claim(
    context: &WorkerContext,
    job: &Job,
    delivery: &mut Delivery,
) -> Result<Result<(Arc<dyn Handler>, JobBlobs), JobEnd>, CrewError> {
    if delivery.deliveries > 1 {
        let starts = earlier_starts(context, delivery).await?;
        if starts >= MAX_STARTS {
            return Ok(Err(JobEnd::DeadLetter(DeadLetter {
                deliveries: delivery.deliveries - 1,
                ..delivery.dead(format!(
                    "it was begun {starts} times and never finished: its workers died over it or showed no progress"
                ))
            })));
        }
        delivery.starts = starts + 1;
    }
    let cannot = |why: String| Ok(Err(JobEnd::Rejected(why)));
    let Some(handler) = context.worker.handlers.get(job.kind.as_str()) else {
        return cannot(format!("it does no jobs of the kind {:?}", job.kind));
    };
    if handler.version() != job.version {
        return cannot(format!(
            "it does {} of version {}, and this is version {}",
            job.kind,
            handler.version(),
            job.version
        ));
    }
    if job.payload.len() > context.worker.limits.payload {
        return cannot(format!(
            "its owner allows payloads of {} bytes, and this has {}",
            context.worker.limits.payload,
            job.payload.len()
        ));
    }
    let blobs = fetch_blobs(context, job).await?;
    Ok(blobs
        .map(|blobs| (Arc::clone(handler), blobs))
        .map_err(JobEnd::Rejected))
}

/// The number of earlier starts of a job. The first start is not recorded, only its
/// cancellation; later starts are.
async fn earlier_starts(context: &WorkerContext, delivery: &Delivery) -> Result<usize, CrewError> {
    let subject = names::mark(&delivery.run, &delivery.id, "*");
    let marks = context.server.subjects(names::STARTS, &subject).await?;
    let cancelled = names::mark(&delivery.run, &delivery.id, names::NOT_STARTED);
    let (cancelled, starts): (Vec<_>, Vec<_>) =
        marks.into_iter().partition(|mark| mark.0 == cancelled);
    Ok(usize::from(cancelled.is_empty()) + starts.iter().map(|mark| mark.1).sum::<usize>())
}

/// The blobs of a job, or the reason why this worker does not have them.
async fn fetch_blobs(
    context: &WorkerContext,
    job: &Job,
) -> Result<Result<JobBlobs, String>, CrewError> {
    let mut found = JobBlobs::new();
    let mut room = context.worker.limits.blobs;
    for id in &job.blobs {
        if found.contains_key(id) {
            continue;
        }
        let contents = match context.cache.get(id) {
            Some(contents) => contents,
            None => match context.blob_store().await?.fetch(id, room).await {
                Ok(contents) => contents,
                Err(why) => return Ok(Err(why)),
            },
        };
        let Some(left) = room.checked_sub(contents.len()) else {
            return Ok(Err(too_large(context.worker.limits.blobs)));
        };
        room = left;
        context.cache.put(*id, Arc::clone(&contents));
        found.insert(*id, contents);
    }
    Ok(Ok(found))
}
