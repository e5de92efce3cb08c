//! Why a step of a pipeline cannot be done.

use std::fmt;

use mendel_crew::CrewError;
use mendel_store::ExperimentError;
use mendel_store::frame::{Cause, Failure};

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

/// Whether the program has a hint about the folder of the experiment or its inputs.
fn has_hint(cause: &Cause) -> bool {
    let error = cause.downcast_ref::<ExperimentError>();
    error.is_some_and(|it| it.is_about_lock() || it.is_about_inputs())
}

/// The failure with the step it is of. Errors for which the program has hints stay as they are.
pub(super) fn in_step(number: usize, name: &str, failure: Failure) -> Failure {
    let with_step = |cause: Cause| -> Cause {
        if cause.is::<CrewError>() || has_hint(&cause) {
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
        // Changed inputs can be restored, and a folder in use will be free again.
        Failure::InvalidRequest { cause, hint } if has_hint(&cause) => {
            Failure::InvalidRequest { cause, hint }
        }
        // The request was met up to this step.
        Failure::InvalidRequest { cause, .. } | Failure::Failed(cause) => {
            Failure::Failed(with_step(cause))
        }
    }
}
