//! Journals: append-only files of records, each on the disk before it is counted.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::append_file::LineAppender;
use crate::replace::{folder_of, replace, sync_folder};
use crate::{FileError, Sync, checksum};

/// A line of a journal: a value that serde writes as a JSON object.
pub trait Record: Serialize + DeserializeOwned {
    /// The version of its fields, written as the first field `v` of each line.
    /// Raise it when an old line would be misunderstood. A record has no field
    /// `v` or `crc` of its own.
    const VERSION: u32 = 1;
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
    /// Kept between calls for its memory.
    lines: Vec<u8>,
    record: PhantomData<fn(T) -> T>,
}

impl<T: Record> Journal<T> {
    /// Opens a journal, created empty if there is none, and returns its records.
    ///
    /// A last line without its end was being written when its writer died; it was never
    /// acknowledged and is cut off. If only the end is missing, it is completed and kept.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or written, or any other line is broken.
    pub fn open(path: &Path, sync: Sync) -> Result<(Self, Vec<T>), FileError> {
        // 1. Its contents.
        refuse_other_than_file(path).map_err(FileError::read(path))?;
        let file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(path)
            .map_err(FileError::read(path))?;
        let contents = read_lines::<T>(&file, path)?;
        // 2. The tail: whole lines only from here on.
        let mut writer = LineAppender::new(file, contents.bytes, sync);
        let tail = match contents.tail {
            Tail::Ended => Ok(()),
            Tail::Torn => writer.restore(),
            Tail::LacksEnd => writer.write(b"\n"),
        };
        tail.map_err(FileError::append(path))?;
        // 3. The name of a new file must survive as well as its lines.
        sync_folder(folder_of(path)).map_err(FileError::append(path))?;
        let journal = Self {
            writer,
            path: path.to_owned(),
            records: contents.records.len() as u64,
            lines: Vec::new(),
            record: PhantomData,
        };
        Ok((journal, contents.records))
    }

    /// Reads a journal that another process may be writing, and changes nothing. A last line
    /// without its end is left out unless it is whole.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or any line but a torn last one is broken.
    pub fn read(path: &Path) -> Result<Vec<T>, FileError> {
        let file = refuse_other_than_file(path)
            .and_then(|()| File::open(path))
            .map_err(FileError::read(path))?;
        Ok(read_lines(&file, path)?.records)
    }

    /// Replaces the whole journal by one with these records, atomically. It must not be open
    /// for writing: records appended to the old file would be lost.
    ///
    /// # Errors
    ///
    /// If it cannot be written, or a record could not be read again. The journal is then as
    /// before.
    pub fn rewrite<'a>(
        path: &Path,
        records: impl IntoIterator<Item = &'a T>,
    ) -> Result<(), FileError>
    where
        T: 'a,
    {
        let mut lines = Vec::new();
        for record in records {
            write_line(record, &mut lines).map_err(|error| FileError::value(path, &error))?;
        }
        replace(path, &lines)
    }

    /// Writes a record; when this returns, it may be counted.
    ///
    /// # Errors
    ///
    /// If it cannot be written, or could not be read again. The journal is then as before, and
    /// the same record may be appended again.
    pub fn append(&mut self, record: &T) -> Result<(), FileError> {
        self.append_all([record])
    }

    /// Writes records with one sync for all: either all are there, or none.
    ///
    /// # Errors
    ///
    /// As for [`append`](Self::append).
    pub fn append_all<'a>(
        &mut self,
        records: impl IntoIterator<Item = &'a T>,
    ) -> Result<(), FileError>
    where
        T: 'a,
    {
        let path = &self.path;
        self.lines.clear();
        let mut count = 0;
        for record in records {
            write_line(record, &mut self.lines).map_err(|error| FileError::value(path, &error))?;
            count += 1;
        }
        if count > 0 {
            self.writer
                .write(&self.lines)
                .map_err(FileError::append(path))?;
            self.records += count;
        }
        Ok(())
    }

    pub fn records(&self) -> u64 {
        self.records
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns when everything appended would survive the loss of power.
    ///
    /// # Errors
    ///
    /// If the system cannot confirm it.
    pub fn flush(&mut self) -> Result<(), FileError> {
        self.writer.flush().map_err(FileError::append(&self.path))
    }
}

/// Appends the line of a record, and makes sure that it can be read: an infinity, which JSON
/// writes as `null`, must be found now and not on the next start.
fn write_line<T: Record>(record: &T, lines: &mut Vec<u8>) -> Result<(), serde_json::Error> {
    use serde::de::Error;

    let text = serde_json::to_string(record)?;
    let Some(fields) = text.strip_prefix('{') else {
        return Err(serde_json::Error::custom("it is not a JSON object"));
    };
    let comma = if fields == "}" { "" } else { "," };
    let mut line = format!("{{\"v\":{}{comma}{fields}", T::VERSION).into_bytes();
    let _: T = serde_json::from_slice(&line)?;
    checksum::add_checksum(&mut line);
    line.push(b'\n');
    lines.append(&mut line);
    Ok(())
}

/// A pipe or a device may have no end.
fn refuse_other_than_file(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(data) if !data.is_file() => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is not a regular file",
        )),
        _ => Ok(()),
    }
}

struct ParsedJournal<T> {
    records: Vec<T>,
    /// Bytes up to the end of the last record, its line end included if that is there.
    bytes: u64,
    tail: Tail,
}

/// How the file ends.
enum Tail {
    Ended,
    /// Part of a line follows the last record.
    Torn,
    /// The last record has no line end.
    LacksEnd,
}

/// The one field that all versions have.
#[derive(Deserialize)]
struct Version {
    v: u32,
}

fn read_lines<T: Record>(file: &File, path: &Path) -> Result<ParsedJournal<T>, FileError> {
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let mut contents = ParsedJournal {
        records: Vec::new(),
        bytes: 0,
        tail: Tail::Ended,
    };
    let mut bytes = Vec::new();
    for line in 1.. {
        bytes.clear();
        let length = reader
            .read_until(b'\n', &mut bytes)
            .map_err(FileError::read(path))?;
        if length == 0 {
            break;
        }
        if bytes.last() != Some(&b'\n') {
            contents.tail = Tail::LacksEnd;
            if is_torn(&bytes) {
                contents.tail = Tail::Torn;
                break;
            }
        }
        contents.records.push(read_line(&mut bytes, path, line)?);
        contents.bytes += length as u64;
    }
    Ok(contents)
}

/// Whether the bytes after the last line end are the beginning of a line whose writer died. A
/// line is written together with its end, so a complete line, also with another byte in place
/// of its end, is not torn.
pub(crate) fn is_torn(tail: &[u8]) -> bool {
    let is_complete = |line: &[u8]| checksum::checked(line).is_ok();
    !is_complete(tail) && !is_complete(&tail[..tail.len() - 1])
}

/// Reads a line with or without its end; its checksum is removed from the bytes.
fn read_line<T: Record>(bytes: &mut Vec<u8>, path: &Path, line: u64) -> Result<T, FileError> {
    use serde::de::Error;

    let broken = |source| FileError::Broken {
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
        return Err(FileError::Version {
            path: path.to_owned(),
            line,
            found: v,
            known: T::VERSION,
        });
    }
    serde_json::from_slice(bytes).map_err(broken)
}
