//! From a score to a difference in strength.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, Normal};

use super::likelihood::{Sample, logistic};
use super::{ELO, NORMALIZED_ELO, Outcomes, deviate_of_95, power};

/// Log odds that no sample reaches: a score of 10⁻¹⁷.
const FAR: f64 = 40.0;

/// How strong a score makes a player, and how sure that is.
///
/// `None` means that there is no number to name, because nothing was played, or
/// because the number would be infinite: against an opponent who never scored,
/// `elo` and `high` are `None`, and `low` says what is certain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EloEstimate {
    /// Elo difference (logistic) of the mean score.
    pub elo: Option<f64>,
    /// The lower end of its interval of 95 %.
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// Half the width of the interval: the number after the ±.
    pub error: Option<f64>,
    /// Normalised Elo; `None` also if all outcomes were alike.
    pub normalized: Option<f64>,
    /// Half the width of its interval of 95 %.
    pub normalized_error: Option<f64>,
    /// The likelihood of superiority: how sure it is that the player is the
    /// stronger one. ½ if nothing was played.
    pub superiority: f64,
}

impl EloEstimate {
    /// The estimate from independent outcomes.
    ///
    /// # Source
    ///
    /// Elo, *The Rating of Chessplayers, Past and Present*, 1978, in the logistic
    /// form: a difference of d gives the score 1 / (1 + 10^(-d/400)). Interval:
    /// Owen 1988 (see the module on likelihoods): all mean scores under which the
    /// outcomes are less likely than under the best by a factor of at most
    /// e^(-1.92), half the 95 % point of χ² with one degree of freedom.
    /// Superiority: the signed root of that likelihood ratio at equality, as a
    /// normal deviate (Severini, *Likelihood Methods in Statistics*, 2000, §4.4).
    ///
    /// # Where this differs
    ///
    /// Match runners take ±1.96 standard errors of the mean. For more than some
    /// fifty pairs both agree closely; but for one pair, for draws only or wins
    /// only the standard error is 0 and proves too much, while the likelihood
    /// still knows how little was seen. Superiority and interval agree with each
    /// other: 97.5 % where the interval just touches zero.
    pub fn of(outcomes: &Outcomes) -> Self {
        let Some(sample) = Sample::of(outcomes) else {
            return Self {
                superiority: 0.5,
                ..Self::default()
            };
        };
        let log_odds = sample.log_odds();
        let finite = |elo: f64| elo.is_finite().then_some(elo);
        let low = (log_odds > -FAR).then(|| end_of_interval(&sample, -FAR));
        let high = (log_odds < FAR).then(|| end_of_interval(&sample, FAR));
        let (normalized, normalized_error) = normalized(&sample, outcomes.games_each()).unzip();
        Self {
            elo: finite(ELO * log_odds),
            low: low.map(|end| ELO * end),
            high: high.map(|end| ELO * end),
            error: low.zip(high).map(|(low, high)| ELO * (high - low) / 2.0),
            normalized,
            normalized_error,
            superiority: superiority(&sample),
        }
    }
}

/// The score that an Elo difference promises.
pub fn elo_to_score(elo: f64) -> f64 {
    logistic(elo / ELO)
}

/// The log odds, between those observed and `far`, at which the likelihood falls
/// out of the interval.
fn end_of_interval(sample: &Sample, far: f64) -> f64 {
    let limit = power(deviate_of_95(), 2) / 2.0;
    let mut inside = sample.log_odds().clamp(-FAR, FAR);
    let mut outside = far;
    // 64 halvings leave nothing of an interval of 80.
    for _ in 0..64 {
        let middle = f64::midpoint(inside, outside);
        if sample.total * sample.cost_of_log_odds(middle) <= limit {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    f64::midpoint(inside, outside)
}

fn superiority(sample: &Sample) -> f64 {
    let root = libm::sqrt((2.0 * sample.total * sample.cost_of_log_odds(0.0)).max(0.0));
    let lead = sample.log_odds();
    let deviate = if lead == 0.0 {
        0.0
    } else {
        root.copysign(lead)
    };
    Normal::standard().cdf(deviate)
}

/// Normalised Elo and its error; `None` if all outcomes were alike.
///
/// The lead over ½ in standard deviations of a game. It says how many games prove
/// the difference, whatever the openings and the draws do to the score.
///
/// # Source
///
/// Van den Bergh, "Normalized Elo" (notes for fishtest, 2020). A pair has twice
/// the games, so its t is √2 times that of a game. Error: the large-sample
/// variance of a mean over its standard deviation with skewness and kurtosis
/// (Mertens, "Comments on variance of the IID estimator in Lo (2002)", 2002).
///
/// # Where this differs
///
/// Match runners leave out skewness and kurtosis, which matter only for large
/// leads.
fn normalized(sample: &Sample, games_each: u64) -> Option<(f64, f64)> {
    let variance = sample.moment(2);
    if variance <= 0.0 {
        return None;
    }
    let deviation = libm::sqrt(variance);
    let t = sample.lead() / deviation;
    let skewness = sample.moment(3) / power(deviation, 3);
    let kurtosis = sample.moment(4) / power(deviation, 4);
    // The variance of a quantity, so not below 0 but for rounding.
    let spread = (1.0 - skewness * t + (kurtosis - 1.0) * t * t / 4.0).max(0.0);
    let unit = NORMALIZED_ELO / libm::sqrt(games_each as f64);
    Some((
        unit * t,
        unit * deviate_of_95() * libm::sqrt(spread / sample.total),
    ))
}
