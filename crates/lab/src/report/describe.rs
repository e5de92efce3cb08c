//! What the index says about a folder of the laboratory.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::time::UNIX_EPOCH;

use mendel_store::{Entry, FolderLock, State};
use serde::Deserialize;
use serde_json::json;
use toml::Table;

use super::is_sweep;
use super::read::{has_own_samples, reached, text_of};
use super::sweep::SweepRecord;
use super::tuning::TuningRecord;
use crate::pipeline::{Pipeline, is_pipeline};
use crate::proof::Proof;
use crate::run::RunFolder;
use crate::run::manifest::Manifest;
use crate::sweep::Sweep;
use crate::tune::{TunePlan, TuneResult, is_tuning};

/// The part of a generation that a list needs.
#[derive(Deserialize)]
struct Glance {
    generation: u32,
    best: f64,
}

/// A folder as the index lists it: a run (kind `run`), a sweep (`sweep`), a pipeline
/// (`pipeline`), a tuning (`tuning`), or `None`.
///
/// A run is named by its id. Its summary has `id`, `recipe`, `seed`, `parent`,
/// `generations`, `best` (the champion on all training positions once that is
/// measured), `best_on` (what it was measured on, see [`ALL`](super::ALL) and
/// [`OWN`](super::OWN)), `baseline`, `unit`, `smaller_is_better`, `verdict`,
/// `training` and `holdout`.
pub fn describe(folder: &Path) -> Option<Entry> {
    if is_tuning(folder) {
        return describe_tuning(folder);
    }
    if is_pipeline(folder) {
        return describe_pipeline(folder);
    }
    if is_sweep(folder) {
        return Some(describe_sweep(folder));
    }
    let manifest = Manifest::read(folder).ok()?;
    let (generations, best) = glance(folder, &manifest);
    let proof = Proof::read(folder).ok().flatten();
    let state = state_of(folder, Proof::FILE);
    let measured = proof.as_ref();
    let recipe = text_of(&folder.join(RunFolder::RECIPE)).ok().flatten();
    let recipe = recipe.and_then(|text| text.parse::<Table>().ok());
    let own_samples = recipe.as_ref().is_some_and(has_own_samples);
    let reached = reached(&manifest, measured, best, own_samples);
    Some(Entry {
        folder: folder.to_owned(),
        kind: "run".to_owned(),
        name: manifest.id.clone(),
        state,
        started: seconds(folder, Manifest::FILE).unwrap_or(0),
        finished: seconds(folder, Proof::FILE).filter(|_| state == State::Finished),
        summary: json!({
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
        }),
    })
}

fn describe_pipeline(folder: &Path) -> Option<Entry> {
    let state = Pipeline::read(folder).ok()?;
    let held = matches!(FolderLock::holder(folder), Ok(Some(_)));
    let (now, finished) = match (held, state.finished) {
        (true, _) => (State::Running, None),
        (false, true) => (State::Finished, seconds(folder, Pipeline::FILE)),
        (false, false) => (State::Stopped, None),
    };
    let last = state.steps.iter().rev().find(|it| it.result.is_some());
    Some(Entry {
        folder: folder.to_owned(),
        kind: "pipeline".to_owned(),
        name: state.id.clone(),
        state: now,
        started: seconds(folder, RunFolder::RECIPE).unwrap_or(0),
        finished,
        summary: json!({
            "id": state.id,
            "recipe": state.recipe,
            "seed": state.seed,
            "parent": state.parent,
            "steps": state.steps.len(),
            "done": state.done(),
            "champion": state.champion,
            "verdict": last.map(|step| format!("{}: {}", step.title(), step.words())),
        }),
    })
}

fn describe_tuning(folder: &Path) -> Option<Entry> {
    let tuning = TuningRecord::read(folder).ok()?;
    let state = state_of(folder, TuneResult::FILE);
    let (plan, result) = (&tuning.plan, tuning.result.as_ref());
    let proof = result.and_then(|it| it.proof.as_ref());
    Some(Entry {
        folder: folder.to_owned(),
        kind: "tuning".to_owned(),
        name: plan.id(),
        state,
        started: seconds(folder, TunePlan::FILE).unwrap_or(0),
        finished: seconds(folder, TuneResult::FILE).filter(|_| state == State::Finished),
        summary: json!({
            "id": plan.id(),
            "recipe": format!("tune {}", tuning.engine()),
            "seed": plan.seed,
            "parent": plan.engine,
            "rounds": tuning.paths.len(),
            "games": plan.games,
            "best": proof.and_then(|it| it.elo),
            "best_on": proof.map(|_| "Elo above the start"),
            "verdict": result.map(|it| &it.verdict),
        }),
    })
}

fn describe_sweep(folder: &Path) -> Entry {
    let sweep = SweepRecord::read(folder).ok();
    let state = state_of(folder, Sweep::FILE);
    let settings = sweep.as_ref().map(|sweep| sweep.results.cells.len());
    let recipe = sweep.map(|sweep| sweep.recipe).unwrap_or_default();
    Entry {
        folder: folder.to_owned(),
        kind: "sweep".to_owned(),
        name: recipe.clone(),
        state,
        started: seconds(folder, Sweep::PLAN).unwrap_or(0),
        finished: seconds(folder, Sweep::FILE).filter(|_| state == State::Finished),
        summary: json!({ "recipe": recipe, "settings": settings }),
    }
}

/// How many generations there are and the best of them; a torn or broken line
/// ends the count, reports complain about it.
fn glance(folder: &Path, manifest: &Manifest) -> (u64, Option<(f64, u32)>) {
    let Ok(file) = File::open(folder.join(RunFolder::GENERATIONS)) else {
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

/// The last file says that all is done; otherwise the lock says who is at it.
fn state_of(folder: &Path, last: &str) -> State {
    let held = || matches!(FolderLock::holder(folder), Ok(Some(_)));
    if held() {
        State::Running
    } else if folder.join(last).is_file() {
        State::Finished
    } else {
        State::Stopped
    }
}

/// When a file was last written, in seconds since 1970.
fn seconds(folder: &Path, file: &str) -> Option<i64> {
    let time = fs::metadata(folder.join(file)).and_then(|facts| facts.modified());
    let since = time.ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(since.as_secs() as i64)
}
