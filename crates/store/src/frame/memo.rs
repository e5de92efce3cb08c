//! Finished items of work that are found again after a kill.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use super::folder::Flush;
use crate::{FileError, Journal, Record, Sync};

/// A finished item of work: a journal record that is found again by its key.
pub trait MemoRecord: Record + Clone {
    /// Some of its fields; records are sorted by it.
    type Key: Ord + Clone;

    fn key(&self) -> Self::Key;

    /// Whether this record was made of the same inputs as the wanted one, which has the same
    /// key.
    fn same_inputs(&self, wanted: &Self) -> bool {
        let _ = wanted;
        true
    }
}

/// Finished items of work by their keys, each on the disk before it is counted.
///
/// Items are finished in any order, and the files must be equal for any number of threads.
/// A memo of [`Folder::memo`](super::Folder::memo) is one file, sorted at the end by
/// [`finish_with`](Self::finish_with) or removed by [`discard`](Self::discard). A memo of
/// [`Folder::memo_until`](super::Folder::memo_until) is two files: after a kill while
/// [`flush_until`](Self::flush_until) moves records, each is in at least one of them.
///
/// The default has no file and keeps no records: for judging outside of an experiment.
///
/// A memo that is passed to [`Folder::write_checkpoint`](super::Folder::write_checkpoint) must
/// not lose records afterwards: those that are discarded are flushed alone.
pub struct Memo<R: MemoRecord> {
    files: Option<Files<R>>,
    /// All records of a memo with one file; otherwise those that are not in the target.
    found: BTreeMap<R::Key, R>,
}

struct Files<R> {
    path: PathBuf,
    sync: Sync,
    /// Opened with the first record.
    journal: Option<Journal<R>>,
    target: Option<Target<R>>,
}

/// The file to which records move once the checkpoint includes them.
struct Target<R> {
    path: PathBuf,
    journal: Option<Journal<R>>,
    records: u64,
}

impl<R: MemoRecord> Default for Memo<R> {
    fn default() -> Self {
        Self {
            files: None,
            found: BTreeMap::new(),
        }
    }
}

impl<R: MemoRecord> fmt::Debug for Memo<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memo")
            .field("path", &self.files.as_ref().map(|files| &files.path))
            .field("records", &self.found.len())
            .finish_non_exhaustive()
    }
}

impl<R: MemoRecord> Memo<R> {
    /// The memo in one file, which is created with the first record.
    pub(super) fn open(path: PathBuf, sync: Sync) -> Result<Self, FileError> {
        let found = by_key(read(&path)?);
        Ok(Self {
            files: Some(Files {
                path,
                sync,
                journal: None,
                target: None,
            }),
            found,
        })
    }

    /// The memo in two files. If fewer than `expected` records are done, the files are not
    /// changed.
    pub(super) fn open_with_target(
        path: PathBuf,
        target: PathBuf,
        sync: Sync,
        done: impl Fn(&R::Key) -> bool,
        expected: u64,
    ) -> Result<Self, FileError> {
        let mut found = by_key(read::<R>(&path)?);
        let (mut kept, beyond): (Vec<R>, Vec<R>) = read::<R>(&target)?
            .into_iter()
            .partition(|it| done(&it.key()));
        // A record may be in both files, if the process died while it moved.
        for record in &kept {
            found.remove(&record.key());
        }
        // After a return to an older checkpoint, finished items are not done again.
        let is_older = !beyond.is_empty();
        found.extend(beyond.into_iter().map(|it| (it.key(), it)));
        let count = (kept.len() + found.keys().filter(|key| done(key)).count()) as u64;
        if count < expected {
            return Err(FileError::Lost {
                path: target,
                found: count,
                expected,
            });
        }
        if is_older {
            Journal::rewrite(&path, found.values())?;
            kept.sort_by_key(MemoRecord::key);
            Journal::rewrite(&target, &kept)?;
        }
        let mut memo = Self {
            files: Some(Files {
                path,
                sync,
                journal: None,
                target: Some(Target {
                    path: target,
                    journal: None,
                    records: kept.len() as u64,
                }),
            }),
            found,
        };
        memo.flush_until(done)?;
        Ok(memo)
    }

    /// The finished item with the key and the inputs of the wanted one.
    pub fn find(&self, wanted: &R) -> Option<&R> {
        self.found
            .get(&wanted.key())
            .filter(|found| found.same_inputs(wanted))
    }

