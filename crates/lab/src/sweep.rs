//! A grid over the numbers of a recipe, with several seeds, and the comparison.

use std::path::Path;
use std::sync::Arc;

use mendel_arena::statistics::mean_and_interval;
use mendel_data::DataSet;
use mendel_engine::Player;
use mendel_fitness::trial::{Suite, SuiteSettings, TrialError};
use mendel_store::frame::{
    self, Experiment, Failure, Frame, Identity, OrInvalid as _, Preparation, StopFlag,
};
use mendel_store::{InputHashes, fingerprint};
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use crate::breed::{Breed, add_inputs};
use crate::execution::RunOptions;
use crate::proof::{MatchProof, PARENT, UNMOVED};
use crate::recipe::{Recipe, RecipePlan, SweepSettings, SweepSuite};
use crate::record::manifest::Manifest;
use crate::record::{CHAMPION, RECIPE};

pub use crate::record::{OnSuite, SweepCell, SweepOutcome};

/// Every combination of the values in a recipe's `[sweep]` with every seed, each a run of its own
/// in a folder `0000`, `0001` and so on.
#[derive(Debug)]
pub struct Sweep {
    plan: RecipePlan,
    options: RunOptions,
    settings: SweepSettings,
    seeds: Vec<u64>,
    grid: Vec<Vec<(String, Value)>>,
    suite: Option<Suite>,
}

/// One run of a sweep, about to start: the data of the record `run`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SweepRun {
    /// Which run, from 0.
    pub run: usize,
    pub runs: usize,
    pub setting: Table,
    pub seed: u64,
}

/// What to do about a recipe that cannot be run.
const HELP: &str = "`mendel breed --help` shows what can be requested";

impl Experiment for Sweep {
    const KIND: &'static str = "sweep";
    const SCHEMA: u32 = 1;
    const PLAN: &'static str = RECIPE;
    type Plan = RecipePlan;
    type ExecOptions = RunOptions;
    type Outcome = SweepOutcome;

    fn prepare(
        plan: RecipePlan,
        seed: u64,
        options: &RunOptions,
        _context: &Preparation,
    ) -> Result<Self, Failure> {
        let recipe = &plan.recipe;
        let Some(settings) = recipe.sweep.clone() else {
            let reason = "is missing: a recipe without it is one run";
            return Err(Failure::invalid(recipe.complaint("sweep", reason)).with_hint(HELP));
        };
        let grid = recipe.grid().or_invalid_with(HELP)?;
        let suite = settings.suite.as_ref();
        let suite = suite.map(|it| suite_of(it, recipe)).transpose()?;
        let seeds = 0..u64::from(settings.seeds);
        Ok(Self {
            options: options.clone(),
            seeds: seeds.map(|number| seed.wrapping_add(number)).collect(),
            settings,
            grid,
            suite,
            plan,
        })
    }

    fn identity(&self) -> Identity {
        let RecipePlan { recipe, data } = &self.plan;
        let version = env!("CARGO_PKG_VERSION");
        let text = recipe.to_toml();
        let all = format!("{text}\n{data:?}\n{:?}\n{version}", self.seeds);
        let mut facts = Table::new();
        if let Some(data) = data {
            facts.insert(RecipePlan::DATA.to_owned(), data.clone().into());
        }
        Identity {
            id: fingerprint(all.as_bytes()),
            name: recipe.name.clone(),
            facts,
        }
    }

    fn inputs(&self) -> Result<InputHashes, Failure> {
        let mut inputs = InputHashes::of_this_build();
        for setting in &self.grid {
            add_inputs(&self.cell_plan(setting)?, &mut inputs)?;
        }
        Ok(inputs)
    }

    fn write_plan(plan: &RecipePlan) -> Result<String, Failure> {
        Ok(plan.to_toml())
    }

    fn read_plan(text: &str, manifest: &frame::Manifest) -> Result<RecipePlan, Failure> {
        RecipePlan::parse(text, manifest)
    }

    fn satisfies(outcome: &SweepOutcome, options: &RunOptions) -> bool {
        outcome.matches_played || !options.proof
    }

    fn run(self, frame: &mut Frame) -> Result<SweepOutcome, Failure> {
        // 1. The parent, to compare with.
        let runs = self.grid.len() * self.seeds.len();
        frame.events().progress(RUNS, 0, Some(runs as u64));
        let mut outcome = SweepOutcome {
            matches_played: self.options.proof || !self.settings.proof,
            ..SweepOutcome::default()
        };
        if let Some(suite) = &self.suite {
            let parent = self.plan.recipe.parent.clone();
            outcome.parent = Some(self.measure(suite, parent, frame.stop())?);
        }

        // 2. The runs.
        for (place, setting) in self.grid.iter().enumerate() {
            let mut cell = SweepCell {
                setting: setting.iter().cloned().collect(),
                ..SweepCell::default()
            };
            for (number, &seed) in self.seeds.iter().enumerate() {
                frame.check_stop()?;
                let run = place * self.seeds.len() + number;
                frame.events().record(
                    "run",
                    &SweepRun {
                        run,
                        runs,
                        setting: cell.setting.clone(),
                        seed,
                    },
                );
                self.run_one(frame, run, setting, seed, &mut cell, &mut outcome)?;
                frame
                    .events()
                    .progress(RUNS, run as u64 + 1, Some(runs as u64));
            }
            cell.conclude();
            outcome.cells.push(cell);
        }
        Ok(outcome)
    }
}

