//! A cloud of points that learns its shape from who of them did well.

use serde::{Deserialize, Serialize};

use super::algebra::{Factor, Square};
use super::course::Course;
use super::duel::{Duel, Fought};
use super::knob::{Axis, Setting};
use super::method::Method;
use crate::operators::{normal, ranking};
use crate::settings::{SettingsError, positive, within};

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct CmaEsPlan {
    /// How wide the cloud is at first: the standard deviation of a knob as a share of
    /// its range.
    pub sigma: f64,
    /// How many points a generation has, as a multiple of the usual number, which grows
    /// with the logarithm of the number of knobs.
    pub larger: f64,
}

impl Default for CmaEsPlan {
    fn default() -> Self {
        Self {
            sigma: 0.3,
            larger: 6.0,
        }
    }
}

/// The agreement of two judgements of a generation below which more games are played,
/// and that above which fewer are.
const AGREEMENT: [f64; 2] = [0.1, 0.5];

const MORE: f64 = 1.25;

/// There are at least so many generations in what is left of the budget.
const LEAST_GENERATIONS: f64 = 12.0;

/// Covariance matrix adaptation. Every point meets the middle of the cloud; the middle
/// is what is proposed.
///
/// # Source
///
/// Hansen, "The CMA Evolution Strategy: A Tutorial", arXiv:1604.00772, with its usual
/// constants. That points are judged twice, and that more is played where the two
/// judgements order them differently, is the handling of noise of Hansen, Niederberger,
/// Guzzella and Koumoutsakos, "A Method for Handling Uncertainty in Evolutionary
/// Optimization with an Application to Feedback Control of Combustion", *IEEE
/// Transactions on Evolutionary Computation* 13(1), 2009.
///
/// # Where this differs
///
/// All points are judged twice, not some of them, and the measure is the correlation
/// of the two orders; the cloud is not made wider. The square root of the covariance is
/// its Cholesky factor. Points beyond the bounds are played at the bounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct CmaEs {
    plan: CmaEsPlan,
    /// The middle, each axis as a share of its range.
    mean: Vec<f64>,
    sigma: f64,
    covariance: Square,
    path: Vec<f64>,
    step_path: Vec<f64>,
    generation: u32,
    /// How many pairs each of the two judgements of a point has.
    pairs: f64,
}

/// The constants that follow from the number of axes.
struct Constants {
    points: usize,
    weights: Vec<f64>,
    effective: f64,
    step_share: f64,
    step_damping: f64,
    path_share: f64,
    rank_one: f64,
    rank_mu: f64,
    usual_length: f64,
}

impl CmaEs {
    pub(super) fn new(plan: CmaEsPlan, course: &Course) -> Result<Self, SettingsError> {
        positive("sigma", plan.sigma)?;
        within("larger", &plan.larger, 0.5..=100.0)?;
        let start = course.space.point(&course.space.start());
        let axes = course.space.axes();
        let mean: Vec<f64> = axes
            .iter()
            .zip(&start)
            .map(|(axis, at)| share(axis, *at))
            .collect();
        Ok(Self {
            plan,
            sigma: plan.sigma,
            covariance: Square::identity(axes.len()),
            path: vec![0.0; axes.len()],
            step_path: vec![0.0; axes.len()],
            generation: 0,
            pairs: 1.0,
            mean,
        })
    }

    fn constants(&self) -> Constants {
        let n = self.mean.len() as f64;
        let usual = 4.0 + libm::floor(3.0 * libm::log(n));
        let points = (self.plan.larger * usual).max(4.0) as usize;
        let parents = points / 2;
        let raw = |rank: usize| {
            libm::log(f64::midpoint(points as f64, 1.0)) - libm::log(rank as f64 + 1.0)
        };
        let raw: Vec<f64> = (0..parents).map(raw).collect();
        let sum: f64 = raw.iter().sum();
        let weights: Vec<f64> = raw.iter().map(|it| it / sum).collect();
        let effective = 1.0 / weights.iter().map(|it| it * it).sum::<f64>();
        let step_share = (effective + 2.0) / (n + effective + 5.0);
        let beyond = libm::sqrt((effective - 1.0) / (n + 1.0)) - 1.0;
        let rank_one = 2.0 / ((n + 1.3) * (n + 1.3) + effective);
        let rank_mu =
            2.0 * (effective - 2.0 + 1.0 / effective) / ((n + 2.0) * (n + 2.0) + effective);
        Constants {
            points,
            effective,
            step_share,
            step_damping: 1.0 + 2.0 * beyond.max(0.0) + step_share,
            path_share: (4.0 + effective / n) / (n + 4.0 + 2.0 * effective / n),
            rank_one,
            rank_mu: rank_mu.max(0.0).min(1.0 - rank_one),
            usual_length: libm::sqrt(n) * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n)),
            weights,
        }
    }

    fn factor(&self) -> Factor {
        let size = self.mean.len();
        let factor = self.covariance.clone().cholesky();
        // Only rounding could make it so; then it begins anew.
        let round = || {
            Square::identity(size)
                .cholesky()
                .expect("the identity is definite")
        };
        factor.unwrap_or_else(round)
    }

    fn deviates(&self, course: &Course, point: usize) -> Vec<f64> {
        let mut rng = course.chance(point);
        self.mean.iter().map(|_| normal(&mut rng)).collect()
    }

    /// The way of a point from the middle, in units of sigma.
    fn way(factor: &Factor, deviates: &[f64]) -> Vec<f64> {
        let part = |row: usize| super::algebra::dot(&factor.row(row)[..=row], &deviates[..=row]);
        (0..deviates.len()).map(part).collect()
    }

    fn setting(course: &Course, shares: &[f64]) -> Setting {
        let axes = course.space.axes();
        let point = axes.iter().zip(shares).map(|(axis, share)| {
            axis.bounds
                .hold(axis.bounds.low + share * axis.bounds.width())
        });
        course.space.setting(&point.collect::<Vec<_>>())
    }
}

