//! What can be said about NEAT, and the ways it was said before.

use serde::{Deserialize, Serialize};

use crate::function::Function;
use crate::settings::{
    LARGEST_POPULATION, LARGEST_WEIGHT, SettingsError, out_of_range, positive, within,
};

use super::distance::Distance;

/// The settings of a [`Neat`](super::Neat).
///
/// [`stanley_2002`](Self::stanley_2002), [`stanley_2004`](Self::stanley_2004) and
/// [`neat_python`](Self::neat_python) are whole sets of them; what a set of settings
/// cannot say is in the documentation of [`Neat`](super::Neat).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct NeatSettings {
    /// How many members a generation has. Always, to the last one.
    pub population: usize,
    #[serde(default)]
    pub innovations: Innovations,
    pub weights: Numbers,
    /// The biases of nodes; without, they stay 0, and a constant input takes their
    /// place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub biases: Option<Numbers>,
    /// What nodes multiply their sums with; without, 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub responses: Option<Numbers>,
    /// Of which functions nodes draw theirs.
    pub functions: Vec<Function>,
    /// The function of the outputs, for ever; without, they draw and change theirs
    /// as all nodes do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Function>,
    /// The probability of each node to draw its function anew.
    #[serde(default)]
    pub function_mutation: f64,
    pub structure: Structure,
    pub distance: Distance,
    /// How far members of one species may be from the one that stands for it.
    pub threshold: Threshold,
    #[serde(default)]
    pub placement: Placement,
    #[serde(default)]
    pub sharing: Sharing,
    /// Which share of a species, the best, become parents; at least two do, where
    /// there are two.
    pub survival: f64,
    pub elites: Elites,
    /// What happens to species that no longer get better.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stagnation: Option<Stagnation>,
    #[serde(default)]
    pub extinction: Extinction,
    /// Who has children with whom, and what these inherit.
    pub mating: Mating,
}

/// When two structural changes are the same and get the same number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Innovations {
    /// In the whole run: the same two nodes linked, or the same link split, whenever
    /// and in whichever member. A link that a member splits a second time gives a
    /// second node, the same for all who do that.
    #[default]
    Run,
    /// Within one generation, as in the paper of 2002 (p. 108): found again later it
    /// is something new.
    Generation,
    /// Links in the whole run; every node is new. So neat-python up to version 1,
    /// which tells links by their ends.
    Links,
}

