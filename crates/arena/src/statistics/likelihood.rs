//! How well a hypothesis can explain the outcomes at best.
//!
//! The outcomes are drawn from some distribution over the few scores that are
//! possible; a hypothesis fixes one number of that distribution, its mean or its
//! mean in standard deviations, and leaves the rest free. The likelihood is then
//! maximised over the rest. The Elo interval, the likelihood of superiority and
//! the sequential test are all read off these maxima.
//!
//! # Source
//!
//! Owen, "Empirical likelihood ratio confidence intervals for a single
//! functional", *Biometrika* 75(2), 1988, for the mean; Van den Bergh, "A
//! practical introduction to the GSPRT" and "Comments on normalized Elo" (notes
//! for fishtest, 2020) for both and their use in chess.
//!
//! # Where this differs
//!
//! Scores that never happened may still get probability, and do so where that is
//! the maximum; so hypotheses outside the range of what happened have a finite
//! likelihood, and no counts are made up for outcomes with none (fishtest puts
//! 0.001 there; ours is the limit for a number that goes to zero). For the mean
//! in standard deviations Van den Bergh repeats a linearised problem until it
//! stands still; here it is a search over one bounded variable, which needs no
//! start near the end and always stops.

use super::{Outcomes, power};

/// Possible scores at most.
const MOST: usize = 5;

/// The outcomes as shares of the whole.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    len: usize,
    pub(super) total: f64,
    /// What part had each score.
    share: [f64; MOST],
    /// The scores, from 0 to 1.
    value: [f64; MOST],
    /// Mean over 1 - mean, exact also where one of them is tiny.
    odds: f64,
}

impl Sample {
    /// `None` if nothing happened yet.
    pub(super) fn of(outcomes: &Outcomes) -> Option<Self> {
        let counts = outcomes.counts();
        let total: f64 = counts.iter().map(|&count| count as f64).sum();
        if total == 0.0 {
            return None;
        }
        let mut sample = Self {
            len: counts.len(),
            total,
            share: [0.0; MOST],
            value: [0.0; MOST],
            odds: 0.0,
        };
        let best = counts.len() - 1;
        let (mut won, mut lost) = (0.0, 0.0);
        for (i, &count) in counts.iter().enumerate() {
            sample.share[i] = count as f64 / total;
            sample.value[i] = i as f64 / best as f64;
            won += count as f64 * i as f64;
            lost += count as f64 * (best - i) as f64;
        }
        sample.odds = won / lost;
        Some(sample)
    }

    /// The natural logarithm of won points over lost ones; infinite if one of
    /// them is 0.
    pub(super) fn log_odds(&self) -> f64 {
        libm::log(self.odds)
    }

    fn items(&self) -> impl Iterator<Item = (f64, f64)> {
        (0..self.len).map(|i| (self.share[i], self.value[i]))
    }

    /// The mean distance of the score from ½.
    pub(super) fn lead(&self) -> f64 {
        self.items().map(|(p, x)| p * (x - 0.5)).sum()
    }

    /// The moment about the mean.
    pub(super) fn moment(&self, order: u32) -> f64 {
        let lead = self.lead();
        self.items()
            .map(|(p, x)| p * power(x - 0.5 - lead, order))
            .sum()
    }

    fn reversed(&self) -> Self {
        let mut other = *self;
        other.share[..self.len].reverse();
        other.odds = 1.0 / self.odds;
        other
    }

    /// What the hypothesis "the mean score has these log odds" costs in
    /// log-likelihood for each outcome; 0 if it is the mean that was observed.
    pub(super) fn cost_of_log_odds(&self, log_odds: f64) -> f64 {
        let (win, loss) = (logistic(log_odds), logistic(-log_odds));
        let mut distance = [0.0; MOST];
        for (d, x) in distance.iter_mut().zip(&self.value) {
            // x - win, without cancellation at either end.
            *d = x * loss - (1.0 - x) * win;
        }
        // 0 and 1 are possible scores, so any mean between them is.
        self.cost(&distance).unwrap_or(f64::INFINITY)
    }

    /// What the hypothesis "the mean is `t` standard deviations above ½" costs in
    /// log-likelihood for each outcome.
    ///
    /// With y = x - ½ the hypothesis is E y = k √(E y²), k = t / √(1 + t²). For
    /// k > 0 the right side is the least of k (E y² / w + w) / 2 over w, so for any
    /// w the half space E h ≤ 0, with h = y - k (y² / w + w) / 2, contains all
    /// distributions that lead by no more, and each that leads by more lies
    /// in E h ≥ 0 for some w. The cost is therefore the greatest cost of E h = 0
    /// over w for a sample that leads by more, and the least for one that leads by
    /// less.
    pub(super) fn cost_of_lead(&self, t: f64) -> f64 {
        if t < 0.0 {
            return self.reversed().cost_of_lead(-t);
        }
        let k = t / libm::sqrt(1.0 + t * t);
        let lead = self.lead();
        let square = self
            .items()
            .map(|(p, x)| p * power(x - 0.5, 2))
            .sum::<f64>();
        if k == 0.0 {
            return self.cost_of_log_odds(0.0);
        }
        let cost = |w: f64| {
            let mut distance = [0.0; MOST];
            for (d, x) in distance.iter_mut().zip(&self.value) {
                let y = x - 0.5;
                *d = y - k * (y * y / w + w) / 2.0;
            }
            self.cost(&distance)
        };
        let expected = k * libm::sqrt(square);
        if lead > expected {
            // The sample violates E h ≤ 0 between the two solutions of
            // lead = k (square / w + w) / 2; w = √(E y²) cannot exceed ½.
            let root = libm::sqrt(((lead - expected) * (lead + expected)).max(0.0));
            let greatest = ((lead + root) / k).min(0.5);
            let least = (square / ((lead + root) / k)).min(greatest);
            let negative = |w: f64| -cost(w).unwrap_or(0.0);
            -least_value(negative, least, greatest).min(0.0)
        } else {
            // Below the first of these no distribution has E h = 0.
            let step = self.value[self.len / 2 + 1] - 0.5;
            let least = step * k / (1.0 + libm::sqrt((1.0 - k) * (1.0 + k)));
            let cost = |w: f64| cost(w).unwrap_or(f64::INFINITY);
            least_of_several(cost, least, 0.5).max(0.0)
        }
    }

