//! The library of experiments: list, find, register, delete.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use std::{env, fs};

use serde_json::Value;

use crate::frame::{Folder, Manifest, status_of};
use crate::index::{MAX_DEPTH, search};
use crate::inputs::folders_below;
use crate::{FileError, FolderLock, Index, IndexEntry, RunStatus};

pub use crate::index::LibraryError;

/// The summary that a kind shows in a list, from the files of one of its folders.
pub type Describe = fn(&Folder, &Manifest) -> Value;

/// The experiments of a user: the folders below a home folder, and those elsewhere that were
/// registered.
///
/// An index repeats what the folders say, so that a long list is quick. It can be rebuilt.
#[derive(Clone, Debug)]
pub struct Library {
    home: PathBuf,
    describe: Describe,
}

#[derive(Clone, Debug, Default)]
pub struct Listing {
    pub entries: Vec<IndexEntry>,
    /// Warnings about the list, one line each.
    pub notes: Vec<String>,
}

impl Library {
    /// The home folder need not exist.
    pub fn new(home: impl Into<PathBuf>, describe: Describe) -> Self {
        Self {
            home: home.into(),
            describe,
        }
    }

    /// The default home folder, with the environment variable that gives it: `MENDEL_HOME`, or
    /// those of the system for data of programs.
    pub fn default_home() -> Option<(&'static str, PathBuf)> {
        let set = |name: &'static str| {
            env::var_os(name)
                .filter(|value| !value.is_empty())
                .map(|value| (name, PathBuf::from(value)))
        };
        let below = |(name, folder): (&'static str, PathBuf), rest| (name, folder.join(rest));
        set("MENDEL_HOME")
            .or_else(|| set("XDG_DATA_HOME").map(|it| below(it, "mendel")))
            .or_else(|| set("HOME").map(|it| below(it, ".local/share/mendel")))
    }

    pub fn home(&self) -> &Path {
        &self.home
    }

    /// A path that does not exist yet, below a group such as `matches`, from the day and some
    /// names.
    ///
    /// # Errors
    ///
    /// If no name is free.
    pub fn new_folder(&self, group: &str, names: &[&str]) -> Result<PathBuf, LibraryError> {
        let plain = |name: &&str| -> String {
            let plain = name.chars().map(|c| {
                if c.is_ascii_alphanumeric() {
                    c.to_ascii_lowercase()
                } else {
                    '-'
                }
            });
            plain.take(20).collect()
        };
        let names: Vec<String> = names.iter().map(plain).collect();
        let parent = self.home.join(group);
        let (year, month, day) = utc_date(SystemTime::now()).unwrap_or((1970, 1, 1));
        let (day, names) = (format!("{year:04}-{month:02}-{day:02}"), names.join("-"));
        (1..=u32::MAX)
            .map(|number| parent.join(format!("{day}-{names}-{number}")))
            .find(|folder| !folder.exists())
            .ok_or(LibraryError::Full { folder: parent })
    }

    /// The folder of an experiment: a path, a name, or the beginning of an id.
    ///
    /// # Errors
    ///
    /// If there is none or more than one, or the path has no experiment that this program reads.
    pub fn find(&self, text: &str) -> Result<PathBuf, LibraryError> {
        let path = Path::new(text);
        if path.is_dir() {
            Manifest::read(path)?;
            return Ok(std::path::absolute(path).map_err(FileError::io(path))?);
        }
        let fits = |entry: &IndexEntry| {
            let is_id = entry.id.is_empty() && entry.name.starts_with(text);
            !text.is_empty() && (entry.name == text || entry.id.starts_with(text) || is_id)
        };
        let mut found = self.list(None)?.entries;
        found.retain(fits);
        match &*found {
            [one] => Ok(one.folder.clone()),
            [] => Err(LibraryError::Unknown {
                text: text.to_owned(),
            }),
            many => Err(LibraryError::Ambiguous {
                text: text.to_owned(),
                folders: many
                    .iter()
                    .map(|entry| format!("`{}`", entry.folder.display()))
                    .collect(),
            }),
        }
    }

    /// All experiments of a kind, or of every kind, the newest first.
    ///
    /// # Errors
    ///
    /// If the index cannot be used.
    pub fn list(&self, kind: Option<&str>) -> Result<Listing, LibraryError> {
        let mut listing = Listing::default();
        match self.index() {
            Ok(index) => {
                if let Some(reason) = index.damage() {
                    listing.notes.push(format!(
                        "the run index `{}` was damaged ({reason}) and has been rebuilt from the folders",
                        self.index_path().display()
                    ));
                }
                listing.entries = index.list(kind)?;
            }
            Err(error @ LibraryError::NewerIndex { .. }) => {
                listing
                    .notes
                    .push(format!("{error}; the folders are read instead"));
                listing.entries = self.search(kind);
            }
            Err(error) => return Err(error),
        }
        // A killed process did not update its entry.
        for entry in &mut listing.entries {
            entry.state = status_of(&entry.folder);
            if entry.state != RunStatus::Finished {
                entry.finished = None;
            }
        }
        Ok(listing)
    }

