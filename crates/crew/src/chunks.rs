//! The items of a task in chunks: a chunk becomes a job, and its result outputs of its items.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::{CrewError, MapError};
use crate::job::{HandlerError, Job, JobCounts, JobFlow, JobId, JobOutcome};
use crate::job_names::{JobNameStore, JobNames};
use crate::job_sizing::{JobSizing, max_ids};
use crate::lock::lock;
use crate::printable::printable;
use crate::remote::{CrewClient, CrewEvent};
use crate::task::{Done, Flow, Mapped, TakeOutput, Task, decode};

/// A job with this many invalid results ends the work.
const MAX_INVALID_RESULTS: u32 = 3;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeadLetterPolicy {
    /// Stop with an error; a resumed process tries the job again.
    #[default]
    Stop,
    /// Continue without the items of that job.
    Skip,
}

/// The workers of a queue, as all runs of a process share them.
pub(crate) struct RemoteWorkers {
    client: CrewClient,
    policy: DeadLetterPolicy,
    sizing: JobSizing,
    counts: Mutex<JobCounts>,
}

impl RemoteWorkers {
    pub(crate) fn new(client: CrewClient, policy: DeadLetterPolicy) -> Self {
        Self {
            client,
            policy,
            sizing: JobSizing::default(),
            counts: Mutex::default(),
        }
    }

    /// All jobs of this process so far.
    pub(crate) fn counts(&self) -> JobCounts {
        *lock(&self.counts)
    }
}

/// One part of the work of a folder: items are numbered from 0 in each.
#[derive(Clone)]
pub(crate) struct RemotePart {
    pub(crate) workers: Arc<RemoteWorkers>,
    pub(crate) names: Arc<dyn JobNameStore>,
    pub(crate) part: String,
}

impl RemotePart {
    /// [`Crew::map`](crate::Crew::map) with workers.
    ///
    /// A chunk is `size` consecutive ids. `size` follows from the speed of earlier jobs, or
    /// of the first items, which are sent one by one, and is stored: a resumed process finds
    /// the same chunks by the same names. If the server does not take a chunk or its result,
    /// chunks are half as large from then on.
    ///
    /// # Panics
    ///
    /// If the part's name is not made of small letters, digits and hyphens.
    pub(crate) fn map<T: Task, E>(
        &self,
        task: &T,
        items: impl Iterator<Item = T::Item> + Send,
        stop: &AtomicBool,
        done: &mut TakeOutput<'_, T, E>,
    ) -> Result<Mapped, MapError<E>> {
        // 1. The first item shows whether the items are portable and how large they are.
        let max_items = items.size_hint().1.map_or(u64::MAX, |max| max as u64);
        let total = task.item_count().unwrap_or(max_items);
        let mut items = PendingItems::new(items);
        let Some(item) = items.peek() else {
            return Ok(Mapped::All);
        };
        let first = task.item_id(item);
        let packed = task.pack(std::slice::from_ref(item)).map_err(cannot_pack)?;
        let max_size = max_ids(packed.bytes.len(), task.output_bytes());
        let mut names = JobNames::open(&*self.names)?;

        // 2. A sample, if the size of chunks is unknown.
        let mut size = self.size(T::KIND, total, max_size, &mut names)?;
        if size.is_none() {
            let sample = self.workers.sizing.sample(total, &self.workers.client)?;
            let below = first.saturating_add(sample);
            match self.work_on(task, &names, (1, below), &mut items, stop, done)? {
                Some(Mapped::All) if items.peek().is_some() => {}
                Some(ended) => return Ok(ended),
                None => unreachable!("a chunk of one id is not halved"),
            }
            if stop.load(Ordering::Relaxed) {
                return Ok(Mapped::Stopped);
            }
            size = self.size(T::KIND, total, max_size, &mut names)?;
        }

        // 3. The rest. If the whole sample was skipped, the speed is still unknown.
        let mut size = size.unwrap_or(1);
        loop {
            let ended = self.work_on(task, &names, (size, u64::MAX), &mut items, stop, done)?;
            if let Some(ended) = ended {
                return Ok(ended);
            }
            size = names.set_size(&*self.names, &self.part, size / 2)?;
        }
    }

