//! Members of whole generations, gene by gene.

use serde::{Deserialize, Serialize};

/// What a member is made of. Weights of networks are whole parts of an evaluator's one:
/// finer is not played, and thousands of them are written down.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Genotype {
    /// As many genes as anybody else has, in the same order.
    Genes(Vec<i32>),
    /// Its links, each by the number of its innovation, with their weights; whatever
    /// is not there weighs nothing.
    Links(Vec<(u32, i32)>),
}
