//! A step that trains the network which the evaluator `classic` adds to its terms.

use std::fs;
use std::sync::Arc;

use mendel_data::{DataSet, Sample};
use mendel_engine::Player;
use mendel_evaluator::AnyEvaluator;
use mendel_fitness::nnue::{Epoch, Training};
use mendel_store::fingerprint;
use mendel_store::frame::Failure;

use super::refer::StepOutputs;
use super::{Output, PipelineStep, StepRun};
use crate::games::file_name;
use crate::pedigree;
use crate::recipe::steps::{NetworkSettings, PREVIOUS};
use crate::recipe::{Misfit, require};
use crate::record::{CHAMPION, Trained};

/// Where a training stands, in the folder of its step.
const STATE: &str = "training";

impl PipelineStep for NetworkSettings {
    fn check(&self, made: &StepOutputs) -> Result<(), Misfit> {
        let named = !self.data.list().is_empty();
        require(named, "data", "names no set to learn from")?;
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

    /// Each epoch is on the disk before the next begins.
    fn run(&self, step: &StepRun) -> Result<Output, Failure> {
        // 1. Who learns from what.
        let folder = step.folder()?;
        let parent = Player::find(&step.made.player(PREVIOUS))?;
        let AnyEvaluator::Classic(terms) = &parent.evaluator else {
            return Err(Failure::failed(format!(
                "`{}` has no terms that a network could stand beside; choose a parent with the \
                 evaluator `classic`",
                parent.name
            )));
        };
        let bare = AnyEvaluator::Classic(terms.clone().with_network(None));
        let sets = step.sets(&self.data)?;
        let (mut taught, mut held): (Vec<&Sample>, Vec<&Sample>) = (Vec::new(), Vec::new());
        for set in &sets {
            for sample in &set.samples {
                let held_out = set.header.holds_out(sample.game);
                if held_out { &mut held } else { &mut taught }.push(sample);
            }
        }

        // 2. The epochs.
        let seed = step.seed(0);
        let threads = step.options.threads();
        let start = terms.network().map(Arc::as_ref);
        let how = self.training.clone();
        let mut training = Training::new(&bare, start, &taught, &held, how, seed, threads);
        let mut epochs: Vec<Epoch> = match fs::read(folder.file(STATE)) {
            Ok(bytes) => training.restore(&bytes).unwrap_or_default(),
            Err(_) => Vec::new(),
        };
        let events = step.frame.events();
        while (epochs.len() as u32) < self.training.epochs {
            step.frame.check_stop()?;
            let epoch = training.epoch(epochs.len() as u32 + 1);
            epochs.push(epoch);
            folder.write(STATE, training.save(&epochs))?;
            events.record("epoch", &epoch);
            let total = u64::from(self.training.epochs);
            events.progress("epochs", u64::from(epoch.epoch), Some(total));
        }

        // 3. The player with its network, and its family.
        let names = self.data.list();
        let recipe = format!("{}-{}", step.pipeline.recipe.name, step.name());
        let hashes: Vec<String> = sets.iter().map(DataSet::hash).collect();
        let identity = format!("{recipe}\n{seed}\n{hashes:?}\n{}", parent.to_toml());
        let run = fingerprint(identity.as_bytes());
        let mut pedigree = pedigree::of_run(&run, &recipe, seed, env!("CARGO_PKG_VERSION"));
        let data = names.iter().zip(&hashes);
        let data: Vec<String> = data
            .map(|(name, hash)| format!("{} {hash}", file_name(name)))
            .collect();
        pedigree.insert("data".into(), data.join(", ").into());
        pedigree::inherit(&mut pedigree, &[&parent]);
        let network = Arc::new(training.network());
        let player = Player {
            name: format!("{recipe}-{seed}"),
            about: format!("Trained by the recipe {recipe} with seed {seed}"),
            evaluator: AnyEvaluator::Classic(terms.clone().judging_with(network)),
            pedigree,
            ..parent.clone()
        };
        folder.write(CHAMPION, player.to_toml())?;
        Ok(Output::Network(Trained {
            folder: step.relative(),
            champion: player.name,
            positions: training.positions() as u64,
            before: training.before(),
            epochs,
        }))
    }
}
