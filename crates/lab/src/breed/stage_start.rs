//! The first generation of a stage, or its state from a checkpoint.

use mendel_evolve::{Breeder, Purpose, SettingsError, generator};
use mendel_fitness::genome::Bred;
use mendel_fitness::genome::jitter::Jitter;
use mendel_fitness::genome::network::most;
use mendel_fitness::genome::space::{Space, Start};
use mendel_store::frame::Failure;
use rand::RngExt;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::stage::{StageEnd, StageRunner, StageState};
use crate::recipe::{BreederSettings, StageSettings};

/// A stage about to be run: from its beginning, or from a checkpoint.
pub(super) struct StageStart<'a> {
    pub(super) settings: &'a StageSettings,
    /// Whose genes the first generation begins with.
    pub(super) founders: Vec<(String, Vec<i32>)>,
    pub(super) state: Option<serde_json::Value>,
    pub(super) seed: u64,
}

impl StageStart<'_> {
    pub(super) fn run<B>(
        self,
        mut runner: StageRunner,
        make: impl FnOnce(<B::Genome as Bred>::Home, Vec<B::Genome>) -> Result<B, SettingsError>,
    ) -> Result<StageEnd, Failure>
    where
        B: Breeder + Serialize + DeserializeOwned + 'static,
        B::Genome: Bred + Jitter,
    {
        let space: &Space = runner.space;
        let state = if let Some(state) = self.state {
            serde_json::from_value(state).map_err(|error| {
                Failure::failed(format!(
                    "the checkpoint has another breeder than the recipe: {error}"
                ))
            })?
        } else {
            let mut start = Vec::new();
            let mut given: Vec<(&str, &[i32])> = Vec::new();
            if self.settings.genome.start == Start::Parent {
                given.push(("the parent", space.base()));
            }
            let founders = self.founders.iter();
            given.extend(founders.map(|(name, numbers)| (name.as_str(), numbers.as_slice())));
            for (name, numbers) in given {
                start.push(B::Genome::of(space, numbers).map_err(|reason| {
                    Failure::failed(format!("{name} cannot be encoded: {reason}"))
                })?);
            }
            self.add_mutants(&mut start);
            let Some(home) = B::Genome::home(space) else {
                let reason = "the breeder does not suit the genomes";
                return Err(Failure::failed(reason));
            };
            let breeder = make(home.clone(), start.clone())
                .map_err(|error| Failure::failed(format!("the breeder cannot be made: {error}")))?;
            StageState::new(breeder, space, start, self.seed)
        };
        runner.run(state)
    }

    /// Fills the first generation with mutants of the parent, where that is asked for.
    fn add_mutants<G: Clone + Jitter>(&self, start: &mut Vec<G>) {
        let (Some(size), Some(parent)) = (self.settings.genome.mutants, start.first().cloned())
        else {
            return;
        };
        let (population, limits) = match &self.settings.breeder {
            BreederSettings::Cosyne(it) => {
                let network = self.settings.genome.network.as_ref();
                let limit = network.map_or_else(most, |it| it.limit);
                (it.population, [[-limit, limit]; 2])
            }
            BreederSettings::Neat(it) => {
                let biases = it.biases.as_ref().map_or([0.0; 2], |it| [it.low, it.high]);
                (it.population, [[it.weights.low, it.weights.high], biases])
            }
            _ => return,
        };
        for place in start.len()..population {
            let mut rng = generator(self.seed, 0, place as u32, Purpose::Start);
            let mut mutant = parent.clone();
            mutant.jitter(limits, &mut || size * normal(&mut rng));
            start.push(mutant);
        }
    }
}

/// A normal deviate: the sum of twelve numbers from 0 to 1, less six, is near enough
/// for a first generation, and the same on every machine. Not `mendel_evolve::normal`,
/// which draws other numbers: equal seeds must give equal runs in every version.
fn normal(rng: &mut impl RngExt) -> f64 {
    (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0
}
