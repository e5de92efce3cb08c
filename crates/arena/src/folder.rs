//! The folder of a match: what survives the death of anything but the disk.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use mendel_store::{FolderLock, Journal, JournalError, LockError, ReplaceError, Sync, replace};

use crate::plan::{Plan, PlanError};
use crate::{GameRecord, Summary};

/// A match folder, held by this process alone: `match.toml`, `games.jsonl`,
/// `games.pgn`, `result.json`.
#[derive(Debug)]
pub struct MatchFolder {
    path: PathBuf,
    journal: Journal<GameRecord>,
    found: Vec<GameRecord>,
    /// Made with the first game that counts.
    pgn: Option<File>,
    _lock: FolderLock,
}

/// Why a match folder cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FolderError {
    /// There is a match in it already.
    #[error("there is a match in `{}` already; go on with it by `--resume`, or choose another folder", path.display())]
    Taken {
        /// The folder.
        path: PathBuf,
    },
    /// There is no match in it.
    #[error("there is no match in `{}`: it has no match.toml", path.display())]
    Empty {
        /// The folder.
        path: PathBuf,
    },
    /// The folder or a file of it cannot be written or read.
    #[error("cannot use `{}`", path.display())]
    Io {
        /// What could not be used.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Somebody else is at it.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The games cannot be read or written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A file cannot be replaced.
    #[error(transparent)]
    Replace(#[from] ReplaceError),
    /// The plan cannot be read.
    #[error(transparent)]
    Plan(#[from] PlanError),
}

const GAMES: &str = "games.jsonl";
const SURPLUS: &str = "surplus.jsonl";
const PGN: &str = "games.pgn";
const RESULT: &str = "result.json";
const LAST: &str = "final.epd";

impl MatchFolder {
    /// The file of the plan, which no other folder has.
    pub const PLAN: &'static str = "match.toml";

    /// Makes a folder for a new match and writes its plan.
    ///
    /// # Errors
    ///
    /// If the folder holds a match already or cannot be written.
    pub fn create(path: &Path, plan: &Plan) -> Result<Self, FolderError> {
        fs::create_dir_all(path).map_err(|source| io(path, source))?;
        let lock = FolderLock::take(path)?;
        if path.join(Self::PLAN).exists() {
            return Err(FolderError::Taken {
                path: path.to_owned(),
            });
        }
        // The plan comes first: games without a plan would be worth nothing.
        replace(&path.join(Self::PLAN), plan.to_toml().as_bytes())?;
        Self::open(path, lock)
    }

    /// Takes up a match where it was left.
    ///
    /// # Errors
    ///
    /// If there is no match in the folder, somebody else is at it, or it cannot be
    /// read.
    pub fn resume(path: &Path) -> Result<(Self, Plan), FolderError> {
        if !path.join(Self::PLAN).is_file() {
            return Err(FolderError::Empty {
                path: path.to_owned(),
            });
        }
        let lock = FolderLock::take(path)?;
        let plan = Plan::read(&path.join(Self::PLAN))?;
        Ok((Self::open(path, lock)?, plan))
    }

    fn open(path: &Path, lock: FolderLock) -> Result<Self, FolderError> {
        let (journal, mut found) = Journal::open(&path.join(GAMES), Sync::Each)?;
        // Games beyond the end of a test were played, too.
        let surplus = path.join(SURPLUS);
        if surplus.exists() {
            found.extend(Journal::<GameRecord>::read(&surplus)?);
        }
        Ok(Self {
            path: path.to_owned(),
            journal,
            found,
            pgn: None,
            _lock: lock,
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The games that were there when it was opened, in any order.
    pub(crate) fn take_found(&mut self) -> Vec<GameRecord> {
        std::mem::take(&mut self.found)
    }

    /// Writes a game to the disk; only then it may be counted.
    pub(crate) fn append(&mut self, record: &GameRecord) -> Result<(), FolderError> {
        Ok(self.journal.append(record)?)
    }

    /// Writes a game that counts to the PGN, in its turn. The file is written anew
    /// from the games by whoever takes the match up.
    pub(crate) fn print(&mut self, pgn: &str) -> Result<(), FolderError> {
        let path = self.path.join(PGN);
        let fail = |source| io(&path, source);
        if self.pgn.is_none() {
            self.pgn = Some(File::create(&path).map_err(fail)?);
        }
        let file = self.pgn.as_mut().expect("it was made above");
        file.write_all(pgn.as_bytes()).map_err(fail)
    }

    /// Says how the match stands, for whoever looks.
    pub(crate) fn conclude(&mut self, summary: &Summary) -> Result<(), FolderError> {
        let json = serde_json::to_string_pretty(summary).expect("a summary is plain data");
        Ok(replace(
            &self.path.join(RESULT),
            format!("{json}\n").as_bytes(),
        )?)
    }

    /// Writes the last position of each game.
    pub(crate) fn write_last_positions(&mut self, epd: &str) -> Result<(), FolderError> {
        Ok(replace(&self.path.join(LAST), epd.as_bytes())?)
    }

    /// The match is over: the games that count stand in the order of the
    /// schedule, those beyond the end of a test beside them.
    pub(crate) fn settle(
        &mut self,
        counted: &[GameRecord],
        surplus: &[GameRecord],
    ) -> Result<(), FolderError> {
        if !surplus.is_empty() {
            Journal::rewrite(&self.path.join(SURPLUS), surplus)?;
        }
        Journal::rewrite(&self.path.join(GAMES), counted)?;
        self.journal = Journal::open(&self.path.join(GAMES), Sync::Each)?.0;
        match &self.pgn {
            None => Ok(()),
            Some(pgn) => pgn
                .sync_all()
                .map_err(|source| io(&self.path.join(PGN), source)),
        }
    }
}

fn io(path: &Path, source: std::io::Error) -> FolderError {
    FolderError::Io {
        path: path.to_owned(),
        source,
    }
}
