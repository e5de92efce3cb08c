//! Cutting damaged files back to their last intact state.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead as _, BufReader};
use std::path::{Path, PathBuf};

use super::checkpoint::Checkpoint;
use super::event::Events;
use super::failure::{Failure, OrInvalid as _};
use super::folder::Folder;
use super::manifest::Manifest;
use crate::journal::is_torn;
use crate::replace::sync_folder;
use crate::{FileError, FolderLock, checksum};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    pub file: PathBuf,
    /// What was wrong with it.
    pub reason: String,
    pub kept: Kept,
    /// The file as it was.
    pub original: PathBuf,
}

/// What remains of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// The first records of a journal, and how many lines were cut.
    Records { kept: u64, cut: u64 },
    /// The checkpoint before the damaged one.
    Previous,
    /// Nothing: it is created again.
    Nothing,
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            file,
            reason,
            kept,
            original,
        } = self;
        write!(f, "`{}`: {reason}; ", file.display())?;
        match kept {
            Kept::Records { kept, cut } => write!(f, "{kept} records kept, {cut} lines cut")?,
            Kept::Previous => f.write_str("replaced by the previous one")?,
            Kept::Nothing => f.write_str("it is created again")?,
        }
        write!(f, "; the original is `{}`", original.display())
    }
}

/// Cuts the files of an experiment, and of those inside it, back to the last state that is
/// intact, so that it can be resumed: each journal before its first damaged line, the checkpoint
/// to one whose journals are there. A damaged file stays beside the repaired one as
/// `NAME.damaged`. Intact files stay as they are.
///
/// # Errors
///
/// If the folder has no experiment that this program reads, another process uses it, or a file
/// cannot be read or written.
pub fn repair(folder: &Path) -> Result<Vec<Repair>, Failure> {
    Manifest::read(folder).or_invalid()?;
    let _lock = FolderLock::take(folder)?;
    let mut repairs = Vec::new();
    repair_folder(&Folder::at(folder), &mut repairs)?;
    Ok(repairs)
}

fn repair_folder(folder: &Folder, repairs: &mut Vec<Repair>) -> Result<(), Failure> {
    let before = repairs.len();
    let mut journals = BTreeMap::new();
    // 1. What is inside comes first: an outcome below may have to be computed again.
    for path in listing(folder.path())? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            let _lock = if path.join(Manifest::FILE).exists() {
                Some(FolderLock::take(&path)?)
            } else {
                None
            };
            repair_folder(&Folder::at(&path), repairs)?;
        } else if name.ends_with(".jsonl") && name != Events::FILE {
            let lines = repair_journal(&path, repairs)?;
            journals.insert(name.into_owned(), lines);
        }
    }
    // 2. The state, which must not be ahead of the journals.
    repair_checkpoint(folder, &journals, repairs)?;
    // 3. The outcome, which must not stand for files that were cut.
    repair_result(folder, repairs.len() > before, repairs)?;
    Ok(())
}

fn listing(folder: &Path) -> Result<Vec<PathBuf>, FileError> {
    let read = || -> io::Result<Vec<PathBuf>> {
        let mut paths = Vec::new();
        for item in fs::read_dir(folder)? {
            let item = item?;
            // A link may lead out of the folder.
            if !item.file_type()?.is_symlink() {
                paths.push(item.path());
            }
        }
        paths.sort();
        Ok(paths)
    };
    read().map_err(FileError::io(folder))
}

/// Returns how many intact lines a journal begins with, after cutting off what follows.
fn repair_journal(path: &Path, repairs: &mut Vec<Repair>) -> Result<u64, FileError> {
    let (mut intact, mut kept, mut cut) = (0_u64, 0_u64, 0_u64);
    let mut reason = None;
    let file = File::open(path).map_err(FileError::io(path))?;
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let mut line = Vec::new();
    loop {
        line.clear();
        let length = reader
            .read_until(b'\n', &mut line)
            .map_err(FileError::io(path))?;
        if length == 0 {
            break;
        }
        let is_whole = line.last() == Some(&b'\n');
        if reason.is_some() {
            cut += 1;
            continue;
        }
        if !is_whole && is_torn(&line) {
            // Its writer died; the next resume cuts it off.
            break;
        }
        match checksum::checked(&line[..length - usize::from(is_whole)]) {
            Ok(_) => {
                intact += length as u64;
                kept += 1;
            }
            Err(damage) => {
                reason = Some(format!("line {} is damaged: {damage}", kept + 1));
                cut = 1;
            }
        }
    }
    let Some(reason) = reason else {
        return Ok(kept);
    };
    let original = free_name(path);
    fs::copy(path, &original).map_err(FileError::io(&original))?;
    let shorten = || -> io::Result<()> {
        let file = OpenOptions::new().write(true).open(path)?;
        file.set_len(intact)?;
        file.sync_all()
    };
    shorten().map_err(FileError::io(path))?;
    repairs.push(Repair {
        file: path.to_owned(),
        reason,
        kept: Kept::Records { kept, cut },
        original,
    });
    Ok(kept)
}

