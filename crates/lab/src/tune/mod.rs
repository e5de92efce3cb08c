//! An engine in, better values of its options out, with a proof.
//!
//! Any program that speaks UCI, and any built-in player, has options. [`plan`] asks for them,
//! finds out by a few searches which have an effect ([`Probe`]) and makes a [`TunePlan`]. The
//! experiment [`Tune`] plays what a [tuner](mendel_evolve::tuners) asks for, plays the proposal
//! against the start now and then on openings held out, and proves it at the end by a sequential
//! test on the same. A value at which the engine fails is no weak value: it is recorded as
//! infeasible, and the tuner is told so.

pub mod bench;
mod choose;
mod error;
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

pub use choose::choose;
pub use error::TuneError;
pub use journal::{PairPurpose, TunedPair};
pub use params::ParamFile;
pub use plan::{TuneRequest, TuneTarget, plan};
pub use probe::Probe;
pub use prove::CHAMPION;
pub use run::{Tune, TuneOptions};
pub use tune_plan::LEAST_GAMES;

pub use mendel_evolve::tuners::Interval;

pub use crate::record::{
    Aside, Infeasible, Landscape, LeftOut, Limit, Param, ParamFound, ParamKind, ROUNDS, TunePlan,
    TuneResult, TunedRound, UNCLEAR, Validation,
};

/// What is said of an option that changes nothing in the probe.
const NO_EFFECT: &str = "changed nothing";
