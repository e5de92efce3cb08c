//! Recipes of several steps: breedings, data sets and matches, one after the other.
//!
//! A recipe with a list `[[step]]` is a pipeline. Each step has its folder in that of
//! the pipeline and is there what it would be by itself: a run, a data set, a match. The
//! checkpoint has the results of the finished steps: a resumed pipeline skips these, resumes
//! what was started and starts the rest.

mod accuracy;
mod agreement;
mod breed;
mod chance;
mod colours;
mod contest;
mod curve;
mod error;
mod judgement;
mod network;
mod part;
mod refer;
mod sets;

use std::fs;
use std::path::Path;
use std::time::Instant;

use mendel_engine::Player;
use mendel_store::frame::{
    self, Experiment, Failure, Frame, Identity, OrInvalid as _, Preparation,
};
use mendel_store::{InputHashes, InputsError, fingerprint};
use serde_json::json;

use self::error::in_step;
use self::refer::{Made, folder_of, run_folders};
use crate::breed::{HINT, add_players, inputs_of};
use crate::execution::RunOptions;
use crate::recipe::steps::{PREVIOUS, Settings, Source, Turn, What};
use crate::recipe::{Complaint, MetricRef, Recipe, RecipePlan};
use crate::record::{CHAMPION, RECIPE};

pub use self::error::StepError;
pub use crate::record::{
    Agreement, Answers, Bred, ByColour, Curve, CurveLine, CurvePoint, Drawn, Game, Judged,
    Judgement, Nearness, Output, Pairing, Part, Pipeline, Played, Runs, Set, Standing, Step, Tally,
    Trained,
};

#[derive(Debug)]
pub struct PipelineRun {
    plan: RecipePlan,
    options: RunOptions,
    start: Pipeline,
}

impl Experiment for PipelineRun {
    const KIND: &'static str = "pipeline";
    const SCHEMA: u32 = 1;
    const PLAN: &'static str = RECIPE;
    type Plan = RecipePlan;
    type ExecOptions = RunOptions;
    type Outcome = Pipeline;

    fn prepare(
        plan: RecipePlan,
        seed: u64,
        options: &RunOptions,
        _context: &Preparation,
    ) -> Result<Self, Failure> {
        let command = plan.command(seed);
        let plan = with_data(plan).map_err(|failure| failure.with_hint(HINT))?;
        check(&plan.recipe).or_invalid_with(HINT)?;
        Ok(Self {
            start: begun(&plan.recipe, seed, command)?,
            plan,
            options: options.clone(),
        })
    }

    fn identity(&self) -> Identity {
        let mut facts = toml::Table::new();
        facts.insert("parent".to_owned(), self.start.parent.clone().into());
        Identity {
            id: self.start.id.clone(),
            name: self.start.recipe.clone(),
            facts,
        }
    }

    fn inputs(&self) -> Result<InputHashes, Failure> {
        inputs_of(&self.plan).or_invalid()
    }

    /// The recipe with the data sets that were requested in place of its own.
    fn write_plan(plan: &RecipePlan) -> Result<String, Failure> {
        Ok(with_data(plan.clone())?.to_toml())
    }

    fn read_plan(text: &str, manifest: &frame::Manifest) -> Result<RecipePlan, Failure> {
        RecipePlan::parse(text, manifest)
    }

    /// Whether its runs have their proofs is decided when they are bred.
    fn run(self, frame: &mut Frame) -> Result<Pipeline, Failure> {
        let recipe = &self.plan.recipe;
        let executor = PipelineExecutor {
            recipe,
            seed: self.start.seed,
            folder: frame.path(),
            frame,
            options: &self.options,
        };
        executor.execute(self.start)
    }
}

/// Checks that the steps of a recipe fit together: each is made once with stand-ins for
/// what the steps before it will make. A recipe without steps is always right.
///
/// # Errors
///
/// If a step names what is not there, or its numbers do not fit.
pub fn check(recipe: &Recipe) -> Result<(), Complaint> {
    // A form that is not asked for today must not be wrong tomorrow.
    if let Some(full) = recipe.full_form() {
        check(full)?;
    }
    let Some(settings) = &recipe.pipeline else {
        return Ok(());
    };
    check_figures(recipe, settings)?;
    let (name, parent) = (&recipe.name, &recipe.parent_name);
    let mut made = Made::new(parent);
    for turn in settings.turns() {
        let (at, step) = (turn.step, &settings.steps[turn.step]);
        let table_complaint = |table: &str, (key, reason): (&str, String)| {
            let key = match key {
                "" => format!("step.{at}.{table}"),
                key => format!("step.{at}.{table}.{key}"),
            };
            recipe.complaint(&key, reason)
        };
        match &step.what {
            What::Breed(it) => {
                let bred = it
                    .recipe(name, &step.name, &made)
                    .map_err(|inner| it.complaint(recipe, at, &inner))?;
                let champions = vec![bred.parent_name; it.runs as usize];
                made.bred(&step.name, champions, 0);
            }
            What::Data(it) => {
                it.check(&made)
                    .map_err(|found| table_complaint("data", found))?;
                made.gathered(&step.name, it.kind.as_str().to_owned());
            }
            What::Network(it) => {
                it.check(&made)
                    .map_err(|found| table_complaint("network", found))?;
                let player = made.player(PREVIOUS);
                made.bred(&step.name, vec![player], 0);
            }
            What::Chance(it) => {
                it.recipe()
                    .map_err(|found| table_complaint("chance", found))?;
                made.drawn(&step.name, vec![parent.clone(); it.sets as usize]);
            }
            What::Match(it) => it
                .check(&made)
                .map_err(|found| table_complaint("match", found))?,
            What::Agreement(it) => it
                .check(&made)
                .map_err(|found| table_complaint("agreement", found))?,
            What::Judgement(it) => it
                .check(&made)
                .map_err(|found| table_complaint("judgement", found))?,
        }
    }
    Ok(())
}

