//! Recipes of several steps: breedings, data sets and matches, one after the other.
//!
//! A recipe with a list `[[step]]` is a pipeline. Each step has its folder in that of
//! the pipeline. A breeding, a data set and a match are nested experiments; the other steps
//! keep their finished work in a memo or a file of their folder. The checkpoint has the results
//! of the finished steps: a resumed pipeline skips these, resumes what was started and starts
//! the rest. All kinds of steps have one form, `PipelineStep`.

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
use std::path::{Path, PathBuf};
use std::time::Instant;

use mendel_crew::{Done, Flow, MapError, Mapped, Task, TaskFailure};
use mendel_data::{DataSet, Reader};
use mendel_engine::Player;
use mendel_store::frame::{
    self, Experiment, Failure, Folder, Frame, Identity, Memo, MemoRecord, OrInvalid as _,
    Preparation,
};
use mendel_store::{InputHashes, fingerprint};
use serde_json::json;

use self::error::in_step;
use self::refer::{StepOutputs, folder_of, run_folders, seed_of};
use crate::breed::{HINT, add_players, inputs_of};
use crate::execution::RunOptions;
use crate::recipe::steps::{Names, PREVIOUS, Settings, Source, StepKind, Turn};
use crate::recipe::{Complaint, MetricRef, Misfit, Recipe, RecipePlan, require};
use crate::record::{CHAMPION, RECIPE};

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
    // The form that is not requested now must be right, too.
    if let Some(full) = recipe.full_form() {
        check(full)?;
    }
    let Some(settings) = &recipe.pipeline else {
        return Ok(());
    };
    check_figures(recipe, settings)?;
    let mut made = StepOutputs::new(&recipe.parent_name);
    for turn in settings.turns() {
        let (at, step) = (turn.step, &settings.steps[turn.step]);
        if let StepKind::Breed(it) = &step.what {
            let bred = it.recipe(&recipe.name, &step.name, &made);
            let bred = bred.map_err(|inner| it.complaint(recipe, at, &inner))?;
            made.bred(&step.name, vec![bred.parent_name; it.runs as usize], 0);
            continue;
        }
        let checked = implementation(&step.what).check(&made);
        let table = || format!("step.{at}.{}", step.what.kind());
        checked.map_err(|misfit| recipe.misfit(&table(), misfit))?;
        match &step.what {
            StepKind::Data(it) => made.gathered(&step.name, it.kind.as_str().to_owned()),
            StepKind::Network(_) => {
                let player = made.player(PREVIOUS);
                made.bred(&step.name, vec![player], 0);
            }
            StepKind::Chance(it) => {
                let players = vec![recipe.parent_name.clone(); it.sets as usize];
                made.drawn(&step.name, players);
            }
            _ => {}
        }
    }
    Ok(())
}

/// A kind of step. A new one is also listed in [`StepKind`] and [`Output`].
trait PipelineStep {
    /// Checks the table of the recipe, with stand-ins for what the steps before it will make.
    fn check(&self, made: &StepOutputs) -> Result<(), Misfit>;

    /// The players and programs whose hashes are inputs. What a step breeds and plays has its
    /// own folder, with the hashes of the rest.
    fn players(&self, _made: &StepOutputs) -> Vec<String> {
        Vec::new()
    }

    /// Does the work that the folder of the step lacks.
    fn run(&self, step: &StepRun) -> Result<Output, Failure>;
}

fn implementation(what: &StepKind) -> &dyn PipelineStep {
    match what {
        StepKind::Breed(it) => &**it,
        StepKind::Data(it) => &**it,
        StepKind::Network(it) => &**it,
        StepKind::Chance(it) => &**it,
        StepKind::Match(it) => &**it,
        StepKind::Agreement(it) => &**it,
        StepKind::Judgement(it) => &**it,
    }
}

