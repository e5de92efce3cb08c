//! Breeding: the experiment of a recipe.
//!
//! A run goes through its stages, each bred from the champion of the one before, then measures
//! its champion on positions it never saw, then plays the matches of the proof. A run that was
//! stopped or killed is resumed from its checkpoint and ends in the same records, bit for bit.

mod external_test;
mod finalist;
mod generation;
mod inputs;
mod journals;
mod networks;
mod prepare;
mod prove;
mod run;
mod stage;

use std::fmt;

use mendel_fitness::trial::TrialError;
use mendel_store::InputHashes;
use mendel_store::frame::{
    self, Experiment, Failure, Frame, Identity, OrInvalid as _, Preparation,
};

use self::prepare::PreparedRun;
use self::run::RunExecutor;
use crate::execution::RunOptions;
use crate::recipe::RecipePlan;
use crate::record::manifest::Manifest;
use crate::record::{RECIPE, RunOutcome};

pub use self::finalist::{Finalist, keep};
pub(crate) use self::inputs::{add_inputs, add_players, inputs_of};

/// What to do if a recipe cannot be carried out.
pub(crate) const HINT: &str = "`mendel breed --help` shows what can be asked for";

/// A run that was prepared: its data is read and its trials are built.
pub struct Breed {
    plan: RecipePlan,
    options: RunOptions,
    prepared: PreparedRun,
    manifest: Manifest,
}

impl fmt::Debug for Breed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Breed")
            .field("manifest", &self.manifest)
            .finish_non_exhaustive()
    }
}

impl Experiment for Breed {
    const KIND: &'static str = "breed";
    const SCHEMA: u32 = 1;
    const PLAN: &'static str = RECIPE;
    type Plan = RecipePlan;
    type ExecOptions = RunOptions;
    type Outcome = RunOutcome;

    fn prepare(
        plan: RecipePlan,
        seed: u64,
        options: &RunOptions,
        _context: &Preparation,
    ) -> Result<Self, Failure> {
        if plan.recipe.pipeline.is_some() {
            let reason = "a recipe of steps is not one run; it is bred as a pipeline";
            return Err(Failure::invalid(plan.recipe.complaint("step", reason)).with_hint(HINT));
        }
        let with_hint = |failure: Failure| failure.with_hint(HINT);
        let prepared = PreparedRun::new(&plan.recipe, plan.data.as_deref(), options.threads())
            .map_err(with_hint)?;
        let manifest = prepared.manifest(&plan, seed).map_err(with_hint)?;
        Ok(Self {
            plan,
            options: options.clone(),
            prepared,
            manifest,
        })
    }

    fn identity(&self) -> Identity {
        Identity {
            id: self.manifest.id.clone(),
            name: self.manifest.recipe.clone(),
            facts: self.manifest.facts(),
        }
    }

    fn inputs(&self) -> Result<InputHashes, Failure> {
        inputs_of(&self.plan).or_invalid()
    }

    fn write_plan(plan: &RecipePlan) -> Result<String, Failure> {
        Ok(plan.to_toml())
    }

    fn read_plan(text: &str, manifest: &frame::Manifest) -> Result<RecipePlan, Failure> {
        RecipePlan::parse(text, manifest)
    }

    fn satisfies(outcome: &RunOutcome, options: &RunOptions) -> bool {
        outcome.matches_played || !options.proof
    }

    fn run(self, frame: &mut Frame) -> Result<RunOutcome, Failure> {
        // An alternative that was not installed when the run started may be there now.
        inputs_of(&self.plan)?.extend(frame.path())?;
        let Self {
            plan,
            options,
            prepared,
            manifest,
        } = self;
        RunExecutor::new(&plan.recipe, &manifest, frame, &options)?.execute(prepared)
    }
}

/// The failure that an error of a trial is.
fn trial_failure(error: TrialError) -> Failure {
    match error {
        TrialError::Stopped => Failure::Stopped,
        // The program has a hint for it.
        TrialError::Crew(error) => error.into(),
        // A full disk is no fault of the request.
        TrialError::Journal(error) => error.into(),
        error => Failure::invalid(error).with_hint(HINT),
    }
}
