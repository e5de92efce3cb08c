//! The files of an experiment.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::checkpoint::Checkpoint;
use super::memo::{Memo, MemoRecord};
use crate::checksum;
use crate::{Journal, JournalError, Record, ReplaceError, Sync, replace};

/// A folder with files of an experiment: the experiment's own, or a subfolder of it without
/// a manifest.
///
/// Whoever writes into it holds the lock of the experiment; anybody may read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder(PathBuf);

/// Why a file of an experiment could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FolderError {
    /// The system refused.
    #[error("cannot use `{}`: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system reported.
        source: io::Error,
    },
    /// A file that is written as a whole is damaged.
    #[error("`{}` is damaged: {reason}; restore it from a copy, or continue from the last intact state with `mendel resume FOLDER --repair`", path.display())]
    Damaged {
        /// The checkpoint or the result.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A whole file has values that this program does not understand.
    #[error("`{}` cannot be understood: {reason}", path.display())]
    Content {
        /// The checkpoint or the result.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A journal has fewer records than the checkpoint says.
    #[error("`{}` has {found} of the {expected} records that it had when the checkpoint was written; restore it from a copy, or continue from the last intact state with `mendel resume FOLDER --repair`", path.display())]
    Lost {
        /// The journal.
        path: PathBuf,
        /// How many are there.
        found: u64,
        /// How many there were.
        expected: u64,
    },
    /// A value that could not be read again; it was not written.
    #[error("`{}` cannot be written so that it could be read again: {reason}", path.display())]
    Value {
        /// The file.
        path: PathBuf,
        /// What is wrong with the value.
        reason: String,
    },
    /// A journal cannot be read or written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A file cannot be replaced.
    #[error(transparent)]
    Replace(#[from] ReplaceError),
}

/// Something that is on the disk before a checkpoint that depends on it: a journal or a memo.
pub trait Flush {
    /// Returns when everything appended would survive the loss of power.
    ///
    /// # Errors
    ///
    /// If the system cannot say so.
    fn flush(&mut self) -> Result<(), JournalError>;

    /// The file and how many records must be found in it again with the checkpoint; `None`
    /// if there is no file.
    fn records(&self) -> Option<(&Path, u64)>;
}

impl<T: Record> Flush for Journal<T> {
    fn flush(&mut self) -> Result<(), JournalError> {
        Journal::flush(self)
    }

    fn records(&self) -> Option<(&Path, u64)> {
        Some((self.path(), Journal::records(self)))
    }
}

/// What is not there has nothing to flush.
impl<F: Flush> Flush for Option<F> {
    fn flush(&mut self) -> Result<(), JournalError> {
        self.as_mut().map_or(Ok(()), Flush::flush)
    }

    fn records(&self) -> Option<(&Path, u64)> {
        self.as_ref().and_then(Flush::records)
    }
}

/// Journals are confirmed with each checkpoint, not with each line: what came after it is
/// computed again, exactly.
const WITH_CHECKPOINT: Sync = Sync::Every(Duration::MAX);

impl Folder {
    /// The current state, with a checksum at its end.
    pub const CHECKPOINT: &'static str = "checkpoint";
    /// The checkpoint before it, for `--repair`.
    pub const PREVIOUS_CHECKPOINT: &'static str = "checkpoint.previous";
    /// The outcome, with a checksum as its last field.
    pub const RESULT: &'static str = "result.json";

    /// The folder at a path, there or not.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The path of a file in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Whether there is a file or folder of this name.
    pub fn has(&self, name: &str) -> bool {
        self.file(name).exists()
    }

    /// A folder inside, made if it is not there; the name may have several parts, such as
    /// `steps/03-compare`.
    ///
    /// # Errors
    ///
    /// If it cannot be made, or the name leads out of the folder.
    pub fn subfolder(&self, name: &str) -> Result<Folder, FolderError> {
        let path = self.inside(name)?;
        fs::create_dir_all(&path).map_err(io_error(&path))?;
        Ok(Folder(path))
    }

    /// The path of a name that stays inside.
    pub(super) fn inside(&self, name: &str) -> Result<PathBuf, FolderError> {
        let path = self.file(name);
        let is_inside = Path::new(name)
            .components()
            .all(|part| matches!(part, Component::Normal(_)));
        if name.is_empty() || !is_inside {
            return Err(io_error(&path)(io::Error::other(
                "the name of a subfolder must not lead out of the folder",
            )));
        }
        Ok(path)
    }

    /// The text of a file.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn read(&self, name: &str) -> Result<String, FolderError> {
        let path = self.file(name);
        fs::read_to_string(&path).map_err(io_error(&path))
    }

    /// Writes a file as a whole: whatever dies in between, it is the old one or the new one.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> Result<(), FolderError> {
        Ok(replace(&self.file(name), contents.as_ref())?)
    }

    /// Opens a journal that is written with the checkpoint, made empty if there is none, and
    /// returns what it holds. Records beyond those that the checkpoint names are cut off: they
    /// are computed again. Without a checkpoint all are.
    ///
    /// The journal must be passed to each [`write_checkpoint`](Self::write_checkpoint).
    ///
    /// # Errors
    ///
    /// If it cannot be read or written, a line is damaged, or it is shorter than the checkpoint
    /// says.
    pub fn journal<T: Record>(&self, name: &str) -> Result<(Journal<T>, Vec<T>), FolderError> {
        let expected = self.expected_records(name)?;
        let (journal, mut records) = Journal::open(&self.file(name), WITH_CHECKPOINT)?;
        self.check_records(name, records.len() as u64)?;
        let expected = expected as usize;
        if records.len() == expected {
            return Ok((journal, records));
        }
        drop(journal);
        records.truncate(expected);
        self.rewritten(name, WITH_CHECKPOINT, records)
    }

    /// Opens a journal of which the caller decides what stays, made empty if there is none, and
    /// returns what it holds. For journals that are themselves the state.
    ///
    /// # Errors
    ///
    /// As [`journal`](Self::journal).
    pub fn journal_where<T: Record>(
        &self,
        name: &str,
        sync: Sync,
        retain: impl Fn(&T) -> bool,
    ) -> Result<(Journal<T>, Vec<T>), FolderError> {
        let (journal, mut records) = Journal::open(&self.file(name), sync)?;
        let count = records.len();
        records.retain(retain);
        self.check_records(name, records.len() as u64)?;
        if records.len() == count {
            return Ok((journal, records));
        }
        drop(journal);
        self.rewritten(name, sync, records)
    }

    fn rewritten<T: Record>(
        &self,
        name: &str,
        sync: Sync,
        records: Vec<T>,
    ) -> Result<(Journal<T>, Vec<T>), FolderError> {
        let path = self.file(name);
        Journal::rewrite(&path, &records)?;
        Ok((Journal::open(&path, sync)?.0, records))
    }

    /// Finished items of work in one file.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, a line is damaged, or it is shorter than the checkpoint says.
    pub fn memo<R: MemoRecord>(&self, name: &str, sync: Sync) -> Result<Memo<R>, FolderError> {
        let memo = Memo::open(self.file(name), sync)?;
        self.check_records(name, memo.len() as u64)?;
        Ok(memo)
    }

    /// Finished items of work in two files: those of the current step in `NAME-pending.jsonl`
    /// in the order they were finished, and those that `done` says the checkpoint includes in
    /// `NAME.jsonl` in the order of their keys.
    ///
    /// # Errors
    ///
    /// If a file cannot be read or written, a line is damaged, or fewer records are done than the
    /// checkpoint says.
    pub fn memo_until<R: MemoRecord>(
        &self,
        name: &str,
        sync: Sync,
        done: impl Fn(&R::Key) -> bool,
    ) -> Result<Memo<R>, FolderError> {
        let target = format!("{name}.jsonl");
        let pending = self.file(&format!("{name}-pending.jsonl"));
        let expected = self.expected_records(&target)?;
        let path = self.file(&target);
        let memo = Memo::open_with_target(pending, path.clone(), sync, done, expected)?;
        match memo {
            Ok(memo) => Ok(memo),
            Err(found) => Err(FolderError::Lost {
                path,
                found,
                expected,
            }),
        }
    }

    /// How many records of a file the checkpoint names.
    fn expected_records(&self, name: &str) -> Result<u64, FolderError> {
        let checkpoint = self.checkpoint(Self::CHECKPOINT)?;
        Ok(checkpoint.map_or(0, |it| it.records.get(name).copied().unwrap_or(0)))
    }

    fn check_records(&self, name: &str, found: u64) -> Result<(), FolderError> {
        let expected = self.expected_records(name)?;
        if found < expected {
            return Err(FolderError::Lost {
                path: self.file(name),
                found,
                expected,
            });
        }
        Ok(())
    }

    /// The state of the last checkpoint, if there is one.
    ///
    /// # Errors
    ///
    /// If it cannot be read, is damaged, or is no such state.
    pub fn read_checkpoint<T: DeserializeOwned>(&self) -> Result<Option<T>, FolderError> {
        let Some(bytes) = self.read_checkpoint_bytes()? else {
            return Ok(None);
        };
        let state = serde_json::from_slice(&bytes).map_err(|error| FolderError::Content {
            path: self.file(Self::CHECKPOINT),
            reason: error.to_string(),
        })?;
        Ok(Some(state))
    }

    /// The bytes of the last checkpoint, if there is one.
    ///
    /// # Errors
    ///
    /// If it cannot be read or is damaged.
    pub fn read_checkpoint_bytes(&self) -> Result<Option<Vec<u8>>, FolderError> {
        Ok(self.checkpoint(Self::CHECKPOINT)?.map(|it| it.state))
    }

    /// Flushes the journals, then writes the state from which to continue, with the number of
    /// records of each.
    ///
    /// # Errors
    ///
    /// If the disk refuses, or JSON cannot hold the state. The checkpoint is then the old one.
    pub fn write_checkpoint(
        &self,
        state: &impl Serialize,
        journals: &mut [&mut dyn Flush],
    ) -> Result<(), FolderError> {
        let state = serde_json::to_vec(state).map_err(|error| FolderError::Value {
            path: self.file(Self::CHECKPOINT),
            reason: error.to_string(),
        })?;
        self.write_state(state, journals)
    }

    /// The same for a state that is bytes.
    ///
    /// # Errors
    ///
    /// If the disk refuses. The checkpoint is then the old one.
    pub fn write_checkpoint_bytes(
        &self,
        state: &[u8],
        journals: &mut [&mut dyn Flush],
    ) -> Result<(), FolderError> {
        self.write_state(state.to_owned(), journals)
    }

    fn write_state(
        &self,
        state: Vec<u8>,
        journals: &mut [&mut dyn Flush],
    ) -> Result<(), FolderError> {
        // 1. What the state depends on.
        let mut records = BTreeMap::new();
        for journal in journals {
            journal.flush()?;
            if let Some((path, count)) = journal.records() {
                let name = path.strip_prefix(&self.0).unwrap_or(path);
                records.insert(name.to_string_lossy().into_owned(), count);
            }
        }
        // 2. The old one stays under another name; without it only `--repair` has less to
        //    return to.
        let (path, previous) = (
            self.file(Self::CHECKPOINT),
            self.file(Self::PREVIOUS_CHECKPOINT),
        );
        if path.exists() {
            let _ = fs::remove_file(&previous);
            let _ = fs::hard_link(&path, &previous);
        }
        // 3. The state.
        let bytes = Checkpoint::new(state, records).into_bytes();
        Ok(replace(&path, &bytes)?)
    }

    /// A checkpoint with its numbers of records.
    pub(crate) fn checkpoint(&self, name: &str) -> Result<Option<Checkpoint>, FolderError> {
        let path = self.file(name);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(FolderError::Io { path, source }),
        };
        match Checkpoint::parse(bytes) {
            Ok(checkpoint) => Ok(Some(checkpoint)),
            Err(reason) => Err(FolderError::Damaged { path, reason }),
        }
    }

    /// The outcome of a finished experiment.
    ///
    /// # Errors
    ///
    /// If it cannot be read, is damaged, or is no such outcome.
    pub fn read_result<T: DeserializeOwned>(&self) -> Result<Option<T>, FolderError> {
        let path = self.file(Self::RESULT);
        let mut bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(FolderError::Io { path, source }),
        };
        if let Err(damage) = checksum::take_checksum_indented(&mut bytes) {
            return Err(FolderError::Damaged {
                path,
                reason: damage.to_string(),
            });
        }
        let outcome = serde_json::from_slice(&bytes).map_err(|error| FolderError::Content {
            path,
            reason: error.to_string(),
        })?;
        Ok(Some(outcome))
    }

    /// Writes the outcome: the experiment is finished.
    pub(super) fn write_result(&self, outcome: &impl Serialize) -> Result<(), FolderError> {
        let path = self.file(Self::RESULT);
        let invalid = |reason: String| FolderError::Value {
            path: path.clone(),
            reason,
        };
        let mut text =
            serde_json::to_vec_pretty(outcome).map_err(|error| invalid(error.to_string()))?;
        checksum::add_checksum_indented(&mut text)
            .ok_or_else(|| invalid("it is not a JSON object with fields".to_owned()))?;
        Ok(replace(&path, &text)?)
    }
}

pub(super) fn io_error(path: &Path) -> impl Fn(io::Error) -> FolderError + '_ {
    |source| FolderError::Io {
        path: path.to_owned(),
        source,
    }
}
