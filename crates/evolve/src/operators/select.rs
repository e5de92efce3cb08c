//! Who becomes a parent.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::settings::{SettingsError, out_of_range, within};

/// What counts as a score when a trial gave none: below everything, yet a
/// number that can be written down.
pub(crate) const WORST: f64 = f64::MIN;

/// How parents are chosen from a generation that was judged.
///
/// Scores: larger is better. A trial that measures an error reports it
/// negated; what its author calls roulette on inverted fitness is then
/// [`RouletteShifted`](Self::RouletteShifted).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Selection {
    /// Each with a chance proportional to its score. Needs scores from 0: a
    /// negative one counts as 0, and if nobody has more than 0 all are alike.
    ///
    /// # Source
    ///
    /// Holland, *Adaptation in Natural and Artificial Systems*, 1975; so in
    /// Klevansky, Ostroff and Offen, "Determining the Optimal Tradeoff for
    /// building Chess Playing Agents: Genetically Tuned vs. Neural Features",
    /// Technion, 2023.
    ///
    /// # Where this differs
    ///
    /// Nowhere for scores from 0.
    Roulette,

    /// Each with a chance proportional to its score less the lowest of the
    /// generation, plus 1. For scores that can be negative; for errors told as
    /// negative scores it is the largest error + 1 − the own error.
    ///
    /// # Source
    ///
    /// Harris, "Applications of Genetic Algorithms to Chess", Bard College, 2024,
    /// §3.1.2 and the program that goes with it: proportional selection on the
    /// largest error + 1 − the own; its search tuning shifts negative net scores
    /// by the minimum.
    ///
    /// # Where this differs
    ///
    /// Nowhere for errors. Net scores are shifted there without the 1, which gives
    /// the worst no chance; here it keeps the share of one unit in both cases.
    RouletteShifted,

    /// Each with a chance proportional to the square of its score. Needs scores
    /// from 0, as [`Roulette`](Self::Roulette).
    ///
    /// # Source
    ///
    /// David, van den Herik, Koppel and Netanyahu, "Genetic Algorithms for
    /// Evolving Computer Chess Programs", *IEEE Transactions on Evolutionary
    /// Computation* 18(5), 2014: the fitness is the square of a count.
    ///
    /// # Where this differs
    ///
    /// There the square is the fitness itself. Here the score stays the count,
    /// so that plots show what people can count, and the wheel squares it.
    RouletteSquared,

    /// The best of `size` members drawn with equal chance, with replacement;
    /// of equals the first drawn.
    ///
    /// # Source
    ///
    /// Goldberg and Deb, "A Comparative Analysis of Selection Schemes Used in
    /// Genetic Algorithms", *Foundations of Genetic Algorithms* 1, 1991.
    ///
    /// # Where this differs
    ///
    /// Nowhere.
    Tournament { size: usize },

    /// By rank alone: the best is chosen `pressure` times as often as the mean
    /// member, the worst 2 − `pressure` times, those between on a line. Of equals
    /// the earlier ranks higher.
    ///
    /// # Source
    ///
    /// Baker, "Adaptive Selection Methods for Genetic Algorithms", *Proceedings
    /// of the First International Conference on Genetic Algorithms*, 1985.
    ///
    /// # Where this differs
    ///
    /// Nowhere.
    Rank {
        /// From 1 (all alike) to 2.
        pressure: f64,
    },

    /// The best `share` of the generation, all with equal chance.
    ///
    /// # Source
    ///
    /// Mühlenbein and Schlierkamp-Voosen, "Predictive Models for the Breeder
    /// Genetic Algorithm", *Evolutionary Computation* 1(1), 1993.
    ///
    /// # Where this differs
    ///
    /// The number of parents is rounded up, so that there is always one.
    Truncation {
        /// Above 0, at most 1.
        share: f64,
    },
}

impl Selection {
    /// Whether the numbers make sense.
    ///
    /// # Errors
    ///
    /// [`SettingsError::Range`].
    pub fn check(&self) -> Result<(), SettingsError> {
        match *self {
            Self::Roulette | Self::RouletteShifted | Self::RouletteSquared => Ok(()),
            Self::Tournament { size } => within("selection.tournament.size", &size, 1..=1_000_000),
            Self::Rank { pressure } => within("selection.rank.pressure", &pressure, 1.0..=2.0),
            Self::Truncation { share } if share > 0.0 && share <= 1.0 => Ok(()),
            Self::Truncation { share } => Err(out_of_range(
                "selection.truncation.share",
                &share,
                "above 0 and at most 1",
            )),
        }
    }