/// The part of the work that is all of it.
const RUNS: &str = "runs";

impl Sweep {
    fn cell_plan(&self, setting: &[(String, Value)]) -> Result<RecipePlan, Failure> {
        Ok(RecipePlan {
            recipe: self.plan.recipe.cell(setting)?,
            data: self.plan.data.clone(),
        })
    }

    /// How a player does on the suite.
    fn measure(&self, suite: &Suite, player: Player, stop: &StopFlag) -> Result<OnSuite, Failure> {
        let solved = match suite.solve(&[Arc::new(player)], self.options.threads(), stop) {
            Err(TrialError::Stopped) => return Err(Failure::Stopped),
            solved => solved?,
        };
        let count = suite.len() as f64;
        let nodes: u64 = solved[0].iter().map(|&it| suite.cost(it)).sum();
        Ok(OnSuite {
            nodes: nodes as f64 / 1000.0 / count,
            solved: 100.0 * solved[0].iter().flatten().count() as f64 / count,
        })
    }

    fn run_one(
        &self,
        frame: &Frame,
        run: usize,
        setting: &[(String, Value)],
        seed: u64,
        cell: &mut SweepCell,
        outcome: &mut SweepOutcome,
    ) -> Result<(), Failure> {
        // 1. The run. Most comparisons need no matches; the winner can be proved alone.
        let options = RunOptions {
            proof: self.options.proof && self.settings.proof,
            ..self.options.clone()
        };
        let name = format!("{run:04}");
        let plan = self.cell_plan(setting)?;
        let proof = frame.nested::<Breed>(&name, plan, seed, &options)?.proof;
        let folder = frame.file(&name);

        // 2. Its figures.
        let manifest = Manifest::read(&folder)?;
        outcome.unit = manifest.unit;
        outcome.smaller_is_better = manifest.smaller_is_better;
        cell.seeds.push(seed);
        cell.finals.extend(proof.training.map(|it| it.champion));
        cell.holdouts.extend(proof.holdout.map(|it| it.champion));
        let parent = proof.matches.iter().find(|it| it.role == PARENT);
        // If no member beat the parent, it is its own champion: no match is needed for 0 Elo.
        let unmoved = self.settings.proof && proof.verdict == UNMOVED;
        let elo = parent.and_then(elo_of);
        cell.elos.extend(elo.or_else(|| unmoved.then_some(0.0)));
        if let Some(suite) = &self.suite {
            let champion = champion(&folder)?;
            let found = self.measure(suite, champion, frame.stop())?;
            cell.suite_nodes.push(found.nodes);
            cell.suite_solved.push(found.solved);
        }
        Ok(())
    }
}

/// The suite on which all champions of a sweep are measured.
fn suite_of(settings: &SweepSuite, recipe: &Recipe) -> Result<Suite, Failure> {
    let set = DataSet::find(&settings.data).or_invalid_with(HELP)?;
    let mut header = set.header.clone();
    header.hold_out = settings.holdout.unwrap_or(header.hold_out);
    let positions = set.samples.iter().enumerate();
    let positions = positions.filter(|(_, sample)| header.holds_out(sample.game));
    let positions =
        positions.filter_map(|(at, sample)| Some((&sample.position, set.best_moves(at)?)));
    let suite = Suite::new(
        positions,
        SuiteSettings {
            nodes: settings.nodes,
            ..SuiteSettings::default()
        },
    );
    let suite = suite.map_err(|error| recipe.complaint("sweep.suite", error));
    suite.or_invalid_with(HELP)
}

fn champion(folder: &Path) -> Result<Player, Failure> {
    let path = folder.join(CHAMPION);
    Ok(Player::find(&path.to_string_lossy())?)
}

impl SweepCell {
    fn conclude(&mut self) {
        let values = if self.holdouts.is_empty() {
            &self.finals
        } else {
            &self.holdouts
        };
        (self.mean, self.interval) = mean_and_interval(values);
        self.elo = (!self.elos.is_empty()).then(|| mean_and_interval(&self.elos));
    }
}

/// The strength a match shows; where one side took every point, the end of the
/// interval that is known.
fn elo_of(match_: &MatchProof) -> Option<f64> {
    let [low, high] = match_.interval;
    match_.elo.or(low).or(high)
}
