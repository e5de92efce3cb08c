//! Games in, weights out: what networks learn from, and how they are trained.
//!
//! Inference is not here: a trained network leaves as a file, which `evaluator`
//! reads and plays with. This crate knows nothing of matches or engines.
//!
//! The way of the data: games as PGN become a compact file once ([`mendel_data::shard`]),
//! a [`stream`] expands the file into single positions in a shuffled order, and a
//! [`batch`] of them is turned into the numbers a network sees.

pub mod batch;
pub mod stream;
pub mod train;

pub use stream::Sample;
pub use train::{recipe, record};
