//! The lock of a folder: one writer at a time.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::ExperimentError;

/// The file that carries the lock. It is never removed: two processes could otherwise hold
/// locks on two files of the same name.
const NAME: &str = ".lock";

/// [`FolderLock::holder`] holds the lock for a moment, so the first failure does not count.
const TAKE_TIMEOUT: Duration = Duration::from_millis(200);

/// The right to write into a folder, held until it is dropped or the process dies. The system
/// releases the lock of a dead process, so no stale lock remains.
#[derive(Debug)]
pub struct FolderLock {
    file: File,
}

impl FolderLock {
    /// Locks a folder that exists.
    ///
    /// # Errors
    ///
    /// If another holder is there, in this process or another, or the folder
    /// cannot be written to.
    pub fn take(folder: &Path) -> Result<Self, ExperimentError> {
        let refused = |source| ExperimentError::Lock {
            folder: folder.to_owned(),
            source,
        };
        // Not truncated: the file has the id of the present holder.
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(folder.join(NAME))
            .map_err(refused)?;
        let start = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::Error(source)) => return Err(refused(source)),
                Err(TryLockError::WouldBlock) if start.elapsed() < TAKE_TIMEOUT => {
                    thread::sleep(Duration::from_millis(10));
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(ExperimentError::InUse {
                        folder: folder.to_owned(),
                        pid: read_pid(&mut file),
                    });
                }
            }
        }
        // The id is only for messages, so a full disk does not matter.
        let _ = write_pid(&mut file);
        Ok(Self { file })
    }

    /// Whether a process holds the lock now: `None` if not, otherwise its id as far as it is
    /// known.
    ///
    /// # Errors
    ///
    /// If the folder cannot be read.
    pub fn holder(folder: &Path) -> io::Result<Option<Option<u32>>> {
        let mut file = match File::open(folder.join(NAME)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        match file.try_lock_shared() {
            Ok(()) => Ok(None),
            Err(TryLockError::WouldBlock) => Ok(Some(read_pid(&mut file))),
            Err(TryLockError::Error(source)) => Err(source),
        }
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        // Closing the file unlocks it; this only keeps readers from an old id.
        let _ = self.file.set_len(0);
        let _ = self.file.unlock();
    }
}

fn read_pid(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.seek(SeekFrom::Start(0)).ok()?;
    file.take(32).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

fn write_pid(file: &mut File) -> io::Result<()> {
    file.set_len(0)?;
    file.seek(SeekFrom::Start(0))?;
    writeln!(file, "{}", std::process::id())
}
