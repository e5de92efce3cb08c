//! The data of networks from outside: streams, batches.

mod loader;
#[allow(dead_code, reason = "the tests of shards use more of it")]
#[path = "../../data/tests/made.rs"]
mod made;
mod stream;
#[cfg(feature = "train")]
mod training;
