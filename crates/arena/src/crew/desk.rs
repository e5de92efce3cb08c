//! Where one run hands its jobs in and takes the outcomes.

use std::cell::RefCell;
use std::collections::HashMap;
use std::iter::Peekable;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mendel_crew::{
    BlobId, CrewError, Dead, GoOn, Job, JobId, Limits, Outcome, WorkError, printable,
};

use super::book::Book;
use super::{AwayError, WhenDead, Workers};
use crate::task::Luggage;

/// The workers as one folder uses them: jobs of different folders and parts have
/// different names, and the same piece of work has the same name in each life.
#[derive(Clone, Debug)]
pub struct Desk {
    workers: Workers,
    book: Arc<Mutex<Book>>,
    part: String,
}

/// Makes the job of some pieces: its data, and what of the luggage it needs.
pub type Pack<'a, T> = dyn Fn(&[T]) -> (Vec<u8>, Vec<BlobId>) + 'a;

/// A kind of work that is given to others, piece by piece.
pub struct Errand<'a, T> {
    /// What the crew calls it.
    pub kind: &'static str,
    /// The version of its data.
    pub version: u32,
    /// How many numbers there are, those that need no doing among them.
    pub total: u64,
    /// Bytes of the answer to the pieces of one number, as many as there usually are at
    /// most; 0 where it is shorter than the question.
    pub answer: usize,
    /// What jobs need beside themselves.
    pub luggage: &'a Luggage,
    /// How pieces become a job.
    pub pack: &'a Pack<'a, T>,
}

impl<T> std::fmt::Debug for Errand<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Errand")
            .field("kind", &self.kind)
            .field("version", &self.version)
            .field("total", &self.total)
            .finish_non_exhaustive()
    }
}

/// What came of some pieces.
#[derive(Debug)]
pub struct Returned<'a, T> {
    /// The pieces that were asked for.
    pub pieces: &'a [T],
    /// The answer, or `None` where they are to be done without.
    pub answer: Option<&'a [u8]>,
    job: &'a JobId,
    worker: &'a str,
    /// Why the answer makes no sense, if somebody said so.
    senseless: &'a RefCell<Option<String>>,
}

impl<T> Returned<'_, T> {
    /// The answer makes no sense. Whoever says so must not have used any of it, because
    /// the pieces are done again, a few times; after that this is the end.
    pub fn nonsense(&self, reason: impl Into<String>) -> AwayError {
        // It may quote what the worker wrote.
        let reason = printable(&reason.into());
        *self.senseless.borrow_mut() = Some(reason.clone());
        AwayError::Answer {
            worker: self.worker.to_owned(),
            job: self.job.to_string(),
            reason,
        }
    }
}

/// The pieces of a job whose answers made no sense are done so often, and then no more.
const MOST_ANSWERS: u32 = 3;

impl Desk {
    pub(super) fn new(workers: Workers, book: Book) -> Self {
        Self {
            workers,
            book: Arc::new(Mutex::new(book)),
            part: "games".to_owned(),
        }
    }

    /// The desk of another part of the work: small letters, digits and hyphens.
    #[must_use]
    pub fn for_part(&self, part: &str) -> Self {
        Self {
            part: part.to_owned(),
            ..self.clone()
        }
    }

