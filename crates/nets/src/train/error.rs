//! Why training does not go on.

use std::io;
use std::path::PathBuf;

use mendel_evaluator::vision::NetError;
use mendel_store::{ExperimentError, FileError, ExperimentError, FileError};

use super::recipe::RecipeError;
use super::scores::ScoresError;
use crate::stream::StreamError;

/// Why training does not begin or go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// The recipe is wrong.
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    /// Scores cannot be read.
    #[error(transparent)]
    Scores(#[from] ScoresError),
    /// Games cannot be read.
    #[error(transparent)]
    Games(#[from] StreamError),
    /// Nothing was given to learn from.
    #[error(
        "nothing to learn from: name files with `--data`, or as `data.files` in the recipe; `mendel data games` makes them"
    )]
    NoData,
    /// There is no GPU.
    #[error(
        "there is no GPU to be found: is its driver installed, and the program built against a torch with CUDA? `--device cpu` works without"
    )]
    NoGpu,
    /// Something is there already.
    #[error("{} is not empty; go on with `mendel train --resume`, or take another folder", folder.display())]
    NotEmpty {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder is no training's.
    #[error("{} is no folder of a training: {reason}", folder.display())]
    NoTraining {
        /// The folder.
        folder: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The data have changed.
    #[error(
        "the data are not those that this training began with: {found} instead of {wanted}; put them back, or begin anew"
    )]
    OtherData {
        /// What they are now.
        found: String,
        /// What they were.
        wanted: String,
    },
    /// This program is another build than the one that started the training.
    #[error(transparent)]
    Inputs(#[from] ExperimentError),
    /// The loss is no number any more.
    #[error(
        "the loss is no number after {step} steps: the learning rate is too high; lower `optimiser.rate`, or set `optimiser.clip`"
    )]
    Diverged {
        /// When.
        step: u64,
    },
    /// The system refused.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// What was to be written.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file could not be replaced.
    #[error(transparent)]
    Replace(#[from] FileError),
    /// Somebody else trains here.
    #[error(transparent)]
    Lock(#[from] ExperimentError),
    /// A record could not be kept.
    #[error(transparent)]
    Journal(#[from] FileError),
    /// The network cannot be written.
    #[error(transparent)]
    Net(#[from] NetError),
    /// The framework refused.
    #[error("the framework refused: {0}")]
    Framework(String),
}
