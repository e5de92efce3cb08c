//! Judges played games: the accuracy of moves, and the phase of a position.
//!
//! An [`Analyser`] gets the scores of the positions of a game from a player or an external engine; a
//! [`GameAccuracy`] is what Lichess would compute from them. This crate has no folders and no
//! experiments.

pub mod accuracy;
mod phase;
mod review;

pub use accuracy::{GameAccuracy, MoveAccuracy};
pub use phase::Phase;
pub use review::{Analyser, AnalysisError};