/// The figures of ours that stand beside published ones must mean something.
fn check_figures(recipe: &Recipe, settings: &Settings) -> Result<(), Complaint> {
    let steps: Vec<&str> = settings.steps.iter().map(|it| it.name.as_str()).collect();
    let figures = recipe.paper.iter().flat_map(|paper| &paper.figure);
    for (at, figure) in figures.enumerate() {
        if let Some(ours) = &figure.ours {
            MetricRef::parse(ours, &steps)
                .map_err(|reason| recipe.complaint(&format!("paper.figure.{at}.ours"), reason))?;
        }
    }
    Ok(())
}

/// The recipe with the set it was given in place of those that players are asked about;
/// several are separated by commas.
fn with_data(plan: RecipePlan) -> Result<RecipePlan, Failure> {
    let Some(data) = &plan.data else {
        return Ok(plan);
    };
    let steps = plan.recipe.pipeline.as_ref().map(|it| &it.steps);
    let asks = |what: &What| matches!(what, What::Agreement(_) | What::Judgement(_));
    let steps = steps.into_iter().flatten().enumerate();
    let keys: Vec<String> = steps
        .filter(|(_, step)| asks(&step.what))
        .map(|(at, step)| format!("step.{at}.{}.data", step.what.kind()))
        .collect();
    if keys.is_empty() {
        return Err(Failure::invalid(format!(
            "a pipeline makes or names its own data sets, and `{data}` cannot stand for all of them; change a step's with `--set step.0.data=…`"
        )));
    }
    let sets: Vec<toml::Value> = if Path::new(data).exists() {
        vec![data.as_str().into()]
    } else {
        data.split(',').map(|it| it.trim().into()).collect()
    };
    let set: Vec<(String, toml::Value)> = keys
        .into_iter()
        .map(|key| (key, toml::Value::Array(sets.clone())))
        .collect();
    // The set stays in the plan, as its hash is an input.
    Ok(RecipePlan {
        recipe: plan.recipe.cell(&set).or_invalid()?,
        ..plan
    })
}

fn begun(recipe: &Recipe, seed: u64, command: String) -> Result<Pipeline, Failure> {
    let Some(settings) = &recipe.pipeline else {
        let reason = "has no `[[step]]`: it is no pipeline";
        return Err(Failure::invalid(recipe.complaint("", reason)));
    };
    // 1. What it is: the recipes of the steps belong to it.
    let mut identity = vec![
        recipe.identity(),
        recipe.parent.to_toml(),
        seed.to_string(),
        env!("CARGO_PKG_VERSION").to_owned(),
    ];
    for step in &settings.steps {
        if let What::Breed(it) = &step.what
            && let Source::Recipe { name, .. } = &it.source
        {
            identity.push(Recipe::text_of(name).or_invalid()?.0);
        }
    }

    // 2. What is to be done.
    let steps = settings.turns().into_iter().map(|turn| {
        let step = &settings.steps[turn.step];
        Step {
            number: turn.number,
            name: step.name.clone(),
            round: turn.round.filter(|_| settings.rounds > 1),
            kind: step.what.kind().to_owned(),
            folder: folder_of(settings, turn).to_string_lossy().into_owned(),
            result: None,
        }
    });
    Ok(Pipeline {
        id: fingerprint(identity.join("\n").as_bytes()),
        recipe: recipe.name.clone(),
        seed,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        command,
        parent: recipe.parent_name.clone(),
        steps: steps.collect(),
        champion: None,
        finished: false,
    })
}

