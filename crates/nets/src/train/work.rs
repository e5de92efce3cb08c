//! The work of a training: one network, or every network of a grid.

use std::fmt;

use mendel_store::frame::{Failure, Folder, Frame, Identity, Preparation};

use super::data::Data;
use super::error::TrainError;
use super::experiment::Training;
use super::learner::TrainingRun;
use super::plan::{TrainOptions, TrainingPlan};
use super::record::{GridCell, TrainedGrid, TrainingOutcome};
use super::start::StartNetwork;

/// The part of the work of a grid that is all of it.
const NETWORKS: &str = "networks";

pub(super) enum Work {
    Network(Box<TrainingRun>),
    Grid(Grid),
}

impl fmt::Debug for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Work").finish_non_exhaustive()
    }
}

impl Work {
    pub(super) fn prepare(
        plan: TrainingPlan,
        seed: u64,
        options: TrainOptions,
        context: &Preparation,
    ) -> Result<(Identity, Self), Failure> {
        let invalid = TrainError::into_invalid;
        // 1. The data.
        let data = Data::open(&plan.recipe, &plan.files).map_err(invalid)?;
        let identity = plan.identity(seed, data.about(), data.fingerprint())?;
        // 2. The network that it begins with; a checkpoint has its numbers.
        let has_state = Folder::at(context.folder()).has(Folder::CHECKPOINT);
        let start = plan.start.as_ref().filter(|_| !has_state);
        let start = start.map(|folder| StartNetwork::read(folder));
        let start = start.transpose().map_err(invalid)?;
        // 3. The network.
        if plan.recipe.grid.is_empty() {
            let run = TrainingRun::new(plan, seed, options, data, start.as_ref());
            return Ok((identity, Self::Network(Box::new(run.map_err(invalid)?))));
        }
        let grid = Grid {
            plan,
            seed,
            options,
        };
        Ok((identity, Self::Grid(grid)))
    }

    pub(super) fn run(self, frame: &Frame) -> Result<TrainingOutcome, Failure> {
        match self {
            Self::Network(run) => run.run(frame).map(TrainingOutcome::Network),
            Self::Grid(grid) => grid.run(frame).map(TrainingOutcome::Grid),
        }
    }
}

/// Every combination of the values in a recipe's `[grid]`, each a training in a folder of its own.
pub(super) struct Grid {
    plan: TrainingPlan,
    seed: u64,
    options: TrainOptions,
}

impl Grid {
    fn run(self, frame: &Frame) -> Result<TrainedGrid, Failure> {
        let recipes = self.plan.recipe.cells()?;
        let count = recipes.len() as u64;
        let mut cells = Vec::new();
        frame.events().progress(NETWORKS, 0, Some(count));
        for (name, recipe) in recipes {
            frame.check_stop()?;
            let plan = TrainingPlan {
                recipe,
                ..self.plan.clone()
            };
            let outcome = match frame.nested::<Training>(&name, plan, self.seed, &self.options) {
                Ok(outcome) => outcome.network(),
                // A network that diverges is part of the result.
                Err(Failure::Failed(cause)) if is_divergence(&*cause) => None,
                Err(failure) => return Err(failure),
            };
            cells.push(GridCell { name, outcome });
            frame
                .events()
                .progress(NETWORKS, cells.len() as u64, Some(count));
        }
        Ok(TrainedGrid { cells })
    }
}

fn is_divergence(cause: &(dyn std::error::Error + 'static)) -> bool {
    matches!(cause.downcast_ref(), Some(TrainError::Diverged { .. }))
}
