//! What a recipe needs before it can run: data, spaces, trials.

use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

use mendel_engine::Player;
use mendel_evaluator::AnyEvaluator;
use mendel_store::fingerprint;

use super::manifest::{Data, Manifest};
use super::stage::Finalist;
use super::{Order, RunError, RunFolder};
use crate::chromosome::space::Space;
use crate::data::{DataSet, GameResult};
use crate::proof::Measured;
use crate::recipe::{Recipe, StageSettings, TrialSettings};
use crate::trial::{Draw, ExpertDistance, Labelled, MoveAgreement, Trial, TrialError};

/// Everything the stages of a recipe work with.
pub(super) struct Bench {
    recipe: Recipe,
    /// By name: stages may share a set.
    sets: BTreeMap<String, Rc<DataSet>>,
    /// The set's name for each stage.
    names: Vec<String>,
    threads: usize,
    stages: Vec<Prepared>,
}

struct Prepared {
    space: Space,
    trial: Box<dyn Trial>,
    /// The game of each training position.
    games: Vec<u32>,
    holdout: Option<(Box<dyn Trial>, Vec<u32>)>,
    alike: bool,
}

/// What one stage works with.
pub(super) struct Material<'a> {
    pub(super) space: &'a Space,
    pub(super) trial: &'a mut dyn Trial,
    /// Whether every generation is judged by the same positions.
    pub(super) alike: bool,
}

impl Bench {
    /// Reads the data and builds the trials of all stages.
    pub(super) fn new(
        recipe: &Recipe,
        data: Option<&str>,
        threads: usize,
    ) -> Result<Self, RunError> {
        let mut bench = Self {
            recipe: recipe.clone(),
            sets: BTreeMap::new(),
            names: Vec::new(),
            threads,
            stages: Vec::new(),
        };
        for stage in &recipe.stages {
            let name = data.unwrap_or(&stage.data).to_owned();
            if !bench.sets.contains_key(&name) {
                let set = DataSet::find(&name)?;
                bench.sets.insert(name.clone(), Rc::new(set));
            }
            bench.names.push(name);
        }
        for at in 0..recipe.stages.len() {
            let prepared = bench.prepare(at)?;
            bench.stages.push(prepared);
        }
        Ok(bench)
    }

    fn prepare(&self, at: usize) -> Result<Prepared, RunError> {
        let settings = &self.recipe.stages[at];
        let evaluator = &self.recipe.parent.evaluator;
        let space = self.space(at, evaluator)?;
        let set = &self.sets[&self.names[at]];
        let mut header = set.header.clone();
        header.hold_out = settings.holdout.unwrap_or(header.hold_out);
        let (holdout, train): (Vec<usize>, Vec<usize>) =
            (0..set.samples.len()).partition(|&at| header.holds_out(set.samples[at].game));
        let judged_by = |indices: &[usize], whole: bool| {
            let made = trial(
                settings,
                &self.recipe.parent,
                set,
                indices,
                self.threads,
                whole,
            );
            made.map_err(|error| self.complaint(at, &error))
        };
        let trial = judged_by(&train, false)?;
        // Held-out positions are all looked at, every time.
        let games = |indices: &[usize]| -> Vec<u32> {
            indices.iter().map(|&at| set.samples[at].game).collect()
        };
        let holdout = if holdout.is_empty() {
            None
        } else {
            Some((judged_by(&holdout, true)?, games(&holdout)))
        };
        let alike = match &settings.trial {
            TrialSettings::Distance(it) => it.sample.is_none() || it.draw == Draw::Never,
            TrialSettings::Agreement(it) => it.sample.is_none() || it.draw == Draw::Never,
        };
        Ok(Prepared {
            space,
            trial,
            games: games(&train),
            holdout,
            alike,
        })
    }

    /// What is wrong with a trial, at the key of the recipe that can mend it.
    fn complaint(&self, at: usize, error: &TrialError) -> RunError {
        let table = match self.recipe.stages.len() {
            1 => "trial".to_owned(),
            _ => format!("stage.{at}.trial"),
        };
        let key = match error {
            TrialError::Sample { .. } => format!("{table}.sample"),
            TrialError::NoLabel { .. } | TrialError::NoPositions | TrialError::Illegal { .. } => {
                format!("{table}.data")
            }
            TrialError::Setting { key, .. } => format!("{table}.{key}"),
            _ => table,
        };
        RunError::Recipe(self.recipe.complaint(&key, error))
    }

    fn space(&self, at: usize, evaluator: &AnyEvaluator) -> Result<Space, RunError> {
        let settings = &self.recipe.stages[at];
        let space = Space::new(evaluator, &settings.genome);
        space.map_err(|error| {
            let key = format!("genome.{}", error.key);
            RunError::Recipe(self.recipe.complaint(&key, error.reason))
        })
    }

    /// What the run is, before anything is bred.
    pub(super) fn manifest(&self, order: &Order) -> Result<Manifest, RunError> {
        let first = &self.stages[0];
        let base = first.space.base();
        let baseline = first.trial.compare(base, base, &[], self.threads)?.first;
        let mut data: Vec<Data> = Vec::new();
        for name in &self.names {
            if data.iter().all(|it| it.name != *name) {
                let set = &self.sets[name];
                data.push(Data {
                    name: name.clone(),
                    hash: set.hash(),
                    positions: set.samples.len() as u64,
                });
            }
        }
        let recipe = order.recipe.to_toml();
        let version = env!("CARGO_PKG_VERSION");
        let parent = order.recipe.parent.to_toml();
        let hashes: Vec<&str> = data.iter().map(|it| it.hash.as_str()).collect();
        let identity = format!("{recipe}\n{parent}\n{hashes:?}\n{}\n{version}", order.seed);
        Ok(Manifest {
            id: fingerprint(identity.as_bytes()),
            recipe: order.recipe.name.clone(),
            seed: order.seed,
            version: version.to_owned(),
            command: command(order),
            parent: order.recipe.parent_name.clone(),
            baseline: Some(baseline),
            unit: first.trial.unit().to_owned(),
            smaller_is_better: first.trial.smaller_is_better(),
            warnings: Vec::new(),
            genes: first.space.names().to_vec(),
            bounds: first.space.bounds(),
            parent_genes: first.space.genes_of(base),
            data,
            data_override: order.data.clone(),
        })
    }

