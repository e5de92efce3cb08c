//! Memory that is used again.

use std::sync::Mutex;

use crate::breeder::Offspring;
use crate::genome::NetGenome;

/// The networks of a generation that is gone, for the memory they have: what is asked
/// for is copied there. Small networks are bred faster than memory is found for them.
///
/// It is no part of what a breeder is: all of them are equal, and copies begin without.
#[derive(Debug, Default)]
pub(super) struct Spare(Mutex<Vec<Offspring<NetGenome>>>);

impl Spare {
    pub(super) fn put(&mut self, gone: Vec<Offspring<NetGenome>>) {
        self.0 = Mutex::new(gone);
    }

    /// A copy of a generation. Who asks at the same time as another does without.
    pub(super) fn copy(&self, born: &[Offspring<NetGenome>]) -> Vec<Offspring<NetGenome>> {
        let spare = self.0.try_lock().map(|mut it| std::mem::take(&mut *it));
        let mut copy = spare.unwrap_or_default();
        copy.truncate(born.len());
        for (to, from) in copy.iter_mut().zip(born) {
            to.genome.clone_from(&from.genome);
            to.parents.clone_from(&from.parents);
            to.origin = from.origin;
        }
        copy.extend_from_slice(&born[copy.len()..]);
        copy
    }
}

impl Clone for Spare {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Spare {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
