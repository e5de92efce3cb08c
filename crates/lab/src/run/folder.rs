//! The folder of a run: what survives the death of anything but the disk.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use mendel_store::{
    FolderLock, Journal, JournalError, LockError, Record, ReplaceError, Sync, replace,
};
use serde::de::DeserializeOwned;

use super::manifest::{Manifest, ManifestError};
use crate::record::{Generation, Genotypes, Lineage, Timing};

/// Why the folder of a run cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FolderError {
    /// There is a run in it already.
    #[error("there is a run in `{}` already; go on with it by `mendel resume`, or choose another folder", path.display())]
    Taken {
        /// The folder.
        path: PathBuf,
    },
    /// The folder or a file of it cannot be written or read.
    #[error("cannot use `{}`: {source}", path.display())]
    Io {
        /// What could not be used.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The checkpoint is not ours.
    #[error("`{}` is broken: {reason}; remove it to breed from the beginning", path.display())]
    Checkpoint {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A journal is shorter than what was done.
    #[error("`{}` has {kept} of the {done} generations that were bred: restore it from a copy, or begin a new run", path.display())]
    Lost {
        /// The journal.
        path: PathBuf,
        /// How many are there.
        kept: u32,
        /// How many there were.
        done: u32,
    },
    /// Somebody else is at it.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// A journal cannot be read or written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A file cannot be replaced.
    #[error(transparent)]
    Replace(#[from] ReplaceError),
    /// The manifest cannot be read or written.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
}

/// The folder of a run, held by this process alone.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    journals: Option<Journals>,
    _lock: FolderLock,
}

#[derive(Debug)]
struct Journals {
    generations: Journal<Generation>,
    lineage: Journal<Lineage>,
    timings: Journal<Timing>,
    /// Opened with the first that is kept.
    genotypes: Option<Journal<Genotypes>>,
}

/// Journals are confirmed with each checkpoint, not with each line: what came
/// after it is bred again, exactly.
const SYNC: Sync = Sync::Every(Duration::MAX);

impl RunFolder {
    /// The recipe as it was read.
    pub const RECIPE: &'static str = "recipe.toml";
    /// A line for each generation.
    pub const GENERATIONS: &'static str = "generations.jsonl";
    /// Whose children they are.
    pub const LINEAGE: &'static str = "lineage.jsonl";
    /// All members of some generations, where the recipe wants them kept.
    pub const GENOTYPES: &'static str = "genotypes.jsonl";
    /// What a clock gave.
    pub const TIMINGS: &'static str = "timings.jsonl";
    /// Where the run stands.
    pub const CHECKPOINT: &'static str = "checkpoint";
    /// The games of the proof.
    pub const GAMES: &'static str = "games.pgn";
    /// The player that was bred.
    pub const CHAMPION: &'static str = "champion.toml";

    /// Makes the folder of a new run.
    ///
    /// # Errors
    ///
    /// If there is a run in it already, or it cannot be written.
    pub fn create(path: &Path, manifest: &Manifest, recipe: &str) -> Result<Self, FolderError> {
        fs::create_dir_all(path).map_err(|source| io_error(path, source))?;
        let lock = FolderLock::take(path)?;
        if path.join(Manifest::FILE).exists() {
            return Err(FolderError::Taken {
                path: path.to_owned(),
            });
        }
        // The manifest comes last: a folder that has one has all it needs.
        replace(&path.join(Self::RECIPE), recipe.as_bytes())?;
        manifest.write(path)?;
        Ok(Self {
            path: path.to_owned(),
            journals: None,
            _lock: lock,
        })
    }

    /// Takes up a run where it was left.
    ///
    /// # Errors
    ///
    /// If there is no run in the folder, or somebody else is at it.
    pub fn open(path: &Path) -> Result<(Self, Manifest), FolderError> {
        let manifest = Manifest::read(path)?;
        let lock = FolderLock::take(path)?;
        let folder = Self {
            path: path.to_owned(),
            journals: None,
            _lock: lock,
        };
        Ok((folder, manifest))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The text of one of its files.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn read(&self, name: &str) -> Result<String, FolderError> {
        let path = self.path.join(name);
        fs::read_to_string(&path).map_err(|source| io_error(&path, source))
    }

    /// Writes one of its files as a whole.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn write(&self, name: &str, contents: &str) -> Result<(), FolderError> {
        Ok(replace(&self.path.join(name), contents.as_bytes())?)
    }

    /// Where the run stands, if it has come so far.
    ///
    /// # Errors
    ///
    /// If there is a checkpoint that cannot be understood.
    pub(crate) fn checkpoint<T: DeserializeOwned>(&self) -> Result<Option<T>, FolderError> {
        let path = self.path.join(Self::CHECKPOINT);
        if !path.exists() {
            return Ok(None);
        }
        let text = self.read(Self::CHECKPOINT)?;
        let state = serde_json::from_str(&text).map_err(|error| FolderError::Checkpoint {
            path,
            reason: error.to_string(),
        })?;
        Ok(Some(state))
    }

    /// Opens the journals, cut back to `generations` lines: what a dead process
    /// wrote beyond its last checkpoint is bred again.
    pub(crate) fn begin(&mut self, generations: u32) -> Result<(), FolderError> {
        let done = generations;
        let whole = |name: &str, kept: u32| {
            if kept == done {
                return Ok(());
            }
            Err(FolderError::Lost {
                path: self.path.join(name),
                kept,
                done,
            })
        };
        let (generations, kept) = cut(&self.path.join(Self::GENERATIONS), |it: &Generation| {
            it.generation < done
        })?;
        whole(Self::GENERATIONS, kept)?;
        let (lineage, kept) = cut(&self.path.join(Self::LINEAGE), |it: &Lineage| {
            it.generation < done
        })?;
        whole(Self::LINEAGE, kept)?;
        let path = self.path.join(Self::GENOTYPES);
        let genotypes = if path.exists() {
            let kept = |it: &Genotypes| it.generation < done;
            Some(cut(&path, kept)?.0)
        } else {
            None
        };
        // Times are no part of the record; both tries took theirs.
        let timings = Journal::open(&self.path.join(Self::TIMINGS), SYNC)?.0;
        self.journals = Some(Journals {
            generations,
            lineage,
            timings,
            genotypes,
        });
        Ok(())
    }

    /// Writes down a generation.
    pub(crate) fn generation(
        &mut self,
        generation: &Generation,
        lineage: &Lineage,
    ) -> Result<(), FolderError> {
        let journals = self.journals.as_mut().expect("the run has begun");
        journals.generations.append(generation)?;
        Ok(journals.lineage.append(lineage)?)
    }

    /// Writes down all members of a generation.
    pub(crate) fn genotypes(&mut self, genotypes: &Genotypes) -> Result<(), FolderError> {
        let journals = self.journals.as_mut().expect("the run has begun");
        if journals.genotypes.is_none() {
            let path = self.path.join(Self::GENOTYPES);
            journals.genotypes = Some(Journal::open(&path, SYNC)?.0);
        }
        if let Some(journal) = &mut journals.genotypes {
            journal.append(genotypes)?;
        }
        Ok(())
    }

    /// Writes down what a clock gave.
    pub(crate) fn timing(&mut self, timing: &Timing) -> Result<(), FolderError> {
        let journals = self.journals.as_mut().expect("the run has begun");
        Ok(journals.timings.append(timing)?)
    }

    /// Everything so far is safe, and the run goes on from `state`.
    pub(crate) fn settle(&mut self, state: &str) -> Result<(), FolderError> {
        if let Some(journals) = &mut self.journals {
            journals.generations.flush()?;
            journals.lineage.flush()?;
            journals.timings.flush()?;
            if let Some(genotypes) = &mut journals.genotypes {
                genotypes.flush()?;
            }
        }
        self.write(Self::CHECKPOINT, state)
    }
}

/// Opens a journal, drops the lines that `keep` does not want and counts the rest.
fn cut<T: Record>(
    path: &Path,
    keep: impl Fn(&T) -> bool,
) -> Result<(Journal<T>, u32), FolderError> {
    let (journal, records) = Journal::open(path, SYNC)?;
    if records.iter().all(&keep) {
        return Ok((journal, records.len() as u32));
    }
    drop(journal);
    let kept: Vec<T> = records.into_iter().filter(keep).collect();
    Journal::rewrite(path, &kept)?;
    Ok((Journal::open(path, SYNC)?.0, kept.len() as u32))
}

fn io_error(path: &Path, source: io::Error) -> FolderError {
    FolderError::Io {
        path: path.to_owned(),
        source,
    }
}
