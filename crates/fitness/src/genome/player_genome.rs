//! Genomes that stand for a player.

use std::fmt::Debug;

use mendel_evolve::{
    Bits, Breeder as _, Genome, NetGenome, RandomSearch, RandomSettings, RealVector,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::genotype::Genotype;
use super::network::{Nets, fixed};
use super::space::{Space, SpaceKind};

/// A genome that stands for the numbers of a player.
pub trait Bred: Clone + Debug + Sync + Serialize + DeserializeOwned {
    /// What a breeder knows of the place where such genomes live.
    type Home: Clone;
    /// What chance alone would find.
    type Chance: Debug + Serialize + DeserializeOwned;

    /// Where such genomes live, if the space is one of theirs.
    fn home(space: &Space) -> Option<&Self::Home>;
    /// All numbers of the player.
    fn weights(&self, space: &Space) -> Vec<i32>;
    /// The same, and whether they stand in for a network that is too large to play.
    fn built(&self, space: &Space) -> (Vec<i32>, bool) {
        (self.weights(space), false)
    }
    /// A player with these numbers, or why it cannot be one of them.
    ///
    /// # Errors
    ///
    /// If genomes of the space are of another kind, or a number is out of its bounds.
    fn of(space: &Space, numbers: &[i32]) -> Result<Self, String>;
    /// All weights before they are rounded.
    fn exact(&self, space: &Space) -> Vec<f64> {
        let weights = self.weights(space);
        weights.into_iter().map(f64::from).collect()
    }
    /// What is kept of it where whole generations are kept.
    fn genotype(&self, space: &Space) -> Genotype {
        let weights = self.weights(space);
        if space.is_of_networks() {
            return Genotype::Genes(weights);
        }
        let genes = space.slots().iter().filter_map(|&slot| weights.get(slot));
        Genotype::Genes(genes.copied().collect())
    }
    /// How different members are, from 0 to 1.
    fn diversity<'a>(space: &Space, members: impl Iterator<Item = &'a Self>) -> f64
    where
        Self: 'a;

    /// Random search beside a breeder, given what the breeder is given.
    fn chance(space: &Space, population: usize, start: Vec<Self>, seed: u64) -> Self::Chance;
    /// What it puts up in this generation.
    fn drawn(chance: &Self::Chance) -> Vec<Self>;
    /// The generation is over.
    fn go_on(chance: &mut Self::Chance);
}

/// Random search; none beside networks, of which chance alone finds none that plays,
/// and whose first generation says as much.
type Search<G> = Option<RandomSearch<G>>;

fn search<G: Genome>(
    home: Option<&G::Space>,
    population: usize,
    start: Vec<G>,
    seed: u64,
) -> Search<G> {
    let settings = RandomSettings { population };
    let search = RandomSearch::new(settings, home?.clone(), start, seed);
    Some(search.expect("a space that a breeder works in can be searched"))
}

fn ask<G: Genome>(search: Option<&RandomSearch<G>>) -> Vec<G> {
    let asked = search.into_iter().flat_map(RandomSearch::ask);
    asked.map(|born| born.genome).collect()
}

fn tell<G: Genome>(search: &mut Search<G>) {
    if let Some(search) = search {
        search.tell(Vec::new(), &[]);
    }
}

impl Bred for Bits {
    type Home = <Self as Genome>::Space;
    type Chance = Search<Self>;

    fn home(space: &Space) -> Option<&Self::Home> {
        match &space.kind {
            SpaceKind::Bits(layout) => Some(layout),
            _ => None,
        }
    }

    fn weights(&self, space: &Space) -> Vec<i32> {
        space.from_bits(self)
    }

    fn of(space: &Space, numbers: &[i32]) -> Result<Self, String> {
        let Some(layout) = Self::home(space) else {
            return Err("the genomes are no strings of bits".to_owned());
        };
        let genes = space.genes_of(numbers);
        let values: Vec<i64> = genes.iter().map(|&gene| gene as i64).collect();
        layout.encode(&values).map_err(|error| error.to_string())
    }