    /// Adds an experiment to the index, or updates its entry.
    ///
    /// # Errors
    ///
    /// If the folder has no experiment that this program reads, or the index cannot be used. The
    /// experiment itself is not affected.
    pub fn register(&self, folder: &Path) -> Result<(), LibraryError> {
        let folder = folder.canonicalize().map_err(FileError::io(folder))?;
        let entry = self.entry(&folder, &Manifest::read(&folder)?);
        match self.index() {
            Ok(index) => index.put(&entry),
            // Folders below the home folder are found without it.
            Err(LibraryError::NewerIndex { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Deletes an experiment with everything in its folder, and returns how many bytes it had.
    ///
    /// # Errors
    ///
    /// If the folder is outside the library, part of another experiment, or in use by another
    /// process.
    pub fn delete(&self, folder: &Path) -> Result<u64, LibraryError> {
        // 1. It is an experiment of this library, whatever links lead to it.
        let home = self
            .home
            .canonicalize()
            .map_err(FileError::io(&self.home))?;
        let folder = folder.canonicalize().map_err(FileError::io(folder))?;
        if folder == home || !folder.starts_with(&home) {
            return Err(LibraryError::Outside { folder, home });
        }
        let around = folder.ancestors().skip(1).take_while(|it| *it != home);
        for outer in around {
            if outer.join(Manifest::FILE).exists() {
                return Err(LibraryError::Inside {
                    folder: folder.clone(),
                    outer: outer.to_owned(),
                });
            }
        }
        Manifest::read(&folder)?;
        // 2. No process works in it; the locks are held until it is gone.
        let _locks = lock_all(&folder)?;
        // 3. It is renamed first, so that no reader finds half of it.
        let size = size_of(&folder);
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let aside = folder.with_file_name(format!(".{name}.{}.deleted", std::process::id()));
        fs::rename(&folder, &aside).map_err(FileError::io(&folder))?;
        fs::remove_dir_all(&aside).map_err(FileError::io(&aside))?;
        // An entry without a folder is not listed.
        if let Ok(index) = self.index() {
            index.remove(&folder)?;
        }
        Ok(size)
    }

    fn index_path(&self) -> PathBuf {
        self.home.join("index.sqlite")
    }

    fn index(&self) -> Result<Index, LibraryError> {
        let describe = |folder: &Path| self.describe(folder);
        Index::open(&self.index_path(), &[&self.home], &describe)
    }

    /// Lists the experiments below the home folder without the index.
    fn search(&self, kind: Option<&str>) -> Vec<IndexEntry> {
        let mut entries = Vec::new();
        search(
            &self.home,
            MAX_DEPTH,
            &|folder| self.describe(folder),
            &mut entries,
        );
        entries.retain(|entry| kind.is_none_or(|kind| entry.kind == kind));
        entries.sort_by(|a, b| (b.started, &a.folder).cmp(&(a.started, &b.folder)));
        entries
    }

    fn describe(&self, folder: &Path) -> Option<IndexEntry> {
        let manifest = Manifest::find(folder).ok().flatten()?;
        Some(self.entry(folder, &manifest))
    }

    fn entry(&self, folder: &Path, manifest: &Manifest) -> IndexEntry {
        let state = status_of(folder);
        let finished = seconds(&folder.join(Folder::RESULT));
        IndexEntry {
            folder: folder.to_owned(),
            kind: manifest.kind.clone(),
            id: manifest.id.clone(),
            name: manifest.name.clone(),
            state,
            started: seconds(&folder.join(Manifest::FILE)).unwrap_or(0),
            finished: finished.filter(|_| state == RunStatus::Finished),
            summary: (self.describe)(&Folder::at(folder), manifest),
        }
    }
}

/// Bytes of the files below a folder; links are not followed.
pub fn size_of(folder: &Path) -> u64 {
    let Ok(listing) = fs::read_dir(folder) else {
        return 0;
    };
    let sizes = listing.flatten().map(|item| match item.metadata() {
        Ok(found) if found.is_dir() => size_of(&item.path()),
        Ok(found) => found.len(),
        Err(_) => 0,
    });
    sizes.sum()
}

/// Locks an experiment and those inside it.
fn lock_all(folder: &Path) -> Result<Vec<FolderLock>, LibraryError> {
    let mut locks = vec![FolderLock::take(folder)?];
    for path in folders_below(folder)? {
        if path.join(Manifest::FILE).exists() {
            locks.push(FolderLock::take(&path)?);
        }
    }
    Ok(locks)
}

/// When a file was last written, in seconds since 1970.
fn seconds(path: &Path) -> Option<i64> {
    let time = fs::metadata(path).and_then(|file| file.modified()).ok()?;
    Some(time.duration_since(UNIX_EPOCH).ok()?.as_secs() as i64)
}

/// Year, month and day in UTC; `None` before 1970.
pub fn utc_date(moment: SystemTime) -> Option<(u64, u64, u64)> {
    let since = moment.duration_since(UNIX_EPOCH).ok()?;
    Some(civil(since.as_secs() / 86_400))
}

/// The Gregorian date of a day since 1970-01-01.
///
/// # Source
///
/// Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`, for days
/// after 0000-03-01.
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::civil;

    #[test]
    fn days_have_their_dates() {
        for (days, date) in [
            (0, (1970, 1, 1)),
            (11_016, (2000, 2, 29)),
            (11_017, (2000, 3, 1)),
            (20_453, (2025, 12, 31)),
            (20_454, (2026, 1, 1)),
            (47_540, (2100, 2, 28)),
            (47_541, (2100, 3, 1)),
        ] {
            assert_eq!(civil(days), date, "day {days}");
        }
    }
}
