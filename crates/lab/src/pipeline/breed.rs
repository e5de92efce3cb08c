//! A step that breeds: another recipe, or tables of its own.

use std::path::Path;

use toml::{Table, Value};

use mendel_store::frame::Failure;

use super::refer::{StepOutputs, run_folders};
use super::{Misfit, Output, PipelineStep, StepRun};
use crate::breed::Breed;
use crate::execution::RunOptions;
use crate::proof::{PARENT, Proof};
use crate::recipe::steps::{BreedSettings, PREVIOUS, Source};
use crate::recipe::{Complaint, Document, Recipe, RecipePlan};
use crate::record::manifest::Manifest;
use crate::record::{Bred, CHAMPION, Runs};

/// Trials that judge by a data set.
const BY_DATA: [&str; 2] = ["expert-distance", "move-agreement"];

impl BreedSettings {
    /// The recipe of the step, with what was made before it.
    pub(super) fn recipe(
        &self,
        pipeline: &str,
        step: &str,
        made: &StepOutputs,
    ) -> Result<Recipe, Complaint> {
        // 1. The text it starts from.
        let (mut table, origin, set): (Table, String, &[(String, Value)]) = match &self.source {
            Source::Recipe { name, set } => {
                let (text, origin) = Recipe::text_of(name)?;
                let document = Document::parse(&text, &origin)?;
                for key in ["step", "sweep"] {
                    if document.get(key).is_some() {
                        let reason = "a step of a pipeline is one breeding: neither a pipeline nor \
                                      a sweep";
                        return Err(document.complaint(key, reason));
                    }
                }
                (document.table().clone(), origin, set)
            }
            Source::Tables(tables) => {
                let mut table = tables.clone();
                table.insert("name".into(), format!("{pipeline}-{step}").into());
                table.insert("parent".into(), made.parent.clone().into());
                (table, format!("step `{step}`"), &[])
            }
        };

        // 2. What was made before.
        let own_parent = matches!(self.source, Source::Recipe { .. }) && !made.has_champion();
        match &self.parent {
            None if own_parent => {}
            parent => {
                let word = parent.as_deref().unwrap_or(PREVIOUS);
                table.insert("parent".into(), made.player(word).into());
            }
        }
        let founders: Vec<String> = self
            .founders
            .iter()
            .flat_map(|word| made.players(word))
            .collect();
        if !founders.is_empty() {
            table.insert("founders".into(), founders.into());
        }
        each_trial(&mut table, &mut |trial| {
            let kind = trial.get("kind").and_then(Value::as_str);
            let by_data = kind.is_some_and(|kind| BY_DATA.contains(&kind));
            // Also a trial may name the set that a step made.
            let own = trial.get("data").and_then(Value::as_str);
            let word = if by_data { self.data.as_deref() } else { None };
            if let Some(word) = word.or(own) {
                let set = made.set(word);
                trial.insert("data".into(), set.into());
            }
        });
        let text = toml::to_string(&table).expect("a table that was read can be written");
        Recipe::parse(&text, &origin, set)
    }

    /// A complaint about the step's recipe, at the key of the pipeline that can
    /// mend it.
    pub(super) fn complaint(&self, recipe: &Recipe, at: usize, inner: &Complaint) -> Complaint {
        let Complaint { key, reason, .. } = inner;
        let named = |reason: &str| match key.as_str() {
            "" => format!("{}: {reason}", inner.origin),
            key => format!("{}: `{key}`: {reason}", inner.origin),
        };
        match &self.source {
            Source::Tables(_) => {
                let place = match key.as_str() {
                    "" | "name" => format!("step.{at}"),
                    key => format!("step.{at}.{key}"),
                };
                recipe.complaint(&place, reason)
            }
            Source::Recipe { set, .. } => {
                let is_set = set.iter().any(|(name, _)| key.starts_with(name.as_str()));
                let place = match key.as_str() {
                    _ if is_set => "set",
                    "parent" if self.parent.is_some() => "parent",
                    "founders" => "founders",
                    _ => "recipe",
                };
                recipe.complaint(&format!("step.{at}.{place}"), named(reason))
            }
        }
    }
}

fn each_trial(recipe: &mut Table, change: &mut dyn FnMut(&mut Table)) {
    if let Some(Value::Table(trial)) = recipe.get_mut("trial") {
        change(trial);
    }
    if let Some(Value::Array(stages)) = recipe.get_mut("stage") {
        for stage in stages {
            if let Some(Value::Table(trial)) = stage.get_mut("trial") {
                change(trial);
            }
        }
    }
}

/// Its runs are nested experiments. The check of the recipe is that of
/// [`pipeline::check`](super::check), which knows the keys of its complaints.
impl PipelineStep for BreedSettings {
    fn check(&self, _made: &StepOutputs) -> Result<(), Misfit> {
        Ok(())
    }

    fn run(&self, step: &StepRun) -> Result<Output, Failure> {
        let recipe = self.recipe(&step.pipeline.recipe.name, step.name(), step.made)?;
        let folders = run_folders(step.settings, step.turn);
        let options = RunOptions {
            proof: step.options.proof && self.proof,
            ..step.options.clone()
        };
        let mut runs = Vec::with_capacity(folders.len());
        let total = folders.len() as u64;
        for (at, relative) in folders.iter().enumerate() {
            if total > 1 {
                let events = step.frame.events();
                events.progress("runs", at as u64, Some(total));
            }
            let folder = relative.to_string_lossy().into_owned();
            let plan = RecipePlan::new(recipe.clone());
            let nested = step
                .frame
                .nested::<Breed>(&folder, plan, step.seed(at), &options);
            let proof = nested?.proof;
            let path = step.pipeline.folder.join(relative);
            runs.push(bred(folder, &recipe.name, proof, &path)?);
        }
        Ok(Output::Runs(Runs {
            best: best_of(&runs),
            runs,
        }))
    }
}

fn bred(folder: String, recipe: &str, proof: Proof, path: &Path) -> Result<Bred, Failure> {
    let manifest = Manifest::read(path)?;
    let champion = mendel_engine::Player::read(&path.join(CHAMPION))?;
    let parent = proof.matches.iter().find(|it| it.role == PARENT);
    Ok(Bred {
        folder,
        id: manifest.id,
        recipe: recipe.to_owned(),
        seed: manifest.seed,
        champion: champion.name,
        unit: manifest.unit,
        smaller_is_better: manifest.smaller_is_better,
        training: proof.training.clone(),
        holdout: proof.holdout.clone(),
        elo: parent.and_then(|it| it.elo),
        interval: parent.map(|it| it.interval),
        games: parent.map(|it| it.games),
        verdict: proof.verdict,
    })
}

/// The run with the best champion on what it was bred with; the first of equals.
fn best_of(runs: &[Bred]) -> usize {
    let value = |run: &Bred| {
        let value = run.training.as_ref().map(|it| it.champion);
        value.map(|value| if run.smaller_is_better { -value } else { value })
    };
    let mut best = 0;
    for at in 1..runs.len() {
        if value(&runs[at]) > value(&runs[best]) {
            best = at;
        }
    }
    best
}