/// A kind of numbers, how they begin and how they change.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Numbers {
    pub start: Draw,
    /// They never become smaller.
    pub low: f64,
    /// They never become larger.
    pub high: f64,
    /// The probability of a child to have such numbers changed at all.
    #[serde(default = "always")]
    pub genomes: f64,
    /// The probability of each number, in such a child, to be moved.
    pub rate: f64,
    /// The probability of each number to be drawn anew instead; both together are
    /// at most 1.
    #[serde(default)]
    pub replace: f64,
    #[serde(default)]
    pub noise: Noise,
    /// How far: the standard deviation, or the most.
    pub power: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Draw {
    Gaussian {
        mean: f64,
        deviation: f64,
    },
    /// All alike between two numbers.
    Uniform {
        low: f64,
        high: f64,
    },
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Noise {
    #[default]
    Gaussian,
    /// By up to so much, all alike.
    Uniform,
}

/// What happens to nodes and links of a child. The rates are probabilities of one
/// such change.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Structure {
    /// A link is split by a new node.
    pub add_node: f64,
    /// A hidden node goes, with its links.
    #[serde(default)]
    pub delete_node: f64,
    pub add_link: f64,
    #[serde(default)]
    pub delete_link: f64,
    /// The probability of each link to have its switch set by a coin.
    #[serde(default)]
    pub enable: f64,
    /// Whether at most one of the four happens to a child.
    #[serde(default)]
    pub at_most_one: bool,
    /// How often two nodes are drawn to find two that can be linked.
    #[serde(default = "twenty")]
    pub tries: u32,
    #[serde(default)]
    pub split: Split,
    /// How a node begins that splits a link.
    #[serde(default)]
    pub new_node: NewNode,
    /// What happens to hidden nodes that have lost their last link.
    #[serde(default)]
    pub orphans: Orphans,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Split {
    #[default]
    Enabled,
    Any,
}

/// How a node begins that splits a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NewNode {
    /// With a bias of 0 and a response of 1, to change as little as can be.
    #[default]
    Neutral,
    Drawn,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Orphans {
    /// They go.
    #[default]
    Drop,
    /// They wait for a new one.
    Keep,
}

/// How far members of one species may be from the one that stands for it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Threshold {
    /// Always so far.
    Fixed(f64),
    /// Changed after each generation so that there are so many species.
    ///
    /// # Source
    ///
    /// Stanley and Miikkulainen, "Competitive Coevolution through Evolutionary
    /// Complexification", *Journal of Artificial Intelligence Research* 21, 2004.
    ///
    /// # Where this differs
    ///
    /// The floor is ours: at 0 everybody would be a species.
    Dynamic {
        start: f64,
        species: usize,
        /// By how much it changes.
        step: f64,
        /// It never becomes less.
        floor: f64,
    },
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Placement {
    /// The first that is near enough. A member of the generation before, drawn by
    /// chance, stands for a species. (2002.)
    #[default]
    First,
    /// The nearest that is near enough. The member nearest to the one before stands
    /// for a species, so that no species loses its last member here. (neat-python.)
    Nearest,
}

/// How many children a species has.
///
/// All are explicit fitness sharing: each member's score counts divided by the size
/// of its species, so that a species counts by its mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Sharing {
    /// In proportion to its mean score. Scores must be from 0: less counts as 0, and
    /// if nobody has more, all species are alike. (2002.)
    Mean,
    /// In proportion to its mean score less the lowest score of the generation. For
    /// scores that can be negative.
    #[default]
    Shifted,
    /// As before, where the difference counts as a share of the range of scores or of
    /// 1, whichever is more; but only half the way from the size it had, and not
    /// fewer than some, as long as there are enough members. (neat-python.)
    Damped { smallest: usize },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Elites {
    /// The best of each species that has more members than this. (2002: 5.)
    Champion {
        /// More than so many.
        above: usize,
    },
    /// The best so many of each species. (neat-python.)
    Each(usize),
}

/// What happens to species that no longer get better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Stagnation {
    /// After so many generations without a better score it has no more children.
    pub generations: u32,
    #[serde(default)]
    pub measure: SpeciesScore,
    /// So many species, the best, are spared.
    #[serde(default)]
    pub spared: usize,
    /// After more than so many generations without a better score in any species,
    /// only the best two have children. (2002: 20.)
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refocus: Option<u32>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SpeciesScore {
    #[default]
    Best,
    Mean,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Extinction {
    #[default]
    KeepBest,
    /// All are founded anew.
    Restart,
}

/// Who has children with whom, and what these inherit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Mating {
    /// The probability of a child to have one parent only.
    pub alone: f64,
    /// The probability of a second parent from another species.
    #[serde(default)]
    pub interspecies: f64,
    /// The probability of a crossing in which the weights of genes that both parents
    /// have are averaged. (2004: 0.4.)
    #[serde(default)]
    pub average: f64,
    #[serde(default)]
    pub inherit: Inherit,
    /// The probability of a gene to be disabled if it is in either parent; without,
    /// the switch is inherited as the rest. (2002: 0.75.)
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled: Option<f64>,
    /// Who gives the genes that only one parent has, if both did equally well.
    #[serde(default)]
    pub equals: Equals,
}

/// What is inherited from one of the parents where both have a gene.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Inherit {
    /// The gene. (2002.)
    #[default]
    Genes,
    /// Each of its numbers. (neat-python.)
    Numbers,
}

/// Who gives the genes that only one parent has, if both did equally well.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Equals {
    /// Both, each gene by a coin. (2002, figure 4.)
    #[default]
    Both,
    /// The smaller one, or if they are of one size either.
    Smaller,
    /// One of them, all. (neat-python.)
    One,
}

fn always() -> f64 {
    1.0
}

fn twenty() -> u32 {
    20
}

