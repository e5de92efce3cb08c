//! Where the folders are and what is in them: quick to ask, safe to lose.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::types::Type;
use rusqlite::{Connection, ErrorCode, OptionalExtension, Row, TransactionBehavior};
use serde::{Deserialize, Serialize};

use crate::{FolderLock, LockError};

/// The layout of the table; another one is built anew from the folders.
const VERSION: i64 = 1;

/// How long one process waits for another that writes.
const PATIENCE: Duration = Duration::from_secs(10);

/// How deep below a root a folder is looked for.
const DEPTH: u32 = 4;

/// A folder of results, as the index knows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The folder; the key.
    pub folder: PathBuf,
    /// What it holds, such as `run` or `match`.
    pub kind: String,
    /// What people call it; need not be unique.
    pub name: String,
    /// How far it has come.
    pub state: State,
    /// When it began, in seconds since 1970.
    pub started: i64,
    /// When it ended, in seconds since 1970.
    pub finished: Option<i64>,
    /// Whatever its kind shows in a list.
    pub summary: serde_json::Value,
}

/// How far a run or a match has come.
///
/// After `kill -9` the index still says [`Running`](Self::Running);
/// [`FolderLock::holder`] knows whether anybody is at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Somebody was at it when this was written.
    Running,
    /// Ended before its time; can be resumed.
    Stopped,
    /// Done.
    Finished,
    /// Ended by an error.
    Failed,
}

impl State {
    const ALL: [Self; 4] = [Self::Running, Self::Stopped, Self::Finished, Self::Failed];

    /// As it is written everywhere.
    pub fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Stopped => "stopped",
            Self::Finished => "finished",
            Self::Failed => "failed",
        }
    }
}

/// Why the index could not be asked. Nothing but time is lost with it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// `SQLite` refused.
    #[error("the index {} cannot be used: {source}; remove it, it is built anew from the folders", path.display())]
    Database {
        /// The file.
        path: PathBuf,
        /// What `SQLite` said.
        source: rusqlite::Error,
    },
    /// A broken file could not be put aside, or its folder not be made.
    #[error("the index {} cannot be made: {source}", path.display())]
    Make {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Somebody else is building it.
    #[error("the index is being built: {0}")]
    Building(#[from] LockError),
    /// A folder's name is not text.
    #[error("the index cannot hold {}: its name is not UTF-8; rename the folder", folder.display())]
    Name {
        /// The folder.
        folder: PathBuf,
    },
}

/// A `SQLite` file over folders of results.
///
/// It repeats what the folders say, so that a list of hundreds needs no reading of
/// hundreds of files. Several processes may use it at once; each waits for the
/// others some seconds.
#[derive(Debug)]
pub struct Index {
    connection: Connection,
    path: PathBuf,
}

impl Index {
    /// Opens the index. If it is missing, broken or of another version, it is built
    /// anew: every folder below the roots is shown to `describe`, which says what
    /// it holds, or `None`. Folders it describes are not searched further.
    ///
    /// # Errors
    ///
    /// If the file can neither be opened nor built.
    pub fn open(
        path: &Path,
        roots: &[&Path],
        describe: &dyn Fn(&Path) -> Option<Entry>,
    ) -> Result<Self, IndexError> {
        let making = |source| IndexError::Make {
            path: path.to_owned(),
            source,
        };
        let folder = crate::replace::folder_of(path);
        fs::create_dir_all(folder).map_err(making)?;
        match Self::open_whole(path) {
            Ok(Some(index)) => return Ok(index),
            Ok(None) => {}
            Err(error) if is_broken(&error) => {}
            Err(source) => return Err(database(path)(source)),
        }
        // From here on it is built, by one process at a time.
        let _lock = wait_for_lock(folder)?;
        match Self::open_whole(path) {
            Ok(Some(index)) => return Ok(index), // somebody was quicker
            Ok(None) => {}
            Err(error) if is_broken(&error) => put_aside(path).map_err(making)?,
            Err(source) => return Err(database(path)(source)),
        }
        let mut index = Self {
            connection: connect(path).map_err(database(path))?,
            path: path.to_owned(),
        };
        index.rebuild(roots, describe)?;
        Ok(index)
    }

    /// Builds the index anew, for instance after folders were moved.
    ///
    /// # Errors
    ///
    /// If `SQLite` refuses; the old contents are then still there.
    pub fn rebuild(
        &mut self,
        roots: &[&Path],
        describe: &dyn Fn(&Path) -> Option<Entry>,
    ) -> Result<(), IndexError> {
        let mut entries = Vec::new();
        for root in roots {
            search(root, DEPTH, describe, &mut entries);
        }
        let path = &self.path;
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(database(path))?;
        transaction
            .execute_batch(
                "DROP TABLE IF EXISTS folders;
                 CREATE TABLE folders (
                     folder   TEXT PRIMARY KEY,
                     kind     TEXT NOT NULL,
                     name     TEXT NOT NULL,
                     state    TEXT NOT NULL,
                     started  INTEGER NOT NULL,
                     finished INTEGER,
                     summary  TEXT NOT NULL
                 ) STRICT;
                 CREATE INDEX folders_by_name ON folders (name);",
            )
            .map_err(database(path))?;
        for entry in &entries {
            // A folder without a name in text cannot be listed, and must not keep
            // the others from it.
            if let Some(folder) = entry.folder.to_str() {
                insert(&transaction, folder, entry).map_err(database(path))?;
            }
        }
        transaction
            .pragma_update(None, "user_version", VERSION)
            .map_err(database(path))?;
        transaction.commit().map_err(database(path))
    }

    /// Enters a folder, or what is new about it.
    ///
    /// # Errors
    ///
    /// If the folder's name is not text, or `SQLite` refuses.
    pub fn put(&self, entry: &Entry) -> Result<(), IndexError> {
        let folder = entry.folder.to_str().ok_or_else(|| IndexError::Name {
            folder: entry.folder.clone(),
        })?;
        insert(&self.connection, folder, entry).map_err(database(&self.path))
    }

    /// All folders of a kind, or of every kind, the newest first. Those that no
    /// longer exist are left out.
    ///
    /// # Errors
    ///
    /// If `SQLite` refuses.
    pub fn list(&self, kind: Option<&str>) -> Result<Vec<Entry>, IndexError> {
        self.select("?1 IS NULL OR kind = ?1", kind)
    }

    /// The folders with this name or at this path, the newest first.
    ///
    /// # Errors
    ///
    /// If `SQLite` refuses.
    pub fn find(&self, text: &str) -> Result<Vec<Entry>, IndexError> {
        self.select("name = ?1 OR folder = ?1", Some(text))
    }

    fn select(&self, condition: &str, argument: Option<&str>) -> Result<Vec<Entry>, IndexError> {
        let query = format!(
            "SELECT folder, kind, name, state, started, finished, summary
             FROM folders WHERE {condition} ORDER BY started DESC, folder"
        );
        let read = || -> rusqlite::Result<Vec<Entry>> {
            let mut statement = self.connection.prepare(&query)?;
            statement.query_map([argument], entry)?.collect()
        };
        let mut entries = read().map_err(database(&self.path))?;
        entries.retain(|entry| entry.folder.is_dir());
        Ok(entries)
    }

    /// The index if it is there, whole and of our version.
    fn open_whole(path: &Path) -> rusqlite::Result<Option<Self>> {
        if !path.exists() {
            return Ok(None);
        }
        let connection = connect(path)?;
        let verdict: Option<String> = connection
            .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
            .optional()?;
        if verdict.as_deref() != Some("ok") {
            return Err(rusqlite::Error::SqliteFailure(
                rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT),
                verdict,
            ));
        }
        let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        Ok((version == VERSION).then(|| Self {
            connection,
            path: path.to_owned(),
        }))
    }
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(PATIENCE)?;
    Ok(connection)
}

