//! Many networks of one recipe, one after the other.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use mendel_store::{Journal, Sync};

use super::error::TrainError;
use super::record::{EVALUATIONS, Evaluation, GridCell, MANIFEST};
use super::run::{Event, Order, make_folder, resume, train};

/// What a grid tells: which network, out of how many, and its event.
pub type HearGrid<'a> = dyn FnMut(&str, usize, usize, Event<'_>) + 'a;

/// Trains every network of a grid in a folder each. Those that are done are not trained
/// again, and one that was stopped is resumed; so the same order also resumes a grid. `None` if
/// it was asked to stop.
///
/// # Errors
///
/// As [`train`], but a network that diverges is part of the result.
pub fn train_grid(
    order: &Order,
    stop: &Arc<AtomicBool>,
    hear: &mut HearGrid<'_>,
) -> Result<Option<Vec<GridCell>>, TrainError> {
    make_folder(&order.folder)?;
    let recipes = order.recipe.cells()?;
    let count = recipes.len();
    let mut cells = Vec::new();
    for (index, (name, recipe)) in recipes.into_iter().enumerate() {
        let folder = order.folder.join(&name);
        let mut hear = |event: Event<'_>| hear(&name, index, count, event);
        let result = if folder.join(MANIFEST).exists() {
            resume(&folder, stop, &mut hear)
        } else {
            let order = Order {
                recipe,
                start: order.start.clone(),
                folder: folder.clone(),
                ..order.clone()
            };
            train(&order, stop, &mut hear)
        };
        let outcome = match result {
            Ok(None) => return Ok(None),
            Ok(outcome) => outcome,
            Err(TrainError::Diverged { .. }) => None,
            Err(error) => return Err(error),
        };
        cells.push(GridCell {
            evaluations: evaluations(&folder)?,
            name,
            outcome,
        });
    }
    Ok(Some(cells))
}

fn evaluations(folder: &Path) -> Result<Vec<Evaluation>, TrainError> {
    let path: PathBuf = folder.join(EVALUATIONS);
    Ok(Journal::<Evaluation>::open(&path, Sync::Each)?.1)
}
