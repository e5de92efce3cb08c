//! What is kept of what is found.

use std::collections::HashSet;

use mendel_engine::Player;
use mendel_evaluator::AnyEvaluator;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::ImportSettings;
use crate::{Collector, DataSetHeader, Sample, is_quiet};

pub(super) struct SampleCollector<'a> {
    setting: &'a ImportSettings,
    collector: Collector,
    /// Judges what is quiet, if that is asked.
    judge: Option<AnyEvaluator>,
    seen: HashSet<u64>,
    found: u64,
    unlabelled: u64,
    /// The sample so far, with the place of each in the file.
    reservoir: Vec<(u64, Sample)>,
    chance: ChaCha8Rng,
}

impl<'a> SampleCollector<'a> {
    pub(super) fn new(setting: &'a ImportSettings, header: DataSetHeader) -> Self {
        let judge = setting.only_quiet.then(|| {
            let player = Player::find(Player::DEFAULT).expect("the default player is built in");
            player.evaluator
        });
        Self {
            setting,
            collector: Collector::new(header),
            judge,
            seen: HashSet::new(),
            found: 0,
            unlabelled: 0,
            reservoir: Vec::new(),
            chance: ChaCha8Rng::seed_from_u64(setting.seed),
        }
    }

    /// Whether a position is wanted at all, whatever is said about it.
    pub(super) fn wants(&self, position: &mendel_board::Position) -> bool {
        let judge = self.judge.as_ref();
        judge.is_none_or(|evaluator| is_quiet(evaluator, position))
    }

    pub(super) fn take(&mut self, sample: Sample) {
        if self.setting.distinct && !self.seen.insert(sample.position.key()) {
            return;
        }
        let place = self.found;
        self.found += 1;
        let Some(wanted) = self.setting.sample else {
            self.keep(&sample);
            return;
        };
        // Each of those found so far is in the reservoir with the same chance.
        if place < wanted {
            self.reservoir.push((place, sample));
        } else {
            let drawn = self.chance.random_range(0..=place);
            if drawn < wanted {
                self.reservoir[drawn as usize] = (place, sample);
            }
        }
    }

    fn keep(&mut self, sample: &Sample) {
        let is_bare = sample.score.is_none() && sample.best.is_none() && sample.result.is_none();
        self.unlabelled += u64::from(is_bare);
        self.collector.add(sample);
    }

    /// Whether nothing more is wanted.
    pub(super) fn is_full(&self) -> bool {
        self.setting.limit.is_some_and(|limit| self.found >= limit)
    }

    /// How many wanted positions there were so far.
    pub(super) fn found(&self) -> u64 {
        self.found
    }

    /// The set, in the order of the file, and how many have no label.
    pub(super) fn finish(mut self) -> (Collector, u64) {
        let mut reservoir = std::mem::take(&mut self.reservoir);
        reservoir.sort_by_key(|(place, _)| *place);
        for (_, sample) in &reservoir {
            self.keep(sample);
        }
        (self.collector, self.unlabelled)
    }
}
