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
use crate::blob::{BlobError, BlobId};
use crate::error::CrewError;
use crate::handler::Handler;
use crate::job::{DeadLetter, Job, check_name};
use crate::message::{self as wire, JobHeader, nanoseconds};
use crate::server::is_not_found;
use crate::subjects as names;

/// A job started this many times without a result becomes a dead letter.
pub(crate) const MAX_STARTS: usize = 3;
/// Time limit of a request for a job. The first ones are shorter, so that a worker of the
/// wrong version ends soon.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LAST_WAIT: Duration = Duration::from_secs(20);
/// Interval between requests until a coordinator has created the queue.
const NO_QUEUE: Duration = Duration::from_millis(500);

/// Interval between reads of the queue, whose lease may change; it is also read when a job
/// has another lease.
const LOOK_AGAIN: Duration = Duration::from_secs(20);

/// A job with its handler, blobs and delivery.
pub(crate) struct ClaimedJob {
    pub(crate) run: String,
    pub(crate) job: Job,
    pub(crate) blobs: HashMap<BlobId, Arc<[u8]>>,
    pub(crate) handler: Arc<dyn Handler>,
    pub(crate) lease: Duration,
    pub(crate) delivery: Delivery,
}

/// The message of a job on the server.
pub(crate) struct Delivery {
    message: Message,
    /// How often the job was delivered, this time included.
    pub(crate) deliveries: u32,
    /// How often it was started, as far as is known, this time included.
    pub(crate) begun: usize,
}

impl Delivery {
    /// Sends an acknowledgement of this kind. If it is lost, the lease decides.
    pub(crate) async fn ack_with(&self, kind: AckKind) {
        let _ = self.message.ack_with(kind).await;
    }

    /// The job as a dead letter.
    pub(crate) fn dead(&self, why: String) -> DeadLetter {
        DeadLetter {
            deliveries: self.deliveries,
            why,
            oversized: false,
        }
    }

    /// Removes the job from the queue, and waits for the confirmation.
    pub(crate) async fn done(&self) {
        let _ = self.message.double_ack().await;
    }
}

