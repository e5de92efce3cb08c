//! How an experiment ends when it does not finish.

use std::error::Error;
use std::fmt;

/// An error of any type.
pub type Cause = Box<dyn Error + Send + Sync>;

/// Why an experiment has no outcome.
///
/// Not an [`Error`] itself, so that `?` converts every error into one; the program maps it
/// to messages and exit codes in one place. An error that has [`Stopped`] among its sources
/// becomes [`Failure::Stopped`].
#[derive(Debug)]
pub enum Failure {
    /// The stop flag was set; the experiment can be resumed.
    Stopped,
    /// The request cannot be met as it was made.
    InvalidRequest {
        cause: Cause,
        /// What to do instead.
        hint: Option<String>,
    },
    /// Something went wrong on the way.
    Failed(Cause),
}

/// The stop flag was set. Typed errors have it as a source, or are it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("stopped")]
pub struct Stopped;

impl<E: Error + Send + Sync + 'static> From<E> for Failure {
    fn from(error: E) -> Self {
        let mut source: Option<&(dyn Error + 'static)> = Some(&error);
        while let Some(cause) = source {
            if cause.is::<Stopped>() {
                return Self::Stopped;
            }
            source = cause.source();
        }
        Self::Failed(error.into())
    }
}

impl Failure {
    /// The request cannot be met, for this reason: an error or a text.
    pub fn invalid(cause: impl Into<Cause>) -> Self {
        Self::InvalidRequest {
            cause: cause.into(),
            hint: None,
        }
    }

    /// Something went wrong, for this reason: an error or a text.
    pub fn failed(cause: impl Into<Cause>) -> Self {
        Self::Failed(cause.into())
    }

    /// Adds to an invalid request what to do instead; others stay as they are.
    #[must_use]
    pub fn with_hint(mut self, text: impl Into<String>) -> Self {
        if let Self::InvalidRequest { hint, .. } = &mut self {
            *hint = Some(text.into());
        }
        self
    }

    pub fn is_stopped(&self) -> bool {
        matches!(self, Self::Stopped)
    }

    /// What to do instead, if it is known.
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::InvalidRequest { hint, .. } => hint.as_deref(),
            Self::Stopped | Self::Failed(_) => None,
        }
    }

    /// The error alone, for callers that know no failures; of a stop it is [`Stopped`].
    pub fn into_cause(self) -> Cause {
        match self {
            Self::Stopped => Stopped.into(),
            Self::InvalidRequest { cause, .. } | Self::Failed(cause) => cause,
        }
    }
}

/// The error without its hint.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped => Stopped.fmt(f),
            Self::InvalidRequest { cause, .. } | Self::Failed(cause) => cause.fmt(f),
        }
    }
}

/// Turns errors into invalid requests: `read(path).or_invalid()?`.
pub trait OrInvalid<T> {
    /// An error is a fault of the request; a stop stays a stop.
    ///
    /// # Errors
    ///
    /// The same error.
    fn or_invalid(self) -> Result<T, Failure>;

    /// The same, with what to do instead.
    ///
    /// # Errors
    ///
    /// The same error.
    fn or_invalid_with(self, hint: impl Into<String>) -> Result<T, Failure>;
}

impl<T, E: Into<Failure>> OrInvalid<T> for Result<T, E> {
    fn or_invalid(self) -> Result<T, Failure> {
        self.map_err(|error| match error.into() {
            Failure::Failed(cause) => Failure::invalid(cause),
            other => other,
        })
    }

    fn or_invalid_with(self, hint: impl Into<String>) -> Result<T, Failure> {
        self.or_invalid().map_err(|failure| failure.with_hint(hint))
    }
}
