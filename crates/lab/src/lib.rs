//! A recipe in, a run out.
//!
//! The laboratory is where chess meets evolution: it turns genomes into players,
//! judges them, keeps the record of the run and proves what it found.

pub mod analysis;
pub mod calibrate;
pub mod chromosome;
pub mod data;
pub mod matrix;
pub mod network;
pub mod online;
pub mod pedigree;
pub mod pipeline;
pub mod proof;
pub mod recipe;
pub mod record;
pub mod report;
pub mod run;
pub mod sweep;
mod threads;
pub mod trial;
pub mod tune;
