//! Whole generations, gene by gene.

pub use mendel_fitness::genome::Genotype;
use mendel_store::Record;
use serde::{Deserialize, Serialize};

/// A line of `genotypes.jsonl`: all members of one generation. A run writes it as
/// often as `[report] keep-genotypes` says, and not by default: it is by far the longest of
/// its records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Genotypes {
    pub generation: u32,
    pub members: Vec<Genotype>,
}

impl Record for Genotypes {
    const VERSION: u32 = 1;
}
