//! The generations of one stage, and its checkpoint.

use std::time::{Duration, Instant};

use mendel_evolve::{Breeder as _, EvolveError, Purpose, Run, RunProgress, Stopped, generator};
use mendel_fitness::breeders::{AnyBreeder, random_search, restore_random};
use mendel_fitness::genome::AnyGenome;
use mendel_fitness::genome::network::most;
use mendel_fitness::genome::space::{Space, Start};
use mendel_fitness::trial::MemberWeights;
use mendel_store::frame::{Failure, Frame};
use rand::RngExt;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::finalist::Finalist;
use super::generation::GenerationTrial;
use super::run::RunCheckpoint;
use super::trial_failure;
use crate::recipe::StageSettings;

/// Where a stage is between two generations, as the checkpoint holds it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct StageState {
    breeder: Box<RawValue>,
    /// The random baseline.
    chance: Option<Box<RawValue>>,
    lucky: Option<MemberWeights>,
    progress: RunProgress,
    finalists: Vec<Finalist>,
    #[serde(default)]
    trial: Value,
}

/// A stage that is being run.
pub(super) struct StageRunner<'a> {
    pub(super) frame: &'a Frame,
    pub(super) checkpoint: &'a mut RunCheckpoint,
    pub(super) run: Run<AnyBreeder>,
    pub(super) generation: GenerationTrial<'a>,
    /// The most generations of the run, where the recipe limits them.
    pub(super) generations: Option<u64>,
}

/// How a stage ended.
pub(super) struct StageEnd {
    pub(super) reason: Stopped,
    /// Generations so far, those of earlier stages included.
    pub(super) generations: u32,
    /// Judgements so far, those of earlier stages included.
    pub(super) judgements: u64,
    pub(super) finalists: Vec<Finalist>,
}

/// A run that is quicker than this does not write a checkpoint for each
/// generation; it would breed those again sooner than a disk confirms them.
const BETWEEN_CHECKPOINTS: Duration = Duration::from_millis(250);

/// The random numbers of the baseline are not the run's.
const CHANCE: u64 = 0x5EED_C4A9_CE00;

/// The breeder of a stage and its random baseline.
pub(super) struct StageBreeders {
    pub(super) breeder: AnyBreeder,
    pub(super) baseline: Option<AnyBreeder>,
}

impl StageBreeders {
    /// Before the first generation, which begins with the parent, if that is asked for, and
    /// `founders`. The baseline is given what the breeder is given, and draws the rest.
    pub(super) fn new(
        settings: &StageSettings,
        space: &Space,
        founders: &[(String, Vec<i32>)],
        seed: u64,
    ) -> Result<Self, Failure> {
        let starts_from_parent = settings.genome.start == Start::Parent;
        let parent = starts_from_parent.then(|| ("the parent", space.base()));
        let founders = founders.iter().map(|(name, it)| (name.as_str(), &it[..]));
        let mut start = Vec::new();
        for (name, numbers) in parent.into_iter().chain(founders) {
            start.push(AnyGenome::encode(space, numbers).map_err(|reason| {
                Failure::failed(format!("{name} cannot be encoded: {reason}"))
            })?);
        }
        add_mutants(settings, &mut start, seed);
        let breeder = settings.breeder.settings.make(space, start.clone(), seed);
        let breeder = breeder
            .map_err(|error| Failure::failed(format!("the breeder cannot be made: {error}")))?;
        let baseline = if settings.baseline {
            let population = breeder.ask().len().max(1);
            random_search(space, population, start, seed ^ CHANCE)
        } else {
            None
        };
        Ok(Self { breeder, baseline })
    }

    fn restore(
        settings: &StageSettings,
        space: &Space,
        state: &StageState,
    ) -> serde_json::Result<Self> {
        let kind = space.genome_kind();
        let baseline = state.chance.as_ref().filter(|_| settings.baseline);
        Ok(Self {
            breeder: (settings.breeder.kind.restore)(kind, &state.breeder)?,
            baseline: baseline.map(|it| restore_random(kind, it)).transpose()?,
        })
    }
}

/// Fills the first generation with mutants of the parent, where that is asked for.
fn add_mutants(settings: &StageSettings, start: &mut Vec<AnyGenome>, seed: u64) {
    let (Some(size), Some(parent)) = (settings.genome.mutants, start.first().cloned()) else {
        return;
    };
    let network = settings.genome.network.as_ref();
    let limit = network.map_or_else(most, |it| it.limit);
    let breeder = &settings.breeder.settings;
    let Some(limits) = breeder.mutant_limits(limit) else {
        return;
    };
    for place in start.len()..breeder.population().0 {
        let mut rng = generator(seed, 0, place as u32, Purpose::Start);
        let mut mutant = parent.clone();
        mutant.jitter(limits, || size * normal(&mut rng));
        start.push(mutant);
    }
}

