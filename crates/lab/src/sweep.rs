//! A grid over the numbers of a recipe, with several seeds, and the comparison.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use mendel_engine::Player;
use mendel_store::{FolderLock, fingerprint, replace};
use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, StudentsT};
use toml::{Table, Value};

use crate::data::DataSet;
use crate::proof::{MatchProof, PARENT, Proof, UNMOVED};
use crate::recipe::{Recipe, SweepSuite};
use crate::run::manifest::Manifest;
use crate::run::{self, Event, FolderError, Order, RunError, RunFolder, Work};
use crate::trial::{Suite, SuiteSettings, TrialError};

/// `sweep.json`: what the grid showed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sweep {
    /// What is measured.
    pub unit: String,
    /// Whether less is better.
    pub smaller_is_better: bool,
    /// What the parent makes of the suite that all champions are held to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<OnSuite>,
    /// The combinations, in the order of the grid.
    pub cells: Vec<Cell>,
}

/// A player on the suite of a sweep: positions that no run was bred with.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct OnSuite {
    /// Thousands of nodes that a position takes on average; one that is not solved
    /// takes the limit.
    pub nodes: f64,
    /// The share of positions that are solved, in per cent.
    pub solved: f64,
}

/// One combination of values, over all seeds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// The keys that were set, and to what.
    pub setting: Table,
    /// The seeds.
    pub seeds: Vec<u64>,
    /// What the champions reached on the positions they were bred with.
    pub finals: Vec<f64>,
    /// What they reached on positions they never saw.
    pub holdouts: Vec<f64>,
    /// The mean of `holdouts`, or of `finals` where nothing was held out.
    pub mean: f64,
    /// Its 95 % interval over the seeds (Student's t); none with one seed.
    #[serde(default)]
    pub interval: Option<[f64; 2]>,
    /// The champions' Elo against the parent, where the sweep plays matches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub elos: Vec<f64>,
    /// Their mean and its 95 % interval over the seeds (Student's t).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elo: Option<(f64, Option<[f64; 2]>)>,
    /// Thousands of nodes that the champions take for a position of the suite, where
    /// the sweep holds them to one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suite_nodes: Vec<f64>,
    /// The share of its positions that they solve, in per cent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suite_solved: Vec<f64>,
}

/// One run of a sweep, about to begin.
#[derive(Debug)]
pub struct Turn<'a> {
    /// Which run, from 0.
    pub run: usize,
    /// Of how many.
    pub runs: usize,
    /// What was set.
    pub setting: &'a [(String, Value)],
    /// Its seed.
    pub seed: u64,
}

impl Sweep {
    /// The file's name in the folder of a sweep.
    pub const FILE: &'static str = "sweep.json";
    /// What was asked for.
    pub const PLAN: &'static str = "sweep.toml";
}

/// `sweep.toml`: what was asked for.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Plan {
    recipe: String,
    /// What the recipe said, so that half a sweep is not of another one.
    fingerprint: String,
    version: String,
    seeds: Vec<u64>,
    #[serde(default)]
    data: Option<String>,
    axes: Vec<Axis>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Axis {
    key: String,
    values: Vec<Value>,
}

