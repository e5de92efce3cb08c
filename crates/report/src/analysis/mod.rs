//! What can be said about games that were played, and about populations that were bred.

pub mod exam;
pub mod games;
pub mod population;
pub mod species;
pub mod squares;
pub mod welch;
pub mod wiring;
