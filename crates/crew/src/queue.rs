//! Taking a job: from the queue, checked, with all that it needs.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::consumer::{Consumer, pull};
use async_nats::jetstream::{AckKind, Message};
use futures_util::StreamExt;

use crate::blob::{BlobError, BlobId};
use crate::error::CrewError;
use crate::hand::{End, settle};
use crate::handler::Handler;
use crate::job::{Dead, Job, check_name};
use crate::names;
use crate::server::is_not_found;
use crate::shop::Shop;
use crate::wire::{self, JobHead, nanoseconds};
use crate::worker::Event;

/// A job that was begun so often and not ended is set aside.
pub(crate) const MOST_STARTS: usize = 3;
/// A question for a job stands so long, the first ones shorter, so that a worker
/// of the wrong version learns it soon.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LAST_WAIT: Duration = Duration::from_secs(20);
/// Until a coordinator has made the queue.
const NO_QUEUE: Duration = Duration::from_millis(500);

/// The queue is looked at so often, in case its lease was changed; and at once where a job
/// says that it was.
const LOOK_AGAIN: Duration = Duration::from_secs(20);

/// A job with all that it needs.
pub(crate) struct Taken {
    pub(crate) run: String,
    pub(crate) job: Job,
    pub(crate) blobs: HashMap<BlobId, Arc<[u8]>>,
    pub(crate) handler: Arc<dyn Handler>,
    pub(crate) lease: Duration,
    pub(crate) ticket: Ticket,
}

/// What the server needs to know a job by.
pub(crate) struct Ticket {
    message: Message,
    /// So often the job was given to somebody, this time included.
    pub(crate) deliveries: u32,
    /// So often it was begun, as far as is known, this time included.
    pub(crate) begun: usize,
}

impl Ticket {
    /// Tells the server something about the job. Where that is lost, the lease
    /// decides.
    pub(crate) async fn say(&self, kind: AckKind) {
        let _ = self.message.ack_with(kind).await;
    }

    /// The job, set aside with what is known now.
    pub(crate) fn dead(&self, why: String) -> Dead {
        Dead {
            deliveries: self.deliveries,
            why,
            oversized: false,
        }
    }

    /// Has the job removed from the queue, and waits for it.
    pub(crate) async fn done(&self) {
        let _ = self.message.double_ack().await;
    }
}

/// Waits for a job. It ends with an error only if the worker is to end.
pub(crate) async fn take(shop: Arc<Shop>) -> Result<Box<Taken>, CrewError> {
    let mut wait = FIRST_WAIT;
    loop {
        let Some(queue) = queue(&shop, LOOK_AGAIN).await? else {
            shop.check_version().await?;
            tokio::time::sleep(NO_QUEUE).await;
            continue;
        };
        // Others, who may be able to do what this worker is not, go first.
        shop.rest().await;
        if let Some(message) = next(&shop, &queue, wait).await {
            let lease = queue.cached_info().config.ack_wait;
            if let Some(taken) = open(&shop, message, lease).await? {
                return Ok(Box::new(taken));
            }
            continue;
        }
        // It may be another one by now, or of another lease.
        shop.set_queue(None);
        shop.check_version().await?;
        wait = LAST_WAIT.min(2 * wait);
    }
}

