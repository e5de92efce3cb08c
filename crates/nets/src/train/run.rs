//! Training a network in a folder of its own, and going on there.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use mendel_store::{FileError, FolderLock, InputHashes, replace};
use serde::{Deserialize, Serialize};

use super::checkpoint::Checkpoint;
use super::data::Data;
use super::error::TrainError;
use super::learner::Training;
use super::recipe::Recipe;
use super::record::{Evaluation, MANIFEST, Outcome, RECIPE, RESULT};

pub(crate) const TIMINGS: &str = "timings.jsonl";

/// Where a network learns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Machine {
    /// On the processor.
    #[default]
    Cpu,
    /// On a GPU.
    Cuda,
}

/// What is to be trained, and where it is kept.
#[derive(Clone, Debug)]
pub struct Order {
    pub recipe: Recipe,
    /// What it learns from; empty for the recipe's own files.
    pub files: Vec<PathBuf>,
    /// What chance begins from.
    pub seed: u64,
    pub machine: Machine,
    /// Threads that make batches, and on a processor those that learn.
    pub threads: usize,
    /// The folder of a training whose network it begins with, as far as layers agree.
    pub start: Option<PathBuf>,
    /// Where all of it is kept.
    pub folder: PathBuf,
}

/// What is told while a network learns.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// Parameters were taken from another network.
    Started {
        taken: usize,
    },
    /// It starts, or is resumed.
    Begun {
        numbers: usize,
        /// What it learns from.
        data: String,
        steps: Option<u64>,
        /// Steps that were done before.
        done: u64,
    },
    Step(Progress),
    /// The validation part was asked.
    Evaluated(&'a Evaluation),
}

/// How a training stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    pub step: u64,
    /// Rounds through the data.
    pub epoch: u64,
    /// The mean loss since the last evaluation.
    pub loss: f64,
    pub rate: f64,
    /// Positions learnt from in a second, lately.
    pub positions_per_second: f64,
    /// The share of the time spent waiting for data, lately.
    pub waiting: f64,
    /// Seconds so far.
    pub seconds: f64,
}

/// What must be known to go on, beside the recipe and the checkpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Manifest {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) seed: u64,
    pub(crate) machine: Machine,
    pub(crate) threads: usize,
    pub(crate) files: Vec<PathBuf>,
    /// The training whose network it began with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) start: Option<PathBuf>,
    /// A sentence about the data, and a fingerprint.
    pub(crate) data: String,
    pub(crate) fingerprint: String,
}

/// Trains a network from the beginning. `None` if it was asked to stop; `resume` goes
/// on then.
///
/// # Errors
///
/// If anything cannot be read or written, or the loss is no number any more.
pub fn train(
    order: &Order,
    stop: &Arc<AtomicBool>,
    hear: &mut dyn FnMut(Event<'_>),
) -> Result<Option<Outcome>, TrainError> {
    // 1. A folder of its own.
    let folder = &order.folder;
    make_folder(folder)?;
    let lock = FolderLock::take(folder)?;
    if folder.join(MANIFEST).exists() {
        return Err(TrainError::NotEmpty {
            folder: folder.clone(),
        });
    }

    // 2. What it is about, on the disk before anything else.
    let own = || order.recipe.data.files.iter().map(PathBuf::from).collect();
    let files: Vec<PathBuf> = if order.files.is_empty() {
        own()
    } else {
        order.files.clone()
    };
    let files: Vec<PathBuf> = files
        .into_iter()
        .map(|file| std::path::absolute(&file).unwrap_or(file))
        .collect();
    let data = Data::open(&order.recipe, &files)?;
    let manifest = Manifest {
        name: order.recipe.name.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        seed: order.seed,
        machine: order.machine,
        threads: order.threads.max(1),
        files,
        start: order.start.clone(),
        data: data.about(),
        fingerprint: data.fingerprint(),
    };
    InputHashes::of_this_build().start(folder)?;
    replace(&folder.join(RECIPE), order.recipe.to_toml().as_bytes())?;
    let text = toml::to_string(&manifest).expect("plain data become TOML");
    replace(&folder.join(MANIFEST), text.as_bytes())?;

    // 3. The work.
    let mut training = Training::new(order.recipe.clone(), manifest, data, folder, lock)?;
    if let Some(start) = &order.start {
        training.start_from(start, hear)?;
    }
    training.run(stop, hear)
}

/// Resumes a training from its last checkpoint; to the bit, if it
/// is on a processor. What is over gives its outcome again.
///
/// # Errors
///
/// As [`train`]; or if the folder is no training's, or the data are others.
pub fn resume(
    folder: &Path,
    stop: &Arc<AtomicBool>,
    hear: &mut dyn FnMut(Event<'_>),
) -> Result<Option<Outcome>, TrainError> {
    let fail = |reason| no_training(folder, reason);
    let read = |name| read_text(folder, name);
    let manifest = read(MANIFEST)?;
    let recipe = read_recipe(folder)?;
    InputHashes::check(folder)?;
    let lock = FolderLock::take(folder)?;
    let manifest: Manifest =
        toml::from_str(&manifest).map_err(|error| fail(format!("`{MANIFEST}`: {error}")))?;
    let checkpoint = Checkpoint::read(folder)?;
    if checkpoint.as_ref().is_some_and(|it| it.place.is_over) {
        let result = serde_json::from_str(&read(RESULT)?);
        return Ok(Some(
            result.map_err(|error| fail(format!("`{RESULT}`: {error}")))?,
        ));
    }
    let data = Data::open(&recipe, &manifest.files)?;
    if data.fingerprint() != manifest.fingerprint {
        return Err(TrainError::OtherData {
            found: data.fingerprint(),
            wanted: manifest.fingerprint,
        });
    }
    let mut training = Training::new(recipe, manifest, data, folder, lock)?;
    if let Some(checkpoint) = checkpoint {
        training.restore(checkpoint)?;
    }
    training.run(stop, hear)
}

/// The recipe of a training.
pub(crate) fn read_recipe(folder: &Path) -> Result<Recipe, TrainError> {
    Ok(Recipe::parse(&read_text(folder, RECIPE)?, RECIPE, &[])?)
}

fn read_text(folder: &Path, name: &str) -> Result<String, TrainError> {
    fs::read_to_string(folder.join(name))
        .map_err(|error| no_training(folder, format!("`{name}`: {error}")))
}

fn no_training(folder: &Path, reason: String) -> TrainError {
    TrainError::NoTraining {
        folder: folder.to_owned(),
        reason,
    }
}

pub(crate) fn make_folder(folder: &Path) -> Result<(), TrainError> {
    Ok(fs::create_dir_all(folder).map_err(FileError::io(folder))?)
}