fn database(path: &Path) -> impl Fn(rusqlite::Error) -> IndexError + '_ {
    |source| IndexError::Database {
        path: path.to_owned(),
        source,
    }
}

fn is_broken(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
    )
}

/// Keeps a broken index for whoever wants to know why, and makes room.
fn put_aside(path: &Path) -> io::Result<()> {
    let with = |ending: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    };
    // The changes it had not finished belong to the broken file.
    for ending in ["-journal", "-wal", "-shm"] {
        match fs::remove_file(with(ending)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    fs::rename(path, with(".broken"))
}

/// Somebody who builds the index is done in seconds.
fn wait_for_lock(folder: &Path) -> Result<FolderLock, LockError> {
    let start = std::time::Instant::now();
    loop {
        match FolderLock::take(folder) {
            Err(LockError::Taken { .. }) if start.elapsed() < PATIENCE => {}
            other => return other,
        }
    }
}

/// Shows folders to `describe`, those of the same folder in the order of their
/// names. What cannot be read is left out; links are not followed.
fn search(
    folder: &Path,
    depth: u32,
    describe: &dyn Fn(&Path) -> Option<Entry>,
    entries: &mut Vec<Entry>,
) {
    if let Some(entry) = describe(folder) {
        entries.push(entry);
        return;
    }
    let Some(depth) = depth.checked_sub(1) else {
        return;
    };
    let Ok(listing) = fs::read_dir(folder) else {
        return;
    };
    let mut folders: Vec<PathBuf> = listing
        .flatten()
        .filter(|item| item.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|item| item.path())
        .collect();
    folders.sort();
    for folder in folders {
        search(&folder, depth, describe, entries);
    }
}

fn insert(connection: &Connection, folder: &str, entry: &Entry) -> rusqlite::Result<()> {
    let mut statement = connection.prepare(
        "INSERT INTO folders (folder, kind, name, state, started, finished, summary)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT (folder) DO UPDATE SET
             kind = excluded.kind, name = excluded.name, state = excluded.state,
             started = excluded.started, finished = excluded.finished,
             summary = excluded.summary",
    )?;
    statement.execute(rusqlite::params![
        folder,
        entry.kind,
        entry.name,
        entry.state.name(),
        entry.started,
        entry.finished,
        entry.summary.to_string(),
    ])?;
    Ok(())
}

fn entry(row: &Row) -> rusqlite::Result<Entry> {
    let unreadable = |column, error: Box<dyn std::error::Error + Send + std::marker::Sync>| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, error)
    };
    let state: String = row.get(3)?;
    let summary: String = row.get(6)?;
    Ok(Entry {
        folder: PathBuf::from(row.get::<_, String>(0)?),
        kind: row.get(1)?,
        name: row.get(2)?,
        state: State::ALL
            .into_iter()
            .find(|known| known.name() == state)
            .ok_or_else(|| unreadable(3, format!("unknown state `{state}`").into()))?,
        started: row.get(4)?,
        finished: row.get(5)?,
        summary: serde_json::from_str(&summary).map_err(|error| unreadable(6, error.into()))?,
    })
}
