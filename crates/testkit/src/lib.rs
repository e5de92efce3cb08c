//! Helpers that the tests of several crates share: a random generator and stops at random
//! moments. Every crate may use it as a dev-dependency only; it uses no other crate.

mod random;
mod stops;

pub use random::Random;
pub use stops::{Attempt, stop_at_random_moments};
