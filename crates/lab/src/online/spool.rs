//! Games that ended while somebody else was at the population: each waits in a file of
//! its own, with the id that it will have.

use std::fs;
use std::path::{Path, PathBuf};

use mendel_store::{fingerprint, replace};

use super::event::{Event, EventId};
use super::learning::{Finished, LearningError};

/// What the names of such files begin with.
const FILE: &str = "told-";
/// What such a file ends with, and one whose game was not let in.
const WAITS: &str = "json";
pub(super) const REFUSED: &str = "refused";
/// What parts the name of a folder from that of a game of it.
const MARK: char = '.';
/// As long as any that is put behind the name of a folder.
pub(super) const LONGEST_SUFFIX: &str = ".0123456789abcdef";

/// Where a game can be told without the folder's lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spool {
    pub(super) folder: PathBuf,
    pub(super) population: String,
    pub(super) installation: String,
    pub(super) number: u64,
}

impl Spool {
    /// Keeps a game; whoever opens the population next counts it. `unique` is different
    /// for every game.
    ///
    /// # Errors
    ///
    /// If the disk refuses.
    ///
    /// # Panics
    ///
    /// Never: a game is plain data.
    pub fn keep(&self, game: Finished, unique: &str) -> Result<Event, LearningError> {
        // The number may be another game's by now, so the name has to tell them apart.
        let suffix = fingerprint(unique.as_bytes());
        let suffix: String = suffix.chars().take(LONGEST_SUFFIX.len() - 1).collect();
        let id = EventId {
            number: self.number,
            installation: format!("{}{MARK}{suffix}", self.installation),
        };
        let event = game.event(id, &self.population);
        let text = serde_json::to_string(&event).expect("a game is plain data");
        let path = self.folder.join(format!("{FILE}{suffix}.{WAITS}"));
        replace(&path, text.as_bytes())?;
        Ok(event)
    }
}

/// The games that wait in a folder. What cannot be read is left where it is.
pub(super) fn waiting(folder: &Path) -> Vec<(PathBuf, Event)> {
    let Ok(files) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut waiting: Vec<(PathBuf, Event)> = files
        .flatten()
        .filter(|file| {
            let waits = file.path().extension().is_some_and(|it| it == WAITS);
            waits && file.file_name().to_string_lossy().starts_with(FILE)
        })
        .filter_map(|file| {
            let text = fs::read(file.path()).ok()?;
            Some((file.path(), serde_json::from_slice(&text).ok()?))
        })
        .collect();
    waiting.sort_by(|one, other| one.0.cmp(&other.0));
    waiting
}

/// Whether a game's installation is the folder of this name.
pub(super) fn is_own(folder: &str, installation: &str) -> bool {
    let rest = installation.strip_prefix(folder);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(MARK))
}