/// Waits for a job. An error ends the worker.
pub(crate) async fn claim(context: Arc<WorkerContext>) -> Result<Box<ClaimedJob>, CrewError> {
    let mut wait = FIRST_WAIT;
    loop {
        let Some(queue) = queue(&context, LOOK_AGAIN).await? else {
            context.check_version().await?;
            tokio::time::sleep(NO_QUEUE).await;
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
        // The queue may be another one by now, or have another lease.
        context.set_queue(None);
        context.check_version().await?;
        wait = LAST_WAIT.min(2 * wait);
    }
}

/// The queue of our version, if a coordinator has created it, as it was within `age`. It is
/// read rarely, because the server counts all jobs for the reply.
async fn queue(
    context: &WorkerContext,
    age: Duration,
) -> Result<Option<Consumer<pull::Config>>, CrewError> {
    let known = context.queue(age);
    if known.is_some() {
        return Ok(known);
    }
    let name = names::workers(&context.token);
    let found = context
        .server
        .persist("give jobs", || async {
            let found = context
                .server
                .streams
                .get_consumer_from_stream(&name, names::JOBS);
            match found.await {
                Ok(queue) => Ok(Some(queue)),
                Err(error) if is_not_found(&error) => Ok(None),
                Err(error) => Err(error),
            }
        })
        .await?;
    context.set_queue(found.clone());
    Ok(found)
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
    context: &Arc<WorkerContext>,
    message: Message,
    mut lease: Duration,
) -> Result<Option<ClaimedJob>, CrewError> {
    let (run, job, told) = match read(context, &message) {
        Ok(read) => read,
        Err(why) => {
            // The coordinator will miss the job and submit it again.
            let _ = message.ack_with(AckKind::Term).await;
            context.emit(WorkerEvent::Corrupt {
                subject: message.subject.to_string(),
                why,
            });
            return Ok(None);
        }
    };
    if told != nanoseconds(lease)
        && let Some(queue) = queue(context, Duration::ZERO).await?
    {
        lease = queue.cached_info().config.ack_wait;
    }
    let deliveries = message
        .info()
        .map_or(1, |info| info.delivered.max(1) as u32);
    let mut delivery = Delivery {
        message,
        deliveries,
        begun: 0,
    };
    let refused = match prepare_claim(context, &run, &job, deliveries).await {
        Ok(ClaimResult::Ready(handler, blobs, begun)) => {
            // Fetching the blobs was progress.
            delivery.ack_with(AckKind::Progress).await;
            delivery.begun = begun + 1;
            return Ok(Some(ClaimedJob {
                run,
                job,
                blobs,
                handler,
                lease,
                delivery,
            }));
        }
        Ok(ClaimResult::Rejected(end)) => end,
        Err(error) => return Err(error),
    };
    finish_job(context, &run, &job.id, &delivery, refused, None).await?;
    Ok(None)
}

/// The run, the job and its lease, if the message belongs to its subject.
fn read(context: &WorkerContext, message: &Message) -> Result<(String, Job, u64), String> {
    let (head, payload) = wire::decode::<JobHeader>(&message.payload)?;
    if head.program != context.program {
        return Err(format!("it is of version {}", head.program));
    }
    check_name("run", &head.run).map_err(|error| error.to_string())?;
    let named = names::job(&context.token, &head.run, &head.id);
    if *message.subject != *named {
        return Err(format!("it calls itself {named}"));
    }
    let job = Job {
        id: head.id,
        kind: head.kind,
        version: head.version,
        payload: payload.to_vec(),
        blobs: head.blobs,
    };
    Ok((head.run, job, head.lease))
}

/// The result of the checks.
enum ClaimResult {
    /// The handler, the blobs, and how often the job was started before.
    Ready(Arc<dyn Handler>, HashMap<BlobId, Arc<[u8]>>, usize),
    Rejected(JobEnd),
}

async fn prepare_claim(
    context: &WorkerContext,
    run: &str,
    job: &Job,
    deliveries: u32,
) -> Result<ClaimResult, CrewError> {
    // It was delivered before without a result. The first start is not recorded, only its
    // cancellation; later starts are.
    let mut begun = 0;
    if deliveries > 1 {
        let starts = names::starts(run, &job.id);
        let starts = context.server.subjects(names::STARTS, &starts).await?;
        let not = names::no_start(run, &job.id);
        let (not, starts): (Vec<_>, Vec<_>) = starts.iter().partition(|it| it.0 == not);
        begun = usize::from(not.is_empty()) + starts.iter().map(|it| it.1).sum::<usize>();
        if begun >= MAX_STARTS {
            return Ok(ClaimResult::Rejected(JobEnd::DeadLetter(DeadLetter {
                deliveries: deliveries - 1,
                why: format!(
                    "it was begun {begun} times and never finished: its workers died over it or showed no progress"
                ),
                oversized: false,
            })));
        }
    }
    let cannot = |why: String| Ok(ClaimResult::Rejected(JobEnd::Rejected(why)));
    let Some(handler) = context.handlers.get(job.kind.as_str()) else {
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
    if job.payload.len() > context.limits.payload {
        return cannot(format!(
            "its owner allows payloads of {} bytes, and this has {}",
            context.limits.payload,
            job.payload.len()
        ));
    }
    match blobs(context, job).await? {
        Ok(blobs) => Ok(ClaimResult::Ready(Arc::clone(handler), blobs, begun)),
        Err(error) => cannot(error.to_string()),
    }
}

async fn blobs(
    context: &WorkerContext,
    job: &Job,
) -> Result<Result<HashMap<BlobId, Arc<[u8]>>, BlobError>, CrewError> {
    let mut found = HashMap::new();
    let mut room = context.limits.blobs;
    for id in &job.blobs {
        if found.contains_key(id) {
            continue;
        }
        let contents = match context.cache.get(id) {
            Some(contents) => contents,
            None => match context.blob_store().await?.fetch(id, room).await {
                Ok(contents) => contents,
                Err(error) => return Ok(Err(error)),
            },
        };
        let Some(left) = room.checked_sub(contents.len()) else {
            let most = context.limits.blobs;
            return Ok(Err(BlobError::TooLarge { most }));
        };
        room = left;
        context.cache.put(*id, Arc::clone(&contents));
        found.insert(*id, contents);
    }
    Ok(Ok(found))
}
