//! Where matches and runs are kept, and how they are found again.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use mendel_nets::train as training;
use mendel_store::IndexEntry as Entry;
use mendel_store::frame::Manifest;
use mendel_store::library::{Library, LibraryError};

use crate::kinds;
use crate::request::UsageError;

/// What the index calls a training.
pub(crate) const TRAINING: &str = training::KIND;

/// Where everything is kept unless something else is said: `MENDEL_HOME`, or the
/// place that the system has for data of programs.
pub(crate) fn home() -> anyhow::Result<PathBuf> {
    let (_, home) = Library::default_home().ok_or_else(|| {
        UsageError::new(
            "there is no place to keep it",
            "give `--out DIR`, or set MENDEL_HOME",
        )
    })?;
    Ok(home)
}

/// The experiments of the user.
pub(crate) fn library() -> anyhow::Result<Library> {
    Ok(Library::new(home()?, kinds::describe).with_other(describe_unported))
}

/// Folders of kinds that are not in `kinds::KINDS` yet.
fn describe_unported(folder: &Path) -> Option<Entry> {
    if matches!(Manifest::find(folder), Ok(Some(_))) {
        return None;
    }
    describe(folder)
}

/// Enters an experiment in the library, or what is new about it. The experiment does not depend
/// on it.
pub(crate) fn register(folder: &Path) {
    let _ = library().and_then(|library| Ok(library.register(folder)?));
}

/// All experiments, the newest first. What a reader must know goes to stderr.
pub(crate) fn list(kind: Option<&str>) -> anyhow::Result<Vec<Entry>> {
    let listing = library()?.list(kind)?;
    for note in listing.notes {
        // If stderr is closed, nobody reads it.
        let _ = writeln!(io::stderr().lock(), "{note}");
    }
    Ok(listing.entries)
}

/// The folder of an experiment: a path, a name, or the beginning of an id.
pub(crate) fn find(text: &str) -> anyhow::Result<PathBuf> {
    library()?.find(text).map_err(|error| match error {
        LibraryError::Index(_) | LibraryError::Io { .. } => error.into(),
        LibraryError::Ambiguous { .. } => UsageError::new(error, "name the folder instead").into(),
        error => UsageError::new(error, "`mendel runs` lists the experiments").into(),
    })
}

/// Where the population is kept that learns from games at home.
pub(crate) fn learning() -> anyhow::Result<PathBuf> {
    Ok(home()?.join("learning").join(mendel_lab::learning::PLAYER))
}

/// A folder that is not there yet, named after the day and some names.
#[cfg(feature = "train")]
pub(crate) fn new_folder(kind: &str, names: &[&str]) -> anyhow::Result<PathBuf> {
    Ok(library()?.new_folder(kind, names)?)
}

/// What a folder holds: a training.
pub(crate) fn describe(folder: &Path) -> Option<Entry> {
    training::describe(folder)
}

/// Enters a folder of a kind that is not in `kinds::KINDS` yet.
#[cfg(feature = "train")]
pub(crate) fn register_run(folder: &Path) {
    register(folder);
}

/// The folder of a run: a path, or the beginning of its id.
pub(crate) fn find_run(text: &str) -> anyhow::Result<PathBuf> {
    let path = Path::new(text);
    if path.is_dir() {
        return Ok(std::path::absolute(path)?);
    }
    find(text)
}
