//! Whole generations, gene by gene.

pub use mendel_fitness::genome::Genotype;
use mendel_store::Record;
use serde::{Deserialize, Serialize};

/// A line of `genotypes.jsonl`: all members of one generation. A run writes it for
/// each so many generations as `[report] keep-genotypes` says, and not otherwise: it
/// is by far the longest of its records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Genotypes {
    pub generation: u32,
    pub members: Vec<Genotype>,
}

impl Record for Genotypes {
    const VERSION: u32 = 1;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_are_told_apart_when_read() {
        let line = Genotypes {
            generation: 3,
            members: vec![
                Genotype::Genes(vec![1, -2]),
                Genotype::Links(vec![(7, 2048), (9, -4096)]),
            ],
        };
        let text = serde_json::to_string(&line).expect("plain data");
        assert_eq!(
            text,
            r#"{"generation":3,"members":[[1,-2],[[7,2048],[9,-4096]]]}"#
        );
        let again: Genotypes = serde_json::from_str(&text).expect("what was written");
        assert_eq!(again, line);
    }
}