fn share(axis: &Axis, at: f64) -> f64 {
    let width = axis.bounds.width();
    if width > 0.0 {
        (at - axis.bounds.low) / width
    } else {
        0.0
    }
}

impl Method for CmaEs {
    fn ask(&self, course: &Course) -> Vec<Duel> {
        let factor = self.factor();
        let constants = self.constants();
        // 1. Not so many games that too few generations would be left.
        let most = course.left() as f64 / (2.0 * constants.points as f64) / LEAST_GENERATIONS;
        let pairs = libm::round(self.pairs.min(most)).max(1.0) as u32;
        // 2. Every point meets the middle twice.
        let middle = Self::setting(course, &self.mean);
        let mut duels = Vec::with_capacity(2 * constants.points);
        for point in 0..constants.points {
            let way = Self::way(&factor, &self.deviates(course, point));
            let at = self
                .mean
                .iter()
                .zip(way)
                .map(|(mean, way)| mean + self.sigma * way);
            let duel = Duel {
                first: Self::setting(course, &at.collect::<Vec<_>>()),
                second: middle.clone(),
                pairs,
            };
            duels.extend([duel.clone(), duel]);
        }
        duels
    }

    fn tell(&mut self, course: &Course, fought: &[Fought]) {
        let constants = self.constants();
        if fought.len() < 2 * constants.points {
            return; // the budget ended within a generation
        }
        // 1. The order of the points, and how well both judgements agree on it.
        let scores = |half: usize| -> Vec<f64> {
            let own = fought.iter().skip(half).step_by(2);
            own.map(|it| it.outcome.standing()).collect()
        };
        let halves = [scores(0), scores(1)];
        let both: Vec<f64> = halves[0]
            .iter()
            .zip(&halves[1])
            .map(|(a, b)| a + b)
            .collect();
        let order = ranking(&both);
        let agreement = correlation(&halves[0], &halves[1]);
        if agreement < AGREEMENT[0] {
            self.pairs *= MORE;
        } else if agreement > AGREEMENT[1] {
            self.pairs = (self.pairs / MORE).max(1.0);
        }

        // 2. The middle goes to the mean of the better half.
        let factor = self.factor();
        let size = self.mean.len();
        let mut step = vec![0.0; size];
        let mut plain_step = vec![0.0; size];
        let mut ways = Vec::with_capacity(constants.weights.len());
        for (weight, point) in constants.weights.iter().zip(&order) {
            let deviates = self.deviates(course, *point);
            let way = Self::way(&factor, &deviates);
            for axis in 0..size {
                step[axis] += weight * way[axis];
                plain_step[axis] += weight * deviates[axis];
            }
            ways.push(way);
        }
        for (mean, step) in self.mean.iter_mut().zip(&step) {
            *mean = (*mean + self.sigma * step).clamp(0.0, 1.0);
        }

        // 3. The paths, the width and the shape.
        self.generation += 1;
        let Constants {
            effective,
            step_share,
            path_share,
            rank_one,
            rank_mu,
            ..
        } = constants;
        let fresh = libm::sqrt(step_share * (2.0 - step_share) * effective);
        for (path, step) in self.step_path.iter_mut().zip(&plain_step) {
            *path = (1.0 - step_share) * *path + fresh * step;
        }
        let length = libm::sqrt(self.step_path.iter().map(|it| it * it).sum::<f64>());
        let settled = 1.0 - libm::pow(1.0 - step_share, 2.0 * f64::from(self.generation));
        let usual = (1.4 + 2.0 / (size as f64 + 1.0)) * constants.usual_length;
        let growing = f64::from(u8::from(length / libm::sqrt(settled) < usual));
        let fresh = growing * libm::sqrt(path_share * (2.0 - path_share) * effective);
        for (path, step) in self.path.iter_mut().zip(&step) {
            *path = (1.0 - path_share) * *path + fresh * step;
        }
        let kept =
            1.0 - rank_one - rank_mu + (1.0 - growing) * rank_one * path_share * (2.0 - path_share);
        for row in 0..size {
            for cell in self.covariance.row_mut(row) {
                *cell *= kept;
            }
        }
        self.covariance.add_outer(rank_one, &self.path);
        for (weight, way) in constants.weights.iter().zip(&ways) {
            self.covariance.add_outer(rank_mu * weight, way);
        }
        self.covariance.mirror();
        let rate = step_share / constants.step_damping;
        self.sigma *= libm::exp(rate * (length / constants.usual_length - 1.0));
        self.sigma = self.sigma.clamp(1e-9, 1.0);
    }

    fn proposal(&self, course: &Course) -> Setting {
        Self::setting(course, &self.mean)
    }
}

/// How well two judgements agree: 1 for the same order, 0 for chance.
fn correlation(one: &[f64], other: &[f64]) -> f64 {
    let count = one.len() as f64;
    let centred = |scores: &[f64]| -> Vec<f64> {
        let mean = scores.iter().sum::<f64>() / count;
        scores.iter().map(|score| score - mean).collect()
    };
    let (one, other) = (centred(one), centred(other));
    let sum = |a: &[f64], b: &[f64]| super::algebra::dot(a, b);
    let scale = libm::sqrt(sum(&one, &one) * sum(&other, &other));
    if scale > 0.0 {
        sum(&one, &other) / scale
    } else {
        0.0
    }
}
