//! Recipes, metrics, streams and batches from outside.

mod loader;
#[allow(dead_code, reason = "the tests of shards use more of it")]
#[path = "../../data/tests/made.rs"]
mod made;
mod metrics;
mod recipes;
mod stream;
#[cfg(feature = "train")]
mod training;