    /// The data sets' names and hashes, for a pedigree; of a file its name will
    /// do, for where it lies is nobody's business.
    pub(super) fn data_names(&self) -> String {
        let described = self.sets.iter().map(|(name, set)| {
            let short = Path::new(name).file_name().unwrap_or_default();
            format!("{} {}", short.to_string_lossy(), set.hash())
        });
        described.collect::<Vec<String>>().join(", ")
    }

    /// What a stage works with; it starts from the champion before it.
    pub(super) fn stage(
        &mut self,
        at: usize,
        champions: &[Finalist],
    ) -> Result<Material<'_>, RunError> {
        if let Some(champion) = champions.last() {
            let evaluator = self
                .recipe
                .parent
                .evaluator
                .with_weights(&champion.weights)
                .map_err(TrialError::from)?;
            self.stages[at].space = self.space(at, &evaluator)?;
        }
        let Prepared {
            space,
            trial,
            alike,
            ..
        } = &mut self.stages[at];
        Ok(Material {
            space,
            trial: trial.as_mut(),
            alike: *alike,
        })
    }

    /// The best finalist on all training positions of the stage.
    pub(super) fn verify(
        &self,
        at: usize,
        finalists: &[Finalist],
        threads: usize,
    ) -> Result<Finalist, RunError> {
        let stage = &self.stages[at];
        if let [only] = finalists {
            return Ok(only.clone());
        }
        let base = stage.space.base();
        let sign = if stage.trial.smaller_is_better() {
            -1.0
        } else {
            1.0
        };
        let mut best: Option<(f64, &Finalist)> = None;
        for finalist in finalists {
            let value = sign
                * stage
                    .trial
                    .compare(base, &finalist.weights, &[], threads)?
                    .second;
            if best.is_none_or(|(before, _)| value > before) {
                best = Some((value, finalist));
            }
        }
        let best = best.map(|(_, finalist)| finalist.clone());
        best.ok_or_else(|| RunError::Stage("the checkpoint holds no finalist".to_owned()))
    }

    /// Parent and champion on the training positions and on those held out.
    pub(super) fn measure(
        &self,
        at: usize,
        champion: &[i32],
        threads: usize,
    ) -> Result<(Option<Measured>, Option<Measured>), RunError> {
        let parent: Vec<i32> = self
            .recipe
            .parent
            .evaluator
            .weights()
            .iter()
            .map(|weight| weight.value)
            .collect();
        let on = |trial: &dyn Trial, games: &[u32]| -> Result<Measured, RunError> {
            let found = trial.compare(&parent, champion, games, threads)?;
            Ok(Measured {
                positions: found.positions as u64,
                games: found.games as u64,
                parent: found.first,
                champion: found.second,
                interval: found.interval,
                ties: trial.ties(champion, threads)?,
                unit: trial.unit().to_owned(),
            })
        };
        let stage = &self.stages[at];
        let holdout = stage
            .holdout
            .as_ref()
            .map(|(trial, games)| on(trial.as_ref(), games));
        let training = on(stage.trial.as_ref(), &stage.games)?;
        Ok((Some(training), holdout.transpose()?))
    }
}

/// What to type to run it again: the name of a built-in recipe that was not
/// changed, else the recipe in the run's own folder.
fn command(order: &Order) -> String {
    let text = order.recipe.to_toml();
    let name = &order.recipe.name;
    let unchanged = Recipe::find(name, &[]).is_ok_and(|it| it.to_toml() == text);
    let recipe = if unchanged {
        name.as_str()
    } else {
        RunFolder::RECIPE
    };
    let data = order.data.as_ref().map(|data| format!(" --data {data}"));
    format!(
        "mendel breed {recipe} --seed {}{}",
        order.seed,
        data.unwrap_or_default()
    )
}

fn trial(
    settings: &StageSettings,
    player: &Player,
    set: &DataSet,
    indices: &[usize],
    threads: usize,
    whole: bool,
) -> Result<Box<dyn Trial>, TrialError> {
    let samples = indices.iter().map(|&index| &set.samples[index]);
    Ok(match &settings.trial {
        TrialSettings::Distance(it) => {
            let mut it = it.clone();
            if whole {
                it.sample = None;
            }
            let labelled = samples.map(|sample| Labelled {
                position: &sample.position,
                score: sample.score.map(i32::from),
                result: sample.result.map(GameResult::points),
            });
            Box::new(ExpertDistance::new(
                &player.evaluator,
                labelled,
                it,
                threads,
            )?)
        }
        TrialSettings::Agreement(it) => {
            let mut it = it.clone();
            if whole {
                it.sample = None;
            }
            let moves = samples.enumerate().map(|(index, sample)| {
                let what = "best move";
                let best = sample.best.ok_or(TrialError::NoLabel { index, what })?;
                Ok((&sample.position, best))
            });
            let moves = moves.collect::<Result<Vec<_>, TrialError>>()?;
            Box::new(MoveAgreement::new(player, moves, it, threads)?)
        }
    })
}
