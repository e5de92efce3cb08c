//! A recipe in, a run out.
//!
//! The laboratory is where chess meets evolution: it turns genomes into players,
//! judges them, keeps the record of the run and proves what it found.

pub mod breed;
pub mod calibrate;
pub mod execution;
mod games;
pub mod learning;
pub mod pedigree;
pub mod pipeline;
pub mod proof;
pub mod recipe;
pub mod record;
pub mod sweep;
pub mod tune;

pub use mendel_data as data;
pub use mendel_fitness::{genome as chromosome, matrix, nnue as network, trial};