/// Adds the hashes of the players and sets that a step names. What it breeds and plays has
/// its own folder, with the hashes of the rest.
fn add_step_inputs(what: &What, made: &Made, inputs: &mut InputHashes) -> Result<(), InputsError> {
    let players = match what {
        What::Data(it) => it.players(made),
        What::Match(it) => it.judges_and_players(made),
        What::Agreement(it) => it.texts(made),
        What::Judgement(it) => it.texts(made),
        What::Breed(_) | What::Network(_) | What::Chance(_) => Vec::new(),
    };
    add_players(players.iter().map(String::as_str), inputs)
}

struct PipelineExecutor<'a> {
    recipe: &'a Recipe,
    seed: u64,
    folder: &'a Path,
    frame: &'a Frame,
    options: &'a RunOptions,
}

impl PipelineExecutor<'_> {
    fn execute(&self, start: Pipeline) -> Result<Pipeline, Failure> {
        let settings = self.recipe.pipeline.as_ref();
        let settings = settings.expect("the recipe was checked");
        let events = self.frame.events();
        // 1. The finished steps.
        let mut state: Pipeline = if let Some(state) = self.frame.read_checkpoint()? {
            state
        } else {
            self.frame.write_checkpoint(&start, &mut [])?;
            start
        };
        let total = Some(state.steps.len() as u64);
        events.progress("steps", state.done() as u64, total);

        // 2. The others.
        let mut made = Made::new(&self.recipe.parent_name);
        for (at, turn) in settings.turns().into_iter().enumerate() {
            if state.steps[at].result.is_none() {
                self.frame.check_stop()?;
                let shown = &state.steps[at];
                events.record(
                    "step",
                    &json!({ "number": shown.number, "name": shown.title(), "kind": shown.kind }),
                );
                let began = Instant::now();
                let done = self.step(settings, turn, &made);
                self.frame
                    .record_timing("step", Some(turn.number as u32), began)?;
                let name = &settings.steps[turn.step].name;
                let output = done.map_err(|failure| in_step(turn.number, name, failure))?;
                state.steps[at].result = Some(output);
                self.frame.write_checkpoint(&state, &mut [])?;
                events.record("step-done", &state.steps[at]);
                events.progress("steps", state.done() as u64, total);
            }
            self.remember(settings, turn, state.steps[at].result.as_ref(), &mut made);
        }

        // 3. The last champion, as it is: its pedigree has all before it.
        if let Some(path) = made.champion() {
            let text = fs::read_to_string(path)
                .map_err(|error| Failure::failed(format!("cannot read `{path}`: {error}")))?;
            let player = Player::parse(&text, path)?;
            self.frame.write(CHAMPION, text)?;
            state.champion = Some(player.name);
        }
        state.finished = true;
        Ok(state)
    }

    fn step(&self, settings: &Settings, turn: Turn, made: &Made) -> Result<Output, Failure> {
        let what = &settings.steps[turn.step].what;
        // A later step must not meet another program under the same name.
        let mut inputs = InputHashes::default();
        add_step_inputs(what, made, &mut inputs)?;
        inputs.extend(self.folder)?;
        let output = match what {
            What::Breed(it) => Some(Output::Runs(self.breed(settings, turn, it, made)?)),
            What::Data(it) => Some(Output::Data(self.gather(settings, turn, it, made)?)),
            What::Network(it) => self.train(settings, turn, it, made)?.map(Output::Network),
            What::Chance(it) => Some(Output::Chance(self.draw(settings, turn, it)?)),
            What::Match(it) => self.contest(settings, turn, it, made)?.map(Output::Match),
            What::Agreement(it) => self.agree(settings, turn, it, made)?.map(Output::Agreement),
            What::Judgement(it) => Some(Output::Judgement(self.judge(turn, it, made)?)),
        };
        output.ok_or(Failure::Stopped)
    }

    /// What a step made is there for those after it.
    fn remember(&self, settings: &Settings, turn: Turn, output: Option<&Output>, made: &mut Made) {
        let name = &settings.steps[turn.step].name;
        let path = |relative: &Path| self.folder.join(relative).to_string_lossy().into_owned();
        match output {
            Some(Output::Runs(runs)) => {
                let folders = run_folders(settings, turn).into_iter();
                let champions = folders.map(|it| path(&it.join(CHAMPION)));
                made.bred(name, champions.collect(), runs.best);
            }
            Some(Output::Data(_)) => made.gathered(name, path(&sets::set_of(settings, turn))),
            Some(Output::Network(_)) => {
                let champion = folder_of(settings, turn).join(CHAMPION);
                made.bred(name, vec![path(&champion)], 0);
            }
            Some(Output::Chance(drawn)) => {
                let files = drawn.files.iter().map(|file| path(Path::new(file)));
                made.drawn(name, files.collect());
            }
            Some(Output::Match(_) | Output::Agreement(_) | Output::Judgement(_)) | None => {}
        }
    }

    fn make_folder(&self, relative: &Path) -> Result<(), Failure> {
        self.frame.subfolder(&relative.to_string_lossy())?;
        Ok(())
    }
}
