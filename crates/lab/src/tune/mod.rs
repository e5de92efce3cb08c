//! An engine in, better values of its options out, with a proof.
//!
//! Any program that speaks UCI, and any player of ours, has options. [`prepare`] asks
//! for them, finds out by a few searches which do anything ([`Probe`]) and makes a
//! [`TunePlan`]; [`tune`] plays what a [tuner](mendel_evolve::tuners) asks for, meets
//! the start now and then on openings held out, and proves the proposal at the end by
//! a sequential test on the same. A value at which the engine fails is no weak value:
//! it is set down as infeasible, and the tuner is told so.

pub mod bench;
mod choose;
mod error;
mod found;
mod fresh;
mod journal;
mod params;
mod plan;
mod play;
mod prepare;
mod probe;
mod prove;
mod run;

pub use choose::choose;
pub use error::TuneError;
pub use found::{Landscape, ParamFound, TuneResult, UNCLEAR, Validation};
pub use journal::{Purpose, TunedPair};
pub use params::{Aside, Infeasible, Param, ParamFile, ParamKind};
pub use plan::{LEAST_GAMES, Limit, TunePlan};
pub use play::LeftOut;
pub use prepare::{Order, What, prepare};
pub use probe::Probe;
pub use run::{CHAMPION, Event, ROUNDS, TunedRound, allow_proof, create, so_far, tune};

use std::path::Path;

pub use mendel_evolve::tuners::Interval;

/// What is said of an option that changes nothing in the probe.
const NO_EFFECT: &str = "changed nothing";

/// Whether this is the folder of a tuning.
pub fn is_tuning(folder: &Path) -> bool {
    folder.join(TunePlan::FILE).is_file()
}
