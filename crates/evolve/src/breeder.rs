//! The algorithms' side of a run: a breeder proposes genomes.

use serde::{Deserialize, Serialize};

/// One member of a run: its generation and its place there, both from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct MemberId {
    pub generation: u32,
    pub member: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Origin {
    /// Drawn at random.
    Random,
    /// Given from outside, such as the weights a run starts from.
    Given,
    /// Unchanged from the generation before.
    Elite,
    /// From two parents, mutated or not.
    Crossover,
    /// From one parent, changed.
    Mutation,
    /// From one parent, by chance unchanged.
    Copy,
    /// Taken back from the hall of fame or an archive.
    HallOfFame,
    /// A step along a gradient.
    Step,
    /// Tried beside the point that the breeder is at.
    Probe,
    /// Composed of the numbers of several members.
    Permutation,
}

/// A genome as a breeder proposes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Offspring<G> {
    pub genome: G,
    /// Empty for the first generation, unless its members are children of others in it.
    pub parents: Vec<MemberId>,
    pub origin: Origin,
}

/// What a trial found out about one member.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgedMember {
    /// The fitness; larger is better.
    pub score: f64,
    /// How the score changes with each number of the genome, where the breeder
    /// [`wants_gradients`](Breeder::wants_gradients).
    pub gradient: Option<Vec<f64>>,
}

impl From<f64> for JudgedMember {
    fn from(score: f64) -> Self {
        Self {
            score,
            gradient: None,
        }
    }
}

/// The species of the generation that is asked for next.
#[derive(Clone, Debug, PartialEq)]
pub struct SpeciesReport {
    /// The mean distance of all pairs of members.
    pub mean_distance: f64,
    /// How often no species was left that might breed.
    pub extinctions: u32,
    pub species: Vec<SpeciesState>,
}

/// One species of a [`SpeciesReport`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpeciesState {
    /// No other species of the run has it.
    pub id: u32,
    /// Places in the generation.
    pub members: Vec<u32>,
    /// Generations since it was founded.
    pub age: u32,
}

/// Proposes genomes and learns from how they did.
///
/// Asking and telling are apart so that the judging in between can take a second or a
/// week, here or on other machines. A breeder is its own state: one that is serialised
/// after a generation and read back proposes the same genomes.
pub trait Breeder {
    type Genome;

    /// The generation that is asked for next, from 0.
    fn generation(&self) -> u32;

    /// The next generation. Asked twice without being told, it answers the same.
    fn ask(&self) -> Vec<Offspring<Self::Genome>>;

    /// How the members of the generation that was asked for did, in its order.
    fn tell(&mut self, offspring: Vec<Offspring<Self::Genome>>, judged: &[JudgedMember]);

    /// Whether the breeder needs [`JudgedMember::gradient`].
    fn wants_gradients(&self) -> bool {
        false
    }

    /// Where the breeder itself has come to, if it only tries members around a point. Of
    /// all others the best member is the answer.
    fn incumbent(&self) -> Option<Self::Genome> {
        None
    }

    /// The species, if it keeps any.
    fn species(&self) -> Option<SpeciesReport> {
        None
    }
}

impl<B: Breeder + ?Sized> Breeder for Box<B> {
    type Genome = B::Genome;

    fn generation(&self) -> u32 {
        (**self).generation()
    }

    fn ask(&self) -> Vec<Offspring<Self::Genome>> {
        (**self).ask()
    }

    fn tell(&mut self, offspring: Vec<Offspring<Self::Genome>>, judged: &[JudgedMember]) {
        (**self).tell(offspring, judged);
    }

    fn wants_gradients(&self) -> bool {
        (**self).wants_gradients()
    }

    fn incumbent(&self) -> Option<Self::Genome> {
        (**self).incumbent()
    }

    fn species(&self) -> Option<SpeciesReport> {
        (**self).species()
    }
}
