//! Where one run hands its jobs in and takes the outcomes.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mendel_crew::{BlobId, Dead, GoOn, Job, JobId, Outcome, WorkError};

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
    /// How many pieces there are, those that need no doing among them.
    pub total: u64,
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
}

impl<T> Returned<'_, T> {
    /// The answer makes no sense.
    pub fn nonsense(&self, reason: impl Into<String>) -> AwayError {
        AwayError::Answer {
            worker: self.worker.to_owned(),
            job: self.job.to_string(),
            reason: reason.into(),
        }
    }
}

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
    /// Pieces travel in blocks. Which they are follows from their numbers, so that a run
    /// that was killed finds the blocks again that others have worked on meanwhile.
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
        let (run, size) = self.name_and_size(errand)?;
        let out = Out::default();
        let jobs = Blocks {
            pieces: pieces.peekable(),
            size,
        }
        .map(|(cell, block)| {
            let id = format!("{}-{size}-{cell}", self.part);
            let (payload, blobs) = (errand.pack)(&block);
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
        let mut end = None;
        let mut take = |outcome: Outcome| {
            if let Some(error) = end.take() {
                return Err(E::from(error));
            }
            let Some(block) = out.take(&outcome.id) else {
                // Nobody asked for it in this life.
                return Ok(GoOn::Yes);
            };
            match &outcome.result {
                Err(dead) if self.workers.when_dead() == WhenDead::Stop => {
                    // The crew has to forget that it is dead, so that the next life can
                    // try it again: the run stops with the outcome after this one.
                    end = Some(dead_error(&outcome.id, dead));
                    Ok(GoOn::Yes)
                }
                _ => self.take(errand.kind, &outcome, &block, done),
            }
        };
        let blob = |id: &BlobId| errand.luggage.get(id).cloned();
        let remote = self.workers.remote();
        let worked = remote.work(&run, jobs, &blob, stop, &mut take);
        match worked {
            Ok(tally) => {
                self.workers.count(&tally);
                end.map_or(Ok(()), |error| Err(error.into()))
            }
            Err(WorkError::Taker(error)) => Err(error),
            Err(WorkError::Crew(error)) => Err(AwayError::from(error).into()),
        }
    }

    fn name_and_size<T>(&self, errand: &Errand<'_, T>) -> Result<(String, u64), AwayError> {
        let mut book = held(&self.book);
        let choose = || self.workers.size(errand.kind, errand.total);
        let size = book.size(&self.part, choose)?;
        Ok((book.run().to_owned(), size))
    }

    fn take<T, E: From<AwayError>>(
        &self,
        kind: &'static str,
        outcome: &Outcome,
        pieces: &[T],
        done: &mut dyn FnMut(Returned<'_, T>) -> Result<GoOn, E>,
    ) -> Result<GoOn, E> {
        let answer = match &outcome.result {
            Ok(answer) => {
                self.workers.measure(kind, pieces.len(), outcome.seconds);
                Some(answer.as_slice())
            }
            Err(dead) => {
                let (job, why) = (&outcome.id, &dead.why);
                let text = format!("job {job} is done without: {why}");
                self.workers.tell(&text);
                None
            }
        };
        done(Returned {
            pieces,
            answer,
            job: &outcome.id,
            worker: &outcome.worker,
        })
    }
}

fn dead_error(job: &JobId, dead: &Dead) -> AwayError {
    AwayError::Dead {
        job: job.to_string(),
        deliveries: dead.deliveries,
        why: dead.why.clone(),
    }
}

/// The blocks that are with the crew.
struct Out<T>(Mutex<HashMap<JobId, Vec<T>>>);

impl<T> Default for Out<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> Out<T> {
    fn give(&self, id: JobId, block: Vec<T>) {
        held(&self.0).insert(id, block);
    }

    fn take(&self, id: &JobId) -> Option<Vec<T>> {
        held(&self.0).remove(id)
    }
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Pieces in blocks: those whose numbers lie in the same stretch of `size`.
struct Blocks<T, I: Iterator<Item = (u64, T)>> {
    pieces: std::iter::Peekable<I>,
    size: u64,
}

impl<T, I: Iterator<Item = (u64, T)>> Iterator for Blocks<T, I> {
    type Item = (u64, Vec<T>);

    fn next(&mut self) -> Option<Self::Item> {
        let (first, piece) = self.pieces.next()?;
        let cell = first / self.size;
        let mut block = vec![piece];
        while let Some((_, piece)) = self.pieces.next_if(|(id, _)| id / self.size == cell) {
            block.push(piece);
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
            let pieces = ids.iter().map(|&id| (id, id)).peekable();
            Blocks { pieces, size: 4 }.collect()
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
    }
}
