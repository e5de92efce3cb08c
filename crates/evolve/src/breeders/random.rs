//! Random search: the baseline.

use serde::{Deserialize, Serialize};

use super::{check_population, found};
use crate::breeder::{Breeder, JudgedMember, Offspring, Origin};
use crate::genome::Genome;
use crate::seed::{Purpose, generator};
use crate::settings::SettingsError;

/// The settings of a [`RandomSearch`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct RandomSettings {
    /// How many members are drawn in each generation.
    pub population: usize,
}

/// Draws every member at random and learns nothing.
///
/// What a breeder is worth is what it finds beyond this with as many
/// judgements.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct RandomSearch<G: Genome> {
    settings: RandomSettings,
    space: G::Space,
    given: Vec<G>,
    seed: u64,
    generation: u32,
}

impl<G: Genome> RandomSearch<G> {
    /// A search in `space`; `start` (a genome, several or `None`) are members of
    /// the first generation.
    ///
    /// # Errors
    ///
    /// [`SettingsError`] names what does not fit and what would.
    pub fn new(
        settings: RandomSettings,
        space: G::Space,
        start: impl IntoIterator<Item = G>,
        seed: u64,
    ) -> Result<Self, SettingsError> {
        let given: Vec<G> = start.into_iter().collect();
        check_population(settings.population, &space, &given)?;
        Ok(Self {
            settings,
            space,
            given,
            seed,
            generation: 0,
        })
    }
}

impl<G: Genome> Breeder for RandomSearch<G> {
    type Genome = G;

    fn generation(&self) -> u32 {
        self.generation
    }

    fn ask(&self) -> Vec<Offspring<G>> {
        if self.generation == 0 {
            return found(
                &self.given,
                self.settings.population,
                &self.space,
                self.seed,
            );
        }
        (0..self.settings.population as u32)
            .map(|member| {
                let mut rng = generator(self.seed, self.generation, member, Purpose::Start);
                Offspring {
                    genome: G::random(&self.space, &mut rng),
                    parents: Vec::new(),
                    origin: Origin::Random,
                }
            })
            .collect()
    }

    fn tell(&mut self, _born: Vec<Offspring<G>>, _judged: &[JudgedMember]) {
        self.generation = self.generation.saturating_add(1);
    }
}
