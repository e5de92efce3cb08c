//! Analyses of games, populations and networks.

pub mod exam;
pub mod games;
pub mod population;
pub mod species;
pub mod squares;
pub mod welch;
pub mod wiring;
