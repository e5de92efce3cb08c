//! Records one after the other, each on the disk before it is counted.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::medium::Medium;
use crate::replace::{ReplaceError, folder_of, replace, settle_folder};

/// What a journal holds: something that serde writes as a JSON object.
pub trait Record: Serialize + DeserializeOwned {
    /// The version of its fields, written as the first field `v` of each line.
    /// Raise it when an old line would be misunderstood. A record has no field
    /// `v` of its own.
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
    #[error("cannot write {}: {source}; is the disk full? nothing was lost, make room and go on", path.display())]
    Write {
        /// The journal.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A line in the middle cannot be read. A torn last line is no error.
    #[error("line {line} of {} is broken: {source}; restore the file from a copy, or remove that line and lose its record", path.display())]
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
/// One process writes it at a time (see [`FolderLock`](crate::FolderLock)); others
/// may [`read`](Self::read).
#[derive(Debug)]
pub struct Journal<T> {
    writer: Writer<File>,
    path: PathBuf,
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
        let mut writer = Writer::new(file, contents.whole, sync);
        match contents.tail {
            Tail::None => {}
            Tail::Torn => writer.restore().map_err(writing)?,
            Tail::LacksEnd { length } => {
                writer.length += length;
                writer.write(b"\n").map_err(writing)?;
            }
        }
        // 3. The name of a new file must survive as well as its lines.
        settle_folder(folder_of(path)).map_err(writing)?;
        let journal = Self {
            writer,
            path: path.to_owned(),
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
            })
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
        let mut lines = Vec::new();
        for record in records {
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
            })
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
struct Contents<T> {
    records: Vec<T>,
    /// Bytes up to the end of the last whole line.
    whole: u64,
    tail: Tail,
}

/// What follows the last line end.
enum Tail {
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

fn read_lines<T: Record>(file: &File, path: &Path) -> Result<Contents<T>, JournalError> {
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let mut contents = Contents {
        records: Vec::new(),
        whole: 0,
        tail: Tail::None,
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
        match read_line(&bytes, path, line) {
            Ok(record) => contents.records.push(record),
            Err(JournalError::Broken { .. }) if !is_whole => {
                contents.tail = Tail::Torn;
                break;
            }
            Err(error) => return Err(error),
        }
        if is_whole {
            contents.whole += length;
        } else {
            contents.tail = Tail::LacksEnd { length };
        }
    }
    Ok(contents)
}

fn read_line<T: Record>(bytes: &[u8], path: &Path, line: u64) -> Result<T, JournalError> {
    let broken = |source| JournalError::Broken {
        path: path.to_owned(),
        line,
        source,
    };
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

/// Adds lines to a medium, all of a line or none of it.
#[derive(Debug)]
struct Writer<M: Medium> {
    medium: M,
    /// Bytes up to the end of the last acknowledged line.
    length: u64,
    /// Part of a line that was refused may still be there.
    is_torn: bool,
    sync: Sync,
    /// Lines written that the disk has not confirmed.
    is_waiting: bool,
    synced: Instant,
}

impl<M: Medium> Writer<M> {
    fn new(medium: M, length: u64, sync: Sync) -> Self {
        Self {
            medium,
            length,
            is_torn: false,
            sync,
            is_waiting: false,
            synced: Instant::now(),
        }
    }

    fn write(&mut self, line: &[u8]) -> io::Result<()> {
        if self.is_torn {
            self.restore()?;
        }
        let is_due = match self.sync {
            Sync::Each => true,
            Sync::Every(time) => self.synced.elapsed() >= time,
        };
        let result = self
            .medium
            .add(line)
            .and_then(|()| if is_due { self.medium.settle() } else { Ok(()) });
        match result {
            Ok(()) => {
                self.length += line.len() as u64;
                self.is_waiting = !is_due;
                if is_due {
                    self.synced = Instant::now();
                }
                Ok(())
            }
            Err(error) => {
                // Now if it can be done, otherwise before the next line.
                self.is_torn = true;
                let _ = self.restore();
                Err(error)
            }
        }
    }

    /// Cuts off what was not acknowledged.
    fn restore(&mut self) -> io::Result<()> {
        self.is_torn = true;
        self.medium.cut(self.length)?;
        self.is_torn = false;
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.is_waiting {
            self.medium.settle()?;
            self.is_waiting = false;
            self.synced = Instant::now();
        }
        Ok(())
    }
}

impl<M: Medium> Drop for Writer<M> {
    fn drop(&mut self) {
        // Nobody is left to be told.
        let _ = self.flush();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disk with so much room, which may also refuse to cut or to settle.
    #[derive(Debug, Default)]
    struct SmallDisk {
        bytes: Vec<u8>,
        room: usize,
        refuses_to_cut: bool,
        refuses_to_settle: bool,
    }

    impl Medium for SmallDisk {
        fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
            let fits = bytes.len().min(self.room - self.bytes.len());
            self.bytes.extend_from_slice(&bytes[..fits]);
            if fits == bytes.len() {
                Ok(())
            } else {
                Err(io::ErrorKind::StorageFull.into())
            }
        }

        fn cut(&mut self, length: u64) -> io::Result<()> {
            if self.refuses_to_cut {
                return Err(io::ErrorKind::ReadOnlyFilesystem.into());
            }
            self.bytes.truncate(length as usize);
            Ok(())
        }

        fn settle(&mut self) -> io::Result<()> {
            if self.refuses_to_settle {
                return Err(io::ErrorKind::StorageFull.into());
            }
            Ok(())
        }
    }

    fn writer_on(room: usize) -> Writer<SmallDisk> {
        let disk = SmallDisk {
            room,
            ..SmallDisk::default()
        };
        Writer::new(disk, 0, Sync::Each)
    }

    #[test]
    fn a_full_disk_keeps_the_lines_it_has_and_takes_more_when_there_is_room() {
        for room in 4..11 {
            let mut writer = writer_on(room);
            writer.write(b"one\n").expect("room for one");
            assert!(writer.write(b"longer\n").is_err(), "room for {room}");
            assert_eq!(writer.medium.bytes, b"one\n", "room for {room}");
            writer.medium.room = 100;
            writer.write(b"longer\n").expect("room again");
            assert_eq!(writer.medium.bytes, b"one\nlonger\n", "room for {room}");
        }
    }

    #[test]
    fn a_torn_line_that_cannot_be_cut_is_cut_before_the_next() {
        let mut writer = writer_on(6);
        writer.write(b"one\n").expect("room for one");
        writer.medium.refuses_to_cut = true;
        assert!(writer.write(b"two\n").is_err());
        assert_eq!(writer.medium.bytes, b"one\ntw");
        writer.medium.room = 100;
        assert!(writer.write(b"two\n").is_err(), "never behind a torn line");
        assert_eq!(writer.medium.bytes, b"one\ntw");
        writer.medium.refuses_to_cut = false;
        writer.write(b"two\n").expect("all is well again");
        assert_eq!(writer.medium.bytes, b"one\ntwo\n");
    }

    #[test]
    fn a_line_the_disk_does_not_confirm_is_not_there() {
        let mut writer = writer_on(100);
        writer.medium.refuses_to_settle = true;
        assert!(writer.write(b"one\n").is_err());
        assert_eq!(writer.medium.bytes, b"");
        writer.medium.refuses_to_settle = false;
        writer.write(b"one\n").expect("confirmed");
        assert_eq!(writer.medium.bytes, b"one\n");
    }

    #[test]
    fn a_fast_journal_asks_the_disk_only_now_and_then() {
        let mut writer = writer_on(100);
        writer.sync = Sync::Every(Duration::from_hours(1));
        writer.medium.refuses_to_settle = true;
        writer.write(b"one\n").expect("nobody asked the disk");
        assert!(writer.flush().is_err(), "now somebody did");
        writer.sync = Sync::Every(Duration::ZERO);
        assert!(writer.write(b"two\n").is_err(), "it is time");
    }
}