fn repair_checkpoint(
    folder: &Folder,
    journals: &BTreeMap<String, u64>,
    repairs: &mut Vec<Repair>,
) -> Result<(), FileError> {
    // 1. Is there anything wrong?
    let reason = match folder.checkpoint(Folder::CHECKPOINT) {
        Ok(None) => return Ok(()),
        Ok(Some(checkpoint)) => match shortfall(&checkpoint, journals) {
            None => return Ok(()),
            Some(name) => format!("`{name}` has fewer records than when it was written"),
        },
        Err(FileError::Damaged { reason, .. }) => reason,
        Err(error) => return Err(error),
    };
    // 2. The one before it, if its journals are there.
    let previous = match folder.checkpoint(Folder::PREVIOUS_CHECKPOINT) {
        Ok(found) => found.filter(|it| shortfall(it, journals).is_none()),
        Err(FileError::Damaged { .. }) => None,
        Err(error) => return Err(error),
    };
    let previous = previous.map(|_| Folder::PREVIOUS_CHECKPOINT);
    repairs.push(put_aside(folder, Folder::CHECKPOINT, previous, reason)?);
    Ok(())
}

/// The first journal that has fewer records than the checkpoint says.
fn shortfall<'a>(checkpoint: &'a Checkpoint, journals: &BTreeMap<String, u64>) -> Option<&'a str> {
    let mut named = checkpoint.records.iter();
    named
        .find(|(name, expected)| journals.get(*name).unwrap_or(&0) < *expected)
        .map(|(name, _)| name.as_str())
}

fn repair_result(
    folder: &Folder,
    is_cut: bool,
    repairs: &mut Vec<Repair>,
) -> Result<(), FileError> {
    let reason = match folder.read_result::<serde_json::Value>() {
        Ok(None) => return Ok(()),
        Ok(Some(_)) if !is_cut => return Ok(()),
        Ok(Some(_)) => "files that it was computed from were cut".to_owned(),
        Err(FileError::Damaged { reason, .. } | FileError::Content { reason, .. }) => reason,
        Err(error) => return Err(error),
    };
    repairs.push(put_aside(folder, Folder::RESULT, None, reason)?);
    Ok(())
}

/// Renames a damaged file, and gives its name to another one, if there is one.
fn put_aside(
    folder: &Folder,
    name: &str,
    successor: Option<&str>,
    reason: String,
) -> Result<Repair, FileError> {
    let file = folder.file(name);
    let original = free_name(&file);
    fs::rename(&file, &original).map_err(FileError::io(&file))?;
    let kept = if let Some(successor) = successor {
        let from = folder.file(successor);
        fs::rename(&from, &file).map_err(FileError::io(&from))?;
        Kept::Previous
    } else {
        Kept::Nothing
    };
    sync_folder(folder.path()).map_err(FileError::io(folder.path()))?;
    Ok(Repair {
        file,
        reason,
        kept,
        original,
    })
}

/// `NAME.damaged`, or `NAME.damaged-2` and so on after earlier repairs.
fn free_name(path: &Path) -> PathBuf {
    let numbered = (2_u32..).map(|number| format!(".damaged-{number}"));
    std::iter::once(".damaged".to_owned())
        .chain(numbered)
        .map(|ending| {
            let mut name = path.as_os_str().to_owned();
            name.push(ending);
            PathBuf::from(name)
        })
        .find(|path| !path.exists())
        .expect("a folder has fewer files than there are numbers")
}