/// Runs every combination of a recipe's `[sweep]` with every seed, each in a
/// folder of its own, and compares them; `None` if it was stopped. Runs that are
/// done are not run again, so that the same call goes on where it was left.
///
/// # Errors
///
/// If a run cannot begin or go on.
///
/// # Panics
///
/// Never: plain values can be written.
pub fn sweep(
    order: &Order,
    work: &Work,
    turn: &mut dyn FnMut(&Turn),
    watch: &mut dyn FnMut(Event),
) -> Result<Option<Sweep>, RunError> {
    // 1. What is to be run, written down first.
    let settings = order.recipe.sweep.as_ref();
    let count = settings.map_or(1, |settings| settings.seeds);
    let seeds: Vec<u64> = (0..u64::from(count))
        .map(|at| order.seed.wrapping_add(at))
        .collect();
    let grid = order.recipe.grid()?;
    fs::create_dir_all(&order.folder).map_err(|source| FolderError::Io {
        path: order.folder.clone(),
        source,
    })?;
    let _lock = FolderLock::take(&order.folder).map_err(FolderError::from)?;
    write_plan(order, &seeds)?;

    // 2. The runs.
    let suite = settings.and_then(|it| it.suite.as_ref());
    let suite = suite.map(|it| Yardstick::new(it, order)).transpose()?;
    let mut result = Sweep::default();
    if let Some(suite) = &suite {
        result.parent = suite.measure(order.recipe.parent.clone(), work)?;
    }
    let runs = grid.len() * seeds.len();
    for (at, setting) in grid.iter().enumerate() {
        let mut cell = Cell {
            setting: setting.iter().cloned().collect(),
            ..Cell::default()
        };
        let recipe = order.recipe.cell(setting)?;
        for (number, &seed) in seeds.iter().enumerate() {
            if work.stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let run = at * seeds.len() + number;
            turn(&Turn {
                run,
                runs,
                setting,
                seed,
            });
            let folder = order.folder.join(format!("{run:04}"));
            let Some((manifest, proof)) = one(&recipe, order, &folder, seed, work, watch)? else {
                return Ok(None);
            };
            result.unit = manifest.unit;
            result.smaller_is_better = manifest.smaller_is_better;
            cell.seeds.push(seed);
            cell.finals.extend(proof.training.map(|it| it.champion));
            cell.holdouts.extend(proof.holdout.map(|it| it.champion));
            let parent = proof.matches.iter().find(|it| it.role == PARENT);
            // A parent that nobody beat is as strong as itself; no match says so.
            let unmoved = settings.is_some_and(|it| it.proof) && proof.verdict == UNMOVED;
            let elo = parent.and_then(elo_of);
            cell.elos.extend(elo.or_else(|| unmoved.then_some(0.0)));
            if let Some(suite) = &suite {
                let Some(found) = suite.measure(champion(&folder)?, work)? else {
                    return Ok(None);
                };
                cell.suite_nodes.push(found.nodes);
                cell.suite_solved.push(found.solved);
            }
        }
        cell.conclude();
        result.cells.push(cell);
    }

    // 3. The comparison.
    let json = serde_json::to_string_pretty(&result).expect("a sweep is plain data");
    let path = order.folder.join(Sweep::FILE);
    replace(&path, format!("{json}\n").as_bytes()).map_err(FolderError::from)?;
    Ok(Some(result))
}

/// The suite that all champions of a sweep are held to.
struct Yardstick(Suite);

impl Yardstick {
    fn new(settings: &SweepSuite, order: &Order) -> Result<Self, RunError> {
        let set = DataSet::find(&settings.data)?;
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
        let suite = suite.map_err(|error| order.recipe.complaint("sweep.suite", error))?;
        Ok(Self(suite))
    }

    /// What a player makes of it; `None` if it was stopped.
    fn measure(&self, player: Player, work: &Work) -> Result<Option<OnSuite>, RunError> {
        let solved = match self.0.solve(&[Arc::new(player)], work.threads, &work.stop) {
            Err(TrialError::Stopped) => return Ok(None),
            solved => solved?,
        };
        let count = self.0.len() as f64;
        let nodes: u64 = solved[0].iter().map(|&it| self.0.cost(it)).sum();
        Ok(Some(OnSuite {
            nodes: nodes as f64 / 1000.0 / count,
            solved: 100.0 * solved[0].iter().flatten().count() as f64 / count,
        }))
    }
}

/// The champion of a run that is done.
fn champion(folder: &Path) -> Result<Player, RunError> {
    let path = folder.join(RunFolder::CHAMPION);
    Player::find(&path.to_string_lossy()).map_err(|error| RunError::Changed {
        what: format!("`{}` ({error})", path.display()),
    })
}

/// What was asked for in a folder: the order to go on with it.
///
/// # Errors
///
/// If there is no sweep in the folder, or it is of another version.
pub fn order_of(folder: &Path) -> Result<Order, RunError> {
    let read = |name: &str| {
        let path = folder.join(name);
        fs::read_to_string(&path).map_err(|source| FolderError::Io { path, source })
    };
    let plan: Plan = toml::from_str(&read(Sweep::PLAN)?).map_err(|error| RunError::Changed {
        what: format!(
            "`{}` ({})",
            folder.join(Sweep::PLAN).display(),
            error.message()
        ),
    })?;
    let origin = format!("`{}`", folder.join(RunFolder::RECIPE).display());
    Ok(Order {
        recipe: Recipe::parse(&read(RunFolder::RECIPE)?, &origin, &[])?,
        seed: plan.seeds.first().copied().unwrap_or_default(),
        data: plan.data,
        folder: folder.to_owned(),
    })
}

