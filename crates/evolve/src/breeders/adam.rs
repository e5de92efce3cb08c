//! Uphill along the slope.

use serde::{Deserialize, Serialize};

use super::{named, start_point};
use crate::bounds::Bounds;
use crate::breeder::{Breeder, JudgedMember, Offspring, Origin};
use crate::genome::RealVector;
use crate::settings::{SettingsError, out_of_range, positive, within};

/// The settings of [`Adam`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct AdamSettings {
    /// About how far a number moves in a step, in its own unit.
    pub learning_rate: f64,
    /// How much of the mean slope, and of its mean square, is kept in each step.
    #[serde(default = "usual_betas")]
    pub betas: [f64; 2],
    /// Keeps the step finite where there is no slope.
    #[serde(default = "usual_epsilon")]
    pub epsilon: f64,
    /// What the learning rate is multiplied with after each step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decay: Option<f64>,
}

fn usual_betas() -> [f64; 2] {
    [0.9, 0.999]
}

fn usual_epsilon() -> f64 {
    1e-8
}

impl AdamSettings {
    /// The usual settings with a learning rate.
    pub fn new(learning_rate: f64) -> Self {
        Self {
            learning_rate,
            betas: usual_betas(),
            epsilon: usual_epsilon(),
            decay: None,
        }
    }

    fn check(&self) -> Result<(), SettingsError> {
        positive("learning-rate", self.learning_rate)?;
        positive("epsilon", self.epsilon)?;
        for beta in self.betas {
            if !(0.0..1.0).contains(&beta) {
                return Err(out_of_range("betas", &beta, "two numbers from 0, below 1"));
            }
        }
        match self.decay {
            Some(decay) => within("decay", &decay, 0.0..=1.0),
            None => Ok(()),
        }
    }
}

/// One member a generation that climbs along the slope of its score.
///
/// # Source
///
/// Kingma and Ba, "Adam: A Method for Stochastic Optimization", *International
/// Conference on Learning Representations*, 2015, algorithm 1, arXiv:1412.6980.
///
/// # Where this differs
///
/// It climbs, because scores are better the larger they are; numbers are kept
/// within their bounds; the learning rate may decay. A slope that is missing or
/// not a number counts as flat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Adam {
    settings: AdamSettings,
    space: Vec<Bounds>,
    generation: u32,
    point: RealVector,
    /// The running mean of each slope.
    mean: Vec<f64>,
    /// The running mean of each slope's square.
    square: Vec<f64>,
}

impl Adam {
    /// A climber that begins at `start`, or else where the bounds say. The seed is
    /// not used: nothing is left to chance.
    ///
    /// # Errors
    ///
    /// [`SettingsError`] names what does not fit and what would.
    pub fn new(
        settings: AdamSettings,
        space: Vec<Bounds>,
        start: Option<RealVector>,
        _seed: u64,
    ) -> Result<Self, SettingsError> {
        settings.check()?;
        let point = start_point(&space, start)?;
        Ok(Self {
            settings,
            mean: vec![0.0; space.len()],
            square: vec![0.0; space.len()],
            space,
            generation: 0,
            point,
        })
    }

    fn step(&mut self, slope: &[f64]) {
        let AdamSettings {
            learning_rate,
            betas: [keep, keep_square],
            epsilon,
            decay,
        } = self.settings;
        let steps = f64::from(self.generation);
        let rate = learning_rate * decay.map_or(1.0, |decay| libm::pow(decay, steps));
        // The means begin at 0; this takes out that they still remember it.
        let fresh = 1.0 - libm::pow(keep, steps + 1.0);
        let fresh_square = 1.0 - libm::pow(keep_square, steps + 1.0);

        let slopes = slope.iter().copied().chain(std::iter::repeat(0.0));
        let means = self.mean.iter_mut().zip(&mut self.square);
        let numbers = self.point.0.iter_mut().zip(&self.space).zip(means);
        for (((value, bounds), (mean, square)), slope) in numbers.zip(slopes) {
            let slope = if slope.is_finite() { slope } else { 0.0 };
            *mean = keep * *mean + (1.0 - keep) * slope;
            *square = keep_square * *square + (1.0 - keep_square) * slope * slope;
            let step = (*mean / fresh) / ((*square / fresh_square).sqrt() + epsilon);
            *value = bounds.hold(*value + rate * step);
        }
    }
}

impl Breeder for Adam {
    type Genome = RealVector;

    fn generation(&self) -> u32 {
        self.generation
    }

    fn ask(&self) -> Vec<Offspring<RealVector>> {
        let (parents, origin) = match self.generation {
            0 => (Vec::new(), Origin::Given),
            generation => (vec![named(generation - 1, 0)], Origin::Step),
        };
        vec![Offspring {
            genome: self.point.clone(),
            parents,
            origin,
        }]
    }

    fn wants_gradients(&self) -> bool {
        true
    }

    fn tell(&mut self, _born: Vec<Offspring<RealVector>>, judged: &[JudgedMember]) {
        let slope = judged.first().and_then(|judged| judged.gradient.as_deref());
        self.step(slope.unwrap_or_default());
        self.generation = self.generation.saturating_add(1);
    }
}
