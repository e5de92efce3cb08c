//! Hashes of everything outside of its folder that the results of an experiment depend on.

use std::collections::BTreeMap;
use std::fs::{self, File, Metadata};
use std::io::{self, BufReader};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::{ExperimentError, FileError, replace};

/// The build of this program, and the SHA-256 of the external programs and the files that
/// an experiment uses. They are written to its folder as `inputs.toml` when it starts, and
/// compared when it is resumed: results of two programs must not be counted together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InputHashes {
    /// `None` where any build may resume the experiment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mendel: Option<String>,
    /// By the name that starts them: a path, or a bare name that `PATH` finds.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    programs: BTreeMap<String, String>,
    /// By their paths.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    files: BTreeMap<String, String>,
}

static BUILD: OnceLock<String> = OnceLock::new();

/// Names the build of this program: its version and a hash of its sources. Only the first call
/// has an effect; without one the name is the version.
pub fn set_build(build: &str) {
    BUILD.get_or_init(|| build.to_owned());
}

fn build() -> &'static str {
    BUILD
        .get()
        .map_or(env!("CARGO_PKG_VERSION"), String::as_str)
}

/// Instead of the hash of a program that may be executed but not read.
const UNREADABLE: &str = "unreadable";

/// Instead of the hash of a program or file that does not exist.
const MISSING: &str = "missing";

impl InputHashes {
    pub const FILE: &'static str = "inputs.toml";

    pub fn of_this_build() -> Self {
        Self {
            mendel: Some(build().to_owned()),
            ..Self::default()
        }
    }

    /// Adds an external program by the name that starts it; without effect if it is not
    /// installed.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn add_program(&mut self, name: &str) -> Result<(), ExperimentError> {
        if let Some(hash) = hash_of_program(name)? {
            self.programs.insert(name.to_owned(), hash);
        }
        Ok(())
    }

    /// Adds a file; without effect if it is not a regular file.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or its path is not UTF-8.
    pub fn add_file(&mut self, path: &Path) -> Result<(), ExperimentError> {
        if let Some(hash) = hash_of(path)? {
            let unnamed = || io::Error::other("its path is not UTF-8; rename it");
            let name = path.to_str().ok_or_else(unnamed);
            let name = name.map_err(FileError::read(path))?;
            self.files.insert(name.to_owned(), hash);
        }
        Ok(())
    }

    /// Writes the hashes of an experiment that starts; to be called before the manifest is
    /// written.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    ///
    /// # Panics
    ///
    /// Never: strings in tables are valid TOML.
    pub fn start(&self, folder: &Path) -> Result<(), ExperimentError> {
        let text = toml::to_string(self).expect("plain data become TOML");
        Ok(replace(&folder.join(Self::FILE), text.as_bytes())?)
    }

    /// Compares this build and the programs and files with those that the folder and the
    /// experiments in it were started with. Nothing is written.
    ///
    /// # Errors
    ///
    /// If one has changed, or the folder has no hashes.
    pub fn check(folder: &Path) -> Result<(), ExperimentError> {
        let missing = || ExperimentError::NoInputs {
            folder: folder.to_owned(),
        };
        Self::read(folder)?.ok_or_else(missing)?.compare(folder)?;
        // The nested experiments: matches of a proof, steps, runs.
        for inside in folders_below(folder)? {
            if let Some(recorded) = Self::read(&inside)? {
                recorded.compare(&inside)?;
            }
        }
        Ok(())
    }

    /// Checks the folder and adds the hashes here to its own.
    ///
    /// # Errors
    ///
    /// As [`check`](Self::check), or if the file cannot be written.
    pub fn extend(&self, folder: &Path) -> Result<(), ExperimentError> {
        Self::check(folder)?;
        let recorded = Self::read(folder)?.unwrap_or_default();
        let mut all = recorded.clone();
        all.programs.extend(self.programs.clone());
        all.files.extend(self.files.clone());
        if all == recorded {
            return Ok(());
        }
        all.start(folder)
    }

    fn read(folder: &Path) -> Result<Option<Self>, ExperimentError> {
        let path = folder.join(Self::FILE);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(FileError::Read { path, source }.into()),
        };
        toml::from_str(&text)
            .map(Some)
            .map_err(|error| ExperimentError::Broken {
                path,
                reason: error.to_string(),
            })
    }

    fn compare(&self, folder: &Path) -> Result<(), ExperimentError> {
        if let Some(recorded) = &self.mendel
            && recorded != build()
        {
            return Err(ExperimentError::OtherBuild {
                folder: folder.to_owned(),
                recorded: recorded.clone(),
                present: build().to_owned(),
            });
        }
        let same = |what: String, recorded: &String, present: Option<String>| {
            let present = present.unwrap_or_else(|| MISSING.to_owned());
            if *recorded == present {
                return Ok(());
            }
            Err(ExperimentError::Changed {
                what,
                folder: folder.to_owned(),
                recorded: recorded.clone(),
                present,
            })
        };
        for (name, recorded) in &self.programs {
            let present = hash_of_program(name)?;
            same(format!("the program `{name}`"), recorded, present)?;
        }
        for (name, recorded) in &self.files {
            let present = hash_of(Path::new(name))?;
            same(format!("the file `{name}`"), recorded, present)?;
        }
        Ok(())
    }
}

