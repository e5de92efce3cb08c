//! The index of the library: where folders are and what they contain. It can be rebuilt.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::types::Type;
use rusqlite::{Connection, ErrorCode, OptionalExtension, Row, TransactionBehavior};
use serde::{Deserialize, Serialize};

use crate::{ExperimentError, FileError, FolderLock};

/// The schema of the table. An older index is rebuilt from the folders; a newer one is left as
/// it is.
const VERSION: i64 = 2;

const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// How deep below a root folders are searched.
pub(crate) const MAX_DEPTH: u32 = 4;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IndexEntry {
    /// The key.
    pub folder: PathBuf,
    pub kind: String,
    /// A hash of everything that decides its results; empty if it has none.
    #[serde(default)]
    pub id: String,
    /// Need not be unique.
    pub name: String,
    pub state: RunStatus,
    /// In seconds since 1970.
    pub started: i64,
    /// In seconds since 1970.
    pub finished: Option<i64>,
    /// What its kind shows in a list.
    pub summary: serde_json::Value,
}

/// The state of an experiment.
///
/// After `kill -9` the index still says [`Running`](Self::Running); whether a process works
/// on it is known from [`FolderLock::holder`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunStatus {
    /// A process worked on it when this was written.
    Running,
    /// Ended early; can be resumed.
    Stopped,
    Finished,
    /// Ended by an error.
    Failed,
}

impl RunStatus {
    const ALL: [Self; 4] = [Self::Running, Self::Stopped, Self::Finished, Self::Failed];

    pub fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Stopped => "stopped",
            Self::Finished => "finished",
            Self::Failed => "failed",
        }
    }
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LibraryError {
    #[error(
        "there is no experiment `{text}`: neither a folder nor a name nor the beginning of an id"
    )]
    Unknown { text: String },
    #[error("`{text}` could be any of {}", folders.join(", "))]
    Ambiguous {
        text: String,
        /// In quotes.
        folders: Vec<String>,
    },
    #[error("`{}` is not below `{}`, and only folders of the library are deleted; remove it with the tools of the system", folder.display(), home.display())]
    Outside { folder: PathBuf, home: PathBuf },
    #[error("`{}` is part of the experiment in `{}`; delete that one as a whole", folder.display(), outer.display())]
    Inside { folder: PathBuf, outer: PathBuf },
    #[error("there is no free name for a new folder in `{}`; delete some", folder.display())]
    Full { folder: PathBuf },
    #[error(transparent)]
    Experiment(#[from] ExperimentError),
    #[error(transparent)]
    File(#[from] FileError),
    /// `SQLite` refused, and not because the file is damaged.
    #[error("the run index `{}` cannot be used: {}; {}", path.display(), reason(error, path), remedy(error))]
    Index {
        path: PathBuf,
        /// Its message may name the path again.
        error: rusqlite::Error,
    },
    #[error("the run index `{}` cannot be made: {source}; set MENDEL_HOME to a folder that you may write to", path.display())]
    NewIndex { path: PathBuf, source: io::Error },
    #[error("the run index `{}` has schema {found}, and this version of mendel knows schema {VERSION}; it is left as it is", path.display())]
    NewerIndex { path: PathBuf, found: i64 },
    #[error("the index is being built: {0}")]
    LockedIndex(ExperimentError),
    #[error("the index cannot hold `{}`: its name is not UTF-8; rename the folder", folder.display())]
    Name { folder: PathBuf },
}

impl LibraryError {
    /// Whether another request could be met, unlike after an error of the system.
    pub fn is_invalid_request(&self) -> bool {
        matches!(
            self,
            Self::Unknown { .. }
                | Self::Ambiguous { .. }
                | Self::Outside { .. }
                | Self::Inside { .. }
                | Self::Full { .. }
                | Self::Experiment(_)
        )
    }
}

/// A `SQLite` file over folders of results.
///
/// It repeats what the folders say, so that a list of hundreds does not read hundreds of
/// files. Several processes may use it at once; each waits up to 10 seconds for the others.
#[derive(Debug)]
pub struct Index {
    connection: Connection,
    path: PathBuf,
    damage: Option<String>,
}

impl Index {
    /// Opens the index. If it is missing, damaged or of an older version, it is rebuilt:
    /// `describe` is called for every folder below the roots, and returns `None` for a folder
    /// that is not one of results. Folders it describes are not searched further. It is also
    /// called for folders elsewhere that a damaged index still names.
    ///
    /// A file that another process has locked, or that may not be read, is not damaged.
    ///
    /// # Errors
    ///
    /// If the file can neither be opened nor built, or is of a newer version: such a file is
    /// left as it is.
    pub fn open(
        path: &Path,
        roots: &[&Path],
        describe: &dyn Fn(&Path) -> Option<IndexEntry>,
    ) -> Result<Self, LibraryError> {
        let new_index = |source| LibraryError::NewIndex {
            path: path.to_owned(),
            source,
        };
        let folder = crate::replace::folder_of(path);
        fs::create_dir_all(folder).map_err(new_index)?;
        match Self::open_intact(path) {
            Ok(Some(index)) => return Ok(index),
            Ok(None) => {}
            Err(LibraryError::Index { error, .. }) if is_damaged(&error) => {}
            Err(error) => return Err(error),
        }
        // From here on it is built, by one process at a time.
        let _lock = wait_for_lock(folder)?;
        let mut damage = None;
        let mut entries = Vec::new();
        match Self::open_intact(path) {
            Ok(Some(index)) => return Ok(index), // another process built it
            Ok(None) => {}
            Err(LibraryError::Index { error, .. }) if is_damaged(&error) => {
                let named = named_folders(path);
                put_aside(path).map_err(new_index)?;
                damage = Some(reason(&error, path));
                entries.extend(named.iter().filter_map(|folder| describe(folder)));
            }
            Err(error) => return Err(error),
        }
        for root in roots {
            search(root, MAX_DEPTH, describe, &mut entries);
        }
        let mut connection = connect(path).map_err(database(path))?;
        build(&mut connection, &entries).map_err(database(path))?;
        Ok(Self {
            connection,
            path: path.to_owned(),
            damage,
        })
    }

    /// What was wrong with the file, if it was damaged and this call rebuilt it. The damaged
    /// file is kept under the same name with `.broken` appended.
    pub fn damage(&self) -> Option<&str> {
        self.damage.as_deref()
    }

    /// Adds a folder, or updates its entry.
    ///
    /// # Errors
    ///
    /// If the folder's name is not text, or `SQLite` refuses.
    pub fn put(&self, entry: &IndexEntry) -> Result<(), LibraryError> {
        insert(&self.connection, text_of(&entry.folder)?, entry).map_err(database(&self.path))
    }

    /// Removes a folder that was deleted; one that is not there is no error.
    ///
    /// # Errors
    ///
    /// If the folder's name is not text, or `SQLite` refuses.
    pub fn remove(&self, folder: &Path) -> Result<(), LibraryError> {
        self.connection
            .execute("DELETE FROM folders WHERE folder = ?1", [text_of(folder)?])
            .map_err(database(&self.path))?;
        Ok(())
    }

    /// All folders of a kind, or of every kind, the newest first. Those that no longer exist
    /// are left out.
    ///
    /// # Errors
    ///
    /// If `SQLite` refuses.
    pub fn list(&self, kind: Option<&str>) -> Result<Vec<IndexEntry>, LibraryError> {
        let mut entries = select(&self.connection, kind).map_err(database(&self.path))?;
        entries.retain(|entry| entry.folder.is_dir());
        Ok(entries)
    }

    /// The index if it exists, is intact and has our version.
    fn open_intact(path: &Path) -> Result<Option<Self>, LibraryError> {
        if !path.exists() {
            return Ok(None);
        }
        let open = || -> rusqlite::Result<(Connection, i64)> {
            let connection = connect(path)?;
            let verdict: Option<String> = connection
                .query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))
                .optional()?;
            if verdict.as_deref() != Some("ok") {
                let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT);
                return Err(rusqlite::Error::SqliteFailure(code, verdict));
            }
            let version = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
            if version == VERSION {
                // An intact file may still lack the table, or hold other values.
                select(&connection, None)?;
            }
            Ok((connection, version))
        };
        let (connection, found) = open().map_err(database(path))?;
        if found > VERSION {
            return Err(LibraryError::NewerIndex {
                path: path.to_owned(),
                found,
            });
        }
        Ok((found == VERSION).then(|| Self {
            connection,
            path: path.to_owned(),
            damage: None,
        }))
    }
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    Ok(connection)
}

