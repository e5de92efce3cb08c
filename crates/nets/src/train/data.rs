//! From files to batches, ahead of who learns from them.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use mendel_board::{Color, Position};
use mendel_data::shard::Shard;
use mendel_evaluator::vision::View;
use rand::RngExt as _;

use super::compact::Batch;
use super::error::TrainError;
use super::export::Pawns;
use super::recipe::{DataKind, DataSettings, Recipe, Unit};
use super::scores::{Scores, shuffled};
use crate::batch::{Loader, Setting};
use crate::stream::{
    Cursor, Extent, Part, Pick, Plan, Purpose, Sample, Settings, Split, StreamError, generator,
};

/// Batches that are made ahead.
const AHEAD: usize = 8;

/// Positions that are evaluated at a time.
const EXAM_BATCH: usize = 1024;

#[derive(Clone, Debug)]
pub(crate) enum Data {
    Games(Arc<GameData>),
    Scores(Arc<ScoreData>),
}

/// Games, and which of them.
#[derive(Debug)]
pub(crate) struct GameData {
    files: Vec<PathBuf>,
    settings: Settings,
    /// Positions of an epoch, and games and fingerprints of all files.
    positions: u64,
    games: u64,
    fingerprint: String,
}

/// Scores, how they are parted and what their unit is worth.
#[derive(Debug)]
pub(crate) struct ScoreData {
    scores: Scores,
    split: Split,
    pawns: Pawns,
    train: usize,
    mirror: bool,
}

/// Batches made ahead by threads, each with the place behind it.
#[derive(Debug)]
pub(crate) enum Feed {
    Games(Loader<Batch>),
    Scores(Receiver<(Batch, Cursor)>),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct FeedOrder {
    pub(crate) view: View,
    pub(crate) batch: usize,
    pub(crate) seed: u64,
    pub(crate) start: Cursor,
    pub(crate) threads: usize,
}

impl Feed {
    pub(crate) fn next(&mut self) -> Result<(Batch, Cursor), TrainError> {
        match self {
            Self::Games(loader) => {
                let batch = loader.next().unwrap_or(Err(StreamError::Worker))?;
                Ok((batch.data, batch.cursor))
            }
            Self::Scores(receiver) => Ok(receiver.recv().map_err(|_| StreamError::Worker)?),
        }
    }
}

impl GameData {
    fn open(files: &[PathBuf], settings: &DataSettings) -> Result<Self, TrainError> {
        let mut data = Self {
            files: files.to_vec(),
            settings: Settings {
                split: settings.split,
                part: Part::Train,
                min_rating: settings.min_rating,
                max_rating: settings.max_rating,
                min_moves: settings.min_moves,
                skip_plies: settings.skip_plies,
                pick: settings.pick,
                mixed_blocks: settings.mixed_blocks,
                seed: 0,
            },
            positions: 0,
            games: 0,
            fingerprint: String::new(),
        };
        let plan = data.plan(data.settings)?;
        data.positions = plan.count()?;
        data.games = plan.shards().iter().map(|it| it.header().games).sum();
        let prints = plan
            .shards()
            .iter()
            .map(|it| it.header().fingerprint.as_str());
        data.fingerprint = prints.collect::<Vec<_>>().join(" ");
        Ok(data)
    }

    fn plan(&self, settings: Settings) -> Result<Arc<Plan>, TrainError> {
        let shards = self.files.iter().map(Shard::open).collect::<Result<_, _>>();
        Ok(Plan::new(shards.map_err(StreamError::from)?, settings)?)
    }