/// A normal deviate: the sum of twelve numbers from 0 to 1, less six, is near enough
/// for a first generation, and the same on every machine. Not `mendel_evolve::normal`,
/// which draws other numbers: equal seeds must give equal runs in every version.
fn normal(rng: &mut impl RngExt) -> f64 {
    (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0
}

impl StageRunner<'_> {
    /// Continues from a checkpoint.
    pub(super) fn restore(
        &mut self,
        settings: &StageSettings,
        state: StageState,
    ) -> Result<(), Failure> {
        let it = &mut self.generation;
        let breeders = StageBreeders::restore(settings, it.space, &state).map_err(|error| {
            Failure::failed(format!(
                "the checkpoint has another breeder than the recipe: {error}"
            ))
        })?;
        it.trial.restore(&state.trial).map_err(trial_failure)?;
        it.judgements += state.progress.judgements;
        it.lucky = state.lucky;
        it.finalists = state.finalists;
        it.baseline = breeders.baseline;
        self.run.breeder = breeders.breeder;
        self.run.progress = state.progress;
        Ok(())
    }

    /// Breeds until a rule ends the stage.
    ///
    /// # Errors
    ///
    /// [`Failure::Stopped`] with a checkpoint from which to continue, or anything else.
    pub(super) fn run(mut self) -> Result<StageEnd, Failure> {
        let mut saved = Instant::now();
        loop {
            // 1. Enough?
            if let Some(reason) = self.run.stopped() {
                self.write_checkpoint()?;
                return Ok(self.end(reason));
            }
            if self.frame.check_stop().is_err() {
                self.write_checkpoint()?;
                return Err(Failure::Stopped);
            }

            // 2. One generation. Stopped in the middle of one, the run continues with the
            //    games it has.
            let began = Instant::now();
            match self.run.step(&mut self.generation) {
                Ok(()) => {}
                Err(EvolveError::Trial(Failure::Stopped)) => {
                    self.write_checkpoint()?;
                    return Err(Failure::Stopped);
                }
                Err(EvolveError::Trial(failure)) => return Err(failure),
                Err(error) => return Err(Failure::failed(error.to_string())),
            }
            let Some(generation) = self.generation.record.take() else {
                continue;
            };

            // 3. What a clock gave, apart from the rest; and a checkpoint after
            //    judging, which takes most of the time.
            self.frame
                .record_timing("generation", Some(generation.generation), began)?;
            if saved.elapsed() >= BETWEEN_CHECKPOINTS {
                self.write_checkpoint()?;
                saved = Instant::now();
            }
            let events = self.frame.events();
            events.record("generation", &generation);
            let done = u64::from(generation.generation) + 1;
            events.progress("generations", done, self.generations);
        }
    }

    /// Generations so far, those of earlier stages included.
    fn done(&self) -> u32 {
        self.run.first_generation + self.run.breeder.generation()
    }

    /// Moves the pairs of finished generations to their file and writes a checkpoint.
    fn write_checkpoint(&mut self) -> Result<(), Failure> {
        let done = self.done();
        let it = &mut self.generation;
        let state = || -> serde_json::Result<StageState> {
            Ok(StageState {
                breeder: self.run.breeder.state()?,
                chance: it.baseline.as_ref().map(|it| it.state()).transpose()?,
                lucky: it.lucky.clone(),
                progress: self.run.progress,
                finalists: it.finalists.clone(),
                trial: it.trial.state(),
            })
        };
        let state = state().map_err(|error| Failure::failed(error.to_string()))?;
        self.checkpoint.done = done;
        self.checkpoint.state = Some(state);
        it.context.pairs.flush_until(|key| key.0 < done)?;
        let [one, two, three] = it.journals.all();
        self.frame.write_checkpoint(
            &*self.checkpoint,
            &mut [one, two, three, &mut it.context.pairs],
        )?;
        self.checkpoint.state = None;
        it.context.searched.discard_until(|key| key.0 < done);
        Ok(())
    }

    /// The finalists are where the breeder itself has come to, if that is none of its
    /// members, or else the best of its members.
    fn end(self, reason: Stopped) -> StageEnd {
        let generations = self.done();
        let finalists = match self.run.breeder.incumbent() {
            None => self.generation.finalists,
            Some(incumbent) => vec![Finalist {
                generation: Some(generations.saturating_sub(1)),
                member: None,
                weights: incumbent.decode(self.generation.space).0.into(),
                // It was not judged itself.
                score: 0.0,
            }],
        };
        StageEnd {
            reason,
            generations,
            judgements: self.generation.judgements,
            finalists,
        }
    }
}
