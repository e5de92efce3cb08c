//! The folder of work that is not finished.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use mendel_store::{FolderLock, Journal, Record, Sync};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{MakeError, Plan};
use crate::data::Expert;

/// A line of `games.jsonl`: what was drawn from one game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct GameLine {
    pub(super) game: u64,
    /// As PGN writes it.
    pub(super) result: String,
    pub(super) drawn: Vec<Drawn>,
}

/// A position drawn from a game, with what its player thought.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Drawn {
    pub(super) fen: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) score: Option<i16>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) best: Option<String>,
}

impl Record for GameLine {
    const VERSION: u32 = 1;
}

/// A line of `labels.jsonl`: what the expert says of one position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct LabelLine {
    /// The position's place among those drawn.
    pub(super) index: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) score: Option<i16>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) best: Option<String>,
}

impl Record for LabelLine {
    const VERSION: u32 = 1;
}

/// The folder beside the file that is to be.
pub(super) struct Work {
    folder: PathBuf,
    lock: FolderLock,
    pub(super) games: Journal<GameLine>,
    pub(super) labels: Journal<LabelLine>,
    /// What was finished before.
    pub(super) earlier_games: Vec<GameLine>,
    pub(super) earlier_labels: Vec<LabelLine>,
}

/// Lines come faster than a disk confirms them, and a lost second is soon made up.
const SYNC: Sync = Sync::Every(Duration::from_secs(1));

pub(super) fn folder(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".work");
    PathBuf::from(name)
}

impl Work {
    /// Where it is.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Opens the folder, or makes it; what is in it must belong to the same plan.
    pub(super) fn open(
        path: &Path,
        plan: &Plan,
        expert: Option<&Expert>,
        resume: bool,
    ) -> Result<Self, MakeError> {
        let folder = folder(path);
        let plan_path = folder.join("plan.json");
        // 1. A folder without a plan is one in which nothing was done yet.
        if !resume && plan_path.exists() {
            return Err(MakeError::Unfinished { path: folder });
        }
        fs::create_dir_all(&folder).map_err(|source| failed(&folder, source))?;
        let lock = FolderLock::take(&folder)?;

        // 2. The plan.
        let ours = serde_json::json!({
            "program": env!("CARGO_PKG_VERSION"),
            "plan": plan,
            "expert": expert,
        });
        match fs::read_to_string(&plan_path) {
            Ok(text) => {
                let before = serde_json::from_str(&text).unwrap_or(Value::Null);
                if let Some((what, before, now)) = difference("", &before, &ours) {
                    return Err(MakeError::OtherPlan {
                        path: folder,
                        what,
                        before,
                        now,
                    });
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                mendel_store::replace(&plan_path, format!("{ours:#}\n").as_bytes())?;
            }
            Err(source) => return Err(failed(&plan_path, source)),
        }

        // 3. What was finished.
        let (games, earlier_games) = Journal::open(&folder.join("games.jsonl"), SYNC)?;
        let (labels, earlier_labels) = Journal::open(&folder.join("labels.jsonl"), SYNC)?;
        Ok(Self {
            folder,
            lock,
            games,
            labels,
            earlier_games,
            earlier_labels,
        })
    }

    /// The work is done.
    pub(super) fn remove(self) -> Result<(), MakeError> {
        let Self { folder, lock, .. } = self;
        // The plan goes first: without it the rest is nothing.
        let plan = folder.join("plan.json");
        fs::remove_file(&plan).map_err(|source| failed(&plan, source))?;
        drop(lock);
        fs::remove_dir_all(&folder).map_err(|source| failed(&folder, source))
    }
}

fn failed(path: &Path, source: io::Error) -> MakeError {
    MakeError::Folder {
        path: path.to_owned(),
        source,
    }
}

/// The first thing in which two plans differ, with both values.
fn difference(what: &str, before: &Value, now: &Value) -> Option<(String, String, String)> {
    if let (Value::Object(old), Value::Object(new)) = (before, now) {
        return new
            .iter()
            .find_map(|(key, value)| difference(key, old.get(key).unwrap_or(&Value::Null), value));
    }
    (before != now).then(|| (format!("`{what}`"), before.to_string(), now.to_string()))
}
