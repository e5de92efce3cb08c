//! An engine in, better values of its options out, with a proof.
//!
//! Any program that speaks UCI, and any built-in player, has options. [`plan`] asks for them,
//! finds out by a few searches which have an effect ([`Probe`]) and makes a [`TunePlan`]. The
//! experiment [`Tune`] plays what a [tuner](mendel_evolve::tuners) asks for, plays the proposal
//! against the start now and then on openings held out, and proves it at the end by a sequential
//! test on the same. A value at which the engine fails is not a weak value: it is recorded as
//! infeasible, and passed to the tuner as such.

pub mod bench;
mod choose;
mod journal;
mod params;
mod plan;
mod play;
mod probe;
mod prove;
mod result;
mod run;
mod state;
mod tune_plan;
mod used_openings;

pub use choose::{choose, left_out};
pub use journal::{PairPurpose, TunedPair};
pub use params::ParamFile;
pub use plan::{TuneRequest, TuneTarget, plan};
pub use probe::Probe;
pub use prove::CHAMPION;
pub use run::{Tune, TuneOptions};
pub use tune_plan::LEAST_GAMES;
pub use used_openings::UsedOpenings;

use mendel_store::frame::Failure;

pub use mendel_evolve::tuners::Interval;

pub use crate::record::{
    Aside, Infeasible, Landscape, LeftOut, Limit, Param, ParamFound, ParamKind, ROUNDS, TunePlan,
    TuneResult, TunedRound, UNCLEAR, Validation,
};

/// What to do about a setting that is impossible.
const HELP: &str = "`mendel tune --help` shows what can be requested";

/// What to do about a name that is no engine.
const ENGINE: &str =
    "an engine is `uci:PROGRAM ARGUMENTS?Name=Value`, a built-in player or a player file";

/// What to do about parameters that do not fit the engine.
const FITTING: &str = "`mendel tune ENGINE --write FILE` writes a parameter file that fits";

fn refuse(message: String, hint: &str) -> Failure {
    Failure::invalid(message).with_hint(hint)
}
