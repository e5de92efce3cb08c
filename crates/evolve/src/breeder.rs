//! Who proposes genomes.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// One member of a run: the generation it was born in and its place there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct MemberId {
    /// The generation, from 0.
    pub generation: u32,
    /// The place in it, from 0.
    pub member: u32,
}

/// How a genome came to be.
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
    /// Put together anew from the numbers of several members.
    Permutation,
}

/// A genome as a breeder proposes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Born<G> {
    /// What is to be judged.
    pub genome: G,
    /// Whose child it is; empty for the first generation, unless its members are
    /// children of others in it.
    pub parents: Vec<MemberId>,
    /// How it was made.
    pub origin: Origin,
}

/// What a trial found out about one member.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// The fitness; larger is better.
    pub score: f64,
    /// How the score changes with each number of the genome, where the trial
    /// can tell and the breeder asked for it.
    pub slope: Option<Vec<f64>>,
}

/// Proposes genomes and learns from how they did.
///
/// Asking and telling are apart so that the judging in between can take a
/// second or a week, here or on other machines. A breeder is its own
/// serialisable state: written after a generation was told and read back, it
/// goes on with the very genomes it would have proposed.
pub trait Breeder: Serialize + DeserializeOwned {
    /// What is bred.
    type Genome: Clone + Serialize + DeserializeOwned;

    /// The generation that is asked for next, from 0.
    fn generation(&self) -> u32;

    /// The next generation. Asked twice without being told, it answers the same.
    fn ask(&self) -> Vec<Born<Self::Genome>>;

    /// Whether the breeder needs [`Judged::slope`].
    fn wants_slopes(&self) -> bool {
        false
    }

    /// What the breeder would hand over if it ended now, if that is none of the
    /// members it asks with: a breeder that only tries around a point is at that
    /// point. Of all others the best member is the answer.
    fn incumbent(&self) -> Option<Self::Genome> {
        None
    }

    /// How the members of the generation that was asked for did, in its order.
    fn tell(&mut self, born: Vec<Born<Self::Genome>>, judged: &[Judged]);
}
