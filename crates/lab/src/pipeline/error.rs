//! Why a pipeline cannot begin or go on.

use mendel_arena::{ContestError, EntrantError, FolderError as MatchFolderError, SeatError};
use mendel_engine::PlayerError;
use mendel_store::{JournalError, ReplaceError};

use crate::analysis::AnalysisError;
use crate::data::DataError;
use crate::data::make::MakeError;
use crate::recipe::Complaint;
use crate::run::{FolderError, RunError};

/// Why a pipeline cannot begin or go on. What was done is kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PipelineError {
    /// The recipe, the folder or the program does not fit.
    #[error(transparent)]
    Run(Box<RunError>),
    /// A step cannot be done.
    #[error("step {number}, `{name}`: {error}")]
    Step {
        /// Which, from 1.
        number: usize,
        /// What it is called.
        name: String,
        /// Why not.
        error: StepError,
    },
    /// `--data` was given.
    #[error(
        "a pipeline makes or names its own data sets, and `{data}` cannot stand for all of them; change a step's with `--set step.0.data=…`"
    )]
    Data {
        /// What was asked for.
        data: String,
    },
    /// The state cannot be read.
    #[error("`{path}` is broken: {reason}; restore it from a copy")]
    Broken {
        /// The file.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// Why a step cannot be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// The recipe of the step does not fit what was made before.
    #[error(transparent)]
    Recipe(#[from] Complaint),
    /// The run cannot go on.
    #[error(transparent)]
    Run(Box<RunError>),
    /// The set cannot be made.
    #[error(transparent)]
    Make(Box<MakeError>),
    /// The set cannot be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The match cannot be played.
    #[error(transparent)]
    Contest(Box<ContestError>),
    /// The folder of the match cannot be used.
    #[error(transparent)]
    MatchFolder(Box<MatchFolderError>),
    /// A player cannot be read.
    #[error(transparent)]
    Player(Box<PlayerError>),
    /// The games of a match cannot be judged.
    #[error(transparent)]
    Analysis(Box<AnalysisError>),
    /// A journal cannot be read or written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A file cannot be written.
    #[error(transparent)]
    Replace(#[from] ReplaceError),
    /// A network needs terms to stand beside.
    #[error(
        "`{player}` has no terms that a network could stand beside; choose a parent with the evaluator `classic`"
    )]
    NoTerms {
        /// Who.
        player: String,
    },
    /// A player cannot take its seat.
    #[error(transparent)]
    Seat(Box<SeatError>),
    /// A player cannot be read.
    #[error(transparent)]
    Entrant(#[from] Box<EntrantError>),
    /// There is nothing to ask about.
    #[error(
        "no position of `{names}` fits: each needs a move that is known, and what `winners` and `bands` ask for; give other positions with `--data FILE`"
    )]
    NoPositions {
        /// The sets.
        names: String,
    },
    /// There is nothing to compare with.
    #[error("no position of `{names}` has a score; give other positions with `--data FILE`")]
    NoScores {
        /// The sets.
        names: String,
    },
    /// There are too few positions to start from.
    #[error(
        "`{name}` has {found} positions of that part of the game that are level enough, and {wanted} are asked for; ask for fewer, or allow more with `within`"
    )]
    FewOpenings {
        /// The set.
        name: String,
        /// How many there are.
        found: usize,
        /// How many are asked for.
        wanted: usize,
    },
    /// The step was begun with other positions.
    #[error(
        "`{path}` tells of other positions than there are now: the data set has changed; restore it, or begin anew in another folder"
    )]
    OtherPositions {
        /// The file.
        path: String,
    },
    /// Nobody who was asked to label could be started.
    #[error(
        "none of the experts could be started: {names}; install one, or name another in `expert`"
    )]
    NoExpert {
        /// Who was asked.
        names: String,
    },
}

/// Large errors are kept elsewhere.
macro_rules! boxed {
    ($($whole:ident::$variant:ident: $error:ty),+ $(,)?) => {$(
        impl From<$error> for $whole {
            fn from(error: $error) -> Self {
                Self::$variant(Box::new(error))
            }
        }
    )+};
}

boxed!(
    PipelineError::Run: RunError,
    StepError::Run: RunError,
    StepError::Make: MakeError,
    StepError::Contest: ContestError,
    StepError::MatchFolder: MatchFolderError,
    StepError::Player: PlayerError,
    StepError::Analysis: AnalysisError,
    StepError::Seat: SeatError,
);

impl From<FolderError> for PipelineError {
    fn from(error: FolderError) -> Self {
        RunError::Folder(error).into()
    }
}

impl From<Complaint> for PipelineError {
    fn from(complaint: Complaint) -> Self {
        RunError::Recipe(complaint).into()
    }
}
