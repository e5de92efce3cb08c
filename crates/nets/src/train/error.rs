//! Why a network is not trained.

use std::io;
use std::path::PathBuf;

use mendel_evaluator::vision::NetFileError;
use mendel_store::frame::Failure;
use mendel_store::{FileError, RecipeError};

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
    #[error("`{}` is not the folder of a training: {reason}", folder.display())]
    NoTraining { folder: PathBuf, reason: String },
    #[error(
        "the loss is not a number after {step} steps: the learning rate is too high; lower `optimiser.rate`, or set `optimiser.clip`"
    )]
    Diverged { step: u64 },
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Net(#[from] NetFileError),
}

impl TrainError {
    /// The error of a training that was not started or resumed: the request is wrong.
    pub(crate) fn into_invalid(self) -> Failure {
        let hint = match &self {
            Self::NoGpu => "`--device cpu` learns on the processor",
            Self::NoTraining { .. } => {
                "`--start` needs the folder of a training of this version; `mendel runs --kind train` lists them"
            }
            Self::Recipe(_) => "`mendel train` lists the built-in recipes",
            _ => "`mendel data games FILE.pgn --out FILE.games` makes games to learn from",
        };
        Failure::invalid(self).with_hint(hint)
    }
}