    /// The ids in a chunk: as an earlier process decided, or by the measured speed; `None` if
    /// there is neither.
    fn size(
        &self,
        kind: &'static str,
        total: u64,
        max_size: u64,
        names: &mut JobNames,
    ) -> Result<Option<u64>, CrewError> {
        if let Some(size) = names.size(&self.part) {
            return Ok(Some(size));
        }
        let RemoteWorkers { client, sizing, .. } = &*self.workers;
        let size = sizing.ids_per_job(kind, total, client)?;
        size.map(|size| names.set_size(&*self.names, &self.part, size.min(max_size)))
            .transpose()
    }

    /// Gives the items with ids below `below` to the workers, `size` ids in a chunk. `None` if
    /// a chunk was too large for the server; the items that are not done are pending again.
    fn work_on<T: Task, E>(
        &self,
        task: &T,
        names: &JobNames,
        (size, below): (u64, u64),
        items: &mut PendingItems<T::Item, impl Iterator<Item = T::Item> + Send>,
        stop: &AtomicBool,
        done: &mut TakeOutput<'_, T, E>,
    ) -> Result<Option<Mapped>, MapError<E>> {
        let workers = &*self.workers;
        let (client, run) = (&workers.client, names.run());
        let in_flight = Mutex::new(HashMap::new());
        let unpackable = Mutex::new(None);
        let exhausted = AtomicBool::new(false);

        // 1. Chunks become jobs, one by one.
        let jobs = std::iter::from_fn(|| {
            let Some((number, chunk)) = items.next_chunk(size, below, |item| task.item_id(item))
            else {
                exhausted.store(true, Ordering::Relaxed);
                return None;
            };
            let packed = match task.pack(&chunk) {
                Ok(packed) => packed,
                Err(error) => {
                    *lock(&unpackable) = Some(error);
                    return None;
                }
            };
            let id = JobId::new(&format!("{}-{size}-{number}", self.part));
            let id = id.expect("a part, a size and a number");
            lock(&in_flight).insert(id.clone(), chunk);
            Some(Job {
                id,
                kind: T::KIND.to_owned(),
                version: T::VERSION,
                payload: packed.bytes,
                blobs: packed.blobs,
            })
        });

        // 2. Their results are taken, all outputs of a chunk or none.
        let mut receiver = ChunkReceiver {
            workers,
            task,
            size,
            in_flight: &in_flight,
            done,
            flow: Flow::Continue,
            too_large: None,
            invalid: HashMap::new(),
        };
        let mut take = |outcome| receiver.take(outcome);
        let worked = client.work(run, jobs, &|id| task.blob(id), stop, &mut take);
        let (flow, too_large) = (receiver.flow, receiver.too_large);
        let in_flight = in_flight
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);

        // 3. How it ended.
        let why = match worked {
            Ok(mut counts) => {
                // A chunk that was too large is not skipped.
                counts.dead -= u64::from(too_large.is_some());
                lock(&workers.counts).add(&counts);
                let Some(why) = too_large else {
                    if let Some(error) = lock(&unpackable).take() {
                        return Err(cannot_pack(error).into());
                    }
                    let all = exhausted.load(Ordering::Relaxed) && in_flight.is_empty();
                    return Ok(Some(Mapped::new(flow, all)));
                };
                why
            }
            Err(MapError::Work(error @ CrewError::TooLarge { .. })) if size > 1 => {
                // The names of the submitted jobs are not used again.
                client.remove_run(run)?;
                error.to_string()
            }
            Err(MapError::Work(error)) => return Err(error.into()),
            Err(MapError::Consumer(error)) => return Err(error),
        };
        client.emit(&CrewEvent::Halved { why });
        items.put_back(in_flight.into_values(), |item| task.item_id(item));
        Ok(None)
    }
}