    /// Writes a finished item; when this returns, it may be counted. One with the same key is
    /// replaced.
    ///
    /// # Errors
    ///
    /// If it cannot be written. The memo is then as before.
    pub fn append(&mut self, record: R) -> Result<(), FileError> {
        let Some(files) = &mut self.files else {
            return Ok(());
        };
        open_at(&mut files.journal, &files.path, files.sync)?.append(&record)?;
        self.found.insert(record.key(), record);
        Ok(())
    }

    /// The finished items in the order of their keys; of a memo in two files only those that no
    /// checkpoint includes.
    pub fn iter(&self) -> impl Iterator<Item = &R> {
        self.found.values()
    }

    pub fn len(&self) -> usize {
        self.found.len()
    }

    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Moves the finished items that the checkpoint includes from `NAME-pending.jsonl` to
    /// `NAME.jsonl`, in the order of their keys. To be called just before the checkpoint of their
    /// step is written, which then knows how many must be there, and once at the end with all.
    ///
    /// # Errors
    ///
    /// If a file cannot be written.
    ///
    /// # Panics
    ///
    /// If the memo has one file.
    pub fn flush_until(&mut self, done: impl Fn(&R::Key) -> bool) -> Result<(), FileError> {
        let Some(files) = &mut self.files else {
            return Ok(());
        };
        let target = files
            .target
            .as_mut()
            .expect("only a memo in two files is flushed until a step");
        let keys: Vec<R::Key> = self.found.keys().filter(|key| done(key)).cloned().collect();
        if !keys.is_empty() {
            // 1. To the target.
            let records: Vec<&R> = keys.iter().map(|key| &self.found[key]).collect();
            let journal = open_at(&mut target.journal, &target.path, files.sync)?;
            journal.append_all(records)?;
            journal.flush()?;
            target.records = journal.records();
            // 2. Out of the pending file.
            for key in &keys {
                self.found.remove(key);
            }
            files.journal = None;
            if !self.found.is_empty() {
                Journal::rewrite(&files.path, self.found.values())?;
            }
        }
        if self.found.is_empty() {
            files.journal = None;
            remove(&files.path);
        }
        Ok(())
    }

    /// To be called when all work is done: the file is replaced by the items that count, in the
    /// order of their keys, so that equal experiments leave equal files.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn finish_with(&mut self, counts: impl Fn(&R::Key) -> bool) -> Result<(), FileError> {
        self.found.retain(|key, _| counts(key));
        let Some(files) = &mut self.files else {
            return Ok(());
        };
        files.journal = None;
        Journal::rewrite(&files.path, self.found.values())
    }

    /// Discards the items of a step that is done, and removes the file when no item remains.
    pub fn discard_until(&mut self, done: impl Fn(&R::Key) -> bool) {
        self.found.retain(|key, _| !done(key));
        if let Some(files) = self.files.as_mut().filter(|_| self.found.is_empty()) {
            files.journal = None;
            remove(&files.path);
        }
    }

    /// Discards all items and removes the file.
    pub fn discard(self) {
        if let Some(files) = self.files {
            drop(files.journal);
            remove(&files.path);
        }
    }
}

/// Of a memo in two files the target is counted: pending items belong to no checkpoint.
impl<R: MemoRecord> Flush for Memo<R> {
    fn flush(&mut self) -> Result<(), FileError> {
        match self.files.as_mut().and_then(|it| it.journal.as_mut()) {
            Some(journal) => journal.flush(),
            None => Ok(()),
        }
    }

    fn records(&self) -> Option<(&Path, u64)> {
        let files = self.files.as_ref()?;
        Some(match &files.target {
            None => (&files.path, self.found.len() as u64),
            Some(target) => (&target.path, target.records),
        })
    }
}

fn read<R: MemoRecord>(path: &Path) -> Result<Vec<R>, FileError> {
    if path.exists() {
        Journal::read(path)
    } else {
        Ok(Vec::new())
    }
}

fn by_key<R: MemoRecord>(records: Vec<R>) -> BTreeMap<R::Key, R> {
    records.into_iter().map(|it| (it.key(), it)).collect()
}

fn open_at<'a, R: Record>(
    journal: &'a mut Option<Journal<R>>,
    path: &Path,
    sync: Sync,
) -> Result<&'a mut Journal<R>, FileError> {
    match journal {
        Some(journal) => Ok(journal),
        None => Ok(journal.insert(Journal::open(path, sync)?.0)),
    }
}

/// Removes a file that is not read again; whether it existed does not matter.
fn remove(path: &Path) {
    let _ = fs::remove_file(path);
}
