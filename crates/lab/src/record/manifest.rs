//! What a run is: the first file of its folder.

use std::path::{Path, PathBuf};

use mendel_store::frame;
use serde::{Deserialize, Serialize};
use toml::Table;

/// The facts of a run in `manifest.toml`: its inputs, and the meaning of the numbers in its
/// journals. Nothing in it comes from a clock.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// A hash of recipe, data, seed and version.
    #[serde(skip)]
    pub id: String,
    #[serde(skip)]
    pub recipe: String,
    #[serde(skip)]
    pub seed: u64,
    #[serde(skip)]
    pub version: String,
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
    Nothing,
}

impl StandIn {
    pub fn name(self) -> &'static str {
        match self {
            Self::Material => "material alone",
            Self::Nothing => "a network that says nothing",
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Data {
    /// A built-in name or a path.
    pub name: String,
    pub hash: String,
    pub positions: u64,
}

/// Why the manifest of a run could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ManifestError {
    #[error(transparent)]
    Frame(#[from] mendel_store::ExperimentError),
    #[error("{} is broken: {reason}; restore it from a copy", path.display())]
    Broken {
        path: PathBuf,
        /// What is wrong with it, with line and column where they are known.
        reason: String,
    },
}

impl Manifest {
    /// Whose fitness the baseline is, in words.
    pub fn measured_beside(&self) -> &'static str {
        self.stand_in.map_or("the parent", StandIn::name)
    }

    /// The name of the player whose fitness the baseline is.
    pub fn measured_name(&self) -> &str {
        match self.stand_in {
            Some(stand_in) => stand_in.name(),
            None => &self.parent,
        }
    }

    pub const FILE: &'static str = frame::Manifest::FILE;

    /// Reads the manifest of a run's folder.
    ///
    /// # Errors
    ///
    /// If there is none, or it cannot be understood.
    pub fn read(folder: &Path) -> Result<Self, ManifestError> {
        let manifest = frame::Manifest::read(folder)?;
        Self::of(&manifest).map_err(|reason| ManifestError::Broken {
            path: folder.join(Self::FILE),
            reason,
        })
    }

    /// What the manifest of an experiment says of a run; the error is what is wrong with it.
    ///
    /// # Errors
    ///
    /// If its facts are not those of a run.
    pub fn of(manifest: &frame::Manifest) -> Result<Self, String> {
        let facts = Table::clone(&manifest.facts);
        let facts: Self = facts.try_into().map_err(|error| error.to_string())?;
        let run = Self {
            id: manifest.id.clone(),
            recipe: manifest.name.clone(),
            seed: manifest.seed,
            version: manifest.version.clone(),
            ..facts
        };
        run.check()?;
        Ok(run)
    }

    /// The facts of the manifest of the experiment: all fields that not every experiment has.
    ///
    /// # Panics
    ///
    /// Never: a manifest is plain data.
    pub fn facts(&self) -> Table {
        Table::try_from(self).expect("a manifest is plain data")
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
