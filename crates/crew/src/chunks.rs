//! Items in chunks: how the items of a task become jobs, and their results items again.

use std::collections::HashMap;
use std::iter::Peekable;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::blob::BlobId;
use crate::error::{CrewError, WorkError};
use crate::job::{DeadLetter, HandlerError, Job, JobCounts, JobFlow, JobId, JobOutcome};
use crate::job_names::{JobNameStore, JobNames};
use crate::job_sizing::{JobSizing, max_ids};
use crate::lock::lock;
use crate::message::printable;
use crate::remote::{CrewClient, CrewEvent};
use crate::task::JobPayload;

/// A job whose results were invalid this often ends the work.
const MAX_INVALID_RESULTS: u32 = 3;

/// What becomes of the work when a job is a dead letter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeadLetterPolicy {
    /// It stops with an error; a resume tries the job again.
    #[default]
    Stop,
    /// It continues without the items of that job.
    Skip,
}

/// What the caller wants after it took an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// More outputs.
    Continue,
    /// No more: what is not done yet is not needed. Outputs that are finished by then may
    /// still come.
    Stop,
}

/// How the work ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mapped {
    /// The output of each item was delivered.
    All,
    /// The caller returned [`Flow::Stop`].
    StoppedByCaller,
    /// The stop flag was set.
    Stopped,
}

/// Why the work ended with an error.
#[derive(Debug, thiserror::Error)]
pub enum MapError<E> {
    /// The work cannot be done.
    #[error(transparent)]
    Work(#[from] CrewError),
    /// The caller could not take an output.
    #[error(transparent)]
    Consumer(E),
}

/// Why a result was not taken.
pub(crate) enum ChunkError<E> {
    /// It is invalid, and none of it was used.
    Invalid(String),
    /// The caller could not take it.
    Consumer(E),
}

/// A kind of work as chunks need it.
pub(crate) struct ChunkSpec<'a, T> {
    /// Of the jobs.
    pub(crate) kind: &'static str,
    /// Of payload and result.
    pub(crate) version: u32,
    /// How many different ids there are at most, for the size of chunks.
    pub(crate) total: u64,
    /// Bytes of the outputs of one id.
    pub(crate) output_bytes: usize,
    /// Encodes items.
    pub(crate) pack: &'a dyn Fn(&[T]) -> Result<JobPayload, HandlerError>,
    /// Contents of blobs.
    pub(crate) blob: &'a (dyn Fn(&BlobId) -> Option<Arc<[u8]>> + Sync),
}

