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
use crate::{FileError, Journal, Record, Sync, replace};

/// A folder with files of an experiment: the experiment's own, or a subfolder of it without
/// a manifest.
///
/// Only the process that holds the lock of the experiment writes into it; any may read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder(PathBuf);

/// A journal or a memo, which is on the disk before a checkpoint that depends on it.
pub trait Flush {
    /// Returns when everything appended would survive the loss of power.
    ///
    /// # Errors
    ///
    /// If the system cannot confirm it.
    fn flush(&mut self) -> Result<(), FileError>;

    /// The file and how many records must be found in it again with the checkpoint; `None`
    /// if there is no file.
    fn records(&self) -> Option<(&Path, u64)>;
}

impl<T: Record> Flush for Journal<T> {
    fn flush(&mut self) -> Result<(), FileError> {
        Journal::flush(self)
    }

    fn records(&self) -> Option<(&Path, u64)> {
        Some((self.path(), Journal::records(self)))
    }
}

impl<F: Flush> Flush for Option<F> {
    fn flush(&mut self) -> Result<(), FileError> {
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

    /// The folder need not exist.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub fn has(&self, name: &str) -> bool {
        self.file(name).exists()
    }

    /// A folder inside, created if it does not exist; the name may have several parts, such as
    /// `steps/03-compare`.
    ///
    /// # Errors
    ///
    /// If it cannot be created, or the name leads out of the folder.
    pub fn subfolder(&self, name: &str) -> Result<Folder, FileError> {
        let path = self.inside(name)?;
        fs::create_dir_all(&path).map_err(FileError::io(&path))?;
        Ok(Folder(path))
    }

    /// The path of a name that stays inside.
    pub(super) fn inside(&self, name: &str) -> Result<PathBuf, FileError> {
        let path = self.file(name);
        let is_inside = Path::new(name)
            .components()
            .all(|part| matches!(part, Component::Normal(_)));
        if name.is_empty() || !is_inside {
            return Err(FileError::io(&path)(io::Error::other(
                "the name of a subfolder must not lead out of the folder",
            )));
        }
        Ok(path)
    }

    /// # Errors
    ///
    /// If it cannot be read.
    pub fn read(&self, name: &str) -> Result<String, FileError> {
        let path = self.file(name);
        fs::read_to_string(&path).map_err(FileError::io(&path))
    }

