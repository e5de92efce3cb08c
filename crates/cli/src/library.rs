//! The library of experiments.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use mendel_store::IndexEntry;
use mendel_store::library::{Describe, Library, LibraryError};
use serde_json::Value;

use crate::output;
use crate::request::UsageError;

/// The summary of an experiment, by its kind.
static DESCRIBE: OnceLock<Describe> = OnceLock::new();

/// Sets the summaries of experiments, once at the start: the kinds are above this module.
pub(crate) fn describe_by(describe: Describe) {
    let _ = DESCRIBE.set(describe);
}

/// The default folder of all experiments: `MENDEL_HOME`, or the folder that the system has for
/// data of programs.
pub(crate) fn home() -> anyhow::Result<PathBuf> {
    let (_, home) = Library::default_home().ok_or_else(|| {
        UsageError::new(
            "there is no place to keep it",
            "give `--out DIR`, or set MENDEL_HOME",
        )
    })?;
    Ok(home)
}

pub(crate) fn open() -> anyhow::Result<Library> {
    let describe = DESCRIBE.get().copied().unwrap_or(|_, _| Value::Null);
    Ok(Library::new(home()?, describe))
}

/// Adds an experiment to the index of the library, or updates it. Errors are ignored: no
/// experiment depends on the index.
pub(crate) fn register(folder: &Path) {
    let _ = open().and_then(|library| Ok(library.register(folder)?));
}

/// All experiments, the newest first. Notes about unreadable ones go to stderr.
pub(crate) fn list(kind: Option<&str>) -> anyhow::Result<Vec<IndexEntry>> {
    let listing = open()?.list(kind)?;
    for note in listing.notes {
        output::log(note);
    }
    Ok(listing.entries)
}

/// The folder of an experiment: a path, a name, or the beginning of an id.
pub(crate) fn find(text: &str) -> anyhow::Result<PathBuf> {
    open()?.find(text).map_err(|error| match error {
        error if !error.is_invalid_request() => error.into(),
        LibraryError::Ambiguous { .. } => UsageError::new(error, "name the folder instead").into(),
        error => UsageError::new(error, "`mendel runs` lists the experiments").into(),
    })
}

/// The folder of the population that learns from the games at home.
pub(crate) fn learning() -> anyhow::Result<PathBuf> {
    Ok(home()?.join("learning").join(mendel_lab::learning::PLAYER))
}

/// The folder of a run: a path, or the beginning of its id.
pub(crate) fn find_run(text: &str) -> anyhow::Result<PathBuf> {
    match Path::new(text) {
        path if path.is_dir() => Ok(std::path::absolute(path)?),
        _ => find(text),
    }
}
