//! A network that begins with what another one has learnt.

use std::path::Path;

use tch::{Kind, Tensor, no_grad};

use super::checkpoint::Checkpoint;
use super::error::TrainError;
use super::model::Model;
use super::parameters::Layout;
use super::run::read_recipe;

/// Gives a network the numbers of the training in `folder`, its best ones: every layer
/// that has the same name and the same sizes in both. The rest begins as always. Says how many numbers were taken.
pub(crate) fn start_from(folder: &Path, model: &mut Model) -> Result<usize, TrainError> {
    let fail = |reason: &str| TrainError::NoTraining {
        folder: folder.to_owned(),
        reason: reason.to_owned(),
    };
    // 1. The other network.
    let recipe = read_recipe(folder)?;
    let checkpoint = Checkpoint::read(folder)?.ok_or_else(|| fail("it has no checkpoint yet"))?;
    let state = if checkpoint.best.is_empty() {
        checkpoint.model
    } else {
        checkpoint.best
    };
    let layout = Layout::of(&recipe.shape);
    let (numbers, statistics) = state.split_first().ok_or_else(|| fail("it is empty"))?;
    if numbers.len() as i64 != layout.counts().1 || statistics.len() != 2 * layout.norms.len() {
        return Err(fail("its checkpoint is of another network"));
    }

    // 2. Layer by layer.
    let mut taken = 0;
    no_grad(|| {
        let theirs = Tensor::from_slice(numbers);
        let theirs = layout.cut(&theirs, Kind::Float);
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
            if let Some(at) = layout.norms.iter().position(same) {
                for (to, from) in pair.iter_mut().zip(&statistics[2 * at..]) {
                    to.copy_(&Tensor::from_slice(from));
                }
            }
        }
    });
    if taken == 0 {
        return Err(fail(
            "no layer has the name and the sizes of one of this network",
        ));
    }
    Ok(taken)
}