    /// Gives the pieces to the crew, each with the number it is known by, in ascending
    /// order; and what comes back to `done`, as soon as it is there and in any order.
    /// What `done` has taken without an error the crew forgets, so that it must be on
    /// the disk by then.
    ///
    /// Pieces travel in blocks of some seconds of work. How long those of a number take is
    /// found out with the first few, one by one, where no earlier work tells. Which pieces
    /// make a block follows from their numbers, so that a run that was killed finds the
    /// blocks again that others have worked on meanwhile. Where the server does not take a
    /// block or the answer to it, blocks are half as large from then on.
    ///
    /// # Errors
    ///
    /// What `done` says, or that the crew cannot do the work.
    ///
    /// # Panics
    ///
    /// If the part is no name of small letters, digits and hyphens.
    pub fn work<T: Clone + Send, E: From<AwayError>>(
        &self,
        errand: &Errand<'_, T>,
        pieces: impl Iterator<Item = (u64, T)> + Send,
        stop: &AtomicBool,
        done: &mut dyn FnMut(Returned<'_, T>) -> Result<GoOn, E>,
    ) -> Result<(), E> {
        let mut pieces = Pieces {
            again: Vec::new().into_iter().peekable(),
            fresh: pieces.peekable(),
        };
        let first = pieces.peek().map_or(0, |(number, _)| *number);
        let bytes = pieces.peek().map_or(0, |(_, piece)| {
            (errand.pack)(std::slice::from_ref(piece)).0.len()
        });
        let mut size = self.size(errand, bytes)?;
        if size.is_none() {
            let sample = Blocks {
                pieces: &mut pieces,
                size: 1,
                below: first + self.workers.sample(errand.total)?,
            };
            let worked = self.work_on(errand, sample, stop, done)?;
            if matches!(worked, Worked::On(GoOn::No))
                || stop.load(Ordering::Relaxed)
                || pieces.peek().is_none()
            {
                return Ok(());
            }
            size = self.size(errand, bytes)?;
        }
        // Where all of the sample had to be done without, nothing is known.
        let mut size = size.unwrap_or(1);
        loop {
            let rest = Blocks {
                pieces: &mut pieces,
                size,
                below: u64::MAX,
            };
            let Worked::TooLarge(again) = self.work_on(errand, rest, stop, done)? else {
                return Ok(());
            };
            size = held(&self.book).decide(&self.part, size / 2)?;
            pieces.again = again.into_iter().peekable();
        }
    }

    /// Gives some blocks to the crew.
    fn work_on<T: Clone + Send, E: From<AwayError>>(
        &self,
        errand: &Errand<'_, T>,
        blocks: Blocks<'_, T, impl Iterator<Item = (u64, T)> + Send>,
        stop: &AtomicBool,
        done: &mut dyn FnMut(Returned<'_, T>) -> Result<GoOn, E>,
    ) -> Result<Worked<T>, E> {
        let (run, size) = (held(&self.book).run().to_owned(), blocks.size);
        let out = Out::default();
        let mut go_on = GoOn::Yes;
        let mut too_large = None;
        let jobs = blocks.map(|(cell, block)| {
            let id = format!("{}-{size}-{cell}", self.part);
            let (payload, blobs) = (errand.pack)(&block.pieces);
            let id = JobId::new(&id).expect("a part, a size and a number");
            out.give(id.clone(), block);
            Job {
                id,
                kind: errand.kind.to_owned(),
                version: errand.version,
                payload,
                blobs,
            }
        });
        let mut senseless = HashMap::new();
        let mut take = |outcome: Outcome| {
            let Some(block) = out.take(&outcome.id) else {
                // Nobody asked for it in this life.
                return Ok(GoOn::Yes);
            };
            if let Err(dead) = &outcome.result
                && dead.oversized
                && size > 1
            {
                too_large = Some(dead.why.clone());
                out.give(outcome.id, block);
                return Ok(GoOn::No);
            }
            if let Err(dead) = &outcome.result
                && self.workers.when_dead() == WhenDead::Stop
            {
                // The crew forgets that it is dead, and the next life tries it again.
                return Err(E::from(dead_error(&outcome.id, dead)));
            }
            let taken = self.take(errand.kind, &outcome, &block, done);
            let (error, reason) = match taken {
                Ok(taken) => {
                    go_on = taken;
                    return Ok(taken);
                }
                Err(Untaken { error, senseless }) => match senseless {
                    Some(reason) => (error, reason),
                    None => return Err(error),
                },
            };
            let answers: &mut u32 = senseless.entry(outcome.id.clone()).or_default();
            *answers += 1;
            if *answers >= MOST_ANSWERS {
                return Err(error);
            }
            let (worker, job) = (&outcome.worker, &outcome.id);
            self.workers.tell(&format!(
                "the answer of worker {worker} to job {job} makes no sense, and it is done again: {reason}"
            ));
            out.give(outcome.id, block);
            Ok(GoOn::Again)
        };
        let blob = |id: &BlobId| errand.luggage.get(id).cloned();
        let remote = self.workers.remote();
        let worked = remote.work(&run, jobs, &blob, stop, &mut take);
        let why = match (worked, too_large) {
            (Ok(mut tally), why) => {
                // One that was too large is not done without.
                tally.dead -= u64::from(why.is_some());
                self.workers.count(&tally);
                let Some(why) = why else {
                    return Ok(Worked::On(go_on));
                };
                why
            }
            (Err(WorkError::Crew(error @ CrewError::TooLarge { .. })), _) if size > 1 => {
                // What was handed in is never asked for under its name again.
                remote.forget(&run).map_err(AwayError::from)?;
                error.to_string()
            }
            (Err(WorkError::Taker(error)), _) => return Err(error),
            (Err(WorkError::Crew(error)), _) => return Err(AwayError::from(error).into()),
        };
        let text = format!("jobs are half as large from now on: {why}");
        self.workers.tell(&text);
        Ok(Worked::TooLarge(out.into_pieces()))
    }

    /// How many numbers a block has: as in an earlier life, or as is right by what is known
    /// now; nothing if nothing is. A piece is some `bytes` long.
    fn size<T>(&self, errand: &Errand<'_, T>, bytes: usize) -> Result<Option<u64>, AwayError> {
        let mut book = held(&self.book);
        if let Some(size) = book.size(&self.part) {
            return Ok(Some(size));
        }
        let size = self.workers.size(errand.kind, errand.total)?;
        let size = size.map(|size| size.min(most_numbers(bytes, errand.answer)));
        size.map(|size| book.decide(&self.part, size)).transpose()
    }

    fn take<T, E: From<AwayError>>(
        &self,
        kind: &'static str,
        outcome: &Outcome,
        block: &Block<T>,
        done: &mut dyn FnMut(Returned<'_, T>) -> Result<GoOn, E>,
    ) -> Result<GoOn, Untaken<E>> {
        let answer = match &outcome.result {
            Ok(answer) => Some(answer.as_slice()),
            Err(dead) => {
                let (job, why) = (&outcome.id, &dead.why);
                let text = format!("job {job} is done without: {why}");
                self.workers.tell(&text);
                None
            }
        };
        let senseless = RefCell::default();
        let taken = done(Returned {
            pieces: &block.pieces,
            answer,
            job: &outcome.id,
            worker: &outcome.worker,
            senseless: &senseless,
        });
        if taken.is_ok() && outcome.result.is_ok() {
            self.workers.measure(kind, block.count(), outcome.seconds);
        }
        taken.map_err(|error| Untaken {
            error,
            senseless: senseless.take(),
        })
    }
}

/// So many questions of so many bytes fit into a job, also if some are twice as long, and
/// so many answers into another.
fn most_numbers(question: usize, answer: usize) -> u64 {
    let one = answer.max(2 * question).max(1);
    (Limits::default().payload / one).max(1) as u64
}

/// What came of some blocks.
enum Worked<T> {
    /// They are done; whether there is any sense in going on.
    On(GoOn),
    /// One of them was too large; the pieces that are not done.
    TooLarge(Vec<(u64, T)>),
}

/// Some pieces and the numbers they are known by.
struct Block<T> {
    numbers: Vec<u64>,
    pieces: Vec<T>,
}

impl<T> Block<T> {
    /// How many different numbers; those that are the same stand together.
    fn count(&self) -> usize {
        self.numbers.chunk_by(|a, b| a == b).count()
    }
}

/// Why an outcome was not taken, and what was wrong with it if it makes no sense.
struct Untaken<E> {
    error: E,
    senseless: Option<String>,
}

fn dead_error(job: &JobId, dead: &Dead) -> AwayError {
    AwayError::Dead {
        job: job.to_string(),
        deliveries: dead.deliveries,
        why: dead.why.clone(),
    }
}

/// The blocks that are with the crew.
struct Out<T>(Mutex<HashMap<JobId, Block<T>>>);

impl<T> Default for Out<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> Out<T> {
    fn give(&self, id: JobId, block: Block<T>) {
        held(&self.0).insert(id, block);
    }

    fn take(&self, id: &JobId) -> Option<Block<T>> {
        held(&self.0).remove(id)
    }

    /// All that was not taken, in the order of the numbers.
    fn into_pieces(self) -> Vec<(u64, T)> {
        let blocks = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        let pieces = blocks
            .into_values()
            .flat_map(|it| it.numbers.into_iter().zip(it.pieces));
        let mut pieces: Vec<(u64, T)> = pieces.collect();
        pieces.sort_by_key(|(number, _)| *number);
        pieces
    }
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Pieces that are not with the crew.
struct Pieces<T, I: Iterator<Item = (u64, T)>> {
    /// Those that were, and came back; their numbers are below all others.
    again: Peekable<std::vec::IntoIter<(u64, T)>>,
    fresh: Peekable<I>,
}

impl<T, I: Iterator<Item = (u64, T)>> Pieces<T, I> {
    fn peek(&mut self) -> Option<&(u64, T)> {
        self.again.peek().or_else(|| self.fresh.peek())
    }

    fn next_if(&mut self, wanted: impl Fn(u64) -> bool) -> Option<(u64, T)> {
        if self.again.peek().is_some() {
            return self.again.next_if(|(number, _)| wanted(*number));
        }
        self.fresh.next_if(|(number, _)| wanted(*number))
    }
}

/// Pieces in blocks: those whose numbers lie in the same stretch of `size`.
struct Blocks<'a, T, I: Iterator<Item = (u64, T)>> {
    pieces: &'a mut Pieces<T, I>,
    size: u64,
    /// Pieces with this number and larger ones are left.
    below: u64,
}

impl<T, I: Iterator<Item = (u64, T)>> Iterator for Blocks<'_, T, I> {
    type Item = (u64, Block<T>);

    fn next(&mut self) -> Option<Self::Item> {
        let below = self.below;
        let (first, piece) = self.pieces.next_if(|number| number < below)?;
        let cell = first / self.size;
        let mut block = Block {
            numbers: vec![first],
            pieces: vec![piece],
        };
        while let Some((number, piece)) = self.pieces.next_if(|it| it / self.size == cell) {
            block.numbers.push(number);
            block.pieces.push(piece);
        }
        Some((cell, block))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_the_same_however_much_of_it_is_done() {
        let blocks = |ids: &[u64]| -> Vec<(u64, Vec<u64>)> {
            // Some of them have been with the crew before.
            let (again, fresh) = ids.split_at(ids.len() / 2);
            let pieces = |ids: &[u64]| ids.iter().map(|&id| (id, id)).collect::<Vec<_>>();
            let pieces = &mut Pieces {
                again: pieces(again).into_iter().peekable(),
                fresh: pieces(fresh).into_iter().peekable(),
            };
            let (size, below) = (4, 12);
            let blocks = Blocks {
                pieces,
                size,
                below,
            };
            blocks.map(|(cell, block)| (cell, block.pieces)).collect()
        };
        assert_eq!(
            blocks(&[0, 1, 2, 3, 4, 5]),
            [(0, vec![0, 1, 2, 3]), (1, vec![4, 5])]
        );
        assert_eq!(
            blocks(&[2, 5, 9]),
            [(0, vec![2]), (1, vec![5]), (2, vec![9])]
        );
        assert!(blocks(&[]).is_empty());
        assert_eq!(blocks(&[11, 12]), [(2, vec![11])], "the rest is left");
    }

    #[test]
    fn a_job_fits_into_what_workers_take() {
        let payload = Limits::default().payload;
        let sizes = [0, 1, 1000, payload / 4, payload, 2 * payload];
        for (question, answer) in sizes.iter().flat_map(|a| sizes.map(|b| (*a, b))) {
            let most = most_numbers(question, answer) as usize;
            assert!(most >= 1);
            let fits = most * answer.max(2 * question) <= payload;
            assert!(most == 1 || fits, "{question} {answer}");
        }
        assert_eq!(most_numbers(500, crate::task::GAMES_BYTES), 16);
    }

    #[test]
    fn what_came_back_is_in_its_order_and_counted_by_its_numbers() {
        let out = Out::default();
        for (job, first) in [("b", 4), ("a", 2)] {
            let block = Block {
                numbers: vec![first, first, first + 1],
                pieces: vec!['x', 'y', 'z'],
            };
            assert_eq!(block.count(), 2);
            out.give(JobId::new(job).expect("a name"), block);
        }
        let pieces = [(2, 'x'), (2, 'y'), (3, 'z'), (4, 'x'), (4, 'y'), (5, 'z')];
        assert_eq!(out.into_pieces(), pieces);
    }
}
