//! What children inherit from two parents.

use serde::{Deserialize, Serialize};

use crate::settings::{SettingsError, within};

/// How two parents make two children. Each child is the mirror image of the
/// other: what one has from the mother, the other has from the father.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Crossover {
    /// Cut at one place, all places between two bits (or numbers) equally likely.
    ///
    /// # Source
    ///
    /// Holland, *Adaptation in Natural and Artificial Systems*, 1975; so in
    /// Harris, "Applications of Genetic Algorithms to Chess", Bard College, 2024,
    /// §3.1.3.
    ///
    /// # Where this differs
    ///
    /// A cut before the first or behind the last bit, which would be no
    /// crossover, is not drawn.
    SinglePoint,

    /// Cut at two different places; the middle is swapped.
    ///
    /// # Source
    ///
    /// De Jong, *An Analysis of the Behavior of a Class of Genetic Adaptive
    /// Systems*, University of Michigan, 1975.
    ///
    /// # Where this differs
    ///
    /// The string is not a ring: both cuts lie inside it.
    TwoPoint,

    /// Each piece is swapped with probability `swap`.
    ///
    /// # Source
    ///
    /// Syswerda, "Uniform Crossover in Genetic Algorithms", *Proceedings of the
    /// Third International Conference on Genetic Algorithms*, 1989.
    ///
    /// # Where this differs
    ///
    /// The pieces can be whole genes, so that no gene is cut, as Klevansky,
    /// Ostroff and Offen (Technion, 2023) describe it; and the probability is a
    /// setting, since "Neuroevolutionary Frameworks to Evolve Chess Evaluation
    /// Function" (2023) swaps with 0.3.
    Uniform {
        by: Piece,
        /// The probability of each to be swapped.
        #[serde(default = "half")]
        swap: f64,
    },

    /// One child lies a share drawn from 0 to 1 of the way from the first parent
    /// to the second, the other as far from the second. For numbers only.
    ///
    /// # Source
    ///
    /// Michalewicz, *Genetic Algorithms + Data Structures = Evolution Programs*,
    /// third edition, 1996, §6.3 (whole arithmetical crossover).
    ///
    /// # Where this differs
    ///
    /// Nowhere.
    Arithmetic,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Piece {
    Bit,
    /// Whole genes; for lists of numbers, each number.
    Gene,
}

fn half() -> f64 {
    0.5
}

impl Crossover {
    pub fn uniform(by: Piece) -> Self {
        Self::Uniform { by, swap: half() }
    }

    /// Whether the numbers make sense.
    ///
    /// # Errors
    ///
    /// [`SettingsError::Range`].
    pub fn check(&self) -> Result<(), SettingsError> {
        match *self {
            Self::SinglePoint | Self::TwoPoint | Self::Arithmetic => Ok(()),
            Self::Uniform { swap, .. } => within("crossover.uniform.swap", &swap, 0.0..=1.0),
        }
    }
}
