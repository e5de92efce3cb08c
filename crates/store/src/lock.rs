//! One writer to a folder.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

/// The file that carries the lock. It stays when the lock goes: removing it
/// would let two processes hold locks on two files of the same name.
const NAME: &str = ".lock";

/// A glance by [`FolderLock::holder`] holds the lock for a moment, so one failure
/// is not yet a refusal.
const PATIENCE: Duration = Duration::from_millis(200);

/// The right to write into a folder, held until it is dropped or the process dies,
/// however it dies: the system takes the lock back, so no stale lock is ever left.
#[derive(Debug)]
pub struct FolderLock {
    file: File,
    folder: PathBuf,
}

/// Why a folder could not be locked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// Someone else writes there.
    #[error("{} is in use by {}; wait for it, stop it, or choose another folder", folder.display(), process(*pid))]
    Taken {
        /// The folder.
        folder: PathBuf,
        /// The process that holds the lock, where it could be read.
        pid: Option<u32>,
    },
    /// The system refused.
    #[error("cannot lock {}: {source}; the folder must exist, be writable, and lie on a file system with locks", folder.display())]
    Refused {
        /// The folder.
        folder: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

fn process(pid: Option<u32>) -> String {
    pid.map_or_else(
        || "another process".to_owned(),
        |pid| format!("process {pid}"),
    )
}

impl FolderLock {
    /// Locks a folder that exists.
    ///
    /// # Errors
    ///
    /// If another holder is there, in this process or another, or the folder
    /// cannot be written to.
    pub fn take(folder: &Path) -> Result<Self, LockError> {
        let refused = |source| LockError::Refused {
            folder: folder.to_owned(),
            source,
        };
        // The number of the holder stands in the file until we hold it.
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
                Err(TryLockError::WouldBlock) if start.elapsed() < PATIENCE => {
                    thread::sleep(Duration::from_millis(10));
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(LockError::Taken {
                        folder: folder.to_owned(),
                        pid: read_pid(&mut file),
                    });
                }
            }
        }
        // The number only serves the message, so a full disk is no reason to refuse.
        let _ = write_pid(&mut file);
        Ok(Self {
            file,
            folder: folder.to_owned(),
        })
    }

    /// The folder this is the lock of.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether somebody holds the folder now: `None` if nobody does, otherwise the
    /// process as far as it is known.
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
        // Closing the file unlocks it; this only spares a reader an old number.
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
