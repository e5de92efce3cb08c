//! Recipes of several steps: breedings, data sets and matches, one after the other.
//!
//! A recipe with a list `[[step]]` is a pipeline. Each step has its folder in that of
//! the pipeline and is there what it would be by itself: a run, a data set with its
//! unfinished work, a match. So nothing new has to survive a death: whoever goes on
//! skips what is done, goes on with what was begun and begins the rest.

mod accuracy;
mod agreement;
mod breed;
mod chance;
mod colours;
mod contest;
mod curve;
mod error;
pub(crate) mod figures;
mod judgement;
mod network;
mod part;
mod record;
mod refer;
mod sets;
mod settings;

use std::fs;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Instant;

use mendel_engine::Player;
use mendel_store::{FolderLock, Journal, Sync, fingerprint, replace};

pub use self::accuracy::AccuracySettings;
pub use self::agreement::{Agreement, AgreementSettings, Answers, Part, Tally};
pub use self::breed::{BreedSettings, Source};
pub use self::chance::ChanceSettings;
pub use self::colours::ByColour;
pub use self::contest::{Anchor, MatchSettings, OpeningsFrom};
pub use self::curve::{Curve, CurveLine, CurvePoint, CurveSettings};
pub use self::error::{PipelineError, StepError};
pub use self::judgement::{Judged, Judgement, JudgementSettings, Nearness};
pub use self::network::NetworkSettings;
pub use self::part::PartSettings;
pub use self::record::{
    Bred, Drawn, Game, Output, Pairing, Pipeline, Played, Runs, Set, Standing, Step, Trained,
};
use self::refer::{Made, folder_of, run_folders};
pub use self::sets::DataSettings;
pub(crate) use self::settings::path_keys;
pub use self::settings::{Settings, StepSettings, Turn, What};
use crate::data::make;
use crate::network::Epoch;
use crate::recipe::{Complaint, Document, Paper, Recipe};
use crate::run::{self, FolderError, Order, RunError, RunFolder, Work};