fn database(path: &Path) -> impl Fn(rusqlite::Error) -> LibraryError + '_ {
    |error| LibraryError::Index {
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
        // A value is not one that this program writes.
        None => !matches!(error, rusqlite::Error::InvalidPath(_)),
    }
}

/// The message of `SQLite`, without the path that it may add.
fn reason(error: &rusqlite::Error, path: &Path) -> String {
    let said = match error {
        // Without the statement.
        rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
        error => error.to_string(),
    };
    said.replace(&format!(": {}", path.display()), "")
}

/// What to do about an index that is intact and cannot be used.
fn remedy(error: &rusqlite::Error) -> &'static str {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            "another process uses it: try again, or end that process"
        }
        Some(ErrorCode::DiskFull) => "make room on the disk",
        _ => "check the permissions of it and its folder, or set MENDEL_HOME to another folder",
    }
}

/// The folders that a damaged index still names, as far as it can be read.
fn named_folders(path: &Path) -> Vec<PathBuf> {
    let read = || -> rusqlite::Result<Vec<PathBuf>> {
        let connection = connect(path)?;
        let mut statement = connection.prepare("SELECT folder FROM folders")?;
        let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
        Ok(rows.map_while(Result::ok).map(PathBuf::from).collect())
    };
    read().unwrap_or_default()
}

/// Renames a damaged index, so that it can be examined.
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

/// The lock of the folder; another process that builds the index needs only seconds.
fn wait_for_lock(folder: &Path) -> Result<FolderLock, LibraryError> {
    let start = std::time::Instant::now();
    loop {
        match FolderLock::take(folder) {
            Err(ExperimentError::InUse { .. }) if start.elapsed() < BUSY_TIMEOUT => {}
            other => return other.map_err(LibraryError::LockedIndex),
        }
    }
}

fn text_of(folder: &Path) -> Result<&str, LibraryError> {
    folder.to_str().ok_or_else(|| LibraryError::Name {
        folder: folder.to_owned(),
    })
}

/// Calls `describe` for each folder, siblings in the order of their names. Unreadable folders
/// are left out; links are not followed.
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

fn build(connection: &mut Connection, entries: &[IndexEntry]) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute_batch(
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
    )?;
    for entry in entries {
        // A folder whose name is not text cannot be listed; the others can.
        if let Some(folder) = entry.folder.to_str() {
            insert(&transaction, folder, entry)?;
        }
    }
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()
}

/// The entries of a kind, or of every kind, the newest first.
fn select(connection: &Connection, kind: Option<&str>) -> rusqlite::Result<Vec<IndexEntry>> {
    let mut statement = connection.prepare(
        "SELECT folder, kind, id, name, state, started, finished, summary
         FROM folders WHERE ?1 IS NULL OR kind = ?1 ORDER BY started DESC, folder",
    )?;
    statement.query_map([kind], entry)?.collect()
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
