//! What a run depends on outside its folder.

use std::path::Path;

use mendel_arena::Entrant;
use mendel_store::{ExperimentError, InputHashes};

use crate::recipe::RecipePlan;

/// The hashes of a run, or of a sweep or pipeline before its cells and steps.
pub(crate) fn inputs_of(plan: &RecipePlan) -> Result<InputHashes, ExperimentError> {
    let mut inputs = InputHashes::of_this_build();
    add_inputs(plan, &mut inputs)?;
    Ok(inputs)
}

/// Adds the hashes of the parent, the founders and the data that are files, and of all
/// that members meet while they are bred. The matches of the proof keep their own.
pub(crate) fn add_inputs(
    plan: &RecipePlan,
    inputs: &mut InputHashes,
) -> Result<(), ExperimentError> {
    let recipe = &plan.recipe;
    // 1. Files. Paths of a recipe are absolute; what is none is a built-in name.
    let founders = recipe.founders.iter().map(|(name, _)| name.as_str());
    let stages = recipe.stages.iter().filter_map(|it| it.data.as_deref());
    let suite = recipe.sweep.iter().flat_map(|it| &it.suite);
    let names = [recipe.parent_name.as_str()]
        .into_iter()
        .chain(founders)
        .chain(stages)
        .chain(suite.map(|it| it.data.as_str()))
        .chain(plan.data.as_deref());
    for path in names.map(Path::new).filter(|it| it.is_absolute()) {
        inputs.add_file(path)?;
    }

    // 2. Players.
    let exam = recipe.exam.iter().flat_map(|it| it.rows.iter().flatten());
    let mut players: Vec<&str> = exam.map(String::as_str).collect();
    for stage in &recipe.stages {
        if let Some(it) = stage.trial.games() {
            players.extend(it.opponents());
            if let Some(path) = it.openings_file() {
                inputs.add_file(path)?;
            }
        }
    }
    add_players(players, inputs)
}

/// Adds the hashes of players and programs; a name that is none adds nothing, and is
/// refused where it is to play.
pub(crate) fn add_players<'a>(
    players: impl IntoIterator<Item = &'a str>,
    inputs: &mut InputHashes,
) -> Result<(), ExperimentError> {
    for text in players {
        if let Ok(entrant) = Entrant::parse(text) {
            entrant.add_inputs(inputs)?;
        }
    }
    Ok(())
}