/// What happens while a pipeline goes on.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// It begins, or goes on.
    Begins(&'a Pipeline),
    /// A step begins, or goes on.
    Step {
        /// Which, and what is known of it.
        step: &'a Step,
        /// Of how many.
        steps: usize,
        /// Where it is kept.
        folder: &'a Path,
    },
    /// One of several runs of a step begins, or goes on.
    Run {
        /// Which, from 1.
        run: usize,
        /// Of how many.
        runs: usize,
        /// Where it is kept.
        folder: &'a Path,
    },
    /// Something happened in a run.
    Breeding(run::Event<'a>),
    /// A set is being made.
    Gathering(make::Progress),
    /// A network has seen all positions once more.
    Epoch {
        /// What it came to.
        epoch: Epoch,
        /// Of how many.
        epochs: u32,
    },
    /// A game of a match was counted.
    Game(&'a mendel_arena::Progress<'a>),
    /// Games were looked at for their accuracy.
    Accuracy {
        /// How many.
        done: u64,
        /// Of how many.
        total: u64,
    },
    /// Moves were answered.
    Answers {
        /// How many.
        done: u64,
        /// Of how many.
        total: u64,
    },
    /// A step is done.
    Done(&'a Step),
}

/// Reads the steps of a recipe and sees whether they fit together: each is made
/// once with stand-ins for what the steps before it will make.
pub(crate) fn check(document: &Document, name: &str, parent: &str) -> Result<Settings, Complaint> {
    for key in [
        "genome", "breeder", "trial", "stop", "stage", "founders", "sweep", "proof",
    ] {
        if document.get(key).is_some() {
            let reason = "stands beside `[[step]]`; move it into a step";
            return Err(document.complaint(key, reason));
        }
    }
    let settings = Settings::read(document)?;
    check_figures(document, &settings)?;
    let mut made = Made::new(parent);
    for turn in settings.turns() {
        let (at, step) = (turn.step, &settings.steps[turn.step]);
        let table_complaint = |table: &str, (key, reason): (&str, String)| {
            let key = match key {
                "" => format!("step.{at}.{table}"),
                key => format!("step.{at}.{table}.{key}"),
            };
            document.complaint(&key, reason)
        };
        match &step.what {
            What::Breed(it) => {
                let recipe = it
                    .recipe(name, &step.name, &made)
                    .map_err(|inner| it.complaint(document, at, &inner))?;
                let champions = vec![recipe.parent_name; it.runs as usize];
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
                let player = made.player(settings::PREVIOUS);
                made.bred(&step.name, vec![player], 0);
            }
            What::Chance(it) => {
                it.recipe()
                    .map_err(|found| table_complaint("chance", found))?;
                made.drawn(&step.name, vec![parent.to_owned(); it.sets as usize]);
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
    Ok(settings)
}

/// The figures of ours that stand beside published ones must mean something.
fn check_figures(document: &Document, settings: &Settings) -> Result<(), Complaint> {
    let Some(_) = document.get("paper") else {
        return Ok(());
    };
    let paper: Paper = document.section("paper")?;
    let steps: Vec<&str> = settings.steps.iter().map(|it| it.name.as_str()).collect();
    for (at, figure) in paper.figure.iter().enumerate() {
        if let Some(ours) = &figure.ours {
            figures::Figure::parse(ours, &steps)
                .map_err(|reason| document.complaint(&format!("paper.figure.{at}.ours"), reason))?;
        }
    }
    Ok(())
}

/// Whether this is the folder of a pipeline.
pub fn is_pipeline(folder: &Path) -> bool {
    folder.join(Pipeline::FILE).is_file()
}

/// Does the steps of a pipeline from the first.
///
/// # Errors
///
/// If anything is wrong with the recipe or the folder; nothing is written then. Or
/// if a step cannot go on; what was done is kept.
pub fn breed(
    order: &Order,
    work: &Work,
    watch: &mut dyn FnMut(Event),
) -> Result<Pipeline, PipelineError> {
    let command = run::command(order);
    let given = with_data(order)?;
    let order = &given;
    let state = Pipeline {
        command,
        ..begun(order)?
    };
    let path = &order.folder;
    fs::create_dir_all(path).map_err(|source| io_error(path, source))?;
    let lock = FolderLock::take(path).map_err(FolderError::from)?;
    if path.join(Pipeline::FILE).exists() || path.join(run::manifest::Manifest::FILE).exists() {
        let path = path.clone();
        return Err(FolderError::Taken { path }.into());
    }
    // The state comes last: a folder that has one has all it needs.
    let recipe = order.recipe.to_toml();
    replace(&path.join(RunFolder::RECIPE), recipe.as_bytes()).map_err(FolderError::from)?;
    state.write(path).map_err(FolderError::from)?;
    Working {
        recipe: &order.recipe,
        seed: order.seed,
        folder: path,
        work,
    }
    .go(state, watch, &lock)
}

/// Goes on with the pipeline in a folder.
///
/// # Errors
///
/// If there is none, somebody else is at it, or something it needs has changed.
pub fn resume(
    path: &Path,
    work: &Work,
    watch: &mut dyn FnMut(Event),
) -> Result<Pipeline, PipelineError> {
    let lock = FolderLock::take(path).map_err(FolderError::from)?;
    let state = Pipeline::read(path).map_err(|error| PipelineError::Broken {
        path: path.join(Pipeline::FILE).display().to_string(),
        reason: error.to_string(),
    })?;
    let changed = |what: &str| RunError::Changed {
        what: what.to_owned(),
    };
    if state.version != env!("CARGO_PKG_VERSION") {
        let what = format!("the program, then version {},", state.version);
        return Err(changed(&what).into());
    }
    let file = path.join(RunFolder::RECIPE);
    let text = fs::read_to_string(&file).map_err(|source| io_error(&file, source))?;
    let recipe = Recipe::parse(&text, &format!("`{}`", path.display()), &[])?;
    let order = Order {
        recipe,
        seed: state.seed,
        data: None,
        folder: path.to_owned(),
    };
    if begun(&order)?.id != state.id {
        return Err(changed("the recipe, one of its steps or its parent").into());
    }
    Working {
        recipe: &order.recipe,
        seed: state.seed,
        folder: path,
        work,
    }
    .go(state, watch, &lock)
}

/// The order with the set it was given in place of those that players are asked about;
/// several are separated by commas.
fn with_data(order: &Order) -> Result<Order, PipelineError> {
    let Some(data) = &order.data else {
        return Ok(order.clone());
    };
    let steps = order.recipe.pipeline.as_ref().map(|it| &it.steps);
    let asks = |what: &What| matches!(what, What::Agreement(_) | What::Judgement(_));
    let steps = steps.into_iter().flatten().enumerate();
    let keys: Vec<String> = steps
        .filter(|(_, step)| asks(&step.what))
        .map(|(at, step)| format!("step.{at}.{}.data", step.what.kind()))
        .collect();
    if keys.is_empty() {
        return Err(PipelineError::Data { data: data.clone() });
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
    Ok(Order {
        recipe: order.recipe.cell(&set)?,
        ..order.clone()
    })
}

/// A pipeline before its first step.
fn begun(order: &Order) -> Result<Pipeline, PipelineError> {
    let (recipe, seed) = (&order.recipe, order.seed);
    let Some(settings) = &recipe.pipeline else {
        let reason = "has no `[[step]]`: it is no pipeline";
        return Err(recipe.complaint("", reason).into());
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
            identity.push(Recipe::text_of(name)?.0);
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
        command: run::command(order),
        parent: recipe.parent_name.clone(),
        steps: steps.collect(),
        champion: None,
        finished: false,
    })
}

/// A pipeline that is being worked on.
struct Working<'a> {
    recipe: &'a Recipe,
    seed: u64,
    folder: &'a Path,
    work: &'a Work,
}

impl Working<'_> {
    fn go(
        &self,
        mut state: Pipeline,
        watch: &mut dyn FnMut(Event),
        _lock: &FolderLock,
    ) -> Result<Pipeline, PipelineError> {
        let settings = self.recipe.pipeline.as_ref();
        let settings = settings.expect("whoever begins has looked");
        watch(Event::Begins(&state));

        // 1. The steps.
        let mut made = Made::new(&self.recipe.parent_name);
        for (at, turn) in settings.turns().into_iter().enumerate() {
            if state.steps[at].result.is_none() {
                if self.work.stop.load(Ordering::Relaxed) {
                    return Ok(state);
                }
                watch(Event::Step {
                    step: &state.steps[at],
                    steps: state.steps.len(),
                    folder: &self.folder.join(&state.steps[at].folder),
                });
                let began = Instant::now();
                let output = self.step(settings, turn, &made, watch).map_err(|error| {
                    PipelineError::Step {
                        number: turn.number,
                        name: settings.steps[turn.step].name.clone(),
                        error,
                    }
                })?;
                self.took(turn, began)?;
                let Some(output) = output else {
                    return Ok(state);
                };
                state.steps[at].result = Some(output);
                state.write(self.folder).map_err(FolderError::from)?;
                watch(Event::Done(&state.steps[at]));
            }
            self.remember(settings, turn, state.steps[at].result.as_ref(), &mut made);
        }

        // 2. The last champion, as it is: its pedigree tells of all before it.
        if let Some(path) = made.champion() {
            let file = Path::new(path);
            let text = fs::read_to_string(file).map_err(|source| io_error(file, source))?;
            let player = Player::parse(&text, path).map_err(|error| PipelineError::Broken {
                path: path.to_owned(),
                reason: error.to_string(),
            })?;
            replace(&self.folder.join(RunFolder::CHAMPION), text.as_bytes())
                .map_err(FolderError::from)?;
            state.champion = Some(player.name);
        }
        state.finished = true;
        state.write(self.folder).map_err(FolderError::from)?;
        Ok(state)
    }

    /// One step; `None` if it was stopped.
    fn step(
        &self,
        settings: &Settings,
        turn: Turn,
        made: &Made,
        watch: &mut dyn FnMut(Event),
    ) -> Result<Option<Output>, StepError> {
        Ok(match &settings.steps[turn.step].what {
            What::Breed(it) => {
                let runs = self.breed(settings, turn, it, made, watch)?;
                runs.map(Output::Runs)
            }
            What::Data(it) => {
                let set = self.gather(settings, turn, it, made, watch)?;
                set.map(Output::Data)
            }
            What::Network(it) => {
                let trained = self.train(settings, turn, it, made, watch)?;
                trained.map(Output::Network)
            }
            What::Chance(it) => Some(Output::Chance(self.draw(settings, turn, it)?)),
            What::Match(it) => {
                let played = self.contest(settings, turn, it, made, watch)?;
                played.map(Output::Match)
            }
            What::Agreement(it) => {
                let agreement = self.agree(settings, turn, it, made, watch)?;
                agreement.map(Output::Agreement)
            }
            What::Judgement(it) => Some(Output::Judgement(self.judge(turn, it, made)?)),
        })
    }

    /// What a step made is there for those after it.
    fn remember(&self, settings: &Settings, turn: Turn, output: Option<&Output>, made: &mut Made) {
        let name = &settings.steps[turn.step].name;
        let path = |relative: &Path| self.folder.join(relative).to_string_lossy().into_owned();
        match output {
            Some(Output::Runs(runs)) => {
                let folders = run_folders(settings, turn).into_iter();
                let champions = folders.map(|it| path(&it.join(RunFolder::CHAMPION)));
                made.bred(name, champions.collect(), runs.best);
            }
            Some(Output::Data(_)) => made.gathered(name, path(&sets::set_of(settings, turn))),
            Some(Output::Network(_)) => {
                let champion = folder_of(settings, turn).join(RunFolder::CHAMPION);
                made.bred(name, vec![path(&champion)], 0);
            }
            Some(Output::Chance(drawn)) => {
                let files = drawn.files.iter().map(|file| path(Path::new(file)));
                made.drawn(name, files.collect());
            }
            Some(Output::Match(_) | Output::Agreement(_) | Output::Judgement(_)) | None => {}
        }
    }

    /// Writes down how long a step took, also one that was stopped.
    fn took(&self, turn: Turn, began: Instant) -> Result<(), PipelineError> {
        let path = self.folder.join(RunFolder::TIMINGS);
        let timing = run::timing("step", Some(turn.number as u32), began);
        let mut journal = Journal::open(&path, Sync::Each)
            .map_err(FolderError::from)?
            .0;
        Ok(journal.append(&timing).map_err(FolderError::from)?)
    }

    fn make_folder(&self, relative: &Path) -> Result<(), RunError> {
        let path = self.folder.join(relative);
        Ok(fs::create_dir_all(&path).map_err(|source| io_error(&path, source))?)
    }
}

fn io_error(path: &Path, source: std::io::Error) -> FolderError {
    FolderError::Io {
        path: path.to_owned(),
        source,
    }
}
