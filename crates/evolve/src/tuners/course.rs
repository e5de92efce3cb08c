//! What every tuner goes by: the knobs, the budget and everything told so far.

use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::duel::{Duel, Fought, Outcome};
use super::knob::{Knob, KnobKind, Setting, Space};
use crate::seed::{Purpose, generator};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Course {
    pub(super) space: Space,
    pub(super) seed: u64,
    /// How many pairs may be played in all.
    pub(super) budget: u64,
    /// How many pairs a round should have at least, so that nobody waits.
    pub(super) batch: u32,
    pub(super) round: u32,
    /// Pairs asked for in the rounds that were told.
    pub(super) spent: u64,
    pub(super) record: Vec<Fought>,
}

impl Course {
    /// Pairs that may still be asked for.
    pub(super) fn left(&self) -> u64 {
        self.budget.saturating_sub(self.spent)
    }

    /// All chance of one part of the round that comes.
    pub(super) fn chance(&self, part: usize) -> ChaCha8Rng {
        generator(self.seed, self.round, part as u32, Purpose::Breed)
    }

    /// Only as many duels, and pairs in the last of them, as the budget allows.
    pub(super) fn trim(&self, duels: Vec<Duel>) -> Vec<Duel> {
        let mut left = self.left();
        let mut kept = Vec::with_capacity(duels.len());
        for mut duel in duels {
            duel.pairs = u64::from(duel.pairs).min(left) as u32;
            if duel.pairs == 0 {
                break;
            }
            left -= u64::from(duel.pairs);
            kept.push(duel);
        }
        kept
    }

    /// Whether a setting may be proposed: it was not found to be infeasible, and does
    /// not lie nearer to one that was than to one that works.
    pub(super) fn works(&self, setting: &Setting) -> bool {
        let mut worst = f64::INFINITY;
        let mut best = self.apart(setting, &self.space.start());
        let mut refused = false;
        for fought in &self.record {
            let bad = fought.outcome.failed();
            for (met, bad) in [&fought.duel.first, &fought.duel.second]
                .into_iter()
                .zip(bad)
            {
                let apart = self.apart(setting, met);
                if bad {
                    refused = true;
                    worst = worst.min(apart);
                } else if matches!(fought.outcome, Outcome::Played(_)) {
                    best = best.min(apart);
                }
            }
        }
        !refused || best <= worst && worst > 0.0
    }

    /// The setting, or else the nearest on the way to the start that may be proposed.
    pub(super) fn workable(&self, setting: Setting) -> Setting {
        const STEPS: u32 = 32;
        // Almost always nothing was refused, and nothing is to be looked at.
        let clean = |it: &Fought| matches!(it.outcome, Outcome::Played(_));
        if self.record.iter().all(clean) || self.works(&setting) {
            return setting;
        }
        let start = self.space.start();
        let on_the_way = (1..STEPS).map(|step| {
            let share = f64::from(step) / f64::from(STEPS);
            let knobs = self.space.knobs().iter();
            let values = knobs.zip(setting.0.iter().zip(&start.0));
            let values = values.map(|(knob, (from, to))| match knob.kind {
                KnobKind::Choice if share < 0.5 => *from,
                KnobKind::Choice => *to,
                KnobKind::Integer | KnobKind::Real => knob.hold(from + share * (to - from)),
            });
            Setting(values.collect())
        });
        on_the_way
            .into_iter()
            .find(|it| self.works(it))
            .unwrap_or(start)
    }

    /// How far apart two settings are, each knob by its own width.
    fn apart(&self, one: &Setting, other: &Setting) -> f64 {
        let values = one.0.iter().zip(&other.0);
        let knobs = self.space.knobs().iter().zip(values);
        knobs
            .filter(|(knob, _)| knob.moves())
            .map(|(knob, (one, other))| share(knob, *one, *other))
            .sum()
    }
}

/// The squared distance of two values of a knob, as a share of its width.
fn share(knob: &Knob, one: f64, other: f64) -> f64 {
    if knob.kind == KnobKind::Choice {
        // Choices are whole numbers.
        return if (one - other).abs() < 0.5 { 0.0 } else { 1.0 };
    }
    let share = (one - other) / (knob.high - knob.low);
    share * share
}
