//! Distance to an expert's score, or to the game's result.

use std::sync::Arc;

use mendel_board::Position;
use mendel_crew::parallel;
use mendel_data::MATE;
use mendel_evaluator::{AnyEvaluator, Classic, Evaluator};
use serde::{Deserialize, Serialize};

use super::sample::{Drawn, Sampling};
use super::{
    Draw, FitnessTrial, JudgingContext, MemberWeights, PositionTrial, ScoreScale, TrialError,
};
use crate::matrix::{Batch, Rows, RowsError, Scored, Slopes};

/// A forced mate counts as so many centipawns unless `clip` says less: it is no
/// measure of how far two judgements lie apart.
const DECIDED: i32 = 2500;

/// A position and what is known about it, for the side to move.
#[derive(Clone, Copy, Debug)]
pub struct Labelled<'a> {
    pub position: &'a Position,
    /// The expert's score in centipawns.
    pub score: Option<i32>,
    /// What the game brought: 1 for a win, ½ for a draw, 0 for a loss.
    pub result: Option<f64>,
}

/// What the members are to come near to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Target {
    #[default]
    Score,
    Result,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Distance {
    #[default]
    Absolute,
    /// Centipawns, squared.
    Squared,
    /// The difference of expected results, squared: scores go through a sigmoid
    /// first, so that an error counts less where the game is decided.
    Sigmoid,
}

/// How [`ExpertDistance`] judges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct DistanceSettings {
    /// What the members are to come near to.
    pub target: Target,
    pub distance: Distance,
    /// The steepness of the sigmoid: a score of s centipawns is an expected result
    /// of 1 / (1 + 10^(−k·s/400)).
    pub k: f64,
    /// Expert's scores beyond this many centipawns count as this many; without it
    /// only mates are cut, to 2500.
    pub clip: Option<u16>,
    /// How many positions a member is judged by; all if not given.
    pub sample: Option<usize>,
    pub draw: Draw,
}

impl Default for DistanceSettings {
    fn default() -> Self {
        Self {
            target: Target::Score,
            distance: Distance::Absolute,
            k: 1.0,
            clip: None,
            sample: None,
            draw: Draw::Generation,
        }
    }
}

/// How far a member's scores lie from an expert's, on the average of a sample of
/// positions.
///
/// # Source
///
/// E. M. Harris, "Applications of Genetic Algorithms to Chess", Bard College, 2024,
/// section 3.2: the mean difference in centipawns from a classical engine's static
/// evaluation. The distance to the game's result through a sigmoid is P. Österlund's,
/// "Texel's tuning method", 2014.
///
/// # Where this differs
///
/// The thesis's text draws positions for each member, its program once for each
/// generation, as is the default here; see [`Draw`].
#[derive(Debug)]
pub struct ExpertDistance {
    measured: Measured,
    sampling: Sampling,
    targets: Targets,
    scorer: Scorer,
}

/// How positions get their scores.
#[derive(Debug)]
enum Scorer {
    /// By a weighted sum.
    Rows {
        rows: Arc<Rows>,
        /// All rows, ready to be judged.
        all: Box<Batch>,
    },
    /// By running the evaluator, which is a network.
    Network {
        evaluator: Box<AnyEvaluator>,
        positions: Vec<Position>,
    },
}

#[derive(Debug)]
struct Measured {
    settings: DistanceSettings,
    /// The expected result of each score, from the lowest to the highest; empty
    /// where it is not needed.
    expected: Vec<f64>,
}

/// What the members are to come near to, row by row.
#[derive(Clone, Debug)]
enum Targets {
    Centipawns(Vec<i32>),
    Results(Vec<f64>),
}

const LIMIT: i32 = <Classic as Evaluator>::LIMIT.0;

