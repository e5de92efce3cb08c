//! Why a training does not start or continue.

use std::io;
use std::path::PathBuf;

use mendel_evaluator::vision::NetFileError;
use mendel_store::{ExperimentError, FileError, RecipeError};

use crate::stream::{Part, StreamError};

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    #[error(transparent)]
    Games(#[from] StreamError),
    #[error("cannot read `{}`: {source}", path.display())]
    ReadScores { path: PathBuf, source: io::Error },
    #[error(
        "line {line} of `{}` is no `FEN,centipawns`: {reason}; a mate is written as `#+3`",
        path.display()
    )]
    ScoreLine {
        path: PathBuf,
        /// Counted from 1.
        line: u64,
        reason: String,
    },
    #[error("the {part:?} part of the scores is empty; give more positions or change `data.split`")]
    EmptyPart { part: Part },
    #[error(
        "nothing to learn from: name files with `--data`, or as `data.files` in the recipe; `mendel data games` makes them"
    )]
    NoData,
    #[error(
        "there is no GPU to be found: is its driver installed, and the program built against a torch with CUDA? `--device cpu` works without"
    )]
    NoGpu,
    #[error("`{}` is not empty; resume with `mendel train --resume`, or choose another folder", folder.display())]
    NotEmpty { folder: PathBuf },
    #[error("`{}` is not the folder of a training: {reason}", folder.display())]
    NoTraining { folder: PathBuf, reason: String },
    #[error(
        "the data are not those that this training was started with: {found} instead of {wanted}; restore them, or start a new training"
    )]
    OtherData { found: String, wanted: String },
    #[error(
        "the loss is not a number after {step} steps: the learning rate is too high; lower `optimiser.rate`, or set `optimiser.clip`"
    )]
    Diverged { step: u64 },
    /// Another process trains here, or another build of the program started the training.
    #[error(transparent)]
    Experiment(#[from] ExperimentError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Net(#[from] NetFileError),
}