/// Takes the items of a chunk and their result, which is `None` for a dead letter that is
/// skipped.
pub(crate) type TakeChunk<'a, T, E> =
    dyn FnMut(&[T], Option<&[u8]>) -> Result<Flow, ChunkError<E>> + 'a;

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
    /// Gives the items to the workers, each with its id, in ascending order of the ids, and
    /// their results to `done`, as soon as they arrive and in any order. What `done` has
    /// taken without an error is removed from the server, so it must be on the disk by then.
    ///
    /// A chunk is `size` consecutive ids. `size` follows from the speed of earlier jobs, or
    /// of the first items, which are sent one by one, and is stored: a resumed process finds
    /// the same chunks by the same names. Where the server does not take a chunk or its
    /// result, chunks are half as large from then on.
    ///
    /// # Panics
    ///
    /// If the part's name is not made of small letters, digits and hyphens.
    pub(crate) fn map_chunks<T: Clone + Send, E>(
        &self,
        spec: &ChunkSpec<'_, T>,
        items: impl Iterator<Item = (u64, T)> + Send,
        stop: &AtomicBool,
        done: &mut TakeChunk<'_, T, E>,
    ) -> Result<Mapped, MapError<E>> {
        // 1. The first item: it shows whether the items can travel, and how large they are.
        let mut items = PendingItems {
            again: Vec::new().into_iter().peekable(),
            fresh: items.peekable(),
        };
        let Some((first, item)) = items.peek() else {
            return Ok(Mapped::All);
        };
        let first = *first;
        let packed = (spec.pack)(std::slice::from_ref(item));
        let bytes = packed.map_err(cannot_pack)?.bytes.len();
        let mut names = JobNames::open(&*self.names)?;

        // 2. A sample, if the size of chunks is unknown.
        let mut size = self.size(spec, bytes, &mut names)?;
        if size.is_none() {
            let count_slots = || self.workers.client.slot_count();
            let sample = self.workers.sizing.sample(spec.total, count_slots)?;
            let sample = Chunker {
                items: &mut items,
                size: 1,
                below: first.saturating_add(sample),
            };
            match self.work_on(spec, &names, sample, stop, done)? {
                ChunkOutcome::Ended(Mapped::All) if items.peek().is_some() => {}
                ChunkOutcome::Ended(ended) => return Ok(ended),
                ChunkOutcome::TooLarge(_) => unreachable!("a chunk of one id is not halved"),
            }
            if stop.load(Ordering::Relaxed) {
                return Ok(Mapped::Stopped);
            }
            size = self.size(spec, bytes, &mut names)?;
        }

        // 3. The rest. Where the whole sample was skipped, nothing is known of the speed.
        let mut size = size.unwrap_or(1);
        loop {
            let rest = Chunker {
                items: &mut items,
                size,
                below: u64::MAX,
            };
            match self.work_on(spec, &names, rest, stop, done)? {
                ChunkOutcome::Ended(ended) => return Ok(ended),
                ChunkOutcome::TooLarge(again) => {
                    size = names.set_size(&*self.names, &self.part, size / 2)?;
                    items.again = again.into_iter().peekable();
                }
            }
        }
    }

    /// How many ids a chunk has: as an earlier process decided, or by what is known now;
    /// `None` if nothing is. An item takes `bytes`.
    fn size<T>(
        &self,
        spec: &ChunkSpec<'_, T>,
        bytes: usize,
        names: &mut JobNames,
    ) -> Result<Option<u64>, CrewError> {
        if let Some(size) = names.size(&self.part) {
            return Ok(Some(size));
        }
        let workers = &*self.workers;
        let count_slots = || workers.client.slot_count();
        let size = workers
            .sizing
            .ids_per_job(spec.kind, spec.total, count_slots)?;
        let size = size.map(|size| size.min(max_ids(bytes, spec.output_bytes)));
        size.map(|size| names.set_size(&*self.names, &self.part, size))
            .transpose()
    }

    /// Gives some chunks to the workers.
    fn work_on<T: Clone + Send, E>(
        &self,
        spec: &ChunkSpec<'_, T>,
        names: &JobNames,
        chunks: Chunker<'_, T, impl Iterator<Item = (u64, T)> + Send>,
        stop: &AtomicBool,
        done: &mut TakeChunk<'_, T, E>,
    ) -> Result<ChunkOutcome<T>, MapError<E>> {
        let workers = &*self.workers;
        let client = &workers.client;
        let (run, size) = (names.run(), chunks.size);
        let in_flight = InFlight::default();
        let unpackable = Mutex::new(None);
        let exhausted = AtomicBool::new(false);

        // 1. Chunks become jobs, one by one.
        let mut chunks = chunks;
        let jobs = std::iter::from_fn(|| {
            let Some((number, chunk)) = chunks.next() else {
                exhausted.store(true, Ordering::Relaxed);
                return None;
            };
            let packed = match (spec.pack)(&chunk.items) {
                Ok(packed) => packed,
                Err(error) => {
                    *lock(&unpackable) = Some(error);
                    return None;
                }
            };
            let id = JobId::new(&format!("{}-{size}-{number}", self.part));
            let id = id.expect("a part, a size and a number");
            in_flight.insert(id.clone(), chunk);
            Some(Job {
                id,
                kind: spec.kind.to_owned(),
                version: spec.version,
                payload: packed.bytes,
                blobs: packed.blobs,
            })
        });

        // 2. Their results are taken, whole or not at all.
        let mut receiver = ChunkReceiver {
            workers,
            kind: spec.kind,
            size,
            in_flight: &in_flight,
            done,
            flow: Flow::Continue,
            too_large: None,
            invalid: HashMap::new(),
        };
        let mut take = |outcome| receiver.take(outcome);
        let worked = client.work(run, jobs, spec.blob, stop, &mut take);

        let (flow, too_large) = (receiver.flow, receiver.too_large);

        // 3. How it ended.
        let why = match (worked, too_large) {
            (Ok(mut counts), why) => {
                // One that was too large is not skipped.
                counts.dead -= u64::from(why.is_some());
                lock(&workers.counts).add(&counts);
                let Some(why) = why else {
                    if let Some(error) = lock(&unpackable).take() {
                        return Err(MapError::Work(cannot_pack(error)));
                    }
                    let all = exhausted.load(Ordering::Relaxed) && in_flight.is_empty();
                    return Ok(ChunkOutcome::Ended(match flow {
                        Flow::Stop => Mapped::StoppedByCaller,
                        Flow::Continue if all => Mapped::All,
                        Flow::Continue => Mapped::Stopped,
                    }));
                };
                why
            }
            (Err(WorkError::Crew(error @ CrewError::TooLarge { .. })), _) if size > 1 => {
                // The jobs that were submitted are never asked for by their names again.
                client.remove_run(run)?;
                error.to_string()
            }
            (Err(WorkError::Crew(error)), _) => return Err(MapError::Work(error)),
            (Err(WorkError::Taker(error)), _) => return Err(error),
        };
        client.emit(&CrewEvent::Halved { why });
        Ok(ChunkOutcome::TooLarge(in_flight.into_items()))
    }
}

