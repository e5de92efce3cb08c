//! The journals of a run, which are written with its checkpoint.

use mendel_store::Journal;
use mendel_store::frame::{Failure, Flush, Folder};

use crate::record::{GENERATIONS, GENOTYPES, Generation, Genotypes, LINEAGE, Lineage};

/// Journals of generations. On opening they are cut to the checkpoint: what a dead process wrote
/// beyond it is bred again.
#[derive(Debug)]
pub(super) struct RunJournals {
    pub(super) generations: Journal<Generation>,
    pub(super) lineage: Journal<Lineage>,
    /// Where the recipe keeps whole generations.
    pub(super) genotypes: Option<Journal<Genotypes>>,
}

impl RunJournals {
    pub(super) fn open(folder: &Folder, keep_genotypes: bool) -> Result<Self, Failure> {
        let genotypes = keep_genotypes.then(|| folder.journal(GENOTYPES));
        Ok(Self {
            genotypes: genotypes.transpose()?.map(|(journal, _)| journal),
            generations: folder.journal(GENERATIONS)?.0,
            lineage: folder.journal(LINEAGE)?.0,
        })
    }

    /// All of them, for a checkpoint.
    pub(super) fn all(&mut self) -> [&mut dyn Flush; 3] {
        [
            &mut self.generations,
            &mut self.lineage,
            &mut self.genotypes,
        ]
    }
}