/// Our figures that are compared with published ones must exist.
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
    let asks = |what: &StepKind| matches!(what, StepKind::Agreement(_) | StepKind::Judgement(_));
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
        if let StepKind::Breed(it) = &step.what
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
        let mut made = StepOutputs::new(&self.recipe.parent_name);
        for (at, turn) in settings.turns().into_iter().enumerate() {
            if state.steps[at].result.is_none() {
                self.frame.check_stop()?;
                let shown = &state.steps[at];
                events.record(
                    "step",
                    &json!({ "number": shown.number, "name": shown.title(), "kind": shown.kind }),
                );
                let began = Instant::now();
                let step = StepRun {
                    pipeline: self,
                    frame: self.frame,
                    options: self.options,
                    settings,
                    turn,
                    made: &made,
                };
                let done = step.run();
                self.frame
                    .record_timing("step", Some(turn.number as u32), began)?;
                let output = done.map_err(|failure| in_step(turn.number, step.name(), failure))?;
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

    /// Makes the output of a step available to later steps.
    fn remember(
        &self,
        settings: &Settings,
        turn: Turn,
        output: Option<&Output>,
        made: &mut StepOutputs,
    ) {
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
}

struct StepRun<'a> {
    pipeline: &'a PipelineExecutor<'a>,
    frame: &'a Frame,
    options: &'a RunOptions,
    settings: &'a Settings,
    turn: Turn,
    made: &'a StepOutputs,
}

impl StepRun<'_> {
    fn run(&self) -> Result<Output, Failure> {
        let step = implementation(&self.settings.steps[self.turn.step].what);
        // A later step must not meet another program under the same name.
        let mut inputs = InputHashes::default();
        let players = step.players(self.made);
        add_players(players.iter().map(String::as_str), &mut inputs)?;
        inputs.extend(self.pipeline.folder)?;
        step.run(self)
    }

    fn name(&self) -> &str {
        &self.settings.steps[self.turn.step].name
    }

    /// Its folder within that of the pipeline.
    fn relative(&self) -> String {
        let folder = folder_of(self.settings, self.turn);
        folder.to_string_lossy().into_owned()
    }

    fn path(&self) -> PathBuf {
        self.pipeline.folder.join(self.relative())
    }

    /// Its folder, made if it is not there.
    fn folder(&self) -> Result<Folder, Failure> {
        Ok(self.frame.subfolder(&self.relative())?)
    }

    fn seed(&self, run: usize) -> u64 {
        seed_of(self.pipeline.seed, self.turn, run)
    }

    fn sets(&self, words: &Names) -> Result<Vec<DataSet>, Failure> {
        let words = words.list().iter();
        let sets = words.map(|word| DataSet::find(&self.made.set(word)));
        Ok(sets.collect::<Result<_, _>>()?)
    }

    /// Does items on threads of this process. `record` makes the record of an output and says
    /// how much it adds to `done`; the record is on the disk before it is counted.
    fn complete<T: Task, R: MemoRecord, E>(
        &self,
        (task, failure): (&T, &TaskFailure<E>),
        items: Vec<T::Item>,
        memo: &mut Memo<R>,
        (part, mut done, total): (&str, u64, u64),
        record: impl Fn(&T::Item, T::Output) -> (R, u64),
    ) -> Result<(), Failure>
    where
        E: std::error::Error + Send + Sync + 'static,
    {
        let (crew, stop) = (self.options.crew.local(), self.frame.stop());
        let mapped = crew.map(task, items.into_iter(), stop, &mut |item, output| {
            if let Done::Output(output) = output {
                let (record, more) = record(item, output);
                memo.append(record)?;
                done += more;
                self.frame.events().progress(part, done, Some(total));
            }
            Ok::<_, Failure>(Flow::Continue)
        });
        let mapped = mapped.map_err(|error| match (error, failure.take()) {
            (MapError::Consumer(failure), _) => failure,
            // The typed error of the task says more than that of the crew.
            (MapError::Work(_), Some(error)) => error.into(),
            (MapError::Work(error), None) => error.into(),
        })?;
        match mapped {
            Mapped::All => Ok(()),
            _ => Err(Failure::Stopped),
        }
    }
}

/// The hashes of some sets, as a record has them.
fn hashes(sets: &[DataSet]) -> String {
    let hashes: Vec<String> = sets.iter().map(DataSet::hash).collect();
    hashes.join(" ")
}

/// Checks that the sets which a step names are there; those of earlier steps are not yet.
fn check_sets(words: &Names, made: &StepOutputs, of: &str) -> Result<(), Misfit> {
    let words = words.list();
    let reason = format!("names no set of positions with {of}");
    require(!words.is_empty(), "data", reason)?;
    for word in words.iter().filter(|word| made.set(word) == **word) {
        Reader::find(word).map_err(|error| ("data", error.to_string()))?;
    }
    Ok(())
}

/// Who gave the labels of some sets, and how.
fn experts(sets: &[DataSet]) -> impl Iterator<Item = String> + '_ {
    sets.iter().filter_map(|set| {
        let expert = set.header.expert.as_ref()?;
        Some(format!("{} ({})", expert.name, expert.asked))
    })
}
