//! What a `CoSyNE` can be told to do.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::operators::normal;
use crate::settings::{LARGEST_POPULATION, SettingsError, out_of_range, positive, within};

/// The settings of a [`Cosyne`](super::Cosyne).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CosyneSettings {
    /// How many networks there are, which is also how many weights each
    /// sub-population holds: m.
    pub population: usize,
    /// The share of the networks that are parents, the best ones; rounded up.
    #[serde(default = "quarter")]
    pub parents: f64,
    /// How many new networks take the places of the worst: l.
    pub offspring: usize,
    pub crossover: SynapseCrossover,
    pub mutation: SynapseMutation,
    /// Which weights of those that stay change places.
    pub permutation: Permutation,
    pub start: WeightStart,
}

fn quarter() -> f64 {
    0.25
}

/// How two networks make two. Each child is the mirror image of the other.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum SynapseCrossover {
    /// The weights of each neuron are cut at one place and the rest is swapped. Parents
    /// are two different ones of the best, all pairs alike.
    ///
    /// # Source
    ///
    /// Gomez, Schmidhuber and Miikkulainen, 2008, as at [`Cosyne`](super::Cosyne).
    ///
    /// # Where this differs
    ///
    /// The paper does not say who mates with whom, nor whether a cut may lie before
    /// the first weight of a neuron; here it may not. A neuron with a single weight is
    /// therefore never swapped.
    PerNeuron,

    /// Each weight is swapped with probability `swap`. Of the best, each is picked with
    /// probability `pick` to have children in this generation at all.
    ///
    /// # Source
    ///
    /// "Neuroevolutionary Frameworks to Evolve Chess Evaluation Function", 2023, and
    /// the program that goes with it: 0.60 and 0.30; while fewer than three are picked,
    /// all are drawn anew with a probability that is 0.05 larger.
    ///
    /// # Where this differs
    ///
    /// Nowhere; with fewer than three parents all of them are enough.
    Uniform {
        /// The probability of each parent to be picked, above 0.
        pick: f64,
        /// The probability of each weight to be swapped.
        swap: f64,
    },
}

/// What chance changes in the weights of a child; those that stay are never mutated.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum SynapseMutation {
    /// Noise with heavy tails: most steps are small, some are huge.
    ///
    /// # Source
    ///
    /// Gomez, Schmidhuber and Miikkulainen, 2008: probability 0.3, scale 0.3.
    ///
    /// # Where this differs
    ///
    /// The sum is kept within the bounds of the weight.
    Cauchy {
        rate: f64,
        /// The scale: half of all steps are larger.
        scale: f64,
    },

    /// Normal noise that can calm down.
    ///
    /// # Source
    ///
    /// "Neuroevolutionary Frameworks to Evolve Chess Evaluation Function", 2023:
    /// probability 0.60, σ = 0.01 · 0.995^(g − 1).
    ///
    /// # Where this differs
    ///
    /// The printed recurrence, σ = σ of the generation before · 0.995^g, is not that
    /// of the author's program, which is followed here. There the first children
    /// are those of g = 0, here of g = 1. The sum is kept within the bounds.
    Gaussian {
        rate: f64,
        sigma: f64,
        /// What σ is multiplied with after each generation of children, the first of
        /// which has the full σ.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        decay: Option<f64>,
    },
}

/// Which weights are marked. The marked ones of a sub-population change places among
/// themselves, at random, and so come into other networks. Weights that a child has
/// just brought are not marked by any rule: nobody knows yet how they do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Permutation {
    /// All of those that stay.
    ///
    /// # Source
    ///
    /// Gomez, Schmidhuber and Miikkulainen, 2008: the simple rule, the one of all
    /// their experiments.
    ///
    /// # Where this differs
    ///
    /// Nowhere.
    AllButNew,

    /// Each with probability 1 − ((f − worst) / (best − worst))^(1/n), for the score f
    /// of its network and n weights in a network.
    ///
    /// # Source
    ///
    /// Gomez, Schmidhuber and Miikkulainen, 2008, equation 1.
    ///
    /// # Where this differs
    ///
    /// Best and worst are those of the weights that stay: the others are gone when the
    /// rule is asked. The paper leaves open what it means for children (see above) and
    /// for equal scores; here all are then marked.
    Root,

    /// As [`Root`](Self::Root), with the square root for any number of weights.
    ///
    /// # Source
    ///
    /// "Neuroevolutionary Frameworks to Evolve Chess Evaluation Function", 2023, which
    /// means to follow equation 1.
    ///
    /// # Where this differs
    ///
    /// Nowhere: also as in the author's program, none is marked if all scores are
    /// equal.
    SquareRoot,
}

/// What the first weights are, all equally likely between ±r and within the bounds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum WeightStart {
    /// The same r for all: 10 in Gomez, Schmidhuber and Miikkulainen, 2008.
    Uniform {
        /// The r above.
        range: f64,
    },
    /// r = √(6 / (neurons in the layer before + neurons in this layer)), for biases too.
    ///
    /// # Source
    ///
    /// Glorot and Bengio, "Understanding the difficulty of training deep feedforward
    /// neural networks", *AISTATS*, 2010, equation 16; so in "Neuroevolutionary
    /// Frameworks to Evolve Chess Evaluation Function", 2023.
    ///
    /// # Where this differs
    ///
    /// Biases, which start at 0 there, are drawn like weights, as in the author's
    /// program.
    Xavier,
}

