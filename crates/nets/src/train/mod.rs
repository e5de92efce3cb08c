//! The training of networks.
//!
//! A [`recipe::Recipe`] says what is trained, on what and how; `train` follows it
//! in a folder of its own, which `resume` continues after a stop or a kill. What
//! leaves is a file that `evaluator` reads and plays with, a journal of evaluations
//! and a page.
//!
//! Recipes and figures are always here; what needs the framework (`tch`, libtorch)
//! only with the cargo feature `train`.

#![allow(
    clippy::missing_panics_doc,
    reason = "an `expect` here says why it cannot fail; callers have nothing to heed"
)]

#[cfg(feature = "train")]
mod compact;
mod describe;
mod intake;
pub mod metrics;
mod phase;
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
mod grid;
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
mod run;
#[cfg(feature = "train")]
mod start;

pub use describe::{KIND, describe};
pub use phase::{Facts, Phase};

#[cfg(feature = "train")]
pub use self::{
    error::TrainError,
    grid::{HearGrid, train_grid},
    run::{Event, Machine, Order, Progress, resume, train},
};
