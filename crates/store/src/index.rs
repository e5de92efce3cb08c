//! Where the folders are and what is in them: quick to ask, safe to lose.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::types::Type;
use rusqlite::{Connection, ErrorCode, OptionalExtension, Row, TransactionBehavior};
use serde::{Deserialize, Serialize};

use crate::{FolderLock, LockError};

/// The schema of the table. An older one is built anew from the folders; a newer one is left as
/// it is.
const VERSION: i64 = 2;

/// How long one process waits for another that writes.
const PATIENCE: Duration = Duration::from_secs(10);

/// How deep below a root a folder is looked for.
pub(crate) const DEPTH: u32 = 4;

/// A folder of results, as the index knows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IndexEntry {
    /// The folder; the key.
    pub folder: PathBuf,
    /// What it holds, such as `run` or `match`.
    pub kind: String,
    /// A hash of what decides its results; empty if it has none.
    #[serde(default)]
    pub id: String,
    /// What people call it; need not be unique.
    pub name: String,
    /// How far it has come.
    pub state: RunStatus,
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
pub enum RunStatus {
    /// Somebody was at it when this was written.
    Running,
    /// Ended before its time; can be resumed.
    Stopped,
    /// Done.
    Finished,
    /// Ended by an error.
    Failed,
}

impl RunStatus {
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
    /// `SQLite` refused, and not because the file is damaged.
    #[error("the run index `{}` cannot be used: {}; {}", path.display(), reason(error, path), remedy(error))]
    Database {
        /// The file.
        path: PathBuf,
        /// What `SQLite` said, which may name the path again.
        error: rusqlite::Error,
    },
    /// A broken file could not be put aside, or its folder not be made.
    #[error("the run index `{}` cannot be made: {source}; set MENDEL_HOME to a folder that you may write to", path.display())]
    Make {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A newer program made it.
    #[error("the run index `{}` has schema {found}, and this version of mendel knows schema {VERSION}; it is left as it is", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: i64,
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
    damage: Option<String>,
}

impl Index {
    /// Opens the index. If it is missing, broken or of an older version, it is built
    /// anew: every folder below the roots is shown to `describe`, which says what
    /// it holds, or `None`. Folders it describes are not searched further. Folders
    /// elsewhere that a damaged index still names are shown, too.
    ///
    /// A file that another process has locked, or that may not be read, is not damaged.
    ///
    /// # Errors
    ///
    /// If the file can neither be opened nor built, or is of a newer version: such a file is left
    /// as it is.
    pub fn open(
        path: &Path,
        roots: &[&Path],
        describe: &dyn Fn(&Path) -> Option<IndexEntry>,
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
            Err(OpenError::Newer(found)) => return Err(newer(path, found)),
            Err(OpenError::Sql(error)) if is_damaged(&error) => {}
            Err(OpenError::Sql(error)) => return Err(database(path)(error)),
        }
        // From here on it is built, by one process at a time.
        let _lock = wait_for_lock(folder)?;
        let mut damage = None;
        let mut named = Vec::new();
        match Self::open_whole(path) {
            Ok(Some(index)) => return Ok(index), // somebody was quicker
            Ok(None) => {}
            Err(OpenError::Newer(found)) => return Err(newer(path, found)),
            Err(OpenError::Sql(error)) if is_damaged(&error) => {
                named = folders_named(path);
                put_aside(path).map_err(making)?;
                damage = Some(reason(&error, path));
            }
            Err(OpenError::Sql(error)) => return Err(database(path)(error)),
        }
        let mut index = Self {
            connection: connect(path).map_err(database(path))?,
            path: path.to_owned(),
            damage,
        };
        let named = named.iter().filter_map(|folder| describe(folder));
        index.build(roots, describe, named.collect())?;
        Ok(index)
    }

    /// What was wrong with the file, if it was damaged and this opening rebuilt it. The
    /// damaged one is kept beside it with `.broken` behind its name.
    pub fn damage(&self) -> Option<&str> {
        self.damage.as_deref()
    }

    /// Builds the index anew, for instance after folders were moved.
    ///
    /// # Errors
    ///
    /// If `SQLite` refuses; the old contents are then still there.
    pub fn rebuild(
        &mut self,
        roots: &[&Path],
        describe: &dyn Fn(&Path) -> Option<IndexEntry>,
    ) -> Result<(), IndexError> {
        self.build(roots, describe, Vec::new())
    }

