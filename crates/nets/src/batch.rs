//! Samples turned into what a network sees, by several threads, in an order that
//! does not depend on their number.
//!
//! A conductor decides what belongs into which batch, which is quick; workers do
//! what takes time: unpacking blocks, replaying games, and turning samples into
//! numbers. A place in the queue is taken before the work is done, so that
//! batches come in their order whichever worker is first.

use std::fmt;
use std::ops::Range;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use crate::stream::{Cursor, Extent, Mixture, Mixtures, Plan, Sample, StreamError};

/// Samples that were turned into something, and where the stream stands behind
/// them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch<B> {
    /// What was made of the samples.
    pub data: B,
    /// How many samples there are; the last batch of an epoch may have fewer.
    pub samples: usize,
    /// A stream that begins here gives the samples that follow.
    pub cursor: Cursor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    pub size: usize,
    pub threads: usize,
    pub ahead: usize,
}

impl Default for Setting {
    fn default() -> Self {
        Self {
            size: 1024,
            threads: 1,
            ahead: 8,
        }
    }
}

/// Gives batches of one stream, prepared by threads of its own; an iterator. After
/// an error, nothing follows.
///
/// Dropping it ends the threads.
pub struct Loader<B> {
    /// Missing once the loader is being dropped or has failed.
    queue: Option<Receiver<Place<B>>>,
    threads: Vec<JoinHandle<()>>,
}

/// A batch that is being made, or why the stream ends.
type Place<B> = Result<Receiver<Batch<B>>, StreamError>;
type Expanded = Result<Vec<Sample>, StreamError>;

enum Job<B> {
    Expand(u64, (u32, u32), SyncSender<Expanded>),
    Encode(Pieces, Cursor, SyncSender<Batch<B>>),
}

/// Samples of a batch: stretches of one or more mixtures.
type Pieces = Vec<(Arc<Mixture>, Range<usize>)>;

impl<B> fmt::Debug for Loader<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Loader")
            .field("threads", &self.threads.len())
            .finish_non_exhaustive()
    }
}

impl<B: Send + 'static> Loader<B> {
    /// Starts the threads. `encode` makes a batch of samples; what it makes must
    /// depend on them alone.
    pub fn new(
        plan: Arc<Plan>,
        cursor: Cursor,
        extent: Extent,
        setting: Setting,
        encode: impl Fn(&[&Sample]) -> B + Send + Sync + 'static,
    ) -> Self {
        let (jobs, taken) = channel();
        let taken = Arc::new(Mutex::new(taken));
        let encode = Arc::new(encode);
        let mut threads = Vec::new();
        for _ in 0..setting.threads.max(1) {
            let (plan, taken) = (Arc::clone(&plan), Arc::clone(&taken));
            let encode = Arc::clone(&encode);
            threads.push(thread::spawn(move || work(&plan, &taken, &*encode)));
        }
        let (out, queue) = sync_channel(setting.ahead.max(1));
        threads.push(thread::spawn(move || {
            let conductor = Conductor {
                mixtures: Mixtures::new(plan, cursor, extent),
                size: setting.size.max(1),
                jobs,
                out,
                pieces: Vec::new(),
                held: 0,
                cursor,
            };
            conductor.conduct();
        }));
        Self {
            queue: Some(queue),
            threads,
        }
    }
}

impl<B> Iterator for Loader<B> {
    type Item = Result<Batch<B>, StreamError>;

    fn next(&mut self) -> Option<Self::Item> {
        let place = self.queue.as_ref()?.recv().ok()?;
        let batch = place.and_then(|place| place.recv().map_err(|_| StreamError::Worker));
        if batch.is_err() {
            self.queue = None;
        }
        Some(batch)
    }
}

impl<B> Drop for Loader<B> {
    fn drop(&mut self) {
        // Without a receiver the scheduler stops, and with it the workers.
        self.queue = None;
        for thread in self.threads.drain(..) {
            // One that died has said so when its batch was asked for.
            let _ = thread.join();
        }
    }
}

/// Does jobs until there are none.
fn work<B>(plan: &Plan, jobs: &Mutex<Receiver<Job<B>>>, encode: &dyn Fn(&[&Sample]) -> B) {
    loop {
        let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        // Without a receiver the answer is not needed.
        match job {
            Err(_) => return,
            Ok(Job::Expand(epoch, block, answer)) => {
                let _ = answer.send(plan.expand(epoch, block));
            }
            Ok(Job::Encode(pieces, cursor, answer)) => {
                let samples: Vec<&Sample> = pieces
                    .iter()
                    .flat_map(|(mixture, range)| range.clone().filter_map(|at| mixture.get(at)))
                    .collect();
                let _ = answer.send(Batch {
                    data: encode(&samples),
                    samples: samples.len(),
                    cursor,
                });
            }
        }
    }
}

