//! What a run is: the first file of its folder.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use mendel_store::ReplaceError;
use serde::{Deserialize, Serialize};

/// `manifest.toml`: what was run on what, and what the numbers of its journals
/// mean. Nothing in it comes from a clock.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// A hash of recipe, data, seed and version.
    pub id: String,
    /// The recipe's name.
    pub recipe: String,
    /// What chance began from.
    pub seed: u64,
    /// The version of the program.
    pub version: String,
    /// What to type to run it again.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub command: String,
    /// The player the run started from, by name or path.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub parent: String,
    /// The parent's fitness in the same trial, as in the journals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<f64>,
    /// Whose fitness that is, where networks are bred and the parent is none of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stand_in: Option<StandIn>,
    /// The unit of the fitness in words, such as `centipawns of mean error`.
    #[serde(default)]
    pub unit: String,
    /// Whether a smaller fitness is better, as with an error.
    #[serde(default)]
    pub smaller_is_better: bool,
    /// What a reader of the results must know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The data set that was asked for instead of the recipe's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_override: Option<String>,
    /// The genes' names, in the order of the journals.
    #[serde(default)]
    pub genes: Vec<String>,
    /// The least and the largest value of each gene; empty where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bounds: Vec<[f64; 2]>,
    /// The parent's genes; empty if it has none or they do not fit the recipe.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parent_genes: Vec<f64>,
    /// What the trials judged on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub data: Vec<Data>,
}

/// Who is measured in the parent's place: a network of the kind that is bred, which
/// says nothing yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StandIn {
    /// It adds material, and so that alone counts.
    Material,
    /// It gives 0 to every position.
    Nothing,
}

impl StandIn {
    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Material => "material alone",
            Self::Nothing => "a network that says nothing",
        }
    }
}

/// A data set as a manifest names it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Data {
    /// A built-in name or a path.
    pub name: String,
    /// A hash of its contents.
    pub hash: String,
    /// How many positions were used.
    pub positions: u64,
}

/// Why a manifest could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ManifestError {
    /// There is none.
    #[error("{} is not the folder of a run: it has no `manifest.toml`; `mendel runs` lists the runs", folder.display())]
    NoRun {
        /// The folder.
        folder: PathBuf,
    },
    /// The file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The manifest.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is no manifest.
    #[error("{} is broken: {reason}; restore it from a copy", path.display())]
    Broken {
        /// The manifest.
        path: PathBuf,
        /// What is wrong with it, with line and column where they are known.
        reason: String,
    },
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] ReplaceError),
}

/// Manifests larger than this were not written by us.
const LARGEST: u64 = 16 << 20;

impl Manifest {
    /// Whose fitness the baseline is, in words.
    pub fn measured_beside(&self) -> &'static str {
        self.stand_in.map_or("the parent", StandIn::name)
    }

    /// The file's name in the folder of a run.
    pub const FILE: &'static str = "manifest.toml";

    /// Reads the manifest of a run's folder.
    ///
    /// # Errors
    ///
    /// If there is none, or it cannot be understood.
    pub fn read(folder: &Path) -> Result<Self, ManifestError> {
        let path = folder.join(Self::FILE);
        let reading = |source: io::Error| {
            if matches!(
                source.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) {
                ManifestError::NoRun {
                    folder: folder.to_owned(),
                }
            } else {
                ManifestError::Read {
                    path: path.clone(),
                    source,
                }
            }
        };
        let broken = |reason: String| ManifestError::Broken {
            path: path.clone(),
            reason,
        };
        let facts = fs::metadata(&path).map_err(reading)?;
        if !facts.is_file() || facts.len() > LARGEST {
            return Err(broken("it is not a file of reasonable size".to_owned()));
        }
        let text = fs::read_to_string(&path).map_err(reading)?;
        let manifest: Self = toml::from_str(&text).map_err(|error| broken(error.to_string()))?;
        manifest.check().map_err(broken)?;
        Ok(manifest)
    }

    /// Writes the manifest into a run's folder.
    ///
    /// # Errors
    ///
    /// If it would not be read again, or the disk refuses.
    pub fn write(&self, folder: &Path) -> Result<(), ManifestError> {
        let path = folder.join(Self::FILE);
        let broken = |reason: String| ManifestError::Broken {
            path: path.clone(),
            reason,
        };
        self.check().map_err(broken)?;
        let text = toml::to_string(self).map_err(|error| broken(error.to_string()))?;
        Ok(mendel_store::replace(&path, text.as_bytes())?)
    }

    /// Lists that belong together are of one length.
    fn check(&self) -> Result<(), String> {
        for (name, length) in [
            ("bounds", self.bounds.len()),
            ("parent_genes", self.parent_genes.len()),
        ] {
            if length != 0 && length != self.genes.len() {
                return Err(format!(
                    "`{name}` has {length} entries, `genes` has {}",
                    self.genes.len()
                ));
            }
        }
        Ok(())
    }

    /// Whether fitness `a` is better than `b`.
    pub fn is_better(&self, a: f64, b: f64) -> bool {
        if self.smaller_is_better { a < b } else { a > b }
    }
}
