//! Atomic rewrites: a file has its old contents or its new ones, also after a kill.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::os::fd::AsFd as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::FileError;

/// Several threads or processes may write the same file at once: each writes a temporary
/// file of its own, and the last rename wins.
static COUNT: AtomicU64 = AtomicU64::new(0);

/// Writes a whole file, so that a reader finds the old contents or the new ones
/// and never a mixture, also after `kill -9` or the loss of power.
///
/// The new contents go to a temporary file in the same folder, to the disk, and then under
/// the old name. A process that dies in between leaves the temporary file behind; its name
/// begins with a dot and ends with `.new`, and it may be removed.
///
/// Only a regular file is replaced. A symbolic link stays, and the file that it
/// leads to is replaced. A device, a pipe or this process's own output, such as
/// `/dev/stdout`, is written to as it is.
///
/// # Errors
///
/// If the file cannot be written, flushed or renamed.
pub fn replace(path: &Path, contents: &[u8]) -> Result<(), FileError> {
    replace_with(path, |file| {
        file.write_all(contents).map_err(FileError::write(path))
    })
}

/// As [`replace`], for contents that `write` writes in parts. If it fails, the old file stays.
///
/// # Errors
///
/// That of `write`, or if the file cannot be created, flushed or renamed.
pub fn replace_with<T, E: From<FileError>>(
    path: &Path,
    write: impl FnOnce(&mut File) -> Result<T, E>,
) -> Result<T, E> {
    let refused = |source| E::from(FileError::write(path)(source));
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

/// Checks before long work whether [`replace`] can write to `path`, and changes nothing.
///
/// # Errors
///
/// If a folder is there, or a file in the same folder cannot be created.
pub fn check_replace(path: &Path) -> Result<(), FileError> {
    let Some(target) = target(path)? else {
        return Ok(());
    };
    let beside = beside(path, &target)?;
    let made = open_beside(&beside, &target).and_then(|_| fs::remove_file(&beside));
    made.map_err(FileError::write(path))
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
fn target(path: &Path) -> Result<Option<PathBuf>, FileError> {
    match fs::metadata(path) {
        Ok(found) if found.is_dir() && path.file_name().is_some() => {
            return Err(FileError::IsFolder {
                path: path.to_owned(),
            });
        }
        Ok(found) if !is_kept(&found) => return Ok(None),
        // Without access, the write reports the reason.
        _ => {}
    }
    end_of_links(path).map(Some).map_err(FileError::write(path))
}

/// The temporary file, in the same folder as the one to be replaced.
fn beside(path: &Path, target: &Path) -> Result<PathBuf, FileError> {
    let name = target.file_name().ok_or_else(|| FileError::NoName {
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
        // Text that was printed before comes first.
        io::stdout().flush()?;
        return Ok(own);
    }
    OpenOptions::new().write(true).open(path)
}

/// Stdout or stderr, if `found` is the same file. A second handle of that file would
/// overwrite what was printed.
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
    // The system's error names what is wrong with such a path.
    fs::metadata(&path).map(|_| path)
}

fn open_beside(beside: &Path, path: &Path) -> io::Result<File> {
    // A leftover of a killed process with our id is overwritten.
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

/// The folder of a file.
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
