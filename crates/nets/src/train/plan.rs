//! What is to be trained, and what decides its result.

use std::path::{Path, PathBuf};

use mendel_store::fingerprint;
use mendel_store::frame::{Failure, Identity, Manifest, OrInvalid as _};
use serde::{Deserialize, Serialize};
use toml::Table;

use super::recipe::Recipe;
use super::record::{ComputeDevice, RECIPE, TrainingFacts};

/// A recipe with what it is carried out with: `recipe.toml` has the recipe, the facts of the
/// manifest have the rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainingPlan {
    pub recipe: Recipe,
    /// What it learns from; absolute paths.
    pub files: Vec<PathBuf>,
    /// The folder of a training whose network it begins with, as far as layers agree.
    pub start: Option<PathBuf>,
    /// Part of the plan since sums differ in their last bits between devices.
    pub device: ComputeDevice,
    /// Threads that learn on a processor; the order of sums depends on their number.
    pub threads: usize,
}

/// Does not change the result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrainOptions {
    /// Threads that make batches; those of the plan if it is `None`.
    pub threads: Option<usize>,
}

impl TrainingPlan {
    /// A plan with the recipe's own files unless others are given.
    pub fn new(recipe: Recipe, files: &[PathBuf], device: ComputeDevice, threads: usize) -> Self {
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let own = recipe.data.files.iter().map(Path::new);
        let files = match files {
            [] => own.map(absolute).collect(),
            files => files.iter().map(|path| absolute(path)).collect(),
        };
        Self {
            recipe,
            files,
            start: None,
            device,
            threads: threads.max(1),
        }
    }

    /// Reads the recipe and the facts of a training.
    ///
    /// # Errors
    ///
    /// If they are not those of a training.
    pub fn parse(text: &str, manifest: &Manifest) -> Result<Self, Failure> {
        let facts: TrainingFacts = manifest.facts.clone().try_into().or_invalid()?;
        Ok(Self {
            recipe: Recipe::parse(text, RECIPE, &[]).or_invalid()?,
            files: facts.files,
            start: facts.start,
            device: facts.device,
            threads: facts.threads,
        })
    }

    /// The identity of a training with these data: a sentence about them, and their fingerprint.
    ///
    /// # Errors
    ///
    /// If a path is not UTF-8.
    pub fn identity(
        &self,
        seed: u64,
        data: String,
        fingerprint_of_data: String,
    ) -> Result<Identity, Failure> {
        let facts = TrainingFacts {
            files: self.files.clone(),
            start: self.start.clone(),
            device: self.device,
            threads: self.threads,
            data,
            fingerprint: fingerprint_of_data,
        };
        let (recipe, version) = (self.recipe.to_toml(), env!("CARGO_PKG_VERSION"));
        let all = format!(
            "{recipe}\n{seed}\n{}\n{:?}\n{:?}\n{}\n{version}",
            facts.fingerprint, facts.start, facts.device, facts.threads
        );
        Ok(Identity {
            id: fingerprint(all.as_bytes()),
            name: self.recipe.name.clone(),
            facts: Table::try_from(&facts).or_invalid()?,
        })
    }
}
