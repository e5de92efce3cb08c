//! A training as a line of a list, for programs with training and without.

use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;

use mendel_store::{FolderLock, IndexEntry as Entry, RunStatus as State};
use serde_json::json;
use toml::Table;

use super::record::{MANIFEST, Outcome, RESULT};

pub const KIND: &str = "training";

/// The figures that say most about a network, the first that there is.
const TELLING: [&str; 3] = ["first", "from", "mse"];

/// Describes the folder of a training; none if it is something else's.
pub fn describe(folder: &Path) -> Option<Entry> {
    let manifest: Table = fs::read_to_string(folder.join(MANIFEST))
        .ok()?
        .parse()
        .ok()?;
    // Runs of other kinds have a manifest, too.
    manifest.get("machine")?;
    let name = manifest.get("name")?.as_str()?.to_owned();
    let outcome = fs::read(folder.join(RESULT)).ok();
    let outcome = outcome.and_then(|bytes| serde_json::from_slice::<Outcome>(&bytes).ok());
    let state = match (&outcome, FolderLock::holder(folder)) {
        (_, Ok(Some(_))) => State::Running,
        (Some(_), _) => State::Finished,
        (None, _) => State::Stopped,
    };
    let best = outcome.as_ref().and_then(|it| {
        let told = |figure: &&&str| it.test.contains_key(**figure);
        let figure = TELLING.iter().find(told)?;
        Some((it.test[*figure], format!("unseen positions, {figure}")))
    });
    Some(Entry {
        folder: folder.to_owned(),
        kind: KIND.to_owned(),
        id: String::new(),
        state,
        started: written(folder, MANIFEST).unwrap_or(0),
        finished: written(folder, RESULT).filter(|_| state == State::Finished),
        summary: json!({
            "recipe": &name,
            "seed": manifest.get("seed").and_then(toml::Value::as_integer),
            "steps": outcome.as_ref().map(|it| it.steps),
            "best": best.as_ref().map(|it| it.0),
            "best_on": best.map(|it| it.1),
        }),
        name,
    })
}

fn written(folder: &Path, file: &str) -> Option<i64> {
    let time = fs::metadata(folder.join(file)).ok()?.modified().ok()?;
    Some(time.duration_since(UNIX_EPOCH).ok()?.as_secs() as i64)
}
