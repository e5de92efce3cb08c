//! The breeding loop.

use serde::{Deserialize, Serialize};

use crate::breeder::Breeder;
use crate::seed::generation_seed;
use crate::settings::SettingsError;
use crate::stop::{RunProgress, StopRules, Stopped};
use crate::trial::{GenerationRequest, Trial};

/// Why a generation could not be bred. The run is as it was before it.
#[derive(Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EvolveError<E> {
    #[error("the generation could not be judged")]
    Trial(#[source] E),
    #[error("{found} judgements came back for the {needed} members of generation {generation}")]
    Count {
        generation: u32,
        found: usize,
        needed: usize,
    },
    #[error(
        "the breeder needs gradients, and the trial gave none for generation {generation}: use a \
         breeder that does without"
    )]
    NoGradient { generation: u32 },
}

/// A run between two generations. Serialised and read back (together with the trial, if
/// that has a memory) it continues as if it had not been interrupted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run<B> {
    pub breeder: B,
    /// For the judging; the breeder has its own.
    pub seed: u64,
    /// Generations of the runs that this one continues: the seeds of its generations
    /// follow theirs.
    #[serde(default)]
    pub first_generation: u32,
    pub stop: StopRules,
    pub progress: RunProgress,
}

impl<B: Breeder> Run<B> {
    /// A run before its first generation.
    ///
    /// # Errors
    ///
    /// [`SettingsError`] if the run might never end.
    pub fn new(breeder: B, stop: StopRules, seed: u64) -> Result<Self, SettingsError> {
        stop.check()?;
        Ok(Self {
            breeder,
            seed,
            first_generation: 0,
            stop,
            progress: RunProgress::default(),
        })
    }

    /// Whether the run is over, and by which rule.
    pub fn stopped(&self) -> Option<Stopped> {
        self.stop.reached(&self.progress)
    }

    /// Breeds one generation.
    ///
    /// # Errors
    ///
    /// [`EvolveError`]; the run is then as it was before.
    pub fn step<T>(&mut self, trial: &mut T) -> Result<(), EvolveError<T::Error>>
    where
        T: Trial<B::Genome> + ?Sized,
    {
        // 1. The breeder proposes, the trial judges. Each generation has its own seed, so
        //    that a run resumed at generation n draws what it would have drawn.
        let number = self.breeder.generation();
        let generation = self.first_generation + number;
        let offspring = self.breeder.ask();
        let result = trial
            .judge(GenerationRequest {
                generation,
                seed: generation_seed(self.seed, generation),
                offspring: &offspring,
                breeder: &self.breeder,
            })
            .map_err(EvolveError::Trial)?;
        let judged = result.judged;
        if judged.len() != offspring.len() {
            return Err(EvolveError::Count {
                generation,
                found: judged.len(),
                needed: offspring.len(),
            });
        }
        if self.breeder.wants_gradients() && judged.iter().any(|it| it.gradient.is_none()) {
            return Err(EvolveError::NoGradient { generation });
        }

        // 2. The stop rules and the breeder learn.
        self.progress.record(result.best, result.judgements);
        if result.takeover {
            self.progress.crowned(number);
        }
        self.breeder.tell(offspring, &judged);
        Ok(())
    }

    /// Breeds until a rule ends the run.
    ///
    /// # Errors
    ///
    /// [`EvolveError`]; the generations before it are not lost.
    pub fn finish<T>(&mut self, trial: &mut T) -> Result<Stopped, EvolveError<T::Error>>
    where
        T: Trial<B::Genome> + ?Sized,
    {
        loop {
            if let Some(reason) = self.stopped() {
                return Ok(reason);
            }
            self.step(trial)?;
        }
    }
}