/// Decides what belongs into which batch.
struct Conductor<B> {
    mixtures: Mixtures,
    size: usize,
    jobs: Sender<Job<B>>,
    out: SyncSender<Place<B>>,
    /// The batch that is being filled, how many samples it has, and the cursor
    /// behind them.
    pieces: Pieces,
    held: usize,
    cursor: Cursor,
}

/// A mixture whose blocks are being expanded, one after the other.
struct Coming {
    cursor: Cursor,
    blocks: Vec<(u32, u32)>,
    answers: Vec<Receiver<Expanded>>,
}

enum Stop {
    Alone,
    Failed(StreamError),
}

impl From<StreamError> for Stop {
    fn from(error: StreamError) -> Self {
        Self::Failed(error)
    }
}

impl<B> Conductor<B> {
    fn conduct(mut self) {
        if let Err(Stop::Failed(error)) = self.run() {
            let _ = self.out.send(Err(error));
        }
    }

    fn run(&mut self) -> Result<(), Stop> {
        let mut coming = self.next()?;
        while let Some(mut mixing) = coming {
            // 1. The blocks of this mixture; most are expanded by now.
            while self.expand(&mut mixing)? {}
            let parts = mixing.answers.into_iter().map(|answer| {
                let expanded = answer.recv().map_err(|_| StreamError::Worker);
                expanded.and_then(|expanded| expanded)
            });
            let parts: Vec<Vec<Sample>> = parts.collect::<Result<_, _>>()?;
            let mixture = Arc::new(self.mixtures.plan.mix(mixing.cursor, parts)?);
            self.mixtures.met(mixture.len());

            // 2. Its batches, and between them the blocks of the next one.
            coming = self.next()?;
            self.cut(mixing.cursor, &mixture, &mut coming)?;
        }
        if self.held > 0 {
            self.send()?;
        }
        Ok(())
    }

    fn next(&mut self) -> Result<Option<Coming>, Stop> {
        let Some(cursor) = self.mixtures.next()? else {
            return Ok(None);
        };
        let mut blocks = self.mixtures.plan.blocks_at(cursor)?;
        blocks.reverse();
        Ok(Some(Coming {
            cursor,
            blocks,
            answers: Vec::new(),
        }))
    }

    /// Asks for the next block of a mixture; whether there was one.
    fn expand(&self, coming: &mut Coming) -> Result<bool, Stop> {
        let Some(block) = coming.blocks.pop() else {
            return Ok(false);
        };
        let (answer, answered) = sync_channel(1);
        let job = Job::Expand(coming.cursor.epoch, block, answer);
        self.jobs.send(job).map_err(|_| StreamError::Worker)?;
        coming.answers.push(answered);
        Ok(true)
    }

    fn cut(
        &mut self,
        cursor: Cursor,
        mixture: &Arc<Mixture>,
        coming: &mut Option<Coming>,
    ) -> Result<(), Stop> {
        let total = mixture.len();
        let mut at = cursor.taken as usize;
        let blocks = coming.as_ref().map_or(0, |coming| coming.blocks.len());
        let stride = (total - at).div_ceil(blocks.max(1)).max(1);
        let mut since = 0;
        while at < total {
            // 1. As many samples as fit.
            let taken = (self.size - self.held).min(total - at);
            self.pieces.push((Arc::clone(mixture), at..at + taken));
            self.held += taken;
            at += taken;
            self.cursor = if at < total {
                Cursor {
                    taken: at as u64,
                    ..cursor
                }
            } else {
                self.mixtures.plan.behind(cursor)
            };
            if self.held == self.size {
                self.send()?;
            }

            // 2. A block of the next mixture now and then, so that workers never
            //    have many of them before a batch.
            since += taken;
            while let Some(coming) = coming.as_mut().filter(|_| since >= stride) {
                since -= stride;
                self.expand(coming)?;
            }
        }
        Ok(())
    }

    /// Gives the batch to the workers and takes its place in the queue.
    fn send(&mut self) -> Result<(), Stop> {
        let pieces = std::mem::take(&mut self.pieces);
        self.held = 0;
        let (answer, answered) = sync_channel(1);
        let job = Job::Encode(pieces, self.cursor, answer);
        self.jobs.send(job).map_err(|_| StreamError::Worker)?;
        self.out.send(Ok(answered)).map_err(|_| Stop::Alone)
    }
}
