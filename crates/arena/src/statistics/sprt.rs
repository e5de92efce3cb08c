//! When enough has been played.

use serde::{Deserialize, Serialize};

use super::likelihood::{Sample, logistic};
use super::{ELO, NORMALIZED_ELO, Outcomes, StatisticsError, power};

/// Bounds beyond this prove nothing that a handful of games would not.
const MAX_ELO: f64 = 1000.0;

/// What the bounds of a test are measured in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EloModel {
    /// Normalised Elo: the same bounds need the same number of games with any book
    /// and at any speed.
    Normalized,
    /// Logistic Elo: the bounds are what tables show.
    Logistic,
}

/// A sequential probability ratio test of two strengths.
///
/// # Source
///
/// Wald, "Sequential tests of statistical hypotheses", *Annals of Mathematical
/// Statistics* 16(2), 1945, for the bounds; Van den Bergh, "A practical
/// introduction to the GSPRT" (notes for fishtest, 2020) for the generalised
/// likelihood ratio on pairs.
///
/// # Where this differs
///
/// How the likelihoods are maximised: see the module on likelihoods.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Sprt {
    model: EloModel,
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
}

/// What a test has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// Not decided yet.
    Continue,
    /// The lower strength explains the games: stop, not proved.
    H0,
    /// The higher strength explains the games: stop, proved.
    H1,
}

/// Where a test stands.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SprtState {
    /// The logarithm of the likelihood ratio of `elo1` to `elo0`.
    pub llr: f64,
    /// At or below this the test decides for `elo0`.
    pub lower: f64,
    /// At or above this it decides for `elo1`.
    pub upper: f64,
    pub decision: Decision,
    /// Games still to be expected if the true strength is the observed one;
    /// `None` if that cannot be said or nothing is left to do.
    pub games_left: Option<f64>,
}

impl Sprt {
    /// A test of `elo1` against `elo0`, that errs with chance `alpha` if `elo0` is
    /// true and with chance `beta` if `elo1` is.
    ///
    /// # Errors
    ///
    /// If the bounds are not in order or the chances not between 0 and ½.
    pub fn new(
        model: EloModel,
        elo0: f64,
        elo1: f64,
        alpha: f64,
        beta: f64,
    ) -> Result<Self, StatisticsError> {
        let range = -MAX_ELO..=MAX_ELO;
        if !(range.contains(&elo0) && range.contains(&elo1) && elo0 < elo1) {
            return Err(StatisticsError::Bounds {
                elo0,
                elo1,
                max: MAX_ELO,
            });
        }
        for (name, value) in [("alpha", alpha), ("beta", beta)] {
            if !(value > 0.0 && value < 0.5) {
                return Err(StatisticsError::Chance { name, value });
            }
        }
        Ok(Self {
            model,
            elo0,
            elo1,
            alpha,
            beta,
        })
    }

    /// The likelihood ratios that decide, as logarithms: at or below the first for
    /// `elo0`, at or above the second for `elo1`.
    pub fn llr_bounds(&self) -> (f64, f64) {
        (
            libm::log(self.beta / (1.0 - self.alpha)),
            libm::log((1.0 - self.beta) / self.alpha),
        )
    }

    /// Where the test stands. For a match in pairs give it pairs from the first
    /// game on, also before the first pair is complete.
    pub fn judge(&self, outcomes: &Outcomes) -> SprtState {
        let (lower, upper) = self.llr_bounds();
        let sample = Sample::of(outcomes);
        let games_each = outcomes.games_each();
        let llr = sample.map_or(0.0, |sample| self.llr(&sample, games_each));
        let decision = if llr >= upper {
            Decision::H1
        } else if llr <= lower {
            Decision::H0
        } else {
            Decision::Continue
        };
        let games_left = sample
            .filter(|_| decision == Decision::Continue)
            .and_then(|sample| self.outcomes_left(&sample, games_each, llr))
            .map(|outcomes| outcomes * games_each as f64);
        SprtState {
            llr,
            lower,
            upper,
            decision,
            games_left,
        }
    }

    /// Games that a test from its beginning is expected to take, if they come out like
    /// these; none where these do not say.
    pub fn length(&self, outcomes: &Outcomes) -> Option<f64> {
        let games_each = outcomes.games_each();
        let left = self.outcomes_left(&Sample::of(outcomes)?, games_each, 0.0)?;
        Some(left * games_each as f64)
    }

    fn llr(&self, sample: &Sample, games_each: u64) -> f64 {
        let cost = |elo: f64| match self.model {
            EloModel::Logistic => sample.cost_of_log_odds(elo / ELO),
            EloModel::Normalized => sample.cost_of_lead(normalized_lead(elo, games_each)),
        };
        sample.total * (cost(self.elo0) - cost(self.elo1))
    }

    /// Outcomes still to be expected.
    ///
    /// # Source
    ///
    /// The ratio moves like a Brownian motion between two absorbing walls; its
    /// mean time to either in closed form: Karlin and Taylor, *A First Course in
    /// Stochastic Processes*, 1975, §7.5.
    ///
    /// # Where this differs
    ///
    /// Drift and variance are those of normally distributed outcomes with the
    /// observed lead and deviation, so it is an estimate for a line of
    /// progress and for nothing else.
    fn outcomes_left(&self, sample: &Sample, games_each: u64, llr: f64) -> Option<f64> {
        let deviation = libm::sqrt(sample.moment(2));
        if deviation <= 0.0 {
            return None;
        }
        let lead = |elo: f64| match self.model {
            EloModel::Logistic => (logistic(elo / ELO) - 0.5) / deviation,
            EloModel::Normalized => normalized_lead(elo, games_each),
        };
        let (t0, t1) = (lead(self.elo0), lead(self.elo1));
        let drift = (t1 - t0) * (sample.lead() / deviation - f64::midpoint(t0, t1));
        let variance = power(t1 - t0, 2);
        // Seen from the wall it drifts away from.
        let (lower, upper) = self.llr_bounds();
        let width = upper - lower;
        let height = if drift < 0.0 {
            upper - llr
        } else {
            llr - lower
        };
        let rate = 2.0 * drift.abs() / variance;
        let left = if rate * width < 1e-6 {
            height * (width - height) / variance
        } else {
            let chance = libm::expm1(-rate * height) / libm::expm1(-rate * width);
            (chance * width - height) / drift.abs()
        };
        (left.is_finite() && left >= 0.0).then_some(left)
    }
}

/// The lead over ½ in standard deviations of an outcome.
fn normalized_lead(elo: f64, games_each: u64) -> f64 {
    elo / NORMALIZED_ELO * libm::sqrt(games_each as f64)
}
