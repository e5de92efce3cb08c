//! The data of networks from outside: shards, streams, batches.

mod convert;
mod loader;
mod made;
mod shard;
mod stream;
#[cfg(feature = "train")]
mod training;