    /// What the hypothesis E d = 0 costs in log-likelihood for each outcome, or
    /// `None` if no distribution satisfies it.
    ///
    /// The maximum has probabilities share / (1 + θ d), with θ between the points
    /// where a denominator vanishes. If the sum has no zero there, the rest of the
    /// probability goes to the extreme score, which did not happen.
    fn cost(&self, distance: &[f64; MOST]) -> Option<f64> {
        let mean: f64 = (0..self.len).map(|i| self.share[i] * distance[i]).sum();
        let sign = if mean < 0.0 { -1.0 } else { 1.0 };
        let distance = distance.map(|d| sign * d);
        let distance = &distance[..self.len];
        let worst = distance.iter().copied().fold(f64::INFINITY, f64::min);
        if mean == 0.0 {
            return Some(0.0);
        }
        if worst >= 0.0 {
            return None;
        }
        let tilt = self.tilt(distance, -1.0 / worst);
        let cost = (0..self.len)
            .filter(|&i| self.share[i] > 0.0)
            .map(|i| self.share[i] * libm::log1p(tilt * distance[i]))
            .sum();
        Some(cost)
    }

    /// The zero of Σ share · d / (1 + θ d), which falls with θ and is positive at
    /// 0; the greatest θ if no zero exists.
    fn tilt(&self, distance: &[f64], greatest: f64) -> f64 {
        let sum = |tilt: f64| {
            let (mut value, mut slope) = (0.0, 0.0);
            for (&p, &d) in self.share.iter().zip(distance).filter(|(p, _)| **p > 0.0) {
                let denominator = 1.0 + tilt * d;
                if denominator <= 0.0 {
                    return (f64::NEG_INFINITY, 0.0);
                }
                value += p * d / denominator;
                slope -= p * power(d / denominator, 2);
            }
            (value, slope)
        };
        if sum(greatest).0 >= 0.0 {
            return greatest;
        }
        // Newton's method, with bisection where it leaves the bracket. Bisection
        // alone would end within 1,100 steps; together they need a dozen.
        let (mut low, mut high) = (0.0, greatest);
        let mut tilt = 0.0;
        for _ in 0..1100 {
            let (value, slope) = sum(tilt);
            if value == 0.0 {
                break;
            }
            if value > 0.0 {
                low = tilt;
            } else {
                high = tilt;
            }
            let newton = tilt - value / slope;
            let next = if newton > low && newton < high {
                newton
            } else {
                low + (high - low) / 2.0
            };
            if (next - tilt).abs() <= 1e-15 * next {
                return next;
            }
            tilt = next;
        }
        tilt
    }
}

/// 1 / (1 + e^-x), precise also where it is close to 0.
pub(super) fn logistic(x: f64) -> f64 {
    if x < 0.0 {
        let odds = libm::exp(x);
        odds / (1.0 + odds)
    } else {
        1.0 / (1.0 + libm::exp(-x))
    }
}

/// The least value of a function with one valley, by golden sections.
///
/// # Source
///
/// Kiefer, "Sequential minimax search for a maximum", *Proceedings of the AMS*
/// 4(3), 1953.
///
/// # Where this differs
///
/// Nowhere. The value is flat at the bottom, so its error is of the order of the
/// square of what is left of the interval.
fn least_value(value: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let mut left = high - GOLDEN * (high - low);
    let mut right = low + GOLDEN * (high - low);
    let (mut at_left, mut at_right) = (value(left), value(right));
    for _ in 0..60 {
        if at_left <= at_right {
            (high, right, at_right) = (right, left, at_left);
            left = high - GOLDEN * (high - low);
            at_left = value(left);
        } else {
            (low, left, at_left) = (left, right, at_right);
            right = low + GOLDEN * (high - low);
            at_right = value(right);
        }
    }
    at_left.min(at_right)
}

/// The least value of a function that may have a few valleys, on a logarithmic
/// scale: the best of a row of points, and then the valley around it.
fn least_of_several(value: impl Fn(f64) -> f64, low: f64, high: f64) -> f64 {
    const POINTS: usize = 48;
    let (low, high) = (libm::log(low), libm::log(high));
    let at = |i: usize| low + (high - low) * i as f64 / (POINTS - 1) as f64;
    let (best, _) = (0..POINTS)
        .map(|i| (i, value(libm::exp(at(i)))))
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .unwrap_or((0, 0.0));
    least_value(
        |logarithm| value(libm::exp(logarithm)),
        at(best.saturating_sub(1)),
        at((best + 1).min(POINTS - 1)),
    )
}
