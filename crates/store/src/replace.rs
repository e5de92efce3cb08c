//! A file that is either the old one or the new one, whatever dies in between.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::os::fd::AsFd as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Why a file could not be replaced. The old one, if there was one, is untouched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplaceError {
    /// The path has no file name, such as `/` or `..`.
    #[error("`{}` names no file", path.display())]
    NoName {
        /// What was given.
        path: PathBuf,
    },
    /// A folder is there.
    #[error("cannot write `{}`: it is a folder; name a file in it", path.display())]
    Folder {
        /// What was given.
        path: PathBuf,
    },
    /// The system refused.
    #[error("cannot write `{}`: {source}; {}", path.display(), remedy(source))]
    Write {
        /// The file that was to be replaced.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// Several threads or processes may write the same file at once: each has a file
/// of its own beside it, the last rename wins, and none sees half of another's.
static COUNT: AtomicU64 = AtomicU64::new(0);

/// Writes a whole file, so that a reader finds the old contents or the new ones
/// and never a mixture, also after `kill -9` or the loss of power.
///
/// The new contents go to a file beside it, to the disk, and then under the old
/// name. A process that dies in between leaves that other file behind; its name
/// begins with a dot and ends with `.new`, and it may be removed.
///
/// Only a regular file is replaced. A symbolic link stays, and the file that it
/// leads to is replaced. A device, a pipe or this process's own output, such as
/// `/dev/stdout`, is written to as it is.
///
/// # Errors
///
/// If the file cannot be written, flushed or renamed.
pub fn replace(path: &Path, contents: &[u8]) -> Result<(), ReplaceError> {
    replace_with(path, |file| {
        file.write_all(contents)
            .map_err(|source| ReplaceError::Write {
                path: path.to_owned(),
                source,
            })
    })
}

/// As [`replace`], for contents that come piece by piece: `write` writes them, and
/// if it fails, the old file stays.
///
/// # Errors
///
/// What `write` says, or if the file cannot be made, flushed or renamed.
pub fn replace_with<T, E: From<ReplaceError>>(
    path: &Path,
    write: impl FnOnce(&mut File) -> Result<T, E>,
) -> Result<T, E> {
    let refused = |source| {
        E::from(ReplaceError::Write {
            path: path.to_owned(),
            source,
        })
    };
    let Some(target) = target(path)? else {
        return write(&mut stream(path).map_err(refused)?);
    };
    let beside = beside(path, &target)?;
    let result = open_beside(&beside, &target)
        .map_err(refused)
        .and_then(|mut file| {
            let written = write(&mut file)?;
            file.sync_all()
                .and_then(|()| fs::rename(&beside, &target))
                .and_then(|()| sync_folder(folder_of(&target)))
                .map_err(refused)?;
            Ok(written)
        });
    if result.is_err() {
        // The error that counts is the first one.
        let _ = fs::remove_file(&beside);
    }
    result
}

/// Checks before long work whether [`replace`] can write to `path`. What is there stays as
/// it is.
///
/// # Errors
///
/// If a folder is there, or a file beside it cannot be made.
pub fn check_replace(path: &Path) -> Result<(), ReplaceError> {
    let Some(target) = target(path)? else {
        return Ok(());
    };
    let beside = beside(path, &target)?;
    let made = open_beside(&beside, &target).and_then(|_| fs::remove_file(&beside));
    made.map_err(|source| ReplaceError::Write {
        path: path.to_owned(),
        source,
    })
}

/// Whether data would be lost if `path` were replaced: a regular file or a folder is there.
/// A device, a pipe and this process's own output hold none.
pub fn is_taken(path: &Path) -> bool {
    match fs::metadata(path) {
        Ok(found) => is_kept(&found),
        Err(_) => false,
    }
}

/// Whether this is a regular file or a folder, and not this process's own output.
fn is_kept(found: &Metadata) -> bool {
    found.is_dir() || found.is_file() && own_output(found).is_none()
}

/// The regular file that is replaced, there or not; `None` if what is there is written to as
/// it is.
fn target(path: &Path) -> Result<Option<PathBuf>, ReplaceError> {
    match fs::metadata(path) {
        Ok(found) if found.is_dir() && path.file_name().is_some() => {
            return Err(ReplaceError::Folder {
                path: path.to_owned(),
            });
        }
        Ok(found) if !is_kept(&found) => return Ok(None),
        // What cannot be looked at says why when it is written.
        _ => {}
    }
    match end_of_links(path) {
        Ok(target) => Ok(Some(target)),
        Err(source) => Err(ReplaceError::Write {
            path: path.to_owned(),
            source,
        }),
    }
}

/// A file of our own beside the one to be replaced.
fn beside(path: &Path, target: &Path) -> Result<PathBuf, ReplaceError> {
    let name = target.file_name().ok_or_else(|| ReplaceError::NoName {
        path: path.to_owned(),
    })?;
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}-{count}.new", std::process::id()));
    Ok(folder_of(target).join(hidden))
}

/// Opens a device, a pipe or this process's own output.
fn stream(path: &Path) -> io::Result<File> {
    if let Some(own) = own_output(&fs::metadata(path)?) {
        // What was printed before stands before it.
        io::stdout().flush()?;
        return Ok(own);
    }
    OpenOptions::new().write(true).open(path)
}

/// Stdout or stderr, if `found` is where it goes. A second handle of the same file would
/// write over what was printed.
fn own_output(found: &Metadata) -> Option<File> {
    let own = [
        io::stdout().as_fd().try_clone_to_owned(),
        io::stderr().as_fd().try_clone_to_owned(),
    ];
    own.into_iter().flatten().map(File::from).find(|own| {
        own.metadata()
            .is_ok_and(|own| (own.dev(), own.ino()) == (found.dev(), found.ino()))
    })
}

/// The most links that lead from one to the next, as Linux has it.
const MAX_LINKS: u32 = 40;

/// The file that a path means, also where the last link leads to no file yet.
fn end_of_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(target) = fs::read_link(&path) else {
            return Ok(path);
        };
        path = folder_of(&path).join(target);
    }
    // The system says best what is wrong with such a path.
    fs::metadata(&path).map(|_| path)
}

/// What to do about an error of the system.
fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            "make the folder first, or name another file"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "name a file in a folder that you may write to"
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            "make room, or name a file on another disk"
        }
        _ => "name another file",
    }
}

fn open_beside(beside: &Path, path: &Path) -> io::Result<File> {
    // A leftover of a dead process with our number is overwritten.
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .open(beside)?;
    if let Ok(old) = fs::metadata(path) {
        file.set_permissions(old.permissions())?;
    }
    Ok(file)
}

/// The folder a file lies in.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Makes new and changed names in a folder survive the loss of power.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}
