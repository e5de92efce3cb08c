//! Judges played games: how accurate the moves were, and which part of the game a position
//! belongs to.
//!
//! An [`Analyser`] asks a player or an external program for the scores of a game's positions;
//! a [`GameAccuracy`] is what Lichess would compute from them. This crate has no folders and
//! no experiments.

pub mod accuracy;
mod phase;
mod review;

pub use accuracy::{GameAccuracy, MoveAccuracy};
pub use phase::Phase;
pub use review::{Analyser, AnalysisError};
