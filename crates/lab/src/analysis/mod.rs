//! What can be said about games that were played.

pub mod accuracy;
mod analyser;

pub use accuracy::{GameAccuracy, MoveAccuracy};
pub use analyser::{Analyser, AnalysisError};
