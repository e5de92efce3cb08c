//! A hand of a worker: takes a job, does it, hands in the result, and has the next
//! one fetched while it works.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use async_nats::jetstream::AckKind;
use futures_util::future::BoxFuture;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{interval, sleep_until};

use crate::error::CrewError;
use crate::handler::Progress;
use crate::job::{Dead, JobId, Refusal};
use crate::lease::{Lease, Look};
use crate::names;
use crate::queue::{MOST_STARTS, Taken, Ticket, take};
use crate::shop::Shop;
use crate::wire::{self, ResultHead};
use crate::worker::Event;

/// The next job is fetched when this part of the expected time is over: late, so
/// that no job waits here while another worker has nothing to do.
const FETCH_AT: f64 = 0.8;
/// A job that failed is left alone for so long, so that another can have it.
const NOT_AGAIN_FOR: Duration = Duration::from_secs(1);
/// A handler that was told to stop because the worker ends has so long; one that was
/// told for another reason has two leases.
const GRACE: Duration = Duration::from_secs(5);
/// Results on their way have so long when the worker ends.
const GOODBYE: Duration = Duration::from_secs(10);

/// What became of a job here.
pub(crate) enum End {
    /// It is done.
    Done(Vec<u8>, f64),
    /// Nobody should try it again.
    Dead(Dead),
    /// Another may be able to do it.
    Cannot(String),
    /// It was begun and failed; another may try.
    Failed(String),
    /// The worker ends, or nobody wants the result any more: as if it had not begun.
    Returned,
    /// It showed no progress for so long, and is with another by now.
    Lost(Duration),
}

