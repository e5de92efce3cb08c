//! What the games prove.
//!
//! A [`Score`] counts the games of one player against another, by colour and in
//! pairs; an [`EloEstimate`] says how strong that makes it and how sure we are; a
//! [`Sprt`] says when enough has been played; a [`CrossTable`] gives ratings for a
//! pool. All of it is arithmetic on counts, so the order of the games never
//! matters, and all of it is total: no games, one game, only draws or only wins
//! give an answer or an honest `None`, never a `NaN` and never an endless loop.
//!
//! ```
//! use mendel_arena::Side;
//! use mendel_arena::statistics::{Decision, EloEstimate, EloModel, Outcomes, Points, Score, Sprt};
//!
//! let mut score = Score::default();
//! for pair in 0..200 {
//!     score.count(pair, Side::White, if pair % 3 == 0 { Points::Win } else { Points::Draw });
//!     score.count(pair, Side::Black, if pair % 5 == 0 { Points::Loss } else { Points::Draw });
//! }
//! let elo = EloEstimate::of(&score.outcomes());
//! assert_eq!(elo.elo.map(f64::round), Some(23.0));
//! let sprt = Sprt::new(EloModel::Normalized, 0.0, 5.0, 0.05, 0.05)?;
//! assert_eq!(sprt.judge(&score.outcomes()).decision, Decision::Continue);
//! # Ok::<(), mendel_arena::statistics::StatisticsError>(())
//! ```

mod elo;
mod interval;
mod likelihood;
mod mann_kendall;
mod ratings;
mod score;
mod sprt;

pub use elo::{EloEstimate, elo_to_score};
pub use interval::{mean_and_error, mean_and_interval};
pub use mann_kendall::{Mean, Trend};
pub use ratings::{Anchor, CrossTable, Rating, Ratings};
pub use score::{Meeting, Outcomes, Points, Score, Tally};
pub use sprt::{Decision, EloModel, Sprt, SprtState};

/// Numbers from which no test or rating can be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StatisticsError {
    #[error(
        "{elo0},{elo1} are no bounds for a test: the first must be less than the second, both between -{max} and {max}, such as 0,5"
    )]
    Bounds { elo0: f64, elo1: f64, max: f64 },
    /// `name` is `alpha` or `beta`.
    #[error(
        "{value} is no chance of error for a test: give {name} between 0 and 0.5, such as 0.05"
    )]
    Chance { name: &'static str, value: f64 },
    /// A game or an anchor of a player that is not in the pool.
    #[error("there is no player {player} in a pool of {players}; they are counted from 0")]
    UnknownPlayer { player: usize, players: usize },
    #[error("the anchor's rating must be a number, such as 2500")]
    Anchor,
}

/// Elo points of one unit of logistic strength.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// Normalised Elo points of a score one standard deviation (of a game) above ½.
/// With games that are all decided, normalised and logistic Elo are then alike
/// near zero.
const NORMALIZED_ELO: f64 = 800.0 / std::f64::consts::LN_10;

/// `base` to an integer power, as products in a fixed order. The precision of `f64::powi` is
/// left to the optimiser, and a test must not end one pair of games apart in two builds.
fn power(base: f64, exponent: u32) -> f64 {
    if exponent == 0 {
        return 1.0;
    }
    let half = power(base, exponent / 2);
    let even = half * half;
    if exponent.is_multiple_of(2) {
        even
    } else {
        even * base
    }
}

/// The standard normal deviate of a two-sided interval of 95 %.
fn deviate_of_95() -> f64 {
    use statrs::distribution::{ContinuousCDF, Normal};
    Normal::standard().inverse_cdf(0.975)
}