/// One run: read if it is done, else begun or gone on with.
fn one(
    recipe: &Recipe,
    order: &Order,
    folder: &Path,
    seed: u64,
    work: &Work,
    watch: &mut dyn FnMut(Event),
) -> Result<Option<(Manifest, Proof)>, RunError> {
    let done = Proof::read(folder).ok().flatten();
    if let (Some(proof), Ok(manifest)) = (done, Manifest::read(folder)) {
        return Ok(Some((manifest, proof)));
    }
    // Most comparisons need no matches; the winner can be proved alone.
    let work = Work {
        proof: work.proof && order.recipe.sweep.as_ref().is_some_and(|it| it.proof),
        ..work.clone()
    };
    let outcome = if folder.join(Manifest::FILE).is_file() {
        run::resume(folder, &work, watch)?
    } else {
        let order = Order {
            recipe: recipe.clone(),
            seed,
            data: order.data.clone(),
            folder: PathBuf::from(folder),
        };
        run::breed(&order, &work, watch)?
    };
    Ok(outcome.proof.map(|proof| (outcome.manifest, proof)))
}

fn write_plan(order: &Order, seeds: &[u64]) -> Result<(), RunError> {
    let axes = order.recipe.sweep.iter().flat_map(|sweep| &sweep.axes);
    let recipe = order.recipe.to_toml();
    let plan = Plan {
        recipe: order.recipe.name.clone(),
        fingerprint: fingerprint(recipe.as_bytes()),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        seeds: seeds.to_vec(),
        data: order.data.clone(),
        axes: axes
            .map(|(key, values)| Axis {
                key: key.clone(),
                values: values.as_array().cloned().unwrap_or_default(),
            })
            .collect(),
    };
    let text = toml::to_string(&plan).expect("a plan is plain data");
    let path = order.folder.join(Sweep::PLAN);
    if path.is_file() {
        let before = fs::read_to_string(&path).unwrap_or_default();
        if before != text {
            return Err(RunError::Changed {
                what: format!("what `{}` says", path.display()),
            });
        }
        return Ok(());
    }
    let beside = order.folder.join(RunFolder::RECIPE);
    replace(&beside, recipe.as_bytes()).map_err(FolderError::from)?;
    Ok(replace(&path, text.as_bytes()).map_err(FolderError::from)?)
}

impl Cell {
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

/// The mean of some runs and its 95 % interval by Student's t; of one run nothing
/// is known of its spread.
pub fn mean_and_interval(values: &[f64]) -> (f64, Option<[f64; 2]>) {
    let count = values.len() as f64;
    if values.is_empty() {
        return (0.0, None);
    }
    let mean = values.iter().sum::<f64>() / count;
    let squares = values.iter().map(|value| (value - mean) * (value - mean));
    let freedom = count - 1.0;
    let error = (squares.sum::<f64>() / freedom.max(1.0) / count).sqrt();
    let student = StudentsT::new(0.0, 1.0, freedom).ok();
    let half = student.map(|student| student.inverse_cdf(0.975) * error);
    (mean, half.map(|half| [mean - half, mean + half]))
}

/// The strength a match shows; where one side took every point, the end of the
/// interval that is known.
fn elo_of(match_: &MatchProof) -> Option<f64> {
    let [low, high] = match_.interval;
    match_.elo.or(low).or(high)
}

#[cfg(test)]
mod tests {
    use super::mean_and_interval;

    /// R: `t.test(c(1, 2, 3, 4, 5))` gives 1.036757 and 4.963243.
    #[test]
    fn the_interval_is_students() {
        let (mean, interval) = mean_and_interval(&[1.0, 2.0, 3.0, 4.0, 5.0]);
        let [low, high] = interval.expect("five values");
        assert!((mean - 3.0).abs() < 1e-12);
        assert!((low - 1.036_757).abs() < 1e-6, "{low}");
        assert!((high - 4.963_243).abs() < 1e-6, "{high}");
        assert_eq!(mean_and_interval(&[7.0]), (7.0, None));
    }
}