/// Takes the results of chunks.
struct ChunkReceiver<'a, 'd, T, E> {
    workers: &'a RemoteWorkers,
    kind: &'static str,
    size: u64,
    in_flight: &'a InFlight<T>,
    done: &'a mut TakeChunk<'d, T, E>,
    /// What the caller said last.
    flow: Flow,
    /// Why chunks must be smaller, if one was too large for the server.
    too_large: Option<String>,
    /// Invalid results by job.
    invalid: HashMap<JobId, u32>,
}

impl<T, E> ChunkReceiver<'_, '_, T, E> {
    fn take(&mut self, outcome: JobOutcome) -> Result<JobFlow, MapError<E>> {
        let workers = self.workers;
        let Some(chunk) = self.in_flight.remove(&outcome.id) else {
            // This process did not ask for it.
            return Ok(JobFlow::Continue);
        };
        // 1. A dead letter.
        if let Err(dead) = &outcome.result {
            if dead.oversized && self.size > 1 {
                self.too_large = Some(dead.why.clone());
                self.in_flight.insert(outcome.id, chunk);
                return Ok(JobFlow::Stop);
            }
            if workers.policy == DeadLetterPolicy::Stop {
                // It is removed from the server, and a resume tries it again.
                return Err(MapError::Work(dead_letter(&outcome.id, dead)));
            }
            workers.client.emit(&CrewEvent::Skipped {
                job: outcome.id.clone(),
                why: dead.why.clone(),
            });
        }

        // 2. A result, or what is skipped.
        let result = outcome.result.as_deref().ok();
        let reason = match (self.done)(&chunk.items, result) {
            Ok(flow) => {
                if result.is_some() {
                    let sizing = &workers.sizing;
                    sizing.record_duration(self.kind, chunk.count(), outcome.seconds);
                }
                self.flow = flow;
                return Ok(match flow {
                    Flow::Continue => JobFlow::Continue,
                    Flow::Stop => JobFlow::Stop,
                });
            }
            Err(ChunkError::Consumer(error)) => return Err(MapError::Consumer(error)),
            // It may quote what the worker wrote.
            Err(ChunkError::Invalid(reason)) => printable(&reason),
        };

        // 3. An invalid result.
        let times = self.invalid.entry(outcome.id.clone()).or_default();
        *times += 1;
        if *times >= MAX_INVALID_RESULTS {
            return Err(MapError::Work(CrewError::InvalidResult {
                worker: outcome.worker,
                job: outcome.id,
                reason,
            }));
        }
        workers.client.emit(&CrewEvent::InvalidResult {
            worker: outcome.worker,
            job: outcome.id.clone(),
            reason,
        });
        self.in_flight.insert(outcome.id, chunk);
        Ok(JobFlow::Resubmit)
    }
}

/// Data of this machine that cannot travel, or a task that cannot be encoded.
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

fn dead_letter(job: &JobId, dead: &DeadLetter) -> CrewError {
    CrewError::DeadLetter {
        job: job.clone(),
        deliveries: dead.deliveries,
        why: dead.why.clone(),
    }
}

