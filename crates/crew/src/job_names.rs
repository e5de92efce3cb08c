//! The names under which the jobs of a folder are submitted, so that a resumed process
//! finds them again.

use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::blob::BlobId;
use crate::error::CrewError;
use crate::lock::lock;

/// Letters of the folder's own name in a run name.
const MAX_LABEL_LEN: usize = 32;

/// Stores one small text of a folder, `crew.json`. No result depends on it: without it,
/// jobs are submitted under new names, and results that were not taken yet are computed again.
pub trait JobNameStore: Send + Sync {
    /// The file, for messages; the name of its folder becomes part of the run's name.
    fn path(&self) -> &Path;

    /// The text, if there is one.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    fn read(&self) -> io::Result<Option<String>>;

    /// Replaces the text as a whole.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    fn write(&self, text: &str) -> io::Result<()>;
}

/// The content of `crew.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct JobNames {
    v: u32,
    /// The run in the queue: the prefix of the jobs of this folder, and of no other.
    run: String,
    /// The part of the work that was done last, and the ids in a chunk of it.
    part: String,
    size: u64,
}

const VERSION: u32 = 1;

impl JobNames {
    /// The names of a store, made and stored if it has none.
    pub(crate) fn open(store: &dyn JobNameStore) -> Result<Self, CrewError> {
        let broken = |error: &dyn Display| failed(store, "cannot be read", error);
        if let Some(text) = store.read().map_err(|error| broken(&error))? {
            let names: Self = serde_json::from_str(&text).map_err(|error| broken(&error))?;
            if names.v != VERSION {
                return Err(broken(&format!("it has version {}", names.v)));
            }
            return Ok(names);
        }
        let names = Self {
            v: VERSION,
            run: run_name(store.path()),
            part: String::new(),
            size: 0,
        };
        names.write(store)?;
        Ok(names)
    }

    pub(crate) fn run(&self) -> &str {
        &self.run
    }

    /// The ids in a chunk of `part`, if that was decided.
    pub(crate) fn size(&self, part: &str) -> Option<u64> {
        (self.part == part && self.size > 0).then_some(self.size)
    }

    /// Decides how many ids a chunk of `part` has, also for processes that resume it.
    pub(crate) fn set_size(
        &mut self,
        store: &dyn JobNameStore,
        part: &str,
        size: u64,
    ) -> Result<u64, CrewError> {
        part.clone_into(&mut self.part);
        self.size = size.max(1);
        self.write(store)?;
        Ok(self.size)
    }

    fn write(&self, store: &dyn JobNameStore) -> Result<(), CrewError> {
        let json = serde_json::to_string(self).expect("names are plain data");
        let written = store.write(&format!("{json}\n"));
        written.map_err(|error| failed(store, "cannot be written", &error))
    }
}

fn failed(store: &dyn JobNameStore, what: &str, error: &dyn Display) -> CrewError {
    CrewError::JobNames {
        path: store.path().display().to_string(),
        reason: format!("{what}: {error}"),
    }
}

/// A name that no other folder has, nor this one after it was deleted and created again.
/// The folder's own name comes first, so that users recognise the run.
fn run_name(path: &Path) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |now| now.as_nanos());
    let process = std::process::id();
    let unique = BlobId::of(format!("{}\n{now}\n{process}", path.display()).as_bytes());
    let unique = &unique.to_string()[..16];
    let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
    let label: String = folder
        .to_string_lossy()
        .to_lowercase()
        .chars()
        .filter(|letter| letter.is_ascii_alphanumeric() || *letter == '-')
        .take(MAX_LABEL_LEN)
        .collect();
    if label.is_empty() {
        return unique.to_owned();
    }
    format!("{label}-{unique}")
}

/// Names of a crew that is bound to no folder: its jobs are found again by this process
/// only.
#[derive(Debug, Default)]
pub(crate) struct UnboundJobNames {
    path: PathBuf,
    text: Mutex<Option<String>>,
}

impl JobNameStore for UnboundJobNames {
    fn path(&self) -> &Path {
        &self.path
    }

    fn read(&self) -> io::Result<Option<String>> {
        Ok(lock(&self.text).clone())
    }

    fn write(&self, text: &str) -> io::Result<()> {
        *lock(&self.text) = Some(text.to_owned());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_keeps_its_chunk_size_after_a_resume() {
        let store = UnboundJobNames {
            path: PathBuf::from("runs/My run/crew.json"),
            ..UnboundJobNames::default()
        };
        let mut first = JobNames::open(&store).expect("new names");
        assert!(first.run().starts_with("myrun-"), "{}", first.run());
        assert_eq!(first.size("g1"), None);
        assert_eq!(first.set_size(&store, "g1", 4).expect("written"), 4);
        let second = JobNames::open(&store).expect("the names");
        assert_eq!(second.run(), first.run());
        assert_eq!((second.size("g1"), second.size("g2")), (Some(4), None));
        store.write("{").expect("in memory");
        let error = JobNames::open(&store).expect_err("broken").to_string();
        assert!(error.contains("remove it"), "{error}");
    }
}