    /// Replaces a file atomically.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> Result<(), FileError> {
        replace(&self.file(name), contents.as_ref())
    }

    /// Opens a journal that is written with the checkpoint, created empty if there is none, and
    /// returns its records. Records beyond those that the checkpoint names are cut off: they are
    /// computed again. Without a checkpoint all are.
    ///
    /// The journal must be passed to each [`write_checkpoint`](Self::write_checkpoint).
    ///
    /// # Errors
    ///
    /// If it cannot be read or written, a line is damaged, or it is shorter than the checkpoint
    /// says.
    pub fn journal<T: Record>(&self, name: &str) -> Result<(Journal<T>, Vec<T>), FileError> {
        let mut rest = self.expected_records(name)?;
        self.journal_where(name, WITH_CHECKPOINT, |_| {
            let is_named = rest > 0;
            rest = rest.saturating_sub(1);
            is_named
        })
    }

    /// Opens a journal of which the caller decides what stays, created empty if there is none,
    /// and returns its records. For journals that are themselves the state.
    ///
    /// # Errors
    ///
    /// As [`journal`](Self::journal).
    pub fn journal_where<T: Record>(
        &self,
        name: &str,
        sync: Sync,
        retain: impl FnMut(&T) -> bool,
    ) -> Result<(Journal<T>, Vec<T>), FileError> {
        let path = self.file(name);
        let (journal, mut records) = Journal::open(&path, sync)?;
        let count = records.len();
        records.retain(retain);
        self.check_records(name, records.len() as u64)?;
        if records.len() == count {
            return Ok((journal, records));
        }
        drop(journal);
        Journal::rewrite(&path, &records)?;
        Ok((Journal::open(&path, sync)?.0, records))
    }

    /// Finished items of work in one file.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, a line is damaged, or it is shorter than the checkpoint says.
    pub fn memo<R: MemoRecord>(&self, name: &str, sync: Sync) -> Result<Memo<R>, FileError> {
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
    ) -> Result<Memo<R>, FileError> {
        let target = format!("{name}.jsonl");
        let pending = self.file(&format!("{name}-pending.jsonl"));
        let expected = self.expected_records(&target)?;
        Memo::open_with_target(pending, self.file(&target), sync, done, expected)
    }

    /// How many records of a file the checkpoint names.
    fn expected_records(&self, name: &str) -> Result<u64, FileError> {
        let checkpoint = self.checkpoint(Self::CHECKPOINT)?;
        Ok(checkpoint.map_or(0, |it| it.records.get(name).copied().unwrap_or(0)))
    }

    fn check_records(&self, name: &str, found: u64) -> Result<(), FileError> {
        let expected = self.expected_records(name)?;
        if found < expected {
            return Err(FileError::Lost {
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
    pub fn read_checkpoint<T: DeserializeOwned>(&self) -> Result<Option<T>, FileError> {
        let Some(state) = self.read_checkpoint_bytes()? else {
            return Ok(None);
        };
        let state = serde_json::from_slice(&state);
        Ok(Some(state.map_err(|error| {
            FileError::content(&self.file(Self::CHECKPOINT), &error)
        })?))
    }

    /// The same of a state that is not JSON.
    ///
    /// # Errors
    ///
    /// If it cannot be read or is damaged.
    pub fn read_checkpoint_bytes(&self) -> Result<Option<Vec<u8>>, FileError> {
        Ok(self.checkpoint(Self::CHECKPOINT)?.map(|it| it.state))
    }

    /// Flushes the journals, then writes the state to resume from, with the number of records
    /// of each journal.
    ///
    /// # Errors
    ///
    /// If a file cannot be written, or JSON cannot hold the state. The checkpoint is then the
    /// old one.
    pub fn write_checkpoint(
        &self,
        state: &impl Serialize,
        journals: &mut [&mut dyn Flush],
    ) -> Result<(), FileError> {
        let state = serde_json::to_vec(state)
            .map_err(|error| FileError::value(&self.file(Self::CHECKPOINT), &error))?;
        self.write_checkpoint_bytes(state, journals)
    }

    /// The same of a state that is not JSON.
    ///
    /// # Errors
    ///
    /// If a file cannot be written. The checkpoint is then the old one.
    pub fn write_checkpoint_bytes(
        &self,
        state: Vec<u8>,
        journals: &mut [&mut dyn Flush],
    ) -> Result<(), FileError> {
        let path = self.file(Self::CHECKPOINT);
        // 1. What the state depends on.
        let mut records = BTreeMap::new();
        for journal in journals {
            journal.flush()?;
            if let Some((path, count)) = journal.records() {
                let name = path.strip_prefix(&self.0).unwrap_or(path);
                records.insert(name.to_string_lossy().into_owned(), count);
            }
        }
        // 2. The old one is kept for `--repair`, which can do without it.
        if path.exists() {
            let previous = self.file(Self::PREVIOUS_CHECKPOINT);
            let _ = fs::remove_file(&previous);
            let _ = fs::hard_link(&path, &previous);
        }
        // 3. The state.
        let bytes = Checkpoint::new(state, records).into_bytes();
        replace(&path, &bytes)
    }

    pub(super) fn checkpoint(&self, name: &str) -> Result<Option<Checkpoint>, FileError> {
        let Some(bytes) = self.read_bytes(name)? else {
            return Ok(None);
        };
        let checkpoint = Checkpoint::parse(bytes);
        Ok(Some(checkpoint.map_err(|reason| {
            FileError::damaged(&self.file(name), &reason)
        })?))
    }

    /// The bytes of a file; `None` if it does not exist.
    fn read_bytes(&self, name: &str) -> Result<Option<Vec<u8>>, FileError> {
        let path = self.file(name);
        match fs::read(&path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(FileError::Io { path, source }),
        }
    }

    /// The outcome of a finished experiment.
    ///
    /// # Errors
    ///
    /// If it cannot be read, is damaged, or is no such outcome.
    pub fn read_result<T: DeserializeOwned>(&self) -> Result<Option<T>, FileError> {
        let path = self.file(Self::RESULT);
        let Some(mut bytes) = self.read_bytes(Self::RESULT)? else {
            return Ok(None);
        };
        checksum::take_checksum_indented(&mut bytes)
            .map_err(|damage| FileError::damaged(&path, &damage))?;
        let outcome = serde_json::from_slice(&bytes);
        Ok(Some(
            outcome.map_err(|error| FileError::content(&path, &error))?,
        ))
    }

    pub(super) fn write_result(&self, outcome: &impl Serialize) -> Result<(), FileError> {
        let path = self.file(Self::RESULT);
        let mut text =
            serde_json::to_vec_pretty(outcome).map_err(|error| FileError::value(&path, &error))?;
        checksum::add_checksum_indented(&mut text)
            .ok_or_else(|| FileError::value(&path, &"it is not a JSON object with fields"))?;
        replace(&path, &text)
    }
}