    /// Whether the selection makes sense only for scores from 0, so that a
    /// trial of errors cannot be used with it.
    pub fn needs_scores_from_zero(&self) -> bool {
        matches!(self, Self::Roulette | Self::RouletteSquared)
    }

    /// Prepares the choice among members with these scores.
    pub fn chooser(&self, scores: &[f64]) -> Chooser {
        let known = |score: f64| score > WORST && score.is_finite();
        let weighted = |weight: &dyn Fn(f64) -> f64| {
            let weights = scores
                .iter()
                .map(|&score| if known(score) { weight(score) } else { 0.0 });
            Chooser::proportional(weights)
        };
        match *self {
            Self::Roulette => weighted(&|score| score.max(0.0)),
            Self::RouletteSquared => weighted(&|score| score.max(0.0) * score.max(0.0)),
            Self::RouletteShifted => {
                let known = scores.iter().copied().filter(|&score| known(score));
                let lowest = known.fold(f64::MAX, f64::min);
                weighted(&|score| score - lowest + 1.0)
            }
            Self::Tournament { size } => Chooser(Way::Tournament {
                scores: scores.to_vec(),
                size,
            }),
            Self::Rank { pressure } => {
                let last = scores.len().saturating_sub(1).max(1) as f64;
                let mut weights = vec![0.0; scores.len()];
                for (rank, member) in ranking(scores).into_iter().enumerate() {
                    weights[member] = pressure - 2.0 * (pressure - 1.0) * rank as f64 / last;
                }
                Chooser::proportional(weights.into_iter())
            }
            Self::Truncation { share } => {
                let mut best = ranking(scores);
                let count = (share * scores.len() as f64).ceil() as usize;
                best.truncate(count.max(1));
                Chooser(Way::Even { among: best })
            }
        }
    }
}

/// The places of members from the best score to the worst; of equals the
/// earlier first.
pub(crate) fn ranking(scores: &[f64]) -> Vec<usize> {
    let mut pairs: Vec<(f64, usize)> = scores.iter().copied().zip(0..).collect();
    pairs.sort_unstable_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    pairs.into_iter().map(|(_, place)| place).collect()
}

#[derive(Clone, Debug)]
pub struct Chooser(Way);

#[derive(Clone, Debug)]
enum Way {
    Wheel { sums: Vec<f64> },
    Even { among: Vec<usize> },
    Tournament { scores: Vec<f64>, size: usize },
}

impl Chooser {
    /// A wheel with a share for each weight; even shares if the weights add up
    /// to nothing or to more than a number holds.
    fn proportional(weights: impl ExactSizeIterator<Item = f64>) -> Self {
        let count = weights.len();
        let mut sum = 0.0;
        let sums: Vec<f64> = weights
            .map(|weight| {
                sum += weight;
                sum
            })
            .collect();
        if sum.is_finite() && sum > 0.0 {
            Self(Way::Wheel { sums })
        } else {
            let among = (0..count).collect();
            Self(Way::Even { among })
        }
    }

    /// The place of a parent; 0 if there was nobody to choose from.
    pub fn choose(&self, rng: &mut ChaCha8Rng) -> usize {
        match &self.0 {
            Way::Wheel { sums } => {
                let total = sums.last().copied().unwrap_or(0.0);
                let point = rng.random::<f64>() * total;
                // The first whose sum lies above the point: members without
                // weight are never met. Rounding may reach the total itself.
                let place = sums.partition_point(|&sum| sum <= point);
                place.min(sums.partition_point(|&sum| sum < total))
            }
            Way::Even { among } => match among.len() {
                0 => 0,
                count => among[rng.random_range(0..count)],
            },
            Way::Tournament { scores, size } => {
                if scores.is_empty() {
                    return 0;
                }
                let mut best = rng.random_range(0..scores.len());
                for _ in 1..*size {
                    let other = rng.random_range(0..scores.len());
                    if scores[other] > scores[best] {
                        best = other;
                    }
                }
                best
            }
        }
    }
}
