//! What the words of a step mean: champions and sets of steps before it.

use std::path::{Path, PathBuf};

use crate::recipe::steps::{PARENT, PREVIOUS, Settings, StepKind, Turn};

/// The outputs of the steps so far, each by the name of its step.
#[derive(Clone, Debug, Default)]
pub(super) struct StepOutputs {
    /// The player that the pipeline starts from, as the recipe names it.
    pub(super) parent: String,
    /// The champions of the steps that bred: all of them, and which is the best.
    champions: Vec<(String, Vec<String>, usize)>,
    drawn: Vec<(String, Vec<String>)>,
    sets: Vec<(String, String)>,
}

impl StepOutputs {
    pub(super) fn new(parent: &str) -> Self {
        Self {
            parent: parent.to_owned(),
            ..Self::default()
        }
    }

    /// A step has bred these; `best` is its champion.
    pub(super) fn bred(&mut self, step: &str, champions: Vec<String>, best: usize) {
        if !champions.is_empty() {
            self.champions.push((step.to_owned(), champions, best));
        }
    }

    pub(super) fn drawn(&mut self, step: &str, players: Vec<String>) {
        self.drawn.push((step.to_owned(), players));
    }

    pub(super) fn gathered(&mut self, step: &str, set: String) {
        self.sets.push((step.to_owned(), set));
    }

    pub(super) fn has_champion(&self) -> bool {
        !self.champions.is_empty()
    }

    pub(super) fn champion(&self) -> Option<&str> {
        let (_, champions, best) = self.champions.last()?;
        champions.get(*best).map(String::as_str)
    }

    /// The player that a word means: a step's champion, or whom it names.
    pub(super) fn player(&self, word: &str) -> String {
        match word {
            PREVIOUS => self.champion().unwrap_or(&self.parent).to_owned(),
            PARENT => self.parent.clone(),
            _ => match self.of(word) {
                Some((_, champions, best)) => champions[*best].clone(),
                None => word.to_owned(),
            },
        }
    }

    /// All the players that a word means: of a step with several runs all its
    /// champions, of one that drew some all of these.
    pub(super) fn players(&self, word: &str) -> Vec<String> {
        let mut drawn = self.drawn.iter().rev();
        if let Some((_, players)) = drawn.find(|(step, _)| step == word) {
            return players.clone();
        }
        match self.of(word) {
            Some((_, champions, _)) => champions.clone(),
            None => vec![self.player(word)],
        }
    }

    /// The set that a word means: a step's, or the one it names.
    pub(super) fn set(&self, word: &str) -> String {
        let made = self.sets.iter().rev().find(|(step, _)| step == word);
        made.map_or(word, |(_, set)| set).to_owned()
    }

    fn of(&self, step: &str) -> Option<&(String, Vec<String>, usize)> {
        self.champions
            .iter()
            .rev()
            .find(|(name, _, _)| name == step)
    }
}

/// The folder of a step in that of its pipeline, such as `steps/02-search`.
pub(super) fn folder_of(settings: &Settings, turn: Turn) -> PathBuf {
    let name = &settings.steps[turn.step].name;
    Path::new("steps").join(format!("{:02}-{name}", turn.number))
}

/// The folders of the runs of a breeding step, within that of the pipeline: the
/// step's own, or one in it for each of several runs.
pub(super) fn run_folders(settings: &Settings, turn: Turn) -> Vec<PathBuf> {
    let folder = folder_of(settings, turn);
    match &settings.steps[turn.step].what {
        StepKind::Breed(it) if it.runs > 1 => (1..=it.runs)
            .map(|run| folder.join(format!("{run:02}")))
            .collect(),
        _ => vec![folder],
    }
}

/// The random seed of a step: the pipeline's own seed, then two digits for the step and two
/// for the run.
pub(super) fn seed_of(seed: u64, turn: Turn, run: usize) -> u64 {
    // Larger numbers do not fit into every file.
    (seed % 100_000_000_000) * 10_000 + turn.number as u64 * 100 + run as u64
}