/// The job after this one.
enum Next {
    None,
    Fetching(BoxFuture<'static, Result<Box<Taken>, CrewError>>),
    Fetched(Result<Box<Taken>, CrewError>),
}

/// Works until the worker stops.
pub(crate) async fn work(shop: Arc<Shop>) -> Result<(), CrewError> {
    let mut next = Next::None;
    let mut delivering: Option<JoinHandle<Result<(), CrewError>>> = None;
    let ended = loop {
        let fetched = match std::mem::replace(&mut next, Next::None) {
            Next::Fetched(fetched) if !shop.is_stopping() => fetched,
            Next::Fetched(fetched) => {
                if let Ok(taken) = fetched {
                    give_back(&shop, &taken).await;
                }
                break Ok(());
            }
            Next::Fetching(fetching) => tokio::select! {
                fetched = fetching => fetched,
                () = shop.stopped() => break Ok(()),
            },
            Next::None => tokio::select! {
                fetched = take(Arc::clone(&shop)) => fetched,
                () = shop.stopped() => break Ok(()),
            },
        };
        let taken = match fetched {
            Ok(taken) => taken,
            Err(error) => break Err(error),
        };
        let (end, start) = match attempt(&shop, &taken, &mut next).await {
            Ok(attempted) => attempted,
            Err(error) => break Err(error),
        };
        // No more than one result is on its way from each hand.
        if let Err(error) = delivered(delivering.take()).await {
            break Err(error);
        }
        let shop = Arc::clone(&shop);
        delivering = Some(tokio::spawn(async move {
            settle(&shop, &taken.run, &taken.job.id, &taken.ticket, end, start).await
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

/// Does a job, and begins to fetch the next one. Gives back what became of it, and
/// where it is written that it was begun.
async fn attempt(
    shop: &Arc<Shop>,
    taken: &Taken,
    next: &mut Next,
) -> Result<(End, Option<u64>), CrewError> {
    let mut start = None;
    if taken.ticket.deliveries > 1 {
        let subject = names::start(&taken.run, &taken.job.id);
        start = Some(
            shop.server
                .store(&subject, shop.name.clone().into())
                .await?,
        );
    }
    shop.tell(Event::Began {
        run: taken.run.clone(),
        id: taken.job.id.clone(),
        kind: taken.job.kind.clone(),
    });
    let progress = Progress::default();
    let _began = shop.begin(&taken.run, &progress);
    let begun = Instant::now();
    let mut answer = spawn(taken, &progress);
    let mut watched = Watched::new(shop, taken, &progress, begun);
    let mut looks = interval(watched.lease.pause());
    let fetch_at = shop.expected().map(|time| begun + time.mul_f64(FETCH_AT));
    let end = loop {
        tokio::select! {
            answered = &mut answer => break watched.judge(answered),
            _ = looks.tick() => match watched.look(next).await {
                Watch::GoOn => {}
                Watch::GiveUp => {
                    shop.abandon(&taken.job.kind)?;
                    break watched.given_up();
                }
            },
            () = sleep_until(fetch_at.unwrap_or(begun).into()),
                if fetch_at.is_some()
                    && matches!(next, Next::None)
                    && watched.told.is_none()
                    && !shop.is_stopping() =>
            {
                *next = Next::Fetching(Box::pin(take(Arc::clone(shop))));
            }
            fetched = fetch(next) => *next = Next::Fetched(fetched),
        }
    };
    watched.count();
    if matches!(end, End::Done(..)) {
        shop.took(begun.elapsed().as_secs_f64());
    }
    Ok((end, start))
}

/// Ends when the next job has been fetched, if one is being fetched.
async fn fetch(next: &mut Next) -> Result<Box<Taken>, CrewError> {
    match next {
        Next::Fetching(fetching) => fetching.await,
        _ => std::future::pending().await,
    }
}

type Answer = Result<Result<Vec<u8>, Refusal>, String>;

/// Runs the handler on a thread of its own, which is left behind if it is stuck.
fn spawn(taken: &Taken, progress: &Progress) -> oneshot::Receiver<Answer> {
    let (sender, answer) = oneshot::channel();
    let (handler, job) = (Arc::clone(&taken.handler), taken.job.clone());
    let (blobs, progress) = (taken.blobs.clone(), progress.clone());
    let work = move || {
        let worked = catch_unwind(AssertUnwindSafe(|| handler.work(&job, &blobs, &progress)));
        let worked = worked.map_err(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            text.unwrap_or("a panic").to_owned()
        });
        // Nobody waits for a job that was given up.
        let _ = sender.send(worked);
    };
    // Where no thread can be had, the sender is dropped, and the job has failed.
    let _ = thread::Builder::new().name("hand".to_owned()).spawn(work);
    answer
}

/// A job that is being done, as its hand sees it.
struct Watched<'a> {
    shop: &'a Shop,
    taken: &'a Taken,
    progress: &'a Progress,
    lease: Lease,
    counted: u64,
    begun: Instant,
    /// When it was told to stop, and why.
    told: Option<(Instant, Told)>,
}

#[derive(Clone, Copy, PartialEq)]
enum Told {
    /// The worker ends at once, or nobody wants the result.
    Unwanted,
    /// It shows no progress.
    Stuck,
    /// It takes more time than is allowed.
    Overtime,
}

enum Watch {
    GoOn,
    GiveUp,
}

impl<'a> Watched<'a> {
    fn new(shop: &'a Shop, taken: &'a Taken, progress: &'a Progress, begun: Instant) -> Self {
        Self {
            shop,
            taken,
            progress,
            lease: Lease::new(taken.lease, begun),
            counted: 0,
            begun,
            told: None,
        }
    }

    /// Counts the units of progress since the last time.
    fn count(&mut self) {
        let units = self.progress.units();
        self.shop.count(units - self.counted);
        self.counted = units;
    }

    async fn look(&mut self, next: &mut Next) -> Watch {
        let now = Instant::now();
        self.count();
        let look = self.lease.look(self.counted, now);
        if look == Look::Extend {
            self.taken.ticket.say(AckKind::Progress).await;
            // The job that waits here gets on as long as this one does.
            if let Next::Fetched(Ok(waiting)) = next {
                waiting.ticket.say(AckKind::Progress).await;
            }
        }
        if self.shop.is_stopping() {
            // This one is finished; the one behind it is for others, now.
            self.clear(next).await;
        }
        if let Some((when, told)) = self.told {
            let grace = match told {
                Told::Unwanted => GRACE,
                Told::Stuck | Told::Overtime => 2 * self.taken.lease,
            };
            return if when.elapsed() < grace {
                Watch::GoOn
            } else {
                Watch::GiveUp
            };
        }
        // Somebody may have told the job itself, because its run has enough.
        let told = if self.shop.is_dropping() || self.progress.stopped() {
            Told::Unwanted
        } else if look == Look::Lost {
            Told::Stuck
        } else if self.begun.elapsed() > self.shop.limits.job_time {
            Told::Overtime
        } else {
            return Watch::GoOn;
        };
        self.told = Some((now, told));
        self.progress.stop();
        if told != Told::Unwanted {
            self.clear(next).await;
        }
        if told == Told::Stuck {
            self.shop.tell(Event::Stuck {
                run: self.taken.run.clone(),
                id: self.taken.job.id.clone(),
            });
        }
        Watch::GoOn
    }

    /// A job should not wait behind one that does not end.
    async fn clear(&self, next: &mut Next) {
        if let Next::Fetched(Ok(waiting)) = next {
            give_back(self.shop, waiting).await;
            *next = Next::None;
        }
    }

    fn judge(&self, answered: Result<Answer, oneshot::error::RecvError>) -> End {
        let told = self.told.map(|(_, told)| told);
        match answered {
            // Late or not: it is done.
            Ok(Ok(Ok(result))) => End::Done(result, self.begun.elapsed().as_secs_f64()),
            Ok(Ok(Err(Refusal::Bad(why)))) => End::Dead(self.taken.ticket.dead(why)),
            Ok(Ok(Err(Refusal::Cannot(why)))) => End::Cannot(why),
            // It may have seen the word before its hand did.
            Ok(Ok(Err(Refusal::Stopped))) if told.is_none() && self.progress.stopped() => {
                End::Returned
            }
            Ok(Ok(Err(Refusal::Stopped))) if told.is_none() => {
                End::Failed("it stopped without being told".to_owned())
            }
            Ok(Ok(Err(Refusal::Stopped))) => self.given_up(),
            Ok(Err(panic)) => End::Failed(format!("its handler panicked: {panic}")),
            Err(_) => End::Failed("the system gave no thread for it".to_owned()),
        }
    }

    fn given_up(&self) -> End {
        match self.told {
            Some((_, Told::Stuck)) => End::Lost(self.taken.lease),
            Some((_, Told::Overtime)) => End::Failed(format!(
                "it took more than {} s",
                self.shop.limits.job_time.as_secs_f64()
            )),
            _ => End::Returned,
        }
    }
}

/// Tells the server what became of a job: the result first, and only when that is
/// stored, that the job can go.
pub(crate) async fn settle(
    shop: &Shop,
    run: &str,
    id: &JobId,
    ticket: &Ticket,
    end: End,
    start: Option<u64>,
) -> Result<(), CrewError> {
    let refused = |why: String| Event::Refused {
        run: run.to_owned(),
        id: id.clone(),
        why,
    };
    let end = match end {
        End::Failed(why) if ticket.begun >= MOST_STARTS => {
            let times = ticket.begun;
            End::Dead(ticket.dead(format!(
                "it was begun {times} times and never finished; the last time {why}"
            )))
        }
        end => end,
    };
    match end {
        End::Done(result, seconds) => {
            let head = ResultHead::new(&shop.token, run, id, &shop.name, seconds);
            let message = wire::encode(&head, &result);
            let most = shop.server.client.max_payload();
            if message.len() > most {
                let why = format!(
                    "its result takes {} bytes, and the server takes {most}",
                    message.len()
                );
                let dead = Dead {
                    oversized: true,
                    ..ticket.dead(why)
                };
                return bury(shop, run, id, ticket, dead).await;
            }
            shop.server.store(&names::result(run, id), message).await?;
            ticket.done().await;
            shop.tell(Event::Done {
                run: run.to_owned(),
                id: id.clone(),
                seconds,
            });
        }
        End::Dead(dead) => bury(shop, run, id, ticket, dead).await?,
        End::Cannot(why) => {
            // Before anybody else can have it and count how often it was begun.
            not_begun(shop, run, id, ticket, start).await;
            let pause = shop.refuse(run, id);
            ticket.say(AckKind::Nak(Some(pause))).await;
            shop.report(run, id, &why, false).await;
            shop.tell(refused(why));
        }
        End::Failed(why) => {
            ticket.say(AckKind::Nak(Some(NOT_AGAIN_FOR))).await;
            shop.report(run, id, &why, true).await;
            shop.tell(refused(why));
        }
        End::Returned => {
            not_begun(shop, run, id, ticket, start).await;
            ticket.say(AckKind::Nak(None)).await;
            shop.tell(refused("stopped".to_owned()));
        }
        End::Lost(lease) => {
            let why = format!("it showed no progress for {} s", lease.as_secs_f64());
            shop.report(run, id, &why, true).await;
        }
    }
    Ok(())
}

/// Reports a job that nobody should try again.
async fn bury(
    shop: &Shop,
    run: &str,
    id: &JobId,
    ticket: &Ticket,
    dead: Dead,
) -> Result<(), CrewError> {
    let why = dead.why.clone();
    let mut head = ResultHead::new(&shop.token, run, id, &shop.name, 0.0);
    head.dead = Some(dead);
    let message = wire::encode(&head, &[]);
    shop.server.store(&names::result(run, id), message).await?;
    ticket.done().await;
    shop.tell(Event::Refused {
        run: run.to_owned(),
        id: id.clone(),
        why,
    });
    Ok(())
}

/// A job that only waited here is for others.
async fn give_back(shop: &Shop, taken: &Taken) {
    not_begun(shop, &taken.run, &taken.job.id, &taken.ticket, None).await;
    taken.ticket.say(AckKind::Nak(None)).await;
}

/// A job that was given back in good order, or that this worker cannot do, was not
/// begun. Where nobody hears it, it counts as begun.
async fn not_begun(shop: &Shop, run: &str, id: &JobId, ticket: &Ticket, start: Option<u64>) {
    let streams = &shop.server.streams;
    if let Some(start) = start {
        if let Ok(starts) = streams.get_stream_no_info(names::STARTS).await {
            let _ = starts.delete_message(start).await;
        }
    } else if ticket.deliveries == 1 {
        let said = streams.publish(names::no_start(run, id), "".into()).await;
        if let Ok(said) = said {
            let _ = said.await;
        }
    }
}
