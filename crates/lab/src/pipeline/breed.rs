//! A step that breeds: another recipe, or tables of its own.

use std::path::Path;

use mendel_store::replace;
use toml::{Table, Value};

use super::error::StepError;
use super::record::{Bred, Runs};
use super::refer::{Made, run_folders, seed_of};
use super::settings::{PREVIOUS, Settings, Turn};
use super::{Event, Working};
use crate::proof::{PARENT, Proof};
use crate::recipe::{Complaint, Document, Recipe};
use crate::report;
use crate::run::manifest::Manifest;
use crate::run::{self, Order, RunFolder, Work};

/// What is bred in a step.
#[derive(Clone, Debug)]
pub struct BreedSettings {
    /// By what.
    pub source: Source,
    /// How often, each with a seed of its own.
    pub runs: u32,
    /// Whose weights it starts from, where it is not the champion before.
    pub parent: Option<String>,
    /// The set that is judged by: a step's, a built-in one or a file.
    pub data: Option<String>,
    /// The first members: champions of steps, or players.
    pub founders: Vec<String>,
    /// Whether the champions are proved by matches.
    pub proof: bool,
}

/// By what a step breeds.
#[derive(Clone, Debug)]
pub enum Source {
    /// Another recipe.
    Recipe {
        /// Its name or file.
        name: String,
        /// What is changed in it.
        set: Vec<(String, Value)>,
    },
    /// Tables of its own.
    Tables(Table),
}

/// Trials that judge by a data set.
const BY_DATA: [&str; 2] = ["expert-distance", "move-agreement"];

impl BreedSettings {
    /// The recipe of the step, with what was made before it.
    pub(super) fn recipe(
        &self,
        pipeline: &str,
        step: &str,
        made: &Made,
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
    pub(super) fn complaint(&self, document: &Document, at: usize, inner: &Complaint) -> Complaint {
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
                document.complaint(&place, reason)
            }
            Source::Recipe { set, .. } => {
                let is_set = set.iter().any(|(name, _)| key.starts_with(name.as_str()));
                let place = match key.as_str() {
                    _ if is_set => "set",
                    "parent" if self.parent.is_some() => "parent",
                    "founders" => "founders",
                    _ => "recipe",
                };
                document.complaint(&format!("step.{at}.{place}"), named(reason))
            }
        }
    }
}

/// Every table `trial` of a recipe.
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

impl Working<'_> {
    /// The runs of a breeding step: what is done is read, what was begun goes on,
    /// what is missing begins. `None` if it was stopped.
    pub(super) fn breed(
        &self,
        settings: &Settings,
        turn: Turn,
        step: &BreedSettings,
        made: &Made,
        watch: &mut dyn FnMut(Event),
    ) -> Result<Option<Runs>, StepError> {
        let name = &settings.steps[turn.step].name;
        let recipe = step.recipe(&self.recipe.name, name, made)?;
        let folders = run_folders(settings, turn);
        let mut runs = Vec::with_capacity(folders.len());
        for (at, relative) in folders.iter().enumerate() {
            let folder = self.folder.join(relative);
            if folders.len() > 1 {
                watch(Event::Run {
                    run: at + 1,
                    runs: folders.len(),
                    folder: &folder,
                });
            }
            let order = Order {
                recipe: recipe.clone(),
                seed: seed_of(self.seed, turn, at),
                data: None,
                folder: folder.clone(),
            };
            let work = Work {
                proof: self.work.proof && step.proof,
                ..self.work.clone()
            };
            let Some(done) = one(&order, &work, &mut |event| {
                watch(Event::Breeding(event));
            })?
            else {
                return Ok(None);
            };
            // The page is part of the run.
            if let Ok(page) = report::html(&order.folder) {
                replace(&order.folder.join(report::FILE), page.as_bytes())?;
            }
            let folder = relative.to_string_lossy().into_owned();
            runs.push(bred(folder, &recipe.name, done, &order.folder)?);
        }
        Ok(Some(Runs {
            best: best_of(&runs),
            runs,
        }))
    }
}

/// One run: read if it is done, else begun or gone on with.
fn one(
    order: &Order,
    work: &Work,
    watch: &mut dyn FnMut(run::Event),
) -> Result<Option<(Manifest, Proof)>, StepError> {
    let folder = &order.folder;
    let done = Proof::read(folder).ok().flatten();
    if let (Some(proof), Ok(manifest)) = (done, Manifest::read(folder)) {
        return Ok(Some((manifest, proof)));
    }
    let outcome = if folder.join(Manifest::FILE).is_file() {
        run::resume(folder, work, watch)?
    } else {
        run::breed(order, work, watch)?
    };
    Ok(outcome.proof.map(|proof| (outcome.manifest, proof)))
}

fn bred(
    folder: String,
    recipe: &str,
    (manifest, proof): (Manifest, Proof),
    path: &Path,
) -> Result<Bred, StepError> {
    let champion = mendel_engine::Player::read(&path.join(RunFolder::CHAMPION))?;
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