/// The queue of our version, if a coordinator has made it, as it was in the last `age`. It
/// is asked for no more often, because the server counts all jobs for the answer.
async fn queue(shop: &Shop, age: Duration) -> Result<Option<Consumer<pull::Config>>, CrewError> {
    let known = shop.queue(age);
    if known.is_some() {
        return Ok(known);
    }
    let name = names::workers(&shop.token);
    let found = shop
        .server
        .persist("give jobs", || async {
            let found = shop
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
    shop.set_queue(found.clone());
    Ok(found)
}

/// The next job in the queue, if one comes in time and nothing breaks.
async fn next(shop: &Shop, queue: &Consumer<pull::Config>, wait: Duration) -> Option<Message> {
    let mut changes = shop.server.changes.clone();
    changes.mark_unchanged();
    let asked = async {
        let batch = queue.batch().max_messages(1).expires(wait).messages();
        batch.await.ok()?.next().await?.ok()
    };
    tokio::select! {
        message = asked => message,
        // After a break the server knows nothing of the question.
        _ = changes.changed() => None,
    }
}

/// Reads a message as the untrusted thing it is. Where it is no job for this
/// worker, somebody else gets it, or nobody.
async fn open(
    shop: &Arc<Shop>,
    message: Message,
    mut lease: Duration,
) -> Result<Option<Taken>, CrewError> {
    let (run, job, told) = match read(shop, &message) {
        Ok(read) => read,
        Err(why) => {
            // The coordinator will miss it and hand it in again.
            let _ = message.ack_with(AckKind::Term).await;
            shop.tell(Event::Corrupt {
                subject: message.subject.to_string(),
                why,
            });
            return Ok(None);
        }
    };
    if told != nanoseconds(lease)
        && let Some(queue) = queue(shop, Duration::ZERO).await?
    {
        lease = queue.cached_info().config.ack_wait;
    }
    let deliveries = message
        .info()
        .map_or(1, |info| info.delivered.max(1) as u32);
    let mut ticket = Ticket {
        message,
        deliveries,
        begun: 0,
    };
    let refused = match outfit(shop, &run, &job, deliveries).await {
        Ok(Outfit::Ready(handler, blobs, begun)) => {
            // Fetching it was progress.
            ticket.say(AckKind::Progress).await;
            ticket.begun = begun + 1;
            return Ok(Some(Taken {
                run,
                job,
                blobs,
                handler,
                lease,
                ticket,
            }));
        }
        Ok(Outfit::Refused(end)) => end,
        Err(error) => return Err(error),
    };
    settle(shop, &run, &job.id, &ticket, refused, None).await?;
    Ok(None)
}

/// What the message says, if it says it under its own name: the run, the job, and what the
/// lease was.
fn read(shop: &Shop, message: &Message) -> Result<(String, Job, u64), String> {
    let (head, payload) =
        wire::decode::<JobHead>(&message.payload).map_err(|error| error.to_string())?;
    if head.program != shop.program {
        return Err(format!("it is of version {}", head.program));
    }
    check_name("run", &head.run).map_err(|error| error.to_string())?;
    let named = names::job(&shop.token, &head.run, &head.id);
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

/// What a job was found to be.
enum Outfit {
    /// Who does it, with what, and how often it was begun before.
    Ready(Arc<dyn Handler>, HashMap<BlobId, Arc<[u8]>>, usize),
    Refused(End),
}

async fn outfit(shop: &Shop, run: &str, job: &Job, deliveries: u32) -> Result<Outfit, CrewError> {
    // It was given to somebody before, who did not end it. That it was begun is not written
    // down the first time, only that it was not; after that it is.
    let mut begun = 0;
    if deliveries > 1 {
        let starts = names::starts(run, &job.id);
        let starts = shop.server.subjects(names::STARTS, &starts).await?;
        let not = names::no_start(run, &job.id);
        let (not, starts): (Vec<_>, Vec<_>) = starts.iter().partition(|it| it.0 == not);
        begun = usize::from(not.is_empty()) + starts.iter().map(|it| it.1).sum::<usize>();
        if begun >= MOST_STARTS {
            return Ok(Outfit::Refused(End::Dead(Dead {
                deliveries: deliveries - 1,
                why: format!(
                    "it was begun {begun} times and never finished: its workers died over it or showed no progress"
                ),
                oversized: false,
            })));
        }
    }
    let cannot = |why: String| Ok(Outfit::Refused(End::Cannot(why)));
    let Some(handler) = shop.handlers.get(job.kind.as_str()) else {
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
    if job.payload.len() > shop.limits.payload {
        return cannot(format!(
            "its owner allows payloads of {} bytes, and this has {}",
            shop.limits.payload,
            job.payload.len()
        ));
    }
    match blobs(shop, job).await? {
        Ok(blobs) => Ok(Outfit::Ready(Arc::clone(handler), blobs, begun)),
        Err(error) => cannot(error.to_string()),
    }
}

async fn blobs(
    shop: &Shop,
    job: &Job,
) -> Result<Result<HashMap<BlobId, Arc<[u8]>>, BlobError>, CrewError> {
    let mut found = HashMap::new();
    let mut room = shop.limits.blobs;
    for id in &job.blobs {
        if found.contains_key(id) {
            continue;
        }
        let contents = match shop.cache.get(id) {
            Some(contents) => contents,
            None => match shop.vault().await?.fetch(id, room).await {
                Ok(contents) => contents,
                Err(error) => return Ok(Err(error)),
            },
        };
        let Some(left) = room.checked_sub(contents.len()) else {
            let most = shop.limits.blobs;
            return Ok(Err(BlobError::TooLarge { most }));
        };
        room = left;
        shop.cache.put(*id, Arc::clone(&contents));
        found.insert(*id, contents);
    }
    Ok(Ok(found))
}