struct ChunkReceiver<'a, 'd, T: Task, E> {
    workers: &'a RemoteWorkers,
    task: &'a T,
    size: u64,
    /// The chunks that are on the server, by job.
    in_flight: &'a Mutex<HashMap<JobId, Vec<T::Item>>>,
    done: &'a mut TakeOutput<'d, T, E>,
    /// The last return value of the caller.
    flow: Flow,
    /// The error of the server, if a chunk was too large for it.
    too_large: Option<String>,
    /// Invalid results by job.
    invalid: HashMap<JobId, u32>,
}

impl<T: Task, E> ChunkReceiver<'_, '_, T, E> {
    fn take(&mut self, outcome: JobOutcome) -> Result<JobFlow, MapError<E>> {
        let Some(items) = lock(self.in_flight).remove(&outcome.id) else {
            // This process did not ask for it.
            return Ok(JobFlow::Continue);
        };
        let outputs = match &outcome.result {
            // 1. A dead letter.
            Err(dead) => {
                if dead.oversized && self.size > 1 {
                    self.too_large = Some(dead.why.clone());
                    lock(self.in_flight).insert(outcome.id, items);
                    return Ok(JobFlow::Stop);
                }
                if self.workers.policy == DeadLetterPolicy::Stop {
                    // It is removed from the server, and a resumed process tries it again.
                    return Err(MapError::Work(CrewError::DeadLetter {
                        job: outcome.id.into(),
                        deliveries: dead.deliveries,
                        why: dead.why.clone(),
                    }));
                }
                self.workers.client.emit(&CrewEvent::Skipped {
                    job: outcome.id,
                    why: dead.why.clone(),
                });
                None
            }
            // 2. A result: all outputs are accepted before the first is delivered.
            Ok(result) => match decode(self.task, &items, result) {
                Ok(outputs) => Some(outputs),
                Err(reason) => return self.repeat(outcome, items, &reason),
            },
        };

        // 3. All of it is delivered, also after the caller wants no more.
        self.flow = Flow::Continue;
        let is_result = outputs.is_some();
        let mut outputs = outputs.into_iter().flatten().map(Done::Output);
        for item in &items {
            let output = outputs.next().unwrap_or(Done::Skipped);
            if (self.done)(item, output).map_err(MapError::Consumer)? == Flow::Stop {
                self.flow = Flow::Stop;
            }
        }
        if is_result {
            let ids = count_ids(&items, |item| self.task.item_id(item));
            let sizing = &self.workers.sizing;
            sizing.record_duration(T::KIND, ids, outcome.seconds);
        }
        Ok(match self.flow {
            Flow::Continue => JobFlow::Continue,
            Flow::Stop => JobFlow::Stop,
        })
    }

    /// Has a job with an invalid result done again, a few times.
    fn repeat(
        &mut self,
        outcome: JobOutcome,
        items: Vec<T::Item>,
        reason: &str,
    ) -> Result<JobFlow, MapError<E>> {
        let JobOutcome { id, worker, .. } = outcome;
        // It may quote what the worker wrote.
        let reason = printable(reason);
        let times = self.invalid.entry(id.clone()).or_default();
        *times += 1;
        if *times >= MAX_INVALID_RESULTS {
            let job = id.into();
            return Err(MapError::Work(CrewError::InvalidResult {
                worker,
                job,
                reason,
            }));
        }
        self.workers.client.emit(&CrewEvent::InvalidResult {
            worker,
            job: id.clone(),
            reason,
        });
        lock(self.in_flight).insert(id, items);
        Ok(JobFlow::Resubmit)
    }
}

