//! What can be said about games that were played, and about populations that were bred.

pub mod accuracy;
mod analyser;
pub mod exam;
pub mod games;
mod phase;
pub mod population;
pub mod species;
pub mod squares;
mod trend;
pub mod welch;
pub mod wiring;

pub use accuracy::{GameAccuracy, MoveAccuracy};
pub use analyser::{Analyser, AnalysisError};
pub use phase::Phase;
pub use trend::{Mean, Trend};
