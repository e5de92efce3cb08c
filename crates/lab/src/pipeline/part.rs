//! Games that start in one part of the game.

use mendel_coach::Phase;
use mendel_data::{DataSet, Reader};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use mendel_store::frame::Failure;

use crate::games;
use crate::recipe::steps::PartSettings;

impl PartSettings {
    pub(super) fn check(&self) -> Result<(), String> {
        if self.positions == 0 {
            return Err("has no positions; ask for at least one".to_owned());
        }
        Reader::find(&self.data).map_err(|error| error.to_string())?;
        Ok(())
    }

    pub(super) fn words(&self) -> String {
        let (count, phase, data) = (self.positions, self.phase.name(), &self.data);
        let within = self.within;
        format!("{count} positions of the {phase} in {data}, level within {within} centipawns")
    }

    /// The positions as EPD, each once.
    pub(super) fn draw(&self, seed: u64) -> Result<String, Failure> {
        let set = DataSet::find(&self.data)?;
        let mut fitting: Vec<String> = set
            .samples
            .iter()
            .filter(|it| {
                it.score
                    .is_some_and(|score| score.unsigned_abs() <= self.within)
                    && Phase::of(&it.position) == self.phase
                    && !it.position.legal_moves().is_empty()
                    && !it.position.is_insufficient_material()
            })
            .map(|it| games::epd(&it.position))
            .collect();
        fitting.sort_unstable();
        fitting.dedup();
        fitting.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
        if fitting.len() < self.positions {
            let (name, found, wanted) = (&self.data, fitting.len(), self.positions);
            return Err(Failure::failed(format!(
                "`{name}` has {found} positions of that part of the game that are level enough, and \
                 {wanted} are requested; request fewer, or allow more with `within`"
            )));
        }
        fitting.truncate(self.positions);
        Ok(games::epd_file(fitting))
    }
}