    fn diversity<'a>(space: &Space, members: impl Iterator<Item = &'a Self>) -> f64 {
        Self::home(space).map_or(0.0, |home| Genome::diversity(home, members))
    }

    fn chance(space: &Space, population: usize, start: Vec<Self>, seed: u64) -> Self::Chance {
        search(Self::home(space), population, start, seed)
    }

    fn drawn(chance: &Self::Chance) -> Vec<Self> {
        ask(chance.as_ref())
    }

    fn go_on(chance: &mut Self::Chance) {
        tell(chance);
    }
}

impl Bred for RealVector {
    type Home = <Self as Genome>::Space;
    type Chance = Search<Self>;

    fn home(space: &Space) -> Option<&Self::Home> {
        match &space.kind {
            SpaceKind::Reals(bounds) => Some(bounds),
            SpaceKind::Synapses(synapses) => Some(&synapses.bounds),
            _ => None,
        }
    }

    fn weights(&self, space: &Space) -> Vec<i32> {
        space.from_reals(self)
    }

    fn of(space: &Space, numbers: &[i32]) -> Result<Self, String> {
        let genome = space.to_reals(numbers);
        let bounds = Self::home(space).map_or(&[][..], Vec::as_slice);
        for (gene, bounds) in genome.0.iter().zip(bounds) {
            let (name, low, high) = (&bounds.name, bounds.low, bounds.high);
            if !(low..=high).contains(gene) {
                return Err(format!(
                    "`{name}` is {gene} and must lie from {low} to {high}"
                ));
            }
        }
        Ok(genome)
    }

    fn exact(&self, space: &Space) -> Vec<f64> {
        let mut exact: Vec<f64> = space.base().iter().copied().map(f64::from).collect();
        for (&slot, value) in space.slots().iter().zip(&self.0) {
            exact[slot] = *value;
        }
        exact
    }

    fn diversity<'a>(space: &Space, members: impl Iterator<Item = &'a Self>) -> f64 {
        Self::home(space).map_or(0.0, |home| Genome::diversity(home, members))
    }

    fn chance(space: &Space, population: usize, start: Vec<Self>, seed: u64) -> Self::Chance {
        if space.is_of_networks() {
            return None;
        }
        search(Self::home(space), population, start, seed)
    }

    fn drawn(chance: &Self::Chance) -> Vec<Self> {
        ask(chance.as_ref())
    }

    fn go_on(chance: &mut Self::Chance) {
        tell(chance);
    }
}

impl Bred for NetGenome {
    type Home = Nets;
    type Chance = ();

    fn home(space: &Space) -> Option<&Self::Home> {
        match &space.kind {
            SpaceKind::Nets(nets) => Some(nets),
            _ => None,
        }
    }

    fn weights(&self, space: &Space) -> Vec<i32> {
        self.built(space).0
    }

    fn built(&self, space: &Space) -> (Vec<i32>, bool) {
        Self::home(space).map_or_else(Default::default, |nets| nets.numbers(self))
    }

    fn of(space: &Space, numbers: &[i32]) -> Result<Self, String> {
        let Some(nets) = Self::home(space) else {
            return Err("the genomes are no networks".to_owned());
        };
        nets.genome(numbers)
    }

    fn genotype(&self, _space: &Space) -> Genotype {
        let links = self.links.iter().filter(|link| link.enabled);
        let links = links.map(|link| (link.innovation, fixed(link.weight)));
        Genotype::Links(links.collect())
    }

    fn diversity<'a>(_space: &Space, members: impl Iterator<Item = &'a Self>) -> f64 {
        Nets::diversity(members)
    }

    fn chance(_space: &Space, _population: usize, _start: Vec<Self>, _seed: u64) {}

    fn drawn(_chance: &Self::Chance) -> Vec<Self> {
        Vec::new()
    }

    fn go_on(_chance: &mut Self::Chance) {}
}
