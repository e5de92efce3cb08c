//! A training as an experiment of the frame, in programs with training and without.

use mendel_store::frame::{Experiment, Failure, Frame, Identity, Manifest, Preparation};

use super::plan::{TrainOptions, TrainingPlan};
use super::record::{KIND, RECIPE, SCHEMA, TrainingOutcome};
#[cfg(feature = "train")]
use super::work::Work;

/// A network that learns as a recipe says, or all networks of its grid.
#[derive(Debug)]
pub struct Training {
    identity: Identity,
    work: Work,
}

impl Experiment for Training {
    const KIND: &'static str = KIND;
    const SCHEMA: u32 = SCHEMA;
    const PLAN: &'static str = RECIPE;
    type Plan = TrainingPlan;
    type ExecOptions = TrainOptions;
    type Outcome = TrainingOutcome;

    fn prepare(
        plan: TrainingPlan,
        seed: u64,
        options: &TrainOptions,
        context: &Preparation,
    ) -> Result<Self, Failure> {
        let (identity, work) = Work::prepare(plan, seed, *options, context)?;
        Ok(Self { identity, work })
    }

    fn identity(&self) -> Identity {
        self.identity.clone()
    }

    fn write_plan(plan: &TrainingPlan) -> Result<String, Failure> {
        Ok(plan.recipe.to_toml())
    }

    fn read_plan(text: &str, manifest: &Manifest) -> Result<TrainingPlan, Failure> {
        TrainingPlan::parse(text, manifest)
    }

    fn run(self, frame: &mut Frame) -> Result<TrainingOutcome, Failure> {
        self.work.run(frame)
    }
}

/// A program without the feature `train` lists trainings and writes their pages, and does no
/// work on them.
#[cfg(not(feature = "train"))]
#[derive(Debug)]
enum Work {}

#[cfg(not(feature = "train"))]
impl Work {
    fn prepare(
        _plan: TrainingPlan,
        _seed: u64,
        _options: TrainOptions,
        _context: &Preparation,
    ) -> Result<(Identity, Self), Failure> {
        let hint = "`make train-setup` fetches torch 2.11.0 into `.venv-train` (about 5 GB), once; `make train` then builds `target/train/release/mendel`, which trains";
        Err(Failure::invalid("this program was built without training").with_hint(hint))
    }

    fn run(self, _frame: &mut Frame) -> Result<TrainingOutcome, Failure> {
        match self {}
    }
}
