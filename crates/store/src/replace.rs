//! A file that is either the old one or the new one, whatever dies in between.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
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
    /// The system refused.
    #[error("cannot write {}: {source}; is the disk full, or the folder not yours?", path.display())]
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
/// begins with a dot and ends with `.new`, and it may be removed. A symbolic
/// link at `path` is replaced, not followed.
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
    let name = path.file_name().ok_or_else(|| ReplaceError::NoName {
        path: path.to_owned(),
    })?;
    let folder = folder_of(path);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}-{count}.new", std::process::id()));
    let beside = folder.join(hidden);

    let refused = |source| {
        E::from(ReplaceError::Write {
            path: path.to_owned(),
            source,
        })
    };
    let result = open_beside(&beside, path)
        .map_err(refused)
        .and_then(|mut file| {
            let written = write(&mut file)?;
            file.sync_all()
                .and_then(|()| fs::rename(&beside, path))
                .and_then(|()| settle_folder(folder))
                .map_err(refused)?;
            Ok(written)
        });
    if result.is_err() {
        // The error that counts is the first one.
        let _ = fs::remove_file(&beside);
    }
    result
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
pub(crate) fn settle_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}
