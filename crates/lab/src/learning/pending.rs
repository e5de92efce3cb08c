//! Games that wait for the experiment: each is in a file of its own, with the id that it
//! keeps.

use std::fs;
use std::path::{Path, PathBuf};

use mendel_store::{FileError, fingerprint, replace};

use crate::record::learning::LearnedGame;

const PREFIX: &str = "pending-";
/// What such a file ends with, and one whose game was refused.
const WAITS: &str = "json";
pub(super) const REFUSED: &str = "refused";

pub(super) fn write(folder: &Path, game: &LearnedGame) -> Result<(), FileError> {
    let text = serde_json::to_string(game).expect("a game is plain data");
    let name = fingerprint(game.id.to_string().as_bytes());
    let path = folder.join(format!("{PREFIX}{name}.{WAITS}"));
    replace(&path, text.as_bytes())
}

/// The games that wait in a folder. What cannot be read is left where it is.
pub(super) fn read(folder: &Path) -> Vec<(PathBuf, LearnedGame)> {
    let Ok(files) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut waiting: Vec<(PathBuf, LearnedGame)> = files
        .flatten()
        .filter(|file| {
            let waits = file.path().extension().is_some_and(|it| it == WAITS);
            waits && file.file_name().to_string_lossy().starts_with(PREFIX)
        })
        .filter_map(|file| {
            let text = fs::read(file.path()).ok()?;
            Some((file.path(), serde_json::from_slice(&text).ok()?))
        })
        .collect();
    waiting.sort_by(|one, other| one.0.cmp(&other.0));
    waiting
}
