//! `manifest.toml`: what an experiment is.

use std::path::Path;
use std::{fs, io};

use serde::{Deserialize, Serialize};
use toml::Table;

use super::folder::Folder;
use crate::{ExperimentError, FileError};

/// `manifest.toml`, written as the last file of a start and never changed. Nothing in it
/// comes from a clock.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    pub kind: String,
    /// The form of the files in the folder.
    pub schema: u32,
    /// A hash of everything that decides the result.
    pub id: String,
    /// What people call it; need not be unique.
    pub name: String,
    pub seed: u64,
    pub version: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub command: String,
    #[serde(default, skip_serializing_if = "Table::is_empty")]
    pub facts: Table,
}

/// What must be equal when an experiment is resumed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Identity {
    /// A hash of everything that decides the result: plan, seed, data, version.
    pub id: String,
    pub name: String,
    /// What a reader of the folder must know; TOML has no null.
    pub facts: Table,
}

/// The version that made folders without a kind.
const OLD_VERSION: &str = "0.1.0";

/// The files by which the folders of that version are known, besides the manifest.
const OLD_FILES: &[&str] = &[
    "match.toml",
    "tune.toml",
    "sweep.toml",
    "recipe.toml",
    "pipeline.json",
    "levels.toml",
    "learning.toml",
    "plan.json",
];

/// Larger manifests were not written by this program.
const MAX_BYTES: u64 = 16 << 20;

/// Exists from the beginning of a start until the manifest is written: such a folder has
/// files of an experiment, and is not one of an older version.
const STARTING: &str = ".starting";

/// What tells the manifests of all versions apart.
#[derive(Deserialize)]
struct Header {
    kind: Option<String>,
    version: Option<String>,
}

impl Manifest {
    pub const FILE: &'static str = "manifest.toml";

    /// Reads the manifest of a folder. Nothing is changed.
    ///
    /// # Errors
    ///
    /// If there is none, an older version made the folder, or the file is broken.
    pub fn read(folder: &Path) -> Result<Self, ExperimentError> {
        Self::find(folder)?.ok_or_else(|| ExperimentError::NoManifest {
            folder: folder.to_owned(),
        })
    }

    /// As [`read`](Self::read); `None` if there is no experiment in the folder, or no folder.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub fn find(folder: &Path) -> Result<Option<Self>, ExperimentError> {
        let path = folder.join(Self::FILE);
        let old_folder = |version: &str| ExperimentError::OldFolder {
            folder: folder.to_owned(),
            version: version.to_owned(),
        };
        let broken = |reason: String| ExperimentError::Broken {
            path: path.clone(),
            reason,
        };
        // 1. The text, if there is one.
        let text = match fs::metadata(&path).and_then(|found| {
            if found.len() > MAX_BYTES || !found.is_file() {
                return Err(io::Error::other("it is not a manifest of this program"));
            }
            fs::read_to_string(&path)
        }) {
            Ok(text) => text,
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                let is_old = OLD_FILES.iter().any(|name| folder.join(name).is_file());
                return if is_old && !folder.join(STARTING).exists() {
                    Err(old_folder(OLD_VERSION))
                } else {
                    Ok(None)
                };
            }
            Err(source) => return Err(FileError::Read { path, source }.into()),
        };
        // 2. Older manifests have no kind.
        let header: Header = toml::from_str(&text).map_err(|error| broken(error.to_string()))?;
        if header.kind.is_none() {
            return Err(old_folder(header.version.as_deref().unwrap_or(OLD_VERSION)));
        }
        // 3. Its fields.
        let manifest = toml::from_str(&text).map_err(|error| broken(error.to_string()))?;
        Ok(Some(manifest))
    }

    /// Checks that the folder is of this kind and that this program reads its files.
    ///
    /// # Errors
    ///
    /// If not.
    pub fn check(
        &self,
        folder: &Path,
        kind: &'static str,
        schema: u32,
    ) -> Result<(), ExperimentError> {
        if self.kind != kind {
            return Err(ExperimentError::Kind {
                folder: folder.to_owned(),
                found: self.kind.clone(),
                expected: kind,
            });
        }
        if self.schema != schema {
            return Err(ExperimentError::Schema {
                folder: folder.to_owned(),
                kind: self.kind.clone(),
                found: self.schema,
                known: schema,
                version: self.version.clone(),
            });
        }
        Ok(())
    }

    /// Which of the parts that must be equal are not; `None` if all are.
    pub(super) fn difference(&self, identity: &Identity) -> Option<String> {
        if self.name != identity.name {
            return Some(format!(
                "its name is `{}`, now `{}`",
                self.name, identity.name
            ));
        }
        // Compared as it would be read again: numbers in text may have another form.
        let text = toml::to_string(&identity.facts).unwrap_or_default();
        let facts: Table = text.parse().unwrap_or_default();
        let mut keys = self.facts.keys().chain(facts.keys());
        if let Some(key) = keys.find(|key| self.facts.get(*key) != facts.get(*key)) {
            return Some(format!("`{key}` has changed since it was started"));
        }
        (self.id != identity.id).then(|| format!("its id is `{}`, now `{}`", self.id, identity.id))
    }

    pub(super) fn begin(folder: &Folder) -> Result<(), FileError> {
        folder.write(STARTING, "")
    }

    pub(super) fn write(&self, folder: &Folder) -> Result<(), FileError> {
        let text = toml::to_string(self)
            .map_err(|error| FileError::value(&folder.file(Self::FILE), &error))?;
        folder.write(Self::FILE, text)?;
        Self::tidy(folder);
        Ok(())
    }

    /// Removes the mark of a start that was killed just before it did so.
    pub(super) fn tidy(folder: &Folder) {
        // With a manifest the mark has no meaning; whether it is there does not matter.
        let _ = fs::remove_file(folder.file(STARTING));
    }
}
