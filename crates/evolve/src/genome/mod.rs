//! What evolution changes.

mod bits;
mod diversity;
mod layout;
mod net;
mod reals;

use std::fmt::Debug;

use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::operators::{Crossover, Mutation};
use crate::settings::SettingsError;

pub use bits::Bits;
pub use layout::{Coding, Gene, Layout};
pub use net::{Connected, Link, NetGenome, Node, Shape};
pub use reals::RealVector;

/// A kind of genome that the population breeders can work with.
///
/// The operators never fail and never panic: what could be wrong is checked
/// once, by [`check`](Self::check) and [`belongs`](Self::belongs), before a
/// breeder is made.
pub trait Genome: Clone + Debug + PartialEq + Serialize + DeserializeOwned {
    /// Where such genomes live: how long they are and what they may hold.
    type Space: Clone + Debug + PartialEq + Serialize + DeserializeOwned;

    /// Whether the space holds anything to breed.
    ///
    /// # Errors
    ///
    /// [`SettingsError::Empty`] or [`SettingsError::Bounds`].
    fn check_space(space: &Self::Space) -> Result<(), SettingsError>;

    /// Whether these operators suit such genomes, with all their numbers.
    ///
    /// # Errors
    ///
    /// Names the operator or its number, and what would do.
    fn check(crossover: Option<&Crossover>, mutation: &Mutation) -> Result<(), SettingsError>;

    /// Whether the genome is a member of the space.
    ///
    /// # Errors
    ///
    /// [`SettingsError::Start`] with the reason.
    fn belongs(&self, space: &Self::Space) -> Result<(), SettingsError>;

    /// A member of the space, all equally likely.
    fn random(space: &Self::Space, rng: &mut ChaCha8Rng) -> Self;

    fn cross(
        crossover: &Crossover,
        space: &Self::Space,
        parents: [&Self; 2],
        rng: &mut ChaCha8Rng,
    ) -> [Self; 2];

    /// Changes the genome; each bit or number with probability `rate`. Returns
    /// whether anything changed.
    fn mutate(&mut self, change: &Change<'_, Self::Space>, rng: &mut ChaCha8Rng) -> bool;

    /// How different the members are: their mean distance from the mean genome
    /// as a share of the widest possible, so 0 if all are alike and 1 if half
    /// of them sit in each of two opposite corners. 0 without members.
    fn diversity<'a>(space: &Self::Space, members: impl IntoIterator<Item = &'a Self>) -> f64
    where
        Self: 'a;
}

#[derive(Debug)]
pub struct Change<'a, S> {
    pub mutation: &'a Mutation,
    /// The probability of each bit or number to be changed.
    pub rate: f64,
    /// The generation that is being made, for operators that calm down.
    pub generation: u32,
    pub space: &'a S,
}
