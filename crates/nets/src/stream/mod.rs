//! Positions out of shards, shuffled without loading all of them.

mod sample;
mod settings;

pub use sample::{HISTORY, Sample};
pub use settings::{Cursor, Part, Pick, Settings, SettingsError, Split};
