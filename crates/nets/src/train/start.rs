//! A network that begins with what another one has learnt.

use std::path::{Path, PathBuf};

use mendel_store::frame::{Folder, Manifest};
use tch::{Kind, Tensor, no_grad};

use super::checkpoint::TrainingCheckpoint;
use super::error::TrainError;
use super::model::Model;
use super::parameters::Layout;
use super::recipe::Recipe;
use super::record::{KIND, RECIPE, SCHEMA};

/// The best network of another training.
pub(crate) struct StartNetwork {
    folder: PathBuf,
    layout: Layout,
    numbers: Vec<f32>,
    statistics: Vec<Vec<f32>>,
}

fn no_training(folder: &Path, reason: &impl ToString) -> TrainError {
    TrainError::NoTraining {
        folder: folder.to_owned(),
        reason: reason.to_string(),
    }
}

impl StartNetwork {
    pub(crate) fn read(folder: &Path) -> Result<Self, TrainError> {
        // 1. The training.
        let manifest =
            Manifest::read(folder).and_then(|manifest| manifest.check(folder, KIND, SCHEMA));
        manifest.map_err(|error| no_training(folder, &error))?;
        let files = Folder::at(folder);
        let recipe = Recipe::parse(&files.read(RECIPE)?, RECIPE, &[])?;
        let bytes = files.read_checkpoint_bytes()?;
        let bytes = bytes.ok_or_else(|| no_training(folder, &"it has no checkpoint yet"))?;

        // 2. Its best network.
        let other = || no_training(folder, &"its checkpoint is of another network");
        let checkpoint = TrainingCheckpoint::parse(&bytes).ok_or_else(other)?;
        let state = if checkpoint.best.is_empty() {
            checkpoint.model
        } else {
            checkpoint.best
        };
        let layout = Layout::of(&recipe.shape);
        let mut state = state.into_iter();
        let numbers = state.next().unwrap_or_default();
        let statistics: Vec<_> = state.collect();
        if numbers.len() as i64 != layout.counts().1 || statistics.len() != 2 * layout.norms.len() {
            return Err(other());
        }
        Ok(Self {
            folder: folder.to_owned(),
            layout,
            numbers,
            statistics,
        })
    }

    /// Copies every layer that has the same name and the same sizes in both networks, and
    /// returns how many numbers these are. The rest stays as it is.
    pub(crate) fn copy_to(&self, model: &mut Model) -> Result<usize, TrainError> {
        let mut taken = 0;
        no_grad(|| {
            let theirs = Tensor::from_slice(&self.numbers);
            let theirs = self.layout.cut(&theirs, Kind::Float);
            let ours = model.layout.cut(&model.parameters, Kind::Float);
            for name in model.layout.names() {
                let (Some(from), Some(to)) = (theirs.find(name), ours.find(name)) else {
                    continue;
                };
                if from.size() == to.size() {
                    taken += from.numel();
                    to.shallow_clone().copy_(from);
                }
            }
            for ((name, channels), pair) in model.layout.norms.iter().zip(&mut model.statistics) {
                let same = |(other, count): &(String, i64)| other == name && count == channels;
                if let Some(at) = self.layout.norms.iter().position(same) {
                    for (to, from) in pair.iter_mut().zip(&self.statistics[2 * at..]) {
                        to.copy_(&Tensor::from_slice(from));
                    }
                }
            }
        });
        if taken == 0 {
            let reason = "no layer has the name and the sizes of one of this network";
            return Err(no_training(&self.folder, &reason));
        }
        Ok(taken)
    }
}
