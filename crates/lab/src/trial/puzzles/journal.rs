//! What a crew has found of a generation that is not judged yet, each block on the disk
//! before it is counted.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use mendel_store::{Journal, JournalError, Record, Sync};
use serde::{Deserialize, Serialize};

use super::Solved;

/// A line of `judged-now.jsonl`: a block of positions that somebody has searched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Judged {
    pub(super) generation: u32,
    /// Its place among the blocks of the generation.
    pub(super) block: u64,
    /// A hash of all that it depends on.
    pub(super) key: String,
    pub(super) solved: Solved,
}

impl Record for Judged {
    const VERSION: u32 = 1;
}

/// A line is with the system at once, which survives the death of the process; the
/// disk is waited for no more often than this.
const SYNC: Sync = Sync::Every(Duration::from_secs(2));

/// `judged-now.jsonl` of a run: blocks of the generation that is being judged by a
/// crew. It is gone when the generation is in the checkpoint, which has what came of it.
#[derive(Debug, Default)]
pub struct JudgedJournal {
    path: Option<PathBuf>,
    file: Option<Journal<Judged>>,
    found: BTreeMap<(u32, u64), Judged>,
}

impl JudgedJournal {
    /// The file in the folder of a run.
    pub const FILE: &'static str = "judged-now.jsonl";

    /// The journal of a run whose checkpoint knows so many generations. The file is
    /// made when there is something to write.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn open(folder: &Path, done: u32) -> Result<Self, JournalError> {
        let path = folder.join(Self::FILE);
        let mut found = BTreeMap::new();
        if path.exists() {
            for it in Journal::<Judged>::read(&path)? {
                if it.generation >= done {
                    found.insert((it.generation, it.block), it);
                }
            }
        }
        Ok(Self {
            path: Some(path),
            file: None,
            found,
        })
    }

    /// What came of a block, if it was searched before.
    pub(super) fn find(&self, generation: u32, block: u64, key: &str) -> Option<Solved> {
        let found = self.found.get(&(generation, block))?;
        (found.key == key).then(|| found.solved.clone())
    }

    /// Writes a block down; when this returns it may be counted.
    pub(super) fn keep(&mut self, judged: &Judged) -> Result<(), JournalError> {
        if let Some(path) = &self.path {
            if self.file.is_none() {
                self.file = Some(Journal::open(path, SYNC)?.0);
            }
            if let Some(file) = &mut self.file {
                file.append(judged)?;
            }
            let key = (judged.generation, judged.block);
            self.found.insert(key, judged.clone());
        }
        Ok(())
    }

    /// So many generations are in the checkpoint, and nobody asks for them again.
    pub(crate) fn settle(&mut self, done: u32) {
        self.found.retain(|&(generation, _), _| generation >= done);
        self.file = None;
        if let Some(path) = self.path.as_ref().filter(|_| self.found.is_empty()) {
            // Whether it was there does not matter.
            let _ = std::fs::remove_file(path);
        }
    }
}