/// Data of this machine that is not portable, or a task that cannot be encoded.
fn cannot_pack(error: HandlerError) -> CrewError {
    match error {
        HandlerError::InvalidJob(reason) | HandlerError::CannotRun(reason) => {
            CrewError::NotPortable { reason }
        }
        HandlerError::Stopped => CrewError::Task {
            reason: "it was stopped while it was encoded".to_owned(),
        },
    }
}

/// The number of different ids; equal ones are adjacent.
fn count_ids<T>(items: &[T], id_of: impl Fn(&T) -> u64) -> usize {
    items.chunk_by(|a, b| id_of(a) == id_of(b)).count()
}

/// Items that are not on the server.
struct PendingItems<T, I> {
    /// The next item, if it was looked at, or items that were put back; their ids are below
    /// all others.
    front: VecDeque<T>,
    rest: I,
}

impl<T, I: Iterator<Item = T>> PendingItems<T, I> {
    fn new(items: I) -> Self {
        Self {
            front: VecDeque::new(),
            rest: items,
        }
    }

    fn peek(&mut self) -> Option<&T> {
        if self.front.is_empty() {
            self.front.extend(self.rest.next());
        }
        self.front.front()
    }

    /// Adds chunks that are not done, in any order.
    fn put_back(&mut self, chunks: impl Iterator<Item = Vec<T>>, id_of: impl Fn(&T) -> u64) {
        let mut items: Vec<T> = chunks.flatten().collect();
        items.sort_by_key(id_of);
        items.extend(self.front.drain(..));
        self.front = items.into();
    }

    /// The next items whose ids lie in the same interval of `size`, and the number of the
    /// interval. Items with ids from `below` on stay.
    fn next_chunk(
        &mut self,
        size: u64,
        below: u64,
        id_of: impl Fn(&T) -> u64,
    ) -> Option<(u64, Vec<T>)> {
        let first = id_of(self.peek()?);
        if first >= below {
            return None;
        }
        let number = first / size;
        let mut chunk = Vec::new();
        while self.peek().is_some_and(|item| id_of(item) / size == number) {
            chunk.extend(self.front.pop_front());
        }
        Some((number, chunk))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_is_the_same_however_much_of_it_is_done() {
        let chunks = |ids: &[u64]| -> Vec<(u64, Vec<u64>)> {
            // Some of them have been on the server before.
            let (again, fresh) = ids.split_at(ids.len() / 2);
            let mut items = PendingItems::new(fresh.iter().copied());
            items.put_back(std::iter::once(again.to_vec()), |id| *id);
            std::iter::from_fn(|| items.next_chunk(4, 12, |id| *id)).collect()
        };
        assert_eq!(
            chunks(&[0, 1, 2, 3, 4, 5]),
            [(0, vec![0, 1, 2, 3]), (1, vec![4, 5])]
        );
        assert_eq!(
            chunks(&[2, 5, 9]),
            [(0, vec![2]), (1, vec![5]), (2, vec![9])]
        );
        assert!(chunks(&[]).is_empty());
        assert_eq!(chunks(&[11, 12]), [(2, vec![11])], "the rest stays");
    }

    #[test]
    fn items_that_came_back_are_in_order_and_counted_by_id() {
        let id_of = |item: &(u64, char)| item.0;
        let chunk = |first| vec![(first, 'x'), (first, 'y'), (first + 1, 'z')];
        assert_eq!(count_ids(&chunk(2), id_of), 2);
        let mut items = PendingItems::new([(6, 'x')].into_iter());
        items.put_back([chunk(4), chunk(2)].into_iter(), id_of);
        // The server refuses a chunk again before all of them are on it.
        let (_, again) = items.next_chunk(2, 9, id_of).expect("they are pending");
        items.put_back([again].into_iter(), id_of);
        let items: Vec<_> = std::iter::from_fn(|| items.next_chunk(1, 9, id_of)).collect();
        let items: Vec<_> = items.into_iter().flat_map(|(_, chunk)| chunk).collect();
        assert_eq!(items, [chunk(2), chunk(4), vec![(6, 'x')]].concat());
    }
}