/// All folders below a folder, each after the one that it is in; links are not followed.
pub(crate) fn folders_below(folder: &Path) -> Result<Vec<PathBuf>, FileError> {
    let failed = FileError::read(folder);
    let mut folders = Vec::new();
    for entry in fs::read_dir(folder).map_err(&failed)? {
        let entry = entry.map_err(&failed)?;
        if entry.file_type().map_err(&failed)?.is_dir() {
            let path = entry.path();
            let below = folders_below(&path)?;
            folders.push(path);
            folders.extend(below);
        }
    }
    Ok(folders)
}

/// The hash of the file that a program's name starts; `None` if it is not installed.
fn hash_of_program(name: &str) -> Result<Option<String>, FileError> {
    if name.contains('/') {
        return hash_of(Path::new(name));
    }
    let starts = |path: &PathBuf| {
        let facts = fs::metadata(path);
        facts.is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
    };
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let mut places = std::env::split_paths(&folders).map(|folder| folder.join(name));
    places.find(starts).map_or(Ok(None), |path| hash_of(&path))
}

/// Shows that a file was not written since it was hashed: device, inode, length and the times
/// of its last changes.
type Stamp = [i64; 7];

fn stamp(facts: &Metadata) -> Stamp {
    [
        facts.dev() as i64,
        facts.ino() as i64,
        facts.len() as i64,
        facts.mtime(),
        facts.mtime_nsec(),
        facts.ctime(),
        facts.ctime_nsec(),
    ]
}

/// The SHA-256 of a regular file; `None` if there is none. Large files, such as networks, are
/// read once in a process.
fn hash_of(path: &Path) -> Result<Option<String>, FileError> {
    static KNOWN: Mutex<BTreeMap<PathBuf, (Stamp, String)>> = Mutex::new(BTreeMap::new());
    let Some(facts) = fs::metadata(path).ok().filter(Metadata::is_file) else {
        return Ok(None);
    };
    let (key, stamp) = (
        path.canonicalize().unwrap_or_else(|_| path.to_owned()),
        stamp(&facts),
    );
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, hash)) = known().get(&key).filter(|(then, _)| *then == stamp) {
        return Ok(Some(hash.clone()));
    }
    let hash = match sha256(path) {
        Ok(hash) => hash,
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => UNREADABLE.to_owned(),
        Err(error) => return Err(FileError::read(path)(error)),
    };
    known().insert(key, (stamp, hash.clone()));
    Ok(Some(hash))
}

fn sha256(path: &Path) -> io::Result<String> {
    let mut hash = Sha256::new();
    io::copy(
        &mut BufReader::with_capacity(1 << 16, File::open(path)?),
        &mut hash,
    )?;
    Ok(format!("{:x}", hash.finalize()))
}
