//! What a list shows of an experiment of the laboratory.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use mendel_lab::record::manifest::Manifest;
use mendel_lab::record::{self, Pipeline, Proof};
use serde::Deserialize;
use serde_json::{Value, json};
use toml::Table;

use crate::pages::read::{has_own_samples, reached, text_of};
use crate::pages::step_words;

/// The part of a generation that a list needs.
#[derive(Deserialize)]
struct Glance {
    generation: u32,
    best: f64,
}

/// What a list shows of a run: `id`, `recipe`, `seed`, `parent`, `generations`, `best` (the
/// champion on all training positions once that is measured), `best_on` (what it was measured
/// on, see [`ALL`](crate::ALL) and [`OWN`](crate::OWN)), `baseline`, `unit`,
/// `smaller_is_better`, `verdict`, `training` and `holdout`.
pub fn describe_run(folder: &Path, manifest: &Manifest) -> Value {
    let (generations, best) = glance(folder, manifest);
    let proof = Proof::read(folder).ok().flatten();
    let measured = proof.as_ref();
    let recipe = text_of(&folder.join(record::RECIPE)).ok().flatten();
    let recipe = recipe.and_then(|text| text.parse::<Table>().ok());
    let own_samples = recipe.as_ref().is_some_and(has_own_samples);
    let reached = reached(manifest, measured, best, own_samples);
    json!({
        "id": manifest.id,
        "recipe": manifest.recipe,
        "seed": manifest.seed,
        "parent": manifest.parent,
        "generations": generations,
        "best": reached.map(|it| it.value),
        "best_on": reached.and_then(|it| it.on),
        "baseline": reached.and_then(|it| it.parent).or(manifest.baseline),
        "unit": manifest.unit,
        "smaller_is_better": manifest.smaller_is_better,
        "verdict": measured.map(|proof| &proof.verdict),
        "training": measured.and_then(|proof| proof.training.as_ref()),
        "holdout": measured.and_then(|proof| proof.holdout.as_ref()),
    })
}

/// What a list shows of a pipeline.
pub fn describe_pipeline(state: &Pipeline) -> Value {
    let last = state.steps.iter().rev().find(|it| it.result.is_some());
    json!({
        "id": state.id,
        "recipe": state.recipe,
        "seed": state.seed,
        "parent": state.parent,
        "steps": state.steps.len(),
        "done": state.done(),
        "champion": state.champion,
        "verdict": last.map(|step| format!("{}: {}", step.title(), step_words(step))),
    })
}

/// How many generations there are and the best of them; a torn or broken line
/// ends the count, reports complain about it.
fn glance(folder: &Path, manifest: &Manifest) -> (u64, Option<(f64, u32)>) {
    let Ok(file) = File::open(folder.join(record::GENERATIONS)) else {
        return (0, None);
    };
    let mut count = 0;
    let mut best: Option<(f64, u32)> = None;
    for line in BufReader::new(file).split(b'\n') {
        let read = line
            .ok()
            .and_then(|line| serde_json::from_slice::<Glance>(&line).ok());
        let Some(line) = read else {
            break;
        };
        count += 1;
        if best.is_none_or(|(best, _)| manifest.is_better(line.best, best)) {
            best = Some((line.best, line.generation));
        }
    }
    (count, best)
}
