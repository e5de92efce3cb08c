//! Why an engine cannot be tuned.

use std::path::PathBuf;

use mendel_store::frame::Failure;

use crate::record::LeftOut;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TuneError {
    #[error(
        "`{engine}` offers no options that could be tuned{}",
        if only.is_empty() { String::new() } else { format!(": only {}", only.join(", ")) }
    )]
    NoOptions {
        engine: String,
        only: Vec<String>,
    },
    /// A pattern matches none of its options.
    #[error("`{pattern}` matches none of the options of `{engine}`: {}", known.join(", "))]
    NoMatch {
        engine: String,
        pattern: String,
        known: Vec<String>,
    },
    /// Nothing is left to tune after the probe.
    #[error("none of the options has a visible effect: {}", names.join(", "))]
    NoEffect {
        names: Vec<String>,
    },
    /// The parameter file cannot be read.
    #[error("cannot read the parameter file `{}`: {reason}", path.display())]
    NoFile {
        path: PathBuf,
        reason: String,
    },
    /// The parameter file is not one.
    #[error("{origin} is no parameter file: {reason}")]
    Syntax {
        origin: String,
        reason: String,
    },
    /// A parameter does not fit the engine.
    #[error("{origin}: `{name}` {reason}")]
    Param {
        origin: String,
        name: String,
        reason: String,
    },
    #[error("`{what}` {reason}")]
    Setting {
        what: &'static str,
        reason: String,
    },
    /// The start itself fails before the first game.
    #[error("the engine fails with the values that it starts from: {reason}")]
    Start {
        reason: String,
    },
    #[error(
        "the engine fails with the values that it starts from, in {pairs} pairs of games; last {}, in game {} from `{}`",
        last.reason, last.game, last.opening
    )]
    StartFails {
        pairs: usize,
        last: LeftOut,
    },
    #[error("the engine fails with every setting that was tried, such as `{options}`: {reason}")]
    AllFail {
        options: String,
        reason: String,
    },
}

/// What to do about a setting that is impossible.
pub(super) const HELP: &str = "`mendel tune --help` shows what can be requested";

/// What to do about a name that is no engine.
pub(super) const ENGINE: &str =
    "an engine is `uci:PROGRAM ARGUMENTS?Name=Value`, a built-in player or a player file";

/// What to do about an engine that does not get ready.
pub(super) const PROTOCOL: &str = "an engine is `uci:PROGRAM ARGUMENTS?Name=Value`, and has to speak UCI: programs of the \
                                   xboard protocol, such as fairymax, cannot be tuned";

impl TuneError {
    /// The failure, with what to do instead.
    pub(super) fn into_invalid(self) -> Failure {
        let hint = self.hint();
        Failure::invalid(self).with_hint(hint)
    }

    fn hint(&self) -> String {
        let hint = match self {
            Self::NoOptions { only, .. } if only.is_empty() => {
                "only an engine with options can be tuned: see what it answers to `uci`"
            }
            Self::NoOptions { .. } | Self::NoMatch { .. } => {
                "`--options NAME` tunes an option by its whole name, if it is a number, a switch or one of some words"
            }
            Self::NoEffect { .. } => {
                "`--params FILE` tunes what a file says, with or without effect"
            }
            Self::NoFile { .. } | Self::Syntax { .. } | Self::Param { .. } => {
                "`mendel tune ENGINE --write FILE` writes a parameter file that fits"
            }
            Self::Setting { .. } => HELP,
            Self::Start { .. } => {
                "some engines ignore `--nodes`, others think for ever at `--depth`: try `--movetime`; or watch it \
                 by hand in `mendel match ENGINE ENGINE --games 2`"
            }
            Self::StartFails { last, .. } => {
                return format!(
                    "watch it by hand: `mendel match ENGINE ENGINE --games 2 --openings FILE` with the line `{}` in the file",
                    last.opening
                );
            }
            Self::AllFail { .. } => {
                "the bounds of the parameter file may reach too far: `mendel tune ENGINE --write FILE` probes where the \
                 engine works"
            }
        };
        hint.to_owned()
    }
}
