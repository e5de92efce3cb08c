//! Records one after the other, each on the disk before it is counted.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::append_file::LineAppender;
use crate::checksum;
use crate::replace::{ReplaceError, folder_of, replace, sync_folder};

/// What a journal holds: something that serde writes as a JSON object.
pub trait Record: Serialize + DeserializeOwned {
    /// The version of its fields, written as the first field `v` of each line.
    /// Raise it when an old line would be misunderstood. A record has no field
    /// `v` or `crc` of its own.
    const VERSION: u32;
}

/// When a record must have reached the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sync {
    /// Before [`append`](Journal::append) returns: nothing acknowledged is lost,
    /// also when the power goes.
    Each,
    /// At most once in this time, for records that come faster than a disk can
    /// confirm them. Nothing is lost when the process dies; when the power goes,
    /// what came since the last time may be. [`flush`](Journal::flush) before a
    /// long silence; dropping the journal does so too.
    Every(Duration),
}

/// Why a journal could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// The file cannot be opened or read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The journal.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A line was not written; the journal is as it was, and the same record may
    /// be appended again.
    #[error("cannot write {}: {source}; is the disk full? No data was lost; free some space and resume", path.display())]
    Write {
        /// The journal.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A line in the middle cannot be read. A torn last line is no error.
    #[error("line {line} of {} is broken: {source}; restore the file from a copy, or continue from the last intact record with `mendel resume FOLDER --repair`", path.display())]
    Broken {
        /// The journal.
        path: PathBuf,
        /// Counted from 1.
        line: u64,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// A line of another version.
    #[error("line {line} of {} has version {found}, this program reads version {known}; use the program that wrote it", path.display())]
    Version {
        /// The journal.
        path: PathBuf,
        /// Counted from 1.
        line: u64,
        /// The version of the line.
        found: u32,
        /// The version of the type.
        known: u32,
    },
    /// A record that could not be read back; it was not written.
    #[error("a record for {} cannot be written so that it could be read again: {source}", path.display())]
    Record {
        /// The journal.
        path: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// The journal cannot be written anew; it is as it was.
    #[error(transparent)]
    Replace(#[from] ReplaceError),
}

/// An append-only file of JSON lines.
///
/// Each line begins with the version of its type and ends with a checksum: the field
/// `crc`, the CRC-32 of all bytes of the line before that field. A line that does not
/// match its checksum is an error and is never counted.
///
/// One process writes it at a time (see [`FolderLock`](crate::FolderLock)); others
/// may [`read`](Self::read).
#[derive(Debug)]
pub struct Journal<T> {
    writer: LineAppender<File>,
    path: PathBuf,
    records: u64,
    line: Vec<u8>,
    record: PhantomData<fn(T) -> T>,
}

impl<T: Record> Journal<T> {
    /// Opens a journal, made empty if there is none, and returns what it holds.
    ///
    /// A last line without its end was being written when its writer died; it was
    /// never acknowledged and is cut off. If it lacks nothing but the end, it is
    /// completed and kept.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or written, or any other line is broken.
    pub fn open(path: &Path, sync: Sync) -> Result<(Self, Vec<T>), JournalError> {
        let reading = |source| JournalError::Read {
            path: path.to_owned(),
            source,
        };
        let writing = |source| JournalError::Write {
            path: path.to_owned(),
            source,
        };
        // 1. What is there.
        refuse_what_is_no_file(path).map_err(reading)?;
        let file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(path)
            .map_err(reading)?;
        let contents = read_lines::<T>(&file, path)?;
        // 2. The tail: whole lines only from here on.
        let mut writer = LineAppender::new(file, contents.whole, sync);
        match contents.tail {
            TornTail::None => {}
            TornTail::Torn => writer.restore().map_err(writing)?,
            TornTail::LacksEnd { length } => {
                writer.length += length;
                writer.write(b"\n").map_err(writing)?;
            }
        }
        // 3. The name of a new file must survive as well as its lines.
        sync_folder(folder_of(path)).map_err(writing)?;
        let journal = Self {
            writer,
            path: path.to_owned(),
            records: contents.records.len() as u64,
            line: Vec::new(),
            record: PhantomData,
        };
        Ok((journal, contents.records))
    }

    /// Reads a journal that somebody else may be writing, and changes nothing. A
    /// last line without its end is left out unless it is whole.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or any line but a torn last one is broken.
    pub fn read(path: &Path) -> Result<Vec<T>, JournalError> {
        let file = refuse_what_is_no_file(path)
            .and_then(|()| File::open(path))
            .map_err(|source| JournalError::Read {
                path: path.to_owned(),
                source,
            })?;
        Ok(read_lines(&file, path)?.records)
    }

    /// Writes the whole journal anew, with these records and no others; whatever
    /// dies meanwhile, it is the old one or the new one. Nobody may have it open for
    /// writing: what such a one appends afterwards is lost.
    ///
    /// # Errors
    ///
    /// If it cannot be written, or a record could not be read again. The journal is
    /// then as before.
    pub fn rewrite<'a>(
        path: &Path,
        records: impl IntoIterator<Item = &'a T>,
    ) -> Result<(), JournalError>
    where
        T: 'a,
    {
        let (mut lines, mut line) = (Vec::new(), Vec::new());
        for record in records {
            write_line(record, &mut line).map_err(|source| JournalError::Record {
                path: path.to_owned(),
                source,
            })?;
            lines.extend_from_slice(&line);
        }
        Ok(replace(path, &lines)?)
    }

    /// Writes a record; when this returns, it may be counted.
    ///
    /// # Errors
    ///
    /// If it cannot be written, or could not be read again. The journal is then
    /// as before, and goes on as soon as the cause is gone.
    pub fn append(&mut self, record: &T) -> Result<(), JournalError> {
        write_line(record, &mut self.line).map_err(|source| JournalError::Record {
            path: self.path.clone(),
            source,
        })?;
        self.writer
            .write(&self.line)
            .map_err(|source| JournalError::Write {
                path: self.path.clone(),
                source,
            })?;
        self.records += 1;
        Ok(())
    }

    /// Writes many records at once, and asks the disk once for all: either all are
    /// there, or none.
    ///
    /// # Errors
    ///
    /// As for [`append`](Self::append).
    pub fn append_all<'a>(
        &mut self,
        records: impl IntoIterator<Item = &'a T>,
    ) -> Result<(), JournalError>
    where
        T: 'a,
    {
        let (mut lines, mut count) = (Vec::new(), 0);
        for record in records {
            count += 1;
            write_line(record, &mut self.line).map_err(|source| JournalError::Record {
                path: self.path.clone(),
                source,
            })?;
            lines.extend_from_slice(&self.line);
        }
        if lines.is_empty() {
            return Ok(());
        }
        self.writer
            .write(&lines)
            .map_err(|source| JournalError::Write {
                path: self.path.clone(),
                source,
            })?;
        self.records += count;
        Ok(())
    }

    /// How many records it holds.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns when everything appended would survive the loss of power.
    ///
    /// # Errors
    ///
    /// If the system cannot say so.
    pub fn flush(&mut self) -> Result<(), JournalError> {
        self.writer.flush().map_err(|source| JournalError::Write {
            path: self.path.clone(),
            source,
        })
    }
}

/// Turns a record into its line, and makes sure that the line can be read: an
/// infinity, which JSON writes as `null`, must not be found out on the next start.
fn write_line<T: Record>(record: &T, line: &mut Vec<u8>) -> Result<(), serde_json::Error> {
    use serde::de::Error;

    let text = serde_json::to_string(record)?;
    let Some(fields) = text.strip_prefix('{') else {
        return Err(serde_json::Error::custom("it is not a JSON object"));
    };
    let comma = if fields == "}" { "" } else { "," };
    line.clear();
    line.extend_from_slice(format!("{{\"v\":{}{comma}{fields}", T::VERSION).as_bytes());
    let _: T = serde_json::from_slice(line)?;
    checksum::add_checksum(line);
    line.push(b'\n');
    Ok(())
}

/// A pipe or a device may never come to an end.
fn refuse_what_is_no_file(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(data) if !data.is_file() => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is not a regular file",
        )),
        _ => Ok(()),
    }
}