impl NeatSettings {
    /// Whether the numbers make sense.
    ///
    /// # Errors
    ///
    /// [`SettingsError::Range`] names the first that does not, and what would.
    pub fn check(&self) -> Result<(), SettingsError> {
        within("population", &self.population, 2..=LARGEST_POPULATION)?;
        self.weights.check("weights")?;
        if let Some(biases) = &self.biases {
            biases.check("biases")?;
        }
        if let Some(responses) = &self.responses {
            responses.check("responses")?;
        }
        if self.functions.is_empty() {
            return Err(out_of_range("functions", &"empty", "at least one"));
        }
        let rates = [
            ("function-mutation", self.function_mutation),
            ("structure.add-node", self.structure.add_node),
            ("structure.delete-node", self.structure.delete_node),
            ("structure.add-link", self.structure.add_link),
            ("structure.delete-link", self.structure.delete_link),
            ("structure.enable", self.structure.enable),
            ("mating.alone", self.mating.alone),
            ("mating.interspecies", self.mating.interspecies),
            ("mating.average", self.mating.average),
            ("mating.disabled", self.mating.disabled.unwrap_or(0.0)),
            ("survival", self.survival),
        ];
        for (key, rate) in rates {
            within(key, &rate, 0.0..=1.0)?;
        }
        within("structure.tries", &self.structure.tries, 1..=10_000)?;
        self.distance.check()?;
        self.threshold.check()?;
        let most = self.population;
        if let Sharing::Damped { smallest } = self.sharing {
            within("sharing.damped.smallest", &smallest, 1..=most)?;
        }
        if let Elites::Each(count) = self.elites {
            within("elites.each", &count, 0..=most - 1)?;
        }
        match &self.stagnation {
            Some(it) => within("stagnation.generations", &it.generations, 1..=u32::MAX),
            None => Ok(()),
        }
    }
}

impl Numbers {
    fn check(&self, name: &'static str) -> Result<(), SettingsError> {
        let told = |reason: &str| {
            Err(SettingsError::Bounds {
                name: name.to_owned(),
                reason: reason.to_owned(),
            })
        };
        let reasonable = -LARGEST_WEIGHT..=LARGEST_WEIGHT;
        let bounds = [self.low, self.high];
        if !(bounds.iter().all(|it| reasonable.contains(it)) && self.low <= self.high) {
            return told(&format!(
                "`low` is {} and `high` is {}; they must be numbers that rise, from {} to {}",
                self.low,
                self.high,
                reasonable.start(),
                reasonable.end()
            ));
        }
        let [rate, replace, genomes] = [self.rate, self.replace, self.genomes];
        let share = 0.0..=1.0;
        if !(share.contains(&genomes) && share.contains(&rate) && share.contains(&replace)) {
            return told("`genomes`, `rate` and `replace` must be from 0 to 1");
        }
        // A little more than 1 is how 0.9 and 0.1 may add up.
        if rate + replace > 1.0 + 1e-9 {
            return told("`rate` and `replace` together must be at most 1");
        }
        if !(0.0..=LARGEST_WEIGHT).contains(&self.power) {
            return told(&format!(
                "`power` must be a number from 0 to {LARGEST_WEIGHT}"
            ));
        }
        let good = match self.start {
            Draw::Gaussian { mean, deviation } => {
                mean.is_finite() && deviation.is_finite() && deviation >= 0.0
            }
            Draw::Uniform { low, high } => low.is_finite() && high.is_finite() && low <= high,
        };
        if good {
            Ok(())
        } else {
            told("`start` must have finite numbers, a deviation from 0, bounds that rise")
        }
    }
}

impl Threshold {
    pub(super) fn start(&self) -> f64 {
        match *self {
            Self::Fixed(start) | Self::Dynamic { start, .. } => start,
        }
    }

    fn check(&self) -> Result<(), SettingsError> {
        match *self {
            Self::Fixed(threshold) => positive("threshold.fixed", threshold),
            Self::Dynamic {
                start,
                species,
                step,
                floor,
            } => {
                positive("threshold.dynamic.start", start)?;
                positive("threshold.dynamic.step", step)?;
                positive("threshold.dynamic.floor", floor)?;
                within(
                    "threshold.dynamic.species",
                    &species,
                    1..=LARGEST_POPULATION,
                )
            }
        }
    }
}