impl ExpertDistance {
    /// Looks at every position once.
    ///
    /// # Errors
    ///
    /// If the evaluator has no weights, a position lacks its label, or a setting
    /// makes no sense.
    pub fn new<'a>(
        evaluator: &AnyEvaluator,
        positions: impl IntoIterator<Item = Labelled<'a>>,
        settings: DistanceSettings,
        threads: usize,
    ) -> Result<Self, TrialError> {
        settings.check()?;
        let labelled: Vec<Labelled> = positions.into_iter().collect();
        let sampling = Sampling::new(labelled.len(), settings.sample, settings.draw)?;
        let targets = Targets::new(&labelled, &settings)?;
        let scorer = if matches!(evaluator, AnyEvaluator::Graph(_) | AnyEvaluator::Mlp(_)) {
            Scorer::Network {
                evaluator: Box::new(evaluator.clone()),
                positions: labelled.iter().map(|it| it.position.clone()).collect(),
            }
        } else {
            let rows = Rows::counted(evaluator, &labelled, threads, |labelled, count| {
                count(labelled.position, false);
            })?;
            let rows = Arc::new(rows);
            let all = Box::new(rows.all());
            Scorer::Rows { rows, all }
        };
        Ok(Self {
            measured: Measured::new(settings),
            sampling,
            targets,
            scorer,
        })
    }

    /// The mean from a sum of distances: an error, so less is better.
    fn score(&self, sum: f64) -> f64 {
        -sum / self.sampling.size() as f64
    }

    /// The summed distances of members that are weighted sums.
    fn row_sums(
        &self,
        (rows, all): (&Arc<Rows>, &Batch),
        members: &[MemberWeights],
        drawn: &Drawn,
        threads: usize,
    ) -> Result<Vec<f64>, RowsError> {
        match drawn {
            Drawn::All => all.sums(members, threads, |scored| {
                self.measured
                    .sum(&self.targets, scored.first, scored.scores)
            }),
            Drawn::Shared(drawn) => {
                let targets = self.targets.select(drawn);
                let batch = rows.select(drawn)?;
                batch.sums(members, threads, |scored| {
                    self.measured.sum(&targets, scored.first, scored.scores)
                })
            }
            // All rows are multiplied, which is quicker than gathering some for
            // each member, and those drawn are added up.
            Drawn::Own(drawn) => all.sums(members, threads, |scored| {
                let Scored { first, scores, .. } = scored;
                let own = &drawn[scored.member];
                let from = own.partition_point(|&index| index < first);
                let here = own[from..].iter().map_while(|&index| {
                    let score = *scores.get(index - first)?;
                    Some(self.measured.one(&self.targets, index, score))
                });
                here.sum()
            }),
        }
    }

    /// The distances of a member that is a network at these positions.
    fn network_distances<'a>(
        &'a self,
        member: &'a AnyEvaluator,
        positions: &'a [Position],
        indices: impl Iterator<Item = usize> + 'a,
    ) -> impl Iterator<Item = f64> + 'a {
        let mut judge = member.judge();
        indices.map(move |index| {
            let score = judge.evaluate(&positions[index]).0;
            self.measured.one(&self.targets, index, score)
        })
    }
}

impl Measured {
    fn new(settings: DistanceSettings) -> Self {
        let expected = match settings.distance {
            Distance::Sigmoid => (-LIMIT..=LIMIT)
                .map(|score| sigmoid(settings.k, f64::from(score)))
                .collect(),
            Distance::Absolute | Distance::Squared => Vec::new(),
        };
        Self { settings, expected }
    }

    /// The distances of adjoining rows, added.
    fn sum(&self, targets: &Targets, first: usize, scores: &[i32]) -> f64 {
        match targets {
            Targets::Centipawns(targets) => {
                let errors = scores.iter().zip(&targets[first..]);
                let errors = errors.map(|(score, target)| score.abs_diff(*target));
                match self.settings.distance {
                    // A piece's few hundred errors, each below 2¹⁶, fit 32 bits.
                    Distance::Absolute => f64::from(errors.sum::<u32>()),
                    _ => errors.map(|error| u64::from(error).pow(2)).sum::<u64>() as f64,
                }
            }
            Targets::Results(targets) => {
                // Eight sums, because each addition waits for the one before.
                let mut sums = [0.0; 8];
                for (scores, targets) in scores.chunks(8).zip(targets[first..].chunks(8)) {
                    for ((sum, &score), target) in sums.iter_mut().zip(scores).zip(targets) {
                        let error = self.expected[(score + LIMIT) as usize] - target;
                        *sum += error * error;
                    }
                }
                sums.iter().sum()
            }
        }
    }

