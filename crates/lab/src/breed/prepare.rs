//! What a recipe needs before it can run: data, spaces, trials.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::rc::Rc;

use mendel_data::DataSet;
use mendel_engine::Player;
use mendel_evaluator::AnyEvaluator;
use mendel_fitness::genome::space::Space;
use mendel_fitness::trial::{JudgingContext, MemberWeights, PlayerTrial, TrialError};
use mendel_fitness::trials::{TrialInputs, TrialPositions};
use mendel_store::fingerprint;
use mendel_store::frame::{Failure, OrInvalid as _};

use super::finalist::Finalist;
use super::trial_failure;
use crate::games::file_name;
use crate::proof::Measured;
use crate::recipe::{Recipe, RecipePlan, StageSettings};
use crate::record::manifest::{Data, Manifest, StandIn};

/// Everything the stages of a recipe work with.
pub(super) struct PreparedRun {
    recipe: Recipe,
    /// By name: stages may share a set.
    sets: BTreeMap<String, Rc<DataSet>>,
    /// The set's name for each stage that has one.
    names: Vec<Option<String>>,
    threads: usize,
    stages: Vec<PreparedStage>,
}

pub(super) struct PreparedStage {
    pub(super) space: Space,
    pub(super) trial: PlayerTrial,
    /// The game of each training position.
    games: Vec<u32>,
    holdout: Option<(PlayerTrial, Vec<u32>)>,
}

/// Whose genes the first generation begins with, with their numbers.
pub(super) type Founders = Vec<(String, Vec<i32>)>;

impl PreparedRun {
    /// Reads the data and builds the trials of all stages.
    pub(super) fn new(
        recipe: &Recipe,
        data: Option<&str>,
        threads: usize,
    ) -> Result<Self, Failure> {
        let mut run = Self {
            recipe: recipe.clone(),
            sets: BTreeMap::new(),
            names: Vec::new(),
            threads,
            stages: Vec::new(),
        };
        for stage in &recipe.stages {
            let of_its_own = stage.trial.games().is_some();
            let name = if of_its_own {
                None
            } else {
                data.map(str::to_owned).or_else(|| stage.data.clone())
            };
            if let Some(name) = &name
                && !run.sets.contains_key(name)
            {
                let set = DataSet::find(name).or_invalid()?;
                run.sets.insert(name.clone(), Rc::new(set));
            }
            run.names.push(name);
        }
        if let Some(data) = data
            && run.names.iter().all(Option::is_none)
        {
            let reason = format!("judges by no data set, so that `{data}` means nothing here");
            return Err(Failure::invalid(recipe.complaint("trial", reason)));
        }
        for at in 0..recipe.stages.len() {
            let prepared = run.prepare(at)?;
            run.stages.push(prepared);
        }
        Ok(run)
    }

