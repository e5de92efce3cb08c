//! A step that breeds the network beside the terms of the player at hand.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use mendel_data::{DataSet, Sample};
use mendel_engine::Player;
use mendel_evaluator::AnyEvaluator;
use mendel_fitness::nnue::{Epoch, Training};
use mendel_store::{fingerprint, replace};
use toml::Table;

use mendel_store::frame::Failure;

use super::PipelineExecutor;
use super::error::StepError;
use super::refer::{Made, folder_of, seed_of};
use crate::pedigree;
use crate::recipe::steps::{NetworkSettings, PREVIOUS, Settings, Turn};
use crate::record::{CHAMPION, Trained};

/// Where a training stands, in the folder of its step.
const STATE: &str = "training";

impl NetworkSettings {
    pub(super) fn check(&self, made: &Made) -> Result<(), (&'static str, String)> {
        if self.data.clone().list().is_empty() {
            return Err(("data", "names no set to learn from".to_owned()));
        }
        self.training.check()?;
        let parent = made.player(PREVIOUS);
        let player = Player::find(&parent).map_err(|error| ("", error.to_string()))?;
        let evaluator = player.used_evaluator();
        match evaluator.map_err(|error| ("", error.to_string()))? {
            AnyEvaluator::Classic(_) => Ok(()),
            other => Err((
                "",
                format!(
                    "only the evaluator `classic` has room for a network, and `{parent}` has `{}`",
                    other.kind()
                ),
            )),
        }
    }
}

impl PipelineExecutor<'_> {
    /// The training of a step: gone on with from its last epoch. `None` if it was
    /// stopped.
    pub(super) fn train(
        &self,
        settings: &Settings,
        turn: Turn,
        step: &NetworkSettings,
        made: &Made,
    ) -> Result<Option<Trained>, Failure> {
        // 1. Who learns from what.
        let relative = folder_of(settings, turn);
        self.make_folder(&relative)?;
        let folder = self.folder.join(&relative);
        let parent = Player::find(&made.player(PREVIOUS))?;
        let AnyEvaluator::Classic(terms) = &parent.evaluator else {
            return Err(StepError::NoTerms {
                player: parent.name,
            }
            .into());
        };
        let bare = AnyEvaluator::Classic(terms.clone().with_network(None));
        let names = step.data.clone().list();
        let sets = names
            .iter()
            .map(|name| DataSet::find(&made.set(name)))
            .collect::<Result<Vec<DataSet>, _>>()?;
        let (mut taught, mut held): (Vec<&Sample>, Vec<&Sample>) = (Vec::new(), Vec::new());
        for set in &sets {
            for sample in &set.samples {
                let held_out = set.header.holds_out(sample.game);
                if held_out { &mut held } else { &mut taught }.push(sample);
            }
        }

        // 2. The epochs, each written down before the next.
        let seed = seed_of(self.seed, turn, 0);
        let threads = self.options.threads();
        let start = terms.network().map(Arc::as_ref);
        let how = step.training.clone();
        let mut training = Training::new(&bare, start, &taught, &held, how, seed, threads);
        let file = folder.join(STATE);
        let mut epochs: Vec<Epoch> = match fs::read(&file) {
            Ok(bytes) => training.restore(&bytes).unwrap_or_default(),
            Err(_) => Vec::new(),
        };
        while (epochs.len() as u32) < step.training.epochs {
            if self.frame.check_stop().is_err() {
                return Ok(None);
            }
            let epoch = training.epoch(epochs.len() as u32 + 1);
            epochs.push(epoch);
            replace(&file, &training.save(&epochs))?;
            let epochs = step.training.epochs;
            let done = u64::from(epoch.epoch);
            self.frame.events().record("epoch", &epoch);
            self.frame
                .events()
                .progress("epochs", done, Some(u64::from(epochs)));
        }

        // 3. The player with its network, and its family.
        let name = &settings.steps[turn.step].name;
        let network = training.network();
        let player = self.with_network(&parent, (&names, &sets), name, seed, network);
        replace(&folder.join(CHAMPION), player.to_toml().as_bytes())?;
        Ok(Some(Trained {
            folder: relative.to_string_lossy().into_owned(),
            champion: player.name,
            positions: training.positions() as u64,
            before: training.before(),
            epochs,
        }))
    }

    fn with_network(
        &self,
        parent: &Player,
        (names, sets): (&[String], &[DataSet]),
        step: &str,
        seed: u64,
        network: mendel_evaluator::Network,
    ) -> Player {
        let recipe = format!("{}-{step}", self.recipe.name);
        let hashes: Vec<String> = sets.iter().map(DataSet::hash).collect();
        let identity = format!("{recipe}\n{seed}\n{hashes:?}\n{}", parent.to_toml());
        let mut pedigree = Table::new();
        pedigree.insert("run".into(), fingerprint(identity.as_bytes()).into());
        pedigree.insert("recipe".into(), recipe.clone().into());
        pedigree.insert("seed".into(), seed.to_string().into());
        pedigree.insert("version".into(), env!("CARGO_PKG_VERSION").into());
        // A file by its name alone: the folder is of no use elsewhere.
        let short = |name: &String| Path::new(name).file_name().map(OsStr::to_owned);
        let data = names.iter().zip(&hashes).map(|(name, hash)| {
            let name = short(name).unwrap_or_default();
            format!("{} {hash}", name.to_string_lossy())
        });
        let data: Vec<String> = data.collect();
        pedigree.insert("data".into(), data.join(", ").into());
        pedigree::inherit(&mut pedigree, &[parent]);
        let evaluator = match &parent.evaluator {
            AnyEvaluator::Classic(terms) => {
                AnyEvaluator::Classic(terms.clone().judging_with(Arc::new(network)))
            }
            other => other.clone(),
        };
        Player {
            name: format!("{recipe}-{seed}"),
            about: format!("Trained by the recipe {recipe} with seed {seed}"),
            evaluator,
            pedigree,
            ..parent.clone()
        }
    }
}