    fn one(&self, targets: &Targets, index: usize, score: i32) -> f64 {
        match targets {
            Targets::Centipawns(targets) => {
                let error = f64::from(score.abs_diff(targets[index]));
                match self.settings.distance {
                    Distance::Squared => error * error,
                    _ => error,
                }
            }
            Targets::Results(targets) => {
                let error = self.expected[(score + LIMIT) as usize] - targets[index];
                error * error
            }
        }
    }

    /// The same for a score between whole centipawns, and how it changes with it.
    fn sloped(&self, targets: &Targets, index: usize, score: f64) -> (f64, f64) {
        match targets {
            Targets::Centipawns(targets) => {
                let error = score - f64::from(targets[index]);
                match self.settings.distance {
                    Distance::Squared => (error * error, 2.0 * error),
                    _ if error == 0.0 => (0.0, 0.0),
                    _ => (error.abs(), error.signum()),
                }
            }
            Targets::Results(targets) => {
                let expected = sigmoid(self.settings.k, score);
                let error = expected - targets[index];
                let slope = expected * (1.0 - expected) * steepness(self.settings.k);
                (error * error, 2.0 * error * slope)
            }
        }
    }
}

impl FitnessTrial for ExpertDistance {
    fn judge(
        &mut self,
        members: &[MemberWeights],
        context: &mut JudgingContext,
    ) -> Result<Vec<f64>, TrialError> {
        let drawn = self.sampling.draw(context.seed, members.len());
        let sums: Vec<f64> = match &self.scorer {
            Scorer::Rows { rows, all } => {
                self.row_sums((rows, all), members, &drawn, context.threads)?
            }
            Scorer::Network {
                evaluator,
                positions,
            } => {
                // Each member's sum is added in order, so that none depends on the threads.
                let sums = parallel(context.threads, members.len(), |at| {
                    let member = evaluator.with_weights(&members[at])?;
                    let sum_at = |indices: &mut dyn Iterator<Item = usize>| -> f64 {
                        self.network_distances(&member, positions, indices).sum()
                    };
                    Ok(match &drawn {
                        Drawn::All => sum_at(&mut (0..positions.len())),
                        Drawn::Shared(drawn) => sum_at(&mut drawn.iter().copied()),
                        Drawn::Own(drawn) => sum_at(&mut drawn[at].iter().copied()),
                    })
                });
                sums.into_iter().collect::<Result<_, TrialError>>()?
            }
        };
        Ok(sums.into_iter().map(|sum| self.score(sum)).collect())
    }

    fn scale(&self) -> ScoreScale {
        ScoreScale {
            unit: match self.measured.settings.distance {
                Distance::Absolute => "centipawns of mean error",
                Distance::Squared => "squared centipawns of mean error",
                Distance::Sigmoid => "mean squared error of the expected result",
            },
            smaller_is_better: true,
        }
    }

    fn report(&self, score: f64) -> f64 {
        -score
    }

    fn judgements_per_member(&self) -> u64 {
        self.sampling.size() as u64
    }
}

impl PositionTrial for ExpertDistance {
    fn pairs(
        &self,
        first: &[i32],
        second: &[i32],
        threads: usize,
    ) -> Result<Vec<(f64, f64)>, TrialError> {
        let members = [first, second];
        match &self.scorer {
            Scorer::Rows { all, .. } => {
                let scores = all.scores(&members, threads)?;
                let error = |index: usize, member: usize| {
                    let score = scores[member][index];
                    self.measured.one(&self.targets, index, score)
                };
                let errors = (0..all.len()).map(|index| (error(index, 0), error(index, 1)));
                Ok(errors.collect())
            }
            Scorer::Network {
                evaluator,
                positions,
            } => {
                let each = parallel(threads, 2, |at| {
                    let member = evaluator.with_weights(members[at])?;
                    let all = 0..positions.len();
                    Ok(self.network_distances(&member, positions, all).collect())
                });
                let each: Vec<Vec<f64>> = each.into_iter().collect::<Result<_, TrialError>>()?;
                let [first, second] = [0, 1].map(|at| each[at].iter().copied());
                Ok(first.zip(second).collect())
            }
        }
    }