/// What came of some chunks.
enum ChunkOutcome<T> {
    /// How the work on them ended.
    Ended(Mapped),
    /// One of them was too large; the items that are not done.
    TooLarge(Vec<(u64, T)>),
}

/// Items that are sent as one job, and their ids.
struct WorkChunk<T> {
    ids: Vec<u64>,
    items: Vec<T>,
}

impl<T> WorkChunk<T> {
    /// How many different ids; equal ones are adjacent.
    fn count(&self) -> usize {
        self.ids.chunk_by(|a, b| a == b).count()
    }
}

/// The chunks that are on the server, by job.
struct InFlight<T>(Mutex<HashMap<JobId, WorkChunk<T>>>);

impl<T> Default for InFlight<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> InFlight<T> {
    fn insert(&self, id: JobId, chunk: WorkChunk<T>) {
        lock(&self.0).insert(id, chunk);
    }

    fn remove(&self, id: &JobId) -> Option<WorkChunk<T>> {
        lock(&self.0).remove(id)
    }

    fn is_empty(&self) -> bool {
        lock(&self.0).is_empty()
    }

    /// All items, in the order of their ids.
    fn into_items(self) -> Vec<(u64, T)> {
        let chunks = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        let items = chunks
            .into_values()
            .flat_map(|chunk| chunk.ids.into_iter().zip(chunk.items));
        let mut items: Vec<(u64, T)> = items.collect();
        items.sort_by_key(|(id, _)| *id);
        items
    }
}

/// Items that are not on the server.
struct PendingItems<T, I: Iterator<Item = (u64, T)>> {
    /// Those that were there and came back; their ids are below all others.
    again: Peekable<std::vec::IntoIter<(u64, T)>>,
    fresh: Peekable<I>,
}

impl<T, I: Iterator<Item = (u64, T)>> PendingItems<T, I> {
    fn peek(&mut self) -> Option<&(u64, T)> {
        self.again.peek().or_else(|| self.fresh.peek())
    }

    fn next_if(&mut self, wanted: impl Fn(u64) -> bool) -> Option<(u64, T)> {
        if self.again.peek().is_some() {
            return self.again.next_if(|(id, _)| wanted(*id));
        }
        self.fresh.next_if(|(id, _)| wanted(*id))
    }
}

/// Items in chunks: those whose ids lie in the same interval of `size`.
struct Chunker<'a, T, I: Iterator<Item = (u64, T)>> {
    items: &'a mut PendingItems<T, I>,
    size: u64,
    /// Items with this id and larger ones stay.
    below: u64,
}

impl<T, I: Iterator<Item = (u64, T)>> Iterator for Chunker<'_, T, I> {
    type Item = (u64, WorkChunk<T>);

    fn next(&mut self) -> Option<Self::Item> {
        let below = self.below;
        let (first, item) = self.items.next_if(|id| id < below)?;
        let number = first / self.size;
        let mut chunk = WorkChunk {
            ids: vec![first],
            items: vec![item],
        };
        while let Some((id, item)) = self.items.next_if(|id| id / self.size == number) {
            chunk.ids.push(id);
            chunk.items.push(item);
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
            let items = |ids: &[u64]| ids.iter().map(|&id| (id, id)).collect::<Vec<_>>();
            let items = &mut PendingItems {
                again: items(again).into_iter().peekable(),
                fresh: items(fresh).into_iter().peekable(),
            };
            let (size, below) = (4, 12);
            let chunks = Chunker { items, size, below };
            chunks
                .map(|(number, chunk)| (number, chunk.items))
                .collect()
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
        let in_flight = InFlight::default();
        for (job, first) in [("b", 4), ("a", 2)] {
            let chunk = WorkChunk {
                ids: vec![first, first, first + 1],
                items: vec!['x', 'y', 'z'],
            };
            assert_eq!(chunk.count(), 2);
            in_flight.insert(JobId::new(job).expect("a name"), chunk);
        }
        let items = [(2, 'x'), (2, 'y'), (3, 'z'), (4, 'x'), (4, 'y'), (5, 'z')];
        assert_eq!(in_flight.into_items(), items);
    }
}
