//! From a genome to the thing it describes.

use std::convert::Infallible;
use std::marker::PhantomData;

use crate::genome::{Bits, Layout};

/// Turns a genome into the thing it describes.
pub trait Codec {
    /// What is bred.
    type Genome;
    /// What is judged.
    type Phenotype;
    /// Why a genome may describe nothing.
    type Error: std::error::Error;

    /// The thing a genome describes. Equal genomes describe equal things.
    ///
    /// # Errors
    ///
    /// If the genome describes nothing; this ends a run, so a codec that can should
    /// make something of every genome its breeder may propose.
    fn decode(&self, genome: &Self::Genome) -> Result<Self::Phenotype, Self::Error>;
}

/// The genome is the thing itself.
#[derive(Clone, Copy, Debug)]
pub struct Plain<G>(PhantomData<G>);

impl<G> Plain<G> {
    /// The codec that changes nothing.
    pub fn new() -> Self {
        Self(PhantomData)
    }
}

impl<G> Default for Plain<G> {
    fn default() -> Self {
        Self::new()
    }
}

impl<G: Clone> Codec for Plain<G> {
    type Genome = G;
    type Phenotype = G;
    type Error = Infallible;

    fn decode(&self, genome: &G) -> Result<G, Infallible> {
        Ok(genome.clone())
    }
}

impl Codec for Layout {
    type Genome = Bits;
    type Phenotype = Vec<i64>;
    type Error = Infallible;

    fn decode(&self, genome: &Bits) -> Result<Vec<i64>, Infallible> {
        Ok(self.decode(genome))
    }
}
