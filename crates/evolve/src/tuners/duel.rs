//! What a tuner asks for, and what it is told.

use serde::{Deserialize, Serialize};

use super::knob::Setting;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Duel {
    pub first: Setting,
    pub second: Setting,
    /// How many pairs of games they play; in each both have both sides once.
    pub pairs: u32,
}

/// Pairs of games by the points that the first of two made in them: 0, ½, 1, 1½, 2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Pairs(pub [u64; 5]);

impl Pairs {
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    pub fn count(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The share of the points that the first made, from 0 to 1, if anything was
    /// played.
    pub fn score(&self) -> Option<f64> {
        let pairs = self.count();
        (pairs > 0).then(|| self.points() / (2 * pairs) as f64)
    }

    pub fn points(&self) -> f64 {
        let halves = self.0.iter().zip(0..).map(|(count, halves)| count * halves);
        halves.sum::<u64>() as f64 / 2.0
    }

    /// Games won more than lost.
    pub fn ahead(&self) -> f64 {
        2.0 * (self.points() - self.count() as f64)
    }

    /// Both together.
    #[must_use]
    pub fn with(&self, other: &Self) -> Self {
        let mut sum = *self;
        for (count, more) in sum.0.iter_mut().zip(other.0) {
            *count += more;
        }
        sum
    }

    #[must_use]
    pub fn reversed(&self) -> Self {
        let mut counts = self.0;
        counts.reverse();
        Self(counts)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It was played; perhaps with fewer pairs than were asked for.
    Played(Pairs),
    /// A program cannot work with a setting: it refused a value, crashed or hung.
    Infeasible {
        first: bool,
        second: bool,
        /// Pairs of the same duel in which nobody failed: they are games as good as
        /// others.
        #[serde(default, skip_serializing_if = "Pairs::is_empty")]
        clean: Pairs,
    },
}

impl Outcome {
    /// The pairs that were played to their end. A crash is none of them.
    pub fn pairs(&self) -> Pairs {
        match *self {
            Self::Played(pairs) | Self::Infeasible { clean: pairs, .. } => pairs,
        }
    }

    pub fn failed(&self) -> [bool; 2] {
        match *self {
            Self::Played(_) => [false; 2],
            Self::Infeasible { first, second, .. } => [first, second],
        }
    }

    /// How a population orders its members: by their points, and who cannot work is
    /// passed over. That is selection and no measured score: nothing but the order may
    /// be taken from it. Where nothing was played nobody is ahead.
    pub(super) fn standing(&self) -> f64 {
        match self.failed() {
            [false, false] => self.pairs().score().unwrap_or(0.5),
            [first, _] => f64::from(!first),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fought {
    pub duel: Duel,
    pub outcome: Outcome,
}

impl Fought {
    /// The pairs that were played.
    pub fn pairs(&self) -> u64 {
        self.outcome.pairs().count()
    }
}