    /// At most `positions` positions of a part, spread over all its games.
    fn exam(
        &self,
        view: View,
        part: Part,
        positions: usize,
        threads: usize,
    ) -> Result<Vec<Batch>, TrainError> {
        // 1. How many of each game.
        let settings = Settings {
            part,
            pick: Pick::PerGame(1),
            seed: self.settings.split.seed,
            ..self.settings
        };
        let games = self.plan(settings)?.count()?.max(1);
        let each = (positions as u64).div_ceil(games);
        let each = u16::try_from(each).unwrap_or(u16::MAX);
        let plan = self.plan(Settings {
            pick: Pick::PerGame(each),
            ..settings
        })?;

        // 2. These.
        let setting = Setting {
            size: EXAM_BATCH,
            threads,
            ahead: AHEAD,
        };
        let encode = move |samples: &[&Sample]| Batch::of_samples(view, samples);
        let loader = Loader::new(plan, Cursor::default(), Extent::Epoch, setting, encode);
        let mut batches = Vec::new();
        let mut count = 0;
        for batch in loader {
            let batch = batch?;
            count += batch.samples;
            batches.push(batch.data);
            if count >= positions {
                break;
            }
        }
        Ok(batches)
    }
}

impl Data {
    pub(crate) fn open(recipe: &Recipe, files: &[PathBuf]) -> Result<Self, TrainError> {
        if files.is_empty() {
            return Err(TrainError::NoData);
        }
        match recipe.data.kind {
            DataKind::Games => Ok(Self::Games(Arc::new(GameData::open(files, &recipe.data)?))),
            DataKind::Scores => {
                let scores = Scores::read(files, recipe.data.largest_score)?;
                let split = recipe.data.split;
                let train = scores.part(&split, Part::Train)?;
                let (mean, deviation) = match recipe.data.unit {
                    // The mean is what White is ahead by; the side to move is not.
                    Unit::ZScore if !recipe.shape.view.is_whites() => {
                        (0.0, scores.spread(&train).1)
                    }
                    Unit::ZScore => scores.spread(&train),
                    Unit::Pawns => (0.0, 100.0),
                };
                Ok(Self::Scores(Arc::new(ScoreData {
                    train: train.len(),
                    mirror: recipe.data.mirror,
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

    pub(crate) fn pawns(&self) -> Pawns {
        match self {
            Self::Games(_) => Pawns::SAME,
            Self::Scores(data) => data.pawns,
        }
    }

    /// Positions that an epoch has, more or less.
    pub(crate) fn positions(&self) -> u64 {
        match self {
            Self::Games(data) => data.positions,
            Self::Scores(data) => data.train as u64,
        }
    }

    pub(crate) fn fingerprint(&self) -> String {
        match self {
            Self::Games(data) => data.fingerprint.clone(),
            Self::Scores(data) => data.scores.fingerprint(),
        }
    }

    pub(crate) fn about(&self) -> String {
        match self {
            Self::Games(data) => format!(
                "{} games, of which {} positions an epoch are learnt from",
                data.games, data.positions
            ),
            Self::Scores(data) => {
                let (positions, games) = data.scores.counts();
                format!("{positions} positions with scores of about {games} games")
            }
        }
    }

    /// Batches of the training part, without end.
    pub(crate) fn feed(&self, order: FeedOrder) -> Result<Feed, TrainError> {
        match self {
            Self::Games(data) => {
                let plan = data.plan(Settings {
                    seed: order.seed,
                    ..data.settings
                })?;
                let setting = Setting {
                    size: order.batch,
                    threads: order.threads,
                    ahead: AHEAD,
                };
                let view = order.view;
                let encode = move |samples: &[&Sample]| Batch::of_samples(view, samples);
                let loader = Loader::new(plan, order.start, Extent::Endless, setting, encode);
                Ok(Feed::Games(loader))
            }
            Self::Scores(data) => ScoreData::feed(data, order).map(Feed::Scores),
        }
    }

    /// At most `positions` positions of a part, always the same ones.
    pub(crate) fn exam(
        &self,
        view: View,
        part: Part,
        positions: usize,
        threads: usize,
    ) -> Result<Vec<Batch>, TrainError> {
        match self {
            Self::Games(data) => data.exam(view, part, positions, threads),
            Self::Scores(data) => {
                let indices = data.scores.part(&data.split, part)?;
                let mut indices = shuffled(&indices, 0, 0);
                indices.truncate(positions);
                let batches = indices.chunks(EXAM_BATCH);
                Ok(batches
                    .map(|chunk| data.batch(view, chunk, &[], threads))
                    .collect())
            }
        }
    }
}

impl ScoreData {
    fn feed(data: &Arc<Self>, order: FeedOrder) -> Result<Receiver<(Batch, Cursor)>, TrainError> {
        let data = Arc::clone(data);
        let indices = data.scores.part(&data.split, Part::Train)?;
        let mut cursor = order.start;
        let mut shuffle = shuffled(&indices, order.seed, cursor.epoch);
        let mut make = move || {
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
            let mirrored = if data.mirror {
                let numbers = [cursor.epoch, cursor.taken];
                let mut chance = generator(Purpose::Mirror, order.seed, numbers, &[]);
                wanted.iter().map(|_| chance.random()).collect()
            } else {
                Vec::new()
            };
            let batch = data.batch(order.view, &wanted, &mirrored, order.threads);
            (batch, cursor)
        };
        let (sender, receiver) = sync_channel(AHEAD);
        // It ends when the receiver is dropped.
        thread::spawn(move || while sender.send(make()).is_ok() {});
        Ok(receiver)
    }

    /// A batch, made by several threads; it does not depend on how many. Where nothing
    /// is said of mirrors, positions are as they are.
    fn batch(&self, view: View, indices: &[u32], mirrored: &[bool], threads: usize) -> Batch {
        let make = |from: usize, indices: &[u32]| {
            let all: Vec<_> = indices.iter().map(|&at| self.scores.get(at)).collect();
            let turned = |at: usize| mirrored.get(from + at).copied().unwrap_or(false);
            let unit = |position: &Position, centipawns: f32| {
                let turned = !view.is_whites() && position.turn() == Color::Black;
                let pawns = f64::from(if turned { -centipawns } else { centipawns }) / 100.0;
                ((pawns - self.pawns.offset) / self.pawns.scale) as f32
            };
            let all = all.iter().enumerate();
            let scores = all.map(|(at, (it, score))| (it, unit(it, *score), turned(at)));
            Batch::of_scores(view, scores)
        };
        let each = indices.len().div_ceil(threads.max(1)).max(64);
        if each >= indices.len() {
            return make(0, indices);
        }
        thread::scope(|scope| {
            let parts: Vec<_> = indices
                .chunks(each)
                .enumerate()
                .map(|(at, chunk)| scope.spawn(move || make(at * each, chunk)))
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