    fn prepare(&self, at: usize) -> Result<PreparedStage, Failure> {
        let settings = &self.recipe.stages[at];
        let space = self.space(at, &self.recipe.parent)?;
        let parent = &self.recipe.parent;
        let Some(name) = &self.names[at] else {
            return Ok(PreparedStage {
                trial: self.trial(at, parent, &space, None)?,
                space,
                games: Vec::new(),
                holdout: None,
            });
        };
        let set = &self.sets[name];
        let mut header = set.header.clone();
        header.hold_out = settings.holdout.unwrap_or(header.hold_out);
        let usable = (0..set.samples.len()).filter(|&at| settings.trial.uses_position(set, at));
        let (holdout, train): (Vec<usize>, Vec<usize>) =
            usable.partition(|&at| header.holds_out(set.samples[at].game));
        let judged_by = |indices: &[usize], whole: bool| {
            let positions = TrialPositions {
                set,
                indices,
                whole,
            };
            self.trial(at, parent, &space, Some(positions))
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
        Ok(PreparedStage {
            space,
            trial,
            games: games(&train),
            holdout,
        })
    }

    /// The trial of a stage, for members around this parent.
    fn trial(
        &self,
        at: usize,
        parent: &Player,
        space: &Space,
        positions: Option<TrialPositions>,
    ) -> Result<PlayerTrial, Failure> {
        let made = self.recipe.stages[at].trial.make(&TrialInputs {
            parent,
            space,
            positions,
            threads: self.threads,
        });
        made.map_err(|error| self.complaint(at, &error))
    }

    /// What is wrong with a trial, at the key of the recipe that can mend it.
    fn complaint(&self, at: usize, error: &TrialError) -> Failure {
        let table = match self.recipe.stages.len() {
            1 => "trial".to_owned(),
            _ => format!("stage.{at}.trial"),
        };
        let key = match error {
            TrialError::Sample { .. } => format!("{table}.sample"),
            TrialError::NoLabel { .. } | TrialError::NoPositions | TrialError::Illegal { .. } => {
                format!("{table}.data")
            }
            TrialError::Setting { key, .. } | TrialError::Key { key, .. } => {
                format!("{table}.{key}")
            }
            _ => table,
        };
        Failure::invalid(self.recipe.complaint(&key, error))
    }

    fn space(&self, at: usize, parent: &Player) -> Result<Space, Failure> {
        let settings = &self.recipe.stages[at];
        let space = Space::new(parent, &settings.genome);
        space.map_err(|error| {
            let key = format!("genome.{}", error.key);
            Failure::invalid(self.recipe.complaint(&key, error.reason))
        })
    }

    /// What the run is, before anything is bred.
    pub(super) fn manifest(&self, plan: &RecipePlan, seed: u64) -> Result<Manifest, Failure> {
        let first = &self.stages[0];
        let base = first.space.base();
        let baseline = match first.trial.positions() {
            Some(trial) => {
                let compared = trial.compare(base, base, &[], self.threads);
                Some(compared.map_err(trial_failure)?.first)
            }
            None => None,
        };
        let scale = first.trial.scale();
        let mut listed: BTreeSet<&str> = BTreeSet::new();
        let names = self.names.iter().flatten();
        let data = names.filter(|name| listed.insert(name)).map(|name| Data {
            name: file_name(name),
            hash: self.sets[name].hash(),
            positions: self.sets[name].samples.len() as u64,
        });
        let data: Vec<Data> = data.collect();
        let recipe = plan.recipe.identity();
        let version = env!("CARGO_PKG_VERSION");
        let parent = plan.recipe.parent.to_toml();
        let mut hashes: Vec<String> = data.iter().map(|it| it.hash.clone()).collect();
        hashes.extend(self.opponents());
        let identity = format!("{recipe}\n{parent}\n{hashes:?}\n{seed}\n{version}");
        Ok(Manifest {
            id: fingerprint(identity.as_bytes()),
            recipe: plan.recipe.name.clone(),
            seed,
            version: version.to_owned(),
            command: plan.command(seed),
            parent: called(&plan.recipe),
            baseline,
            stand_in: self.stand_in(),
            unit: scale.unit.to_owned(),
            smaller_is_better: scale.smaller_is_better,
            warnings: self.warnings(),
            genes: first.space.names().to_vec(),
            bounds: first.space.bounds(),
            parent_genes: first.space.genes_of(base),
            data,
            data_override: plan.data.clone(),
        })
    }

    /// The player that a member of any stage is: all of them breed the same numbers.
    pub(super) fn player(&self, member: &[i32]) -> Result<Player, Failure> {
        let player = self.stages[0].space.player(&self.recipe.parent, member);
        Ok(player?)
    }

    /// What everybody and everything that games depend on looks like inside, so
    /// that a run is not gone on with against others.
    fn opponents(&self) -> Vec<String> {
        let founders = self.recipe.founders.iter();
        let mut hashes: Vec<String> = founders
            .map(|(_, player)| fingerprint(player.to_toml().as_bytes()))
            .collect();
        for stage in &self.recipe.stages {
            if let Some(settings) = stage.trial.games() {
                hashes.extend(settings.fingerprints());
            }
        }
        hashes
    }

    /// Who is measured on positions where the parent is no network of the kind bred.
    fn stand_in(&self) -> Option<StandIn> {
        let own = &self.recipe.parent.evaluator;
        let bred = self.stages[0].space.evaluator(&self.recipe.parent);
        let material = match bred {
            _ if bred == own => return None,
            AnyEvaluator::Mlp(it) => it.shape().material,
            AnyEvaluator::Graph(it) => it.frame().material,
            _ => return None,
        };
        match (material, own) {
            (true, AnyEvaluator::Material(_)) => None,
            (true, _) => Some(StandIn::Material),
            (false, _) => Some(StandIn::Nothing),
        }
    }

    /// What a reader of the results must know.
    fn warnings(&self) -> Vec<String> {
        let by_clock = |stage: &StageSettings| {
            let games = stage.trial.games();
            games.is_some_and(|it| !it.pace().is_repeatable())
        };
        let mut warnings = Vec::new();
        if self.recipe.stages.iter().any(by_clock) {
            let warning = "members were judged by games against a clock: on another machine, or \
                           on a busy one, the same seed gives another run";
            warnings.push(warning.to_owned());
        }
        if let Some(it) = self.stand_in() {
            warnings.push(format!(
                "the parent is no network of the kind that is bred: what is called its fitness on positions \
                 is that of {}; in games it plays itself",
                it.name()
            ));
        }
        warnings
    }

    /// The data sets' names and hashes, for a pedigree; of a file its name will
    /// do, for where it lies is nobody's business.
    pub(super) fn data_names(&self) -> String {
        let described = self
            .sets
            .iter()
            .map(|(name, set)| format!("{} {}", file_name(name), set.hash()));
        described.collect::<Vec<String>>().join(", ")
    }

    /// What a stage works with; it starts from the champion before it.
    pub(super) fn stage(
        &mut self,
        at: usize,
        champions: &[Finalist],
    ) -> Result<(&mut PreparedStage, Founders), Failure> {
        if let Some(champion) = champions.last() {
            let parent = self.player(&champion.weights)?;
            let space = self.space(at, &parent)?;
            if self.names[at].is_none() {
                self.stages[at].trial = self.trial(at, &parent, &space, None)?;
            }
            self.stages[at].space = space;
        }
        let founders = if champions.is_empty() {
            self.founders(at)?
        } else {
            Vec::new()
        };
        Ok((&mut self.stages[at], founders))
    }

    fn founders(&self, at: usize) -> Result<Founders, Failure> {
        let numbers = |(name, player): &(String, Player)| {
            let space = self.space(at, player)?;
            Ok((name.clone(), space.base().to_vec()))
        };
        self.recipe.founders.iter().map(numbers).collect()
    }

    /// The parent's numbers.
    pub(super) fn parent(&self) -> &[i32] {
        self.stages[0].space.base()
    }

    /// The champion of a stage among its finalists.
    pub(super) fn choose(
        &mut self,
        at: usize,
        finalists: &[Finalist],
        context: &mut JudgingContext,
    ) -> Result<Finalist, Failure> {
        let stage = &mut self.stages[at];
        let PlayerTrial::Games(trial) = &mut stage.trial else {
            return self.best_on_all(at, finalists, context.threads);
        };
        let all: Vec<MemberWeights> = finalists.iter().map(|it| it.weights.clone()).collect();
        let chosen = trial.verify(&all, context).map_err(trial_failure)?;
        let parent = || Finalist {
            generation: None,
            member: None,
            weights: stage.space.base().into(),
            score: 0.0,
        };
        let chosen = finalists.get(chosen.unwrap_or(0)).cloned();
        Ok(chosen.unwrap_or_else(parent))
    }

    /// The best finalist on all training positions of the stage.
    fn best_on_all(
        &self,
        at: usize,
        finalists: &[Finalist],
        threads: usize,
    ) -> Result<Finalist, Failure> {
        let stage = &self.stages[at];
        if let [only] = finalists {
            return Ok(only.clone());
        }
        let base = stage.space.base();
        let smaller_is_better = stage.trial.scale().smaller_is_better;
        let sign = if smaller_is_better { -1.0 } else { 1.0 };
        let mut best: Option<(f64, &Finalist)> = None;
        for finalist in finalists {
            let Some(trial) = stage.trial.positions() else {
                break;
            };
            let compared = trial.compare(base, &finalist.weights, &[], threads);
            let value = sign * compared.map_err(trial_failure)?.second;
            if best.is_none_or(|(before, _)| value > before) {
                best = Some((value, finalist));
            }
        }
        let best = best.map(|(_, finalist)| finalist.clone());
        best.ok_or_else(|| Failure::failed("the checkpoint holds no finalist"))
    }

    /// Parent and champion on the training positions and on those held out.
    pub(super) fn measure(
        &self,
        at: usize,
        champion: &[i32],
        threads: usize,
    ) -> Result<(Option<Measured>, Option<Measured>), Failure> {
        let parent = self.parent();
        let on = |trial: &PlayerTrial, games: &[u32]| -> Result<Option<Measured>, Failure> {
            let Some(positions) = trial.positions() else {
                return Ok(None);
            };
            let found = positions.compare(parent, champion, games, threads);
            let found = found.map_err(trial_failure)?;
            let ties = positions.ties(champion, threads).map_err(trial_failure)?;
            Ok(Some(Measured {
                positions: found.positions as u64,
                games: found.games as u64,
                parent: found.first,
                champion: found.second,
                interval: found.interval,
                ties,
                unit: trial.scale().unit.to_owned(),
            }))
        };
        let stage = &self.stages[at];
        let holdout = match &stage.holdout {
            Some((trial, games)) => on(trial, games)?,
            None => None,
        };
        Ok((on(&stage.trial, &stage.games)?, holdout))
    }
}

/// The parent as records name it.
fn called(recipe: &Recipe) -> String {
    if Path::new(&recipe.parent_name).is_absolute() {
        recipe.parent.name.clone()
    } else {
        recipe.parent_name.clone()
    }
}
