//! What chance changes.

use std::f64::consts::TAU;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::bounds::Bounds;
use crate::settings::{SettingsError, positive, within};

/// How a bit or number that was picked for mutation changes. How many are
/// picked is the breeder's `mutation-rate`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Mutation {
    /// The bit is turned over. For strings of bits.
    ///
    /// # Source
    ///
    /// Holland, *Adaptation in Natural and Artificial Systems*, 1975.
    ///
    /// # Where this differs
    ///
    /// Nowhere.
    BitFlip,

    /// One of the gene's bits, all equally likely, is turned over; a gene is picked
    /// with the breeder's `mutation-rate`, and not each of its bits. For strings of
    /// bits.
    ///
    /// # Source
    ///
    /// Lemley and others, "CWU-Chess: An Adaptive Chess Program that Improves After
    /// Each Game", section III.A: for every weight a chance of 1/769 that a bit
    /// within that number changes.
    ///
    /// # Where this differs
    ///
    /// The paper's step also speaks of one or more bits; here it is one.
    GeneBit,

    /// A normal deviate is added, and the sum kept within the bounds. For numbers.
    ///
    /// # Source
    ///
    /// Bäck and Schwefel, "An Overview of Evolutionary Algorithms for Parameter
    /// Optimization", *Evolutionary Computation* 1(1), 1993. The decay is that of
    /// "Neuroevolutionary Frameworks to Evolve Chess Evaluation Function", 2023:
    /// σ = 0.01 · 0.995^(g − 1).
    ///
    /// # Where this differs
    ///
    /// The standard deviation is given, not adapted.
    Gaussian {
        sigma: f64,
        #[serde(default)]
        measure: Measure,
        /// What σ is multiplied with after each generation of children, the
        /// first of which has the full σ.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        decay: Option<f64>,
    },

    /// The number moves towards its upper or its lower bound, by a share that
    /// can be all at the beginning and shrinks to nothing at the end. For numbers.
    ///
    /// With y the way to that bound and r even in 0 to 1 it moves by
    /// y · (1 − r^((1 − t/T)^b)).
    ///
    /// # Source
    ///
    /// Michalewicz, *Genetic Algorithms + Data Structures = Evolution Programs*,
    /// third edition, 1996, §6.2; with b = 5 in Vázquez-Fernández, Coello
    /// Coello and Sagols Troncoso, "An evolutionary algorithm for tuning a chess
    /// evaluation function", *IEEE Congress on Evolutionary Computation*, 2011.
    ///
    /// # Where this differs
    ///
    /// Nowhere.
    NonUniform {
        /// The b above: how early the steps become small.
        #[serde(default = "five")]
        shape: f64,
        /// The T above: the generation in which nothing moves any more.
        generations: u32,
    },
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// In the unit of the number itself.
    #[default]
    Absolute,
    /// As a share of the distance between its bounds.
    Range,
}

fn five() -> f64 {
    5.0
}

impl Mutation {
    /// Whether the numbers make sense.
    ///
    /// # Errors
    ///
    /// [`SettingsError::Range`].
    pub fn check(&self) -> Result<(), SettingsError> {
        match *self {
            Self::BitFlip | Self::GeneBit => Ok(()),
            Self::Gaussian { sigma, decay, .. } => {
                positive("mutation.gaussian.sigma", sigma)?;
                match decay {
                    Some(decay) => within("mutation.gaussian.decay", &decay, 0.0..=1.0),
                    None => Ok(()),
                }
            }
            Self::NonUniform { shape, generations } => {
                positive("mutation.non-uniform.shape", shape)?;
                within(
                    "mutation.non-uniform.generations",
                    &generations,
                    1..=u32::MAX,
                )
            }
        }
    }

    pub fn name(&self) -> &'static str {
        match self {
            Self::BitFlip => "bit-flip",
            Self::GeneBit => "gene-bit",
            Self::Gaussian { .. } => "gaussian",
            Self::NonUniform { .. } => "non-uniform",
        }
    }

    pub(crate) fn moved(
        &self,
        value: f64,
        bounds: &Bounds,
        generation: u32,
        rng: &mut ChaCha8Rng,
    ) -> f64 {
        let moved = match *self {
            // Refused for numbers.
            Self::BitFlip | Self::GeneBit => value,
            Self::Gaussian {
                sigma,
                measure,
                decay,
            } => {
                let unit = match measure {
                    Measure::Absolute => 1.0,
                    Measure::Range => bounds.width(),
                };
                // Generation 1 is the first that is bred.
                let age = f64::from(generation.saturating_sub(1));
                let calm = decay.map_or(1.0, |decay| libm::pow(decay, age));
                value + sigma * unit * calm * normal(rng)
            }
            Self::NonUniform { shape, generations } => {
                let left = 1.0 - f64::from(generation) / f64::from(generations.max(1));
                let exponent = libm::pow(left.max(0.0), shape);
                let share = 1.0 - libm::pow(rng.random::<f64>(), exponent);
                if rng.random::<bool>() {
                    value + (bounds.high - value) * share
                } else {
                    value - (value - bounds.low) * share
                }
            }
        };
        bounds.hold(moved)
    }
}

/// A standard normal deviate, the same on every machine.
///
/// # Source
///
/// Box and Muller, "A Note on the Generation of Random Normal Deviates", *Annals
/// of Mathematical Statistics* 29(2), 1958.
///
/// # Where this differs
///
/// The second deviate of each pair is not used, so that nothing has to be kept.
pub fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let radius = (-2.0 * libm::log(1.0 - rng.random::<f64>())).sqrt();
    radius * libm::cos(TAU * rng.random::<f64>())
}

/// Two standard normal deviates, as [`normal`] makes one, for those who need many.
pub(crate) fn normals(rng: &mut ChaCha8Rng) -> [f64; 2] {
    let radius = (-2.0 * libm::log(1.0 - rng.random::<f64>())).sqrt();
    let (sine, cosine) = libm::sincos(TAU * rng.random::<f64>());
    [radius * cosine, radius * sine]
}
