//! Entries of runs and pipelines in lists of experiments.

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

/// The entry of a run. `best` is the fitness of the champion on all training positions once that is
/// measured; `best_on` is [`ALL`](crate::ALL), [`OWN`](crate::OWN) or null.
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

/// The entry of a pipeline.
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

/// The number of generations, and the best fitness with its generation. A broken line ends the count;
/// it is an error only in reports.
fn glance(folder: &Path, manifest: &Manifest) -> (u64, Option<(f64, u32)>) {
    let Ok(file) = File::open(folder.join(record::GENERATIONS)) else {
        return (0, None);
    };
    let mut count = 0;
    let mut best: Option<(f64, u32)> = None;
    let lines = BufReader::new(file).split(b'\n');
    for line in lines.map_while(|line| serde_json::from_slice::<Glance>(&line.ok()?).ok()) {
        count += 1;
        if best.is_none_or(|(best, _)| manifest.is_better(line.best, best)) {
            best = Some((line.best, line.generation));
        }
    }
    (count, best)
}
