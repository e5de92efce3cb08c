//! Appending lines to a file: each is written as a whole or not at all.

use std::fs::File;
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// When a record must have reached the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sync {
    /// Before [`append`](crate::Journal::append) returns: no acknowledged record is lost, also
    /// when the power fails.
    Each,
    /// At most once in this time, for records that come faster than a disk confirms them. No
    /// record is lost when the process dies; those since the last sync may be when the power
    /// fails. Call [`flush`](crate::Journal::flush) before a long pause; dropping the journal
    /// flushes it.
    Every(Duration),
}

/// A file that grows at its end and can be truncated; tests implement a failing disk.
pub(crate) trait AppendFile {
    /// After an error any number of the bytes may have been added.
    fn add(&mut self, bytes: &[u8]) -> io::Result<()>;

    fn cut(&mut self, length: u64) -> io::Result<()>;

    /// Returns when everything added would survive the loss of power.
    fn sync(&mut self) -> io::Result<()>;
}

/// The file must be opened for appending.
impl AppendFile for File {
    fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write_all(bytes)
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }
}

#[derive(Debug)]
pub(crate) struct LineAppender<M: AppendFile> {
    file: M,
    /// Bytes up to the end of the last acknowledged line.
    pub(crate) length: u64,
    /// Part of a line that could not be written may still be there.
    is_torn: bool,
    when: Sync,
    /// Lines written that the disk has not confirmed.
    is_waiting: bool,
    synced: Instant,
}

impl<M: AppendFile> LineAppender<M> {
    pub(crate) fn new(file: M, length: u64, when: Sync) -> Self {
        Self {
            file,
            length,
            is_torn: false,
            when,
            is_waiting: false,
            synced: Instant::now(),
        }
    }

    pub(crate) fn write(&mut self, line: &[u8]) -> io::Result<()> {
        if self.is_torn {
            self.restore()?;
        }
        let is_due = match self.when {
            Sync::Each => true,
            Sync::Every(time) => self.synced.elapsed() >= time,
        };
        let result = self
            .file
            .add(line)
            .and_then(|()| if is_due { self.file.sync() } else { Ok(()) });
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
                // Now if possible, otherwise before the next line.
                self.is_torn = true;
                let _ = self.restore();
                Err(error)
            }
        }
    }

    /// Cuts off what was not acknowledged.
    pub(crate) fn restore(&mut self) -> io::Result<()> {
        self.is_torn = true;
        self.file.cut(self.length)?;
        self.is_torn = false;
        Ok(())
    }

    pub(crate) fn flush(&mut self) -> io::Result<()> {
        if self.is_waiting {
            self.file.sync()?;
            self.is_waiting = false;
            self.synced = Instant::now();
        }
        Ok(())
    }
}

impl<M: AppendFile> Drop for LineAppender<M> {
    fn drop(&mut self) {
        // An error has no receiver here.
        let _ = self.flush();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// A disk with so much room, which may also refuse to cut or to sync.
    #[derive(Debug, Default)]
    struct SmallDisk {
        bytes: Vec<u8>,
        room: usize,
        refuses_to_cut: bool,
        refuses_to_sync: bool,
    }

    impl AppendFile for SmallDisk {
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

        fn sync(&mut self) -> io::Result<()> {
            if self.refuses_to_sync {
                return Err(io::ErrorKind::StorageFull.into());
            }
            Ok(())
        }
    }

    fn writer_on(room: usize) -> LineAppender<SmallDisk> {
        let disk = SmallDisk {
            room,
            ..SmallDisk::default()
        };
        LineAppender::new(disk, 0, Sync::Each)
    }

    #[test]
    fn a_full_disk_keeps_the_lines_it_has_and_takes_more_when_there_is_room() {
        for room in 4..11 {
            let mut writer = writer_on(room);
            writer.write(b"one\n").expect("room for one");
            assert!(writer.write(b"longer\n").is_err(), "room for {room}");
            assert_eq!(writer.file.bytes, b"one\n", "room for {room}");
            writer.file.room = 100;
            writer.write(b"longer\n").expect("room again");
            assert_eq!(writer.file.bytes, b"one\nlonger\n", "room for {room}");
        }
    }

    #[test]
    fn a_torn_line_that_cannot_be_cut_is_cut_before_the_next() {
        let mut writer = writer_on(6);
        writer.write(b"one\n").expect("room for one");
        writer.file.refuses_to_cut = true;
        assert!(writer.write(b"two\n").is_err());
        assert_eq!(writer.file.bytes, b"one\ntw");
        writer.file.room = 100;
        assert!(writer.write(b"two\n").is_err(), "never behind a torn line");
        assert_eq!(writer.file.bytes, b"one\ntw");
        writer.file.refuses_to_cut = false;
        writer.write(b"two\n").expect("all is well again");
        assert_eq!(writer.file.bytes, b"one\ntwo\n");
    }

    #[test]
    fn a_line_the_disk_does_not_confirm_is_not_there() {
        let mut writer = writer_on(100);
        writer.file.refuses_to_sync = true;
        assert!(writer.write(b"one\n").is_err());
        assert_eq!(writer.file.bytes, b"");
        writer.file.refuses_to_sync = false;
        writer.write(b"one\n").expect("confirmed");
        assert_eq!(writer.file.bytes, b"one\n");
    }

    #[test]
    fn a_fast_journal_asks_the_disk_only_now_and_then() {
        let mut writer = writer_on(100);
        writer.when = Sync::Every(Duration::from_hours(1));
        writer.file.refuses_to_sync = true;
        writer.write(b"one\n").expect("no sync was due");
        assert!(writer.flush().is_err(), "a flush syncs");
        writer.when = Sync::Every(Duration::ZERO);
        assert!(writer.write(b"two\n").is_err(), "it is time");
    }
}