/// A file's whole lines, as records.
struct ParsedJournal<T> {
    records: Vec<T>,
    /// Bytes up to the end of the last whole line.
    whole: u64,
    tail: TornTail,
}

/// What follows the last line end.
enum TornTail {
    None,
    /// Part of a line.
    Torn,
    /// A line without its end.
    LacksEnd {
        length: u64,
    },
}

/// The one field that all versions have.
#[derive(Deserialize)]
struct Version {
    v: u32,
}

fn read_lines<T: Record>(file: &File, path: &Path) -> Result<ParsedJournal<T>, JournalError> {
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let mut contents = ParsedJournal {
        records: Vec::new(),
        whole: 0,
        tail: TornTail::None,
    };
    let mut bytes = Vec::new();
    for line in 1.. {
        bytes.clear();
        let length = reader
            .read_until(b'\n', &mut bytes)
            .map_err(|source| JournalError::Read {
                path: path.to_owned(),
                source,
            })? as u64;
        if length == 0 {
            break;
        }
        let is_whole = bytes.last() == Some(&b'\n');
        if !is_whole && is_torn(&bytes) {
            contents.tail = TornTail::Torn;
            break;
        }
        contents.records.push(read_line(&mut bytes, path, line)?);
        if is_whole {
            contents.whole += length;
        } else {
            contents.tail = TornTail::LacksEnd { length };
        }
    }
    Ok(contents)
}

/// Whether the bytes after the last line end are the beginning of a line whose writer died. A
/// line is written with its end in one go: one that is complete, also with another byte in
/// place of its end, is not that.
pub(crate) fn is_torn(tail: &[u8]) -> bool {
    let is_complete = |line: &[u8]| checksum::checked(line).is_ok();
    !is_complete(tail) && !is_complete(&tail[..tail.len() - 1])
}

/// Reads a line with or without its end; on success the bytes are left without the
/// checksum.
fn read_line<T: Record>(bytes: &mut Vec<u8>, path: &Path, line: u64) -> Result<T, JournalError> {
    use serde::de::Error;

    let broken = |source| JournalError::Broken {
        path: path.to_owned(),
        line,
        source,
    };
    let end = bytes.len() - usize::from(bytes.last() == Some(&b'\n'));
    let body = checksum::checked(&bytes[..end])
        .map_err(|damage| broken(serde_json::Error::custom(damage)))?
        .len();
    bytes.truncate(body);
    bytes.push(b'}');
    let Version { v } = serde_json::from_slice(bytes).map_err(broken)?;
    if v != T::VERSION {
        return Err(JournalError::Version {
            path: path.to_owned(),
            line,
            found: v,
            known: T::VERSION,
        });
    }
    serde_json::from_slice(bytes).map_err(broken)
}
