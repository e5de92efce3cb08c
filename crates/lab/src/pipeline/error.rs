//! Why a step of a pipeline cannot be done.

use std::fmt;

use mendel_crew::{CrewError, MapError};
use mendel_store::frame::{Cause, Failure};
use mendel_store::{InputsError, LockError};

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    #[error(
        "`{player}` has no terms that a network could stand beside; choose a parent with the evaluator `classic`"
    )]
    NoTerms {
        player: String,
    },
    #[error(
        "no position of `{names}` fits: each needs a move that is known, and what `winners` and `bands` ask for; give other positions with `--data FILE`"
    )]
    NoPositions {
        names: String,
    },
    #[error("no position of `{names}` has a score; give other positions with `--data FILE`")]
    NoScores {
        names: String,
    },
    /// There are too few positions to start from.
    #[error(
        "`{name}` has {found} positions of that part of the game that are level enough, and {wanted} are asked for; ask for fewer, or allow more with `within`"
    )]
    FewOpenings {
        name: String,
        found: usize,
        wanted: usize,
    },
    #[error(
        "`{path}` tells of other positions than there are now: the data set has changed; restore it, or begin anew in another folder"
    )]
    OtherPositions {
        path: String,
    },
    /// Nobody who was asked to label could be started.
    #[error(
        "none of the experts could be started: {names}; install one, or name another in `expert`"
    )]
    NoExpert {
        names: String,
    },
}

/// An error of a step, with the step.
#[derive(Debug)]
struct InStep {
    number: usize,
    name: String,
    cause: Cause,
}

impl fmt::Display for InStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            number,
            name,
            cause,
        } = self;
        write!(f, "step {number}, `{name}`: {cause}")
    }
}

impl std::error::Error for InStep {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.cause.source()
    }
}

/// The failure with the step it is of. Errors for which the program has hints stay as they are.
pub(super) fn in_step(number: usize, name: &str, failure: Failure) -> Failure {
    let with_step = |cause: Cause| -> Cause {
        if cause.is::<CrewError>() || cause.is::<InputsError>() || cause.is::<LockError>() {
            return cause;
        }
        Box::new(InStep {
            number,
            name: name.to_owned(),
            cause,
        })
    };
    match failure {
        Failure::Stopped => Failure::Stopped,
        // The request was met up to this step; changed inputs can be restored.
        Failure::InvalidRequest { cause, hint } if cause.is::<InputsError>() => {
            Failure::InvalidRequest { cause, hint }
        }
        Failure::InvalidRequest { cause, hint } if cause.is::<LockError>() => {
            Failure::InvalidRequest { cause, hint }
        }
        Failure::InvalidRequest { cause, .. } | Failure::Failed(cause) => {
            Failure::Failed(with_step(cause))
        }
    }
}

/// Why the work of a crew ended: with the typed error of the task, if it has one.
pub(super) fn task_failure<E>(error: MapError<Failure>, of_task: Option<E>) -> Failure
where
    E: std::error::Error + Send + Sync + 'static,
{
    match (error, of_task) {
        (MapError::Consumer(failure), _) => failure,
        (MapError::Work(_), Some(error)) => error.into(),
        (MapError::Work(error), None) => error.into(),
    }
}