    fn gradients(
        &mut self,
        members: &[Vec<f64>],
        seed: u64,
        threads: usize,
    ) -> Result<Option<Vec<Slopes>>, TrialError> {
        let Scorer::Rows { rows, all } = &self.scorer else {
            return Ok(None);
        };
        let drawn = self.sampling.draw(seed, members.len());
        let mut found = Vec::with_capacity(members.len());
        for (member, weights) in members.iter().enumerate() {
            let sloped = |targets: &Targets, batch: &Batch| {
                batch.slopes(weights, threads, |index, score| {
                    self.measured.sloped(targets, index, score)
                })
            };
            let of_some =
                |drawn: &[usize]| sloped(&self.targets.select(drawn), &rows.select(drawn)?);
            let Slopes { sum, slopes } = match &drawn {
                Drawn::All => sloped(&self.targets, all)?,
                Drawn::Shared(drawn) => of_some(drawn)?,
                Drawn::Own(drawn) => of_some(&drawn[member])?,
            };
            found.push(Slopes {
                sum: self.score(sum),
                slopes: slopes.into_iter().map(|slope| self.score(slope)).collect(),
            });
        }
        Ok(Some(found))
    }
}

impl Targets {
    fn new(labelled: &[Labelled<'_>], settings: &DistanceSettings) -> Result<Self, TrialError> {
        let missing = |index, what| TrialError::NoLabel { index, what };
        let score = |(index, labelled): (usize, &Labelled<'_>)| {
            let score = labelled.score.ok_or(missing(index, "score"))?;
            let most = if score.abs() >= i32::from(MATE) {
                DECIDED
            } else {
                i32::from(i16::MAX)
            };
            let clip = settings.clip.map_or(most, i32::from);
            Ok(score.clamp(-clip, clip))
        };
        let result = |(index, labelled): (usize, &Labelled<'_>)| {
            labelled.result.ok_or(missing(index, "result of its game"))
        };
        let all = labelled.iter().enumerate();
        Ok(match (settings.target, settings.distance) {
            (Target::Result, _) => Self::Results(all.map(result).collect::<Result<_, _>>()?),
            (Target::Score, Distance::Sigmoid) => {
                let expected = |score: i32| sigmoid(settings.k, f64::from(score));
                let results = all.map(|one| score(one).map(expected));
                Self::Results(results.collect::<Result<_, TrialError>>()?)
            }
            (Target::Score, _) => {
                Self::Centipawns(all.map(score).collect::<Result<_, TrialError>>()?)
            }
        })
    }

    fn select(&self, indices: &[usize]) -> Self {
        match self {
            Self::Centipawns(all) => Self::Centipawns(pick(all, indices)),
            Self::Results(all) => Self::Results(pick(all, indices)),
        }
    }
}

fn pick<T: Copy>(all: &[T], indices: &[usize]) -> Vec<T> {
    indices.iter().map(|&index| all[index]).collect()
}

impl DistanceSettings {
    /// Whether the settings make sense.
    ///
    /// # Errors
    ///
    /// [`TrialError::Setting`] names the key and what would be right.
    pub fn check(&self) -> Result<(), TrialError> {
        let refuse = |key, reason| Err(TrialError::Setting { key, reason });
        if self.target == Target::Result && self.distance != Distance::Sigmoid {
            return refuse(
                "distance",
                "must be \"sigmoid\" where the target is the game's result, which is no centipawns",
            );
        }
        if !(self.k.is_finite() && self.k > 0.0) {
            return refuse("k", "must be a number above 0, such as 1.0");
        }
        if self.sample == Some(0) {
            return refuse("sample", "is 0; leave it out to judge by all positions");
        }
        if self.clip == Some(0) {
            return refuse("clip", "is 0, and all scores would be alike; try 2000");
        }
        Ok(())
    }
}

/// What a score is worth as a result.
fn sigmoid(k: f64, score: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-steepness(k) * score))
}

/// How much steeper than the natural one the sigmoid is.
fn steepness(k: f64) -> f64 {
    k * std::f64::consts::LN_10 / 400.0
}
