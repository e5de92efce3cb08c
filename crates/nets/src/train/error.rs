//! Why training does not go on.

use std::io;
use std::path::PathBuf;

use mendel_evaluator::vision::NetError;
use mendel_store::{ExperimentError, FileError};

use super::recipe::RecipeError;
use super::scores::ScoresError;
use crate::stream::StreamError;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    #[error(transparent)]
    Scores(#[from] ScoresError),
    #[error(transparent)]
    Games(#[from] StreamError),
    #[error(
        "nothing to learn from: name files with `--data`, or as `data.files` in the recipe; `mendel data games` makes them"
    )]
    NoData,
    #[error(
        "there is no GPU to be found: is its driver installed, and the program built against a torch with CUDA? `--device cpu` works without"
    )]
    NoGpu,
    #[error("{} is not empty; go on with `mendel train --resume`, or take another folder", folder.display())]
    NotEmpty { folder: PathBuf },
    #[error("{} is no folder of a training: {reason}", folder.display())]
    NoTraining { folder: PathBuf, reason: String },
    #[error(
        "the data are not those that this training began with: {found} instead of {wanted}; put them back, or begin anew"
    )]
    OtherData { found: String, wanted: String },
    #[error(transparent)]
    Inputs(#[from] ExperimentError),
    #[error(
        "the loss is no number after {step} steps: the learning rate is too high; lower `optimiser.rate`, or set `optimiser.clip`"
    )]
    Diverged { step: u64 },
    #[error("cannot write {}: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Replace(#[from] FileError),
    #[error(transparent)]
    Lock(#[from] ExperimentError),
    #[error(transparent)]
    Journal(#[from] FileError),
    #[error(transparent)]
    Net(#[from] NetError),
    #[error("the framework refused: {0}")]
    Framework(String),
}
