//! The training of networks.
//!
//! A [`recipe::Recipe`] says what is trained, on what and how; a [`Training`] is an experiment
//! that does so in a folder of its own. It writes a file that `evaluator` reads and plays with,
//! and a journal of evaluations.
//!
//! Recipes, plans and records are always here; the work itself needs libtorch (`tch`) and the
//! cargo feature `train`.

#![allow(
    clippy::missing_panics_doc,
    reason = "an `expect` here says why it cannot fail; callers have nothing to heed"
)]

#[cfg(feature = "train")]
mod compact;
mod experiment;
mod intake;
pub mod metrics;
mod phase;
mod plan;
pub mod recipe;
pub mod record;
#[cfg(feature = "train")]
mod scores;

#[cfg(feature = "train")]
mod checkpoint;
#[cfg(feature = "train")]
mod data;
#[cfg(feature = "train")]
mod error;
#[cfg(feature = "train")]
mod export;
#[cfg(feature = "train")]
mod finish;
#[cfg(feature = "train")]
mod learner;
#[cfg(feature = "train")]
mod loss;
#[cfg(feature = "train")]
mod model;
#[cfg(feature = "train")]
mod optimiser;
#[cfg(feature = "train")]
mod parameters;
#[cfg(feature = "train")]
mod start;
#[cfg(feature = "train")]
mod work;

#[cfg(feature = "train")]
pub use self::error::TrainError;
pub use self::experiment::Training;
pub use self::phase::{Facts, Phase};
pub use self::plan::{TrainOptions, TrainingPlan};