impl CosyneSettings {
    /// The settings of the paper's experiments for m networks: the best quarter are
    /// parents of m/2 children, and all but those are permuted. The paper has m = 20
    /// for one pole and 30 for two.
    pub fn gomez(population: usize) -> Self {
        Self {
            population,
            parents: quarter(),
            offspring: population / 2,
            crossover: SynapseCrossover::PerNeuron,
            mutation: SynapseMutation::Cauchy {
                rate: 0.3,
                scale: 0.3,
            },
            permutation: Permutation::AllButNew,
            start: WeightStart::Uniform { range: 10.0 },
        }
    }

    /// The settings with which "Neuroevolutionary Frameworks to Evolve Chess
    /// Evaluation Function", 2023, breeds 16 networks.
    pub fn chess() -> Self {
        Self {
            population: 16,
            parents: 0.5,
            offspring: 8,
            crossover: SynapseCrossover::Uniform {
                pick: 0.6,
                swap: 0.3,
            },
            mutation: SynapseMutation::Gaussian {
                rate: 0.6,
                sigma: 0.01,
                decay: Some(0.995),
            },
            permutation: Permutation::SquareRoot,
            start: WeightStart::Xavier,
        }
    }

    /// Whether the numbers make sense.
    ///
    /// # Errors
    ///
    /// [`SettingsError::Range`].
    pub fn check(&self) -> Result<(), SettingsError> {
        within("population", &self.population, 2..=LARGEST_POPULATION)?;
        within("offspring", &self.offspring, 1..=self.population - 1)?;
        above_zero("parents", self.parents)?;
        self.crossover.check()?;
        self.mutation.check()?;
        self.start.check()
    }

    pub(super) fn parents(&self) -> usize {
        let count = (self.parents * self.population as f64).ceil() as usize;
        count.clamp(1, self.population)
    }

    pub(super) fn staying(&self) -> usize {
        self.population - self.offspring
    }
}

/// Checks a share that must not be nothing.
fn above_zero(key: &'static str, share: f64) -> Result<(), SettingsError> {
    if share > 0.0 && share <= 1.0 {
        return Ok(());
    }
    Err(out_of_range(key, &share, "above 0 and at most 1"))
}

impl SynapseCrossover {
    fn check(self) -> Result<(), SettingsError> {
        match self {
            Self::PerNeuron => Ok(()),
            Self::Uniform { pick, swap } => {
                above_zero("crossover.uniform.pick", pick)?;
                within("crossover.uniform.swap", &swap, 0.0..=1.0)
            }
        }
    }

    /// Which of so many parents have children in this generation.
    pub(super) fn picked(self, parents: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
        let Self::Uniform { mut pick, .. } = self else {
            return (0..parents).collect();
        };
        loop {
            let picked: Vec<usize> = (0..parents).filter(|_| rng.random_bool(pick)).collect();
            if picked.len() >= parents.min(3) {
                return picked;
            }
            // At 1 all are picked, so that the loop ends.
            pick = (pick + 0.05).min(1.0);
        }
    }
}

impl SynapseMutation {
    fn check(self) -> Result<(), SettingsError> {
        match self {
            Self::Cauchy { rate, scale } => {
                within("mutation.cauchy.rate", &rate, 0.0..=1.0)?;
                positive("mutation.cauchy.scale", scale)
            }
            Self::Gaussian { rate, sigma, decay } => {
                within("mutation.gaussian.rate", &rate, 0.0..=1.0)?;
                positive("mutation.gaussian.sigma", sigma)?;
                match decay {
                    Some(decay) => within("mutation.gaussian.decay", &decay, 0.0..=1.0),
                    None => Ok(()),
                }
            }
        }
    }

    pub(super) fn rate(self) -> f64 {
        match self {
            Self::Cauchy { rate, .. } | Self::Gaussian { rate, .. } => rate,
        }
    }

    pub(super) fn size(self, generation: u32) -> f64 {
        match self {
            Self::Cauchy { scale, .. } => scale,
            Self::Gaussian { sigma, decay, .. } => {
                // Generation 1 is the first that is bred.
                let age = f64::from(generation.saturating_sub(1));
                sigma * decay.map_or(1.0, |decay| libm::pow(decay, age))
            }
        }
    }

    /// A step of size 1.
    pub(super) fn step(self, rng: &mut ChaCha8Rng) -> f64 {
        match self {
            Self::Cauchy { .. } => cauchy(rng),
            Self::Gaussian { .. } => normal(rng),
        }
    }
}

/// A standard Cauchy deviate, the same on every machine: the tangent of an angle with
/// equal chances between two right angles.
fn cauchy(rng: &mut ChaCha8Rng) -> f64 {
    libm::tan(std::f64::consts::PI * (rng.random::<f64>() - 0.5))
}

impl WeightStart {
    fn check(self) -> Result<(), SettingsError> {
        match self {
            Self::Uniform { range } => positive("start.uniform.range", range),
            Self::Xavier => Ok(()),
        }
    }
}
