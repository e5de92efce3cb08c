//! From files to batches, ahead of who learns from them.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use mendel_evaluator::vision::View;

use super::compact::Batch;
use super::error::TrainError;
use super::export::Pawns;
use super::recipe::{DataKind, Recipe, Unit};
use super::scores::{Scores, shuffled};
use crate::stream::{Cursor, Part, Split};

/// So many batches are made before they are asked for.
const AHEAD: usize = 8;

/// What is learnt from.
#[derive(Clone, Debug)]
pub(crate) enum Data {
    Scores(Arc<ScoreData>),
}

/// Scores, how they are parted and what their unit is worth.
#[derive(Debug)]
pub(crate) struct ScoreData {
    scores: Scores,
    split: Split,
    pawns: Pawns,
    train: usize,
}

/// Batches from a thread of their own, each with the place behind it.
#[derive(Debug)]
pub(crate) struct Feed {
    receiver: Receiver<Result<(Batch, Cursor), TrainError>>,
}

/// What a feed gives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FeedOrder {
    pub(crate) view: View,
    pub(crate) part: Part,
    pub(crate) batch: usize,
    pub(crate) seed: u64,
    pub(crate) start: Cursor,
    pub(crate) threads: usize,
}

impl Feed {
    fn new(mut make: impl FnMut() -> Result<(Batch, Cursor), TrainError> + Send + 'static) -> Self {
        let (sender, receiver) = sync_channel(AHEAD);
        // It ends when nobody listens any more.
        thread::spawn(move || {
            loop {
                let made = make();
                let failed = made.is_err();
                if sender.send(made).is_err() || failed {
                    break;
                }
            }
        });
        Self { receiver }
    }

    /// The next batch; data never end, they begin again.
    pub(crate) fn next(&self) -> Result<(Batch, Cursor), TrainError> {
        self.receiver
            .recv()
            .unwrap_or_else(|_| Err(TrainError::Games("the maker of batches died".to_owned())))
    }
}

impl Data {
    /// Opens files.
    pub(crate) fn open(recipe: &Recipe, files: &[PathBuf]) -> Result<Self, TrainError> {
        if files.is_empty() {
            return Err(TrainError::NoData);
        }
        match recipe.data.kind {
            DataKind::Games => Err(TrainError::NoData),
            DataKind::Scores => {
                let scores = Scores::read(files, recipe.data.largest_score)?;
                let split = recipe.data.split;
                let train = scores.part(&split, Part::Train)?;
                let (mean, deviation) = match recipe.data.unit {
                    Unit::ZScore => scores.spread(&train),
                    Unit::Pawns => (0.0, 100.0),
                };
                Ok(Self::Scores(Arc::new(ScoreData {
                    train: train.len(),
                    scores,
                    split,
                    pawns: Pawns {
                        scale: deviation / 100.0,
                        offset: mean / 100.0,
                    },
                })))
            }
        }
    }

    /// What the unit of scores is worth.
    pub(crate) fn pawns(&self) -> Pawns {
        match self {
            Self::Scores(data) => data.pawns,
        }
    }

    /// Positions that an epoch has, more or less.
    pub(crate) fn positions(&self) -> u64 {
        match self {
            Self::Scores(data) => data.train as u64,
        }
    }

    /// A short name for the contents.
    pub(crate) fn fingerprint(&self) -> String {
        match self {
            Self::Scores(data) => data.scores.fingerprint(),
        }
    }

    /// A sentence about what is learnt from.
    pub(crate) fn about(&self) -> String {
        match self {
            Self::Scores(data) => {
                let (positions, games) = data.scores.counts();
                format!("{positions} positions with scores of about {games} games")
            }
        }
    }

    /// Batches of a part, without end.
    pub(crate) fn feed(&self, order: FeedOrder) -> Result<Feed, TrainError> {
        match self {
            Self::Scores(data) => {
                let data = Arc::clone(data);
                let indices = data.scores.part(&data.split, order.part)?;
                let mut cursor = order.start;
                let mut shuffle = shuffled(&indices, order.seed, cursor.epoch);
                Ok(Feed::new(move || {
                    let mut wanted = Vec::with_capacity(order.batch);
                    while wanted.len() < order.batch {
                        let rest = &shuffle[(cursor.taken as usize).min(shuffle.len())..];
                        let taken = rest.len().min(order.batch - wanted.len());
                        wanted.extend(&rest[..taken]);
                        cursor.taken += taken as u64;
                        if taken == rest.len() {
                            cursor.epoch += 1;
                            cursor.taken = 0;
                            shuffle = shuffled(&indices, order.seed, cursor.epoch);
                        }
                    }
                    Ok((data.batch(order.view, &wanted, order.threads), cursor))
                }))
            }
        }
    }

    /// Up to so many positions of a part, always the same ones.
    pub(crate) fn exam(
        &self,
        view: View,
        part: Part,
        positions: usize,
        threads: usize,
    ) -> Result<Vec<Batch>, TrainError> {
        const BATCH: usize = 1024;
        match self {
            Self::Scores(data) => {
                let indices = data.scores.part(&data.split, part)?;
                let mut indices = shuffled(&indices, 0, 0);
                indices.truncate(positions);
                let batches = indices.chunks(BATCH);
                Ok(batches
                    .map(|chunk| data.batch(view, chunk, threads))
                    .collect())
            }
        }
    }
}

impl ScoreData {
    /// A batch, made by several threads; it does not depend on how many.
    fn batch(&self, view: View, indices: &[u32], threads: usize) -> Batch {
        let make = |indices: &[u32]| {
            let all: Vec<_> = indices.iter().map(|&at| self.scores.get(at)).collect();
            let unit = |centipawns: f32| {
                ((f64::from(centipawns) / 100.0 - self.pawns.offset) / self.pawns.scale) as f32
            };
            Batch::of_scores(view, all.iter().map(|(it, score)| (it, unit(*score))))
        };
        let each = indices.len().div_ceil(threads.max(1)).max(64);
        if each >= indices.len() {
            return make(indices);
        }
        thread::scope(|scope| {
            let parts: Vec<_> = indices
                .chunks(each)
                .map(|chunk| scope.spawn(move || make(chunk)))
                .collect();
            let parts = parts.into_iter();
            Batch::join(
                parts
                    .map(|part| part.join().expect("making a batch does not panic"))
                    .collect(),
            )
        })
    }
}
