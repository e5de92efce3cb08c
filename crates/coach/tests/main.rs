//! Tests through the public interface.

mod accuracy;
mod phase;
mod scores;