    /// Builds it of these entries and what is found below the roots.
    fn build(
        &mut self,
        roots: &[&Path],
        describe: &dyn Fn(&Path) -> Option<IndexEntry>,
        mut entries: Vec<IndexEntry>,
    ) -> Result<(), IndexError> {
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
                     id       TEXT NOT NULL,
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
    pub fn put(&self, entry: &IndexEntry) -> Result<(), IndexError> {
        let folder = entry.folder.to_str().ok_or_else(|| IndexError::Name {
            folder: entry.folder.clone(),
        })?;
        insert(&self.connection, folder, entry).map_err(database(&self.path))
    }

    /// Removes a folder that was deleted; one that is not there is no error.
    ///
    /// # Errors
    ///
    /// If the folder's name is not text, or `SQLite` refuses.
    pub fn remove(&self, folder: &Path) -> Result<(), IndexError> {
        let name = folder.to_str().ok_or_else(|| IndexError::Name {
            folder: folder.to_owned(),
        })?;
        self.connection
            .execute("DELETE FROM folders WHERE folder = ?1", [name])
            .map_err(database(&self.path))?;
        Ok(())
    }

    /// All folders of a kind, or of every kind, the newest first. Those that no
    /// longer exist are left out.
    ///
    /// # Errors
    ///
    /// If `SQLite` refuses.
    pub fn list(&self, kind: Option<&str>) -> Result<Vec<IndexEntry>, IndexError> {
        self.select("?1 IS NULL OR kind = ?1", kind)
    }

    /// The folders with this name or at this path, the newest first.
    ///
    /// # Errors
    ///
    /// If `SQLite` refuses.
    pub fn find(&self, text: &str) -> Result<Vec<IndexEntry>, IndexError> {
        self.select("name = ?1 OR folder = ?1", Some(text))
    }

    fn select(
        &self,
        condition: &str,
        argument: Option<&str>,
    ) -> Result<Vec<IndexEntry>, IndexError> {
        let mut entries = self
            .read(condition, argument)
            .map_err(database(&self.path))?;
        entries.retain(|entry| entry.folder.is_dir());
        Ok(entries)
    }

    fn read(&self, condition: &str, argument: Option<&str>) -> rusqlite::Result<Vec<IndexEntry>> {
        let query = format!(
            "SELECT folder, kind, id, name, state, started, finished, summary
             FROM folders WHERE {condition} ORDER BY started DESC, folder"
        );
        let mut statement = self.connection.prepare(&query)?;
        statement.query_map([argument], entry)?.collect()
    }

    /// The index if it is there, whole and of our version.
    fn open_whole(path: &Path) -> Result<Option<Self>, OpenError> {
        if !path.exists() {
            return Ok(None);
        }
        let connection = connect(path)?;
        let verdict: Option<String> = connection
            .query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))
            .optional()?;
        if verdict.as_deref() != Some("ok") {
            let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT);
            return Err(rusqlite::Error::SqliteFailure(code, verdict).into());
        }
        let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        if version > VERSION {
            return Err(OpenError::Newer(version));
        }
        if version != VERSION {
            return Ok(None);
        }
        let index = Self {
            connection,
            path: path.to_owned(),
            damage: None,
        };
        // A whole file may still lack the table, or hold what no entry is.
        index.read("?1 IS NULL", None)?;
        Ok(Some(index))
    }
}

/// Why a file is not an index that can be used as it is.
enum OpenError {
    Newer(i64),
    Sql(rusqlite::Error),
}

impl From<rusqlite::Error> for OpenError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

fn newer(path: &Path, found: i64) -> IndexError {
    IndexError::Newer {
        path: path.to_owned(),
        found,
    }
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(PATIENCE)?;
    Ok(connection)
}

fn database(path: &Path) -> impl Fn(rusqlite::Error) -> IndexError + '_ {
    |error| IndexError::Database {
        path: path.to_owned(),
        error,
    }
}

/// Whether the contents of the file are at fault: not another process that locks it, not its
/// permissions, not the disk.
fn is_damaged(error: &rusqlite::Error) -> bool {
    match error.sqlite_error_code() {
        // `Unknown` is a table or a column that is missing.
        Some(code) => matches!(
            code,
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::Unknown
        ),
        // What was read is none of our values.
        None => !matches!(error, rusqlite::Error::InvalidPath(_)),
    }
}

/// What `SQLite` said, without the path that it may add.
fn reason(error: &rusqlite::Error, path: &Path) -> String {
    let said = match error {
        // Not the whole question.
        rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
        error => error.to_string(),
    };
    said.replace(&format!(": {}", path.display()), "")
}

/// What to do about an index that is not damaged and cannot be used all the same.
fn remedy(error: &rusqlite::Error) -> &'static str {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            "another process uses it: try again, or end that process"
        }
        Some(ErrorCode::DiskFull) => "make room on the disk",
        _ => "see who may read and write it and its folder, or set MENDEL_HOME to another folder",
    }
}

/// The folders that a damaged index still names, as far as it can be read.
fn folders_named(path: &Path) -> Vec<PathBuf> {
    let read = || -> rusqlite::Result<Vec<PathBuf>> {
        let connection = connect(path)?;
        let mut statement = connection.prepare("SELECT folder FROM folders")?;
        let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
        Ok(rows.map_while(Result::ok).map(PathBuf::from).collect())
    };
    read().unwrap_or_default()
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
pub(crate) fn search(
    folder: &Path,
    depth: u32,
    describe: &dyn Fn(&Path) -> Option<IndexEntry>,
    entries: &mut Vec<IndexEntry>,
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

fn insert(connection: &Connection, folder: &str, entry: &IndexEntry) -> rusqlite::Result<()> {
    let mut statement = connection.prepare(
        "INSERT INTO folders (folder, kind, id, name, state, started, finished, summary)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
         ON CONFLICT (folder) DO UPDATE SET
             kind = excluded.kind, id = excluded.id, name = excluded.name, state = excluded.state,
             started = excluded.started, finished = excluded.finished,
             summary = excluded.summary",
    )?;
    statement.execute(rusqlite::params![
        folder,
        entry.kind,
        entry.id,
        entry.name,
        entry.state.name(),
        entry.started,
        entry.finished,
        entry.summary.to_string(),
    ])?;
    Ok(())
}

fn entry(row: &Row) -> rusqlite::Result<IndexEntry> {
    let unreadable = |column, error: Box<dyn std::error::Error + Send + std::marker::Sync>| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, error)
    };
    let state: String = row.get(4)?;
    let summary: String = row.get(7)?;
    Ok(IndexEntry {
        folder: PathBuf::from(row.get::<_, String>(0)?),
        kind: row.get(1)?,
        id: row.get(2)?,
        name: row.get(3)?,
        state: RunStatus::ALL
            .into_iter()
            .find(|known| known.name() == state)
            .ok_or_else(|| unreadable(4, format!("unknown state `{state}`").into()))?,
        started: row.get(5)?,
        finished: row.get(6)?,
        summary: serde_json::from_str(&summary).map_err(|error| unreadable(7, error.into()))?,
    })
}
