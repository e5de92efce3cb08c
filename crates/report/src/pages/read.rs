//! The folder of a run.

use std::path::{Path, PathBuf};
use std::{fs, io};

use mendel_engine::Player;
use mendel_evolve::MemberId;
use mendel_lab::recipe::{Paper, ReportSettings};
use mendel_lab::record::manifest::Manifest;
use mendel_lab::record::{self, EXAM, Generation, Lineage, Proof, Timing};
use mendel_store::{FileError, Journal, Record};
use serde::de::DeserializeOwned;
use toml::{Table, Value};

use super::analyses::Analyses;
use super::lineage::Ancestry;
use super::paper::check_name;
use crate::analysis::exam::ExternalTestReport;
use crate::error::ReportError;

/// Maximum size of a file that is read as a whole.
const MAX_SIZE: u64 = 64 << 20;

/// A run, read from its folder. Champion and proof may be missing; a file that exists but cannot be
/// read is an error.
#[derive(Debug)]
pub struct RunRecord {
    pub folder: PathBuf,
    pub manifest: Manifest,
    /// The recipe, as text.
    pub recipe: String,
    /// The paper that the recipe repeats.
    pub paper: Option<Paper>,
    pub generations: Vec<Generation>,
    pub timings: Vec<Timing>,
    pub proof: Option<Proof>,
    pub champion: Option<Player>,
    pub ancestry: Option<Ancestry>,
    /// Results against external engines.
    pub exam: ExternalTestReport,
    /// Empty before [`with_analyses`](Self::with_analyses).
    pub analyses: Analyses,
    /// The generations, from 1, whose histograms the recipe asks for.
    pub(super) histograms: Vec<u32>,
    /// Whether each generation is judged by its own positions, so that the best of all generations
    /// is partly the luckiest.
    pub(super) own_samples: bool,
}

/// The quality of the result of a run, compared with its parent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunQuality {
    pub value: f64,
    /// The fitness of the parent, on the same positions where both were measured.
    pub parent: Option<f64>,
    /// The name of what stands for the parent.
    pub beside: &'static str,
    /// The generation of the champion.
    pub generation: Option<u32>,
    /// What it was measured on, where that must be said: [`ALL`] or [`OWN`].
    pub on: Option<&'static str>,
}

/// The champion was measured on all positions that it was bred with.
pub const ALL: &str = "all training positions";

/// The best of a generation was measured on the positions of that generation only.
pub const OWN: &str = "its own sample";

impl RunRecord {
    /// Reads the folder of a run, which may be unfinished.
    ///
    /// # Errors
    ///
    /// If the folder is not that of a run, or one of its files is broken.
    pub fn read(folder: &Path) -> Result<Self, ReportError> {
        // 1. Manifest and recipe.
        let manifest = Manifest::read(folder)?;
        let path = folder.join(record::RECIPE);
        let recipe = text_of(&path)?.unwrap_or_default();
        let table: Table = recipe.parse().map_err(broken(&path))?;
        let paper: Option<Paper> = section(&table, "paper").map_err(broken(&path))?;
        for figure in paper.iter().flat_map(|paper| &paper.figure) {
            check_name(figure).map_err(broken(&path))?;
        }
        let settings: Option<ReportSettings> = section(&table, "report").map_err(broken(&path))?;

        // 2. Generations.
        let path = folder.join(record::GENERATIONS);
        let generations: Vec<Generation> = lines_of(&path)?;
        for line in &generations {
            for found in [line.genes.len(), line.gene_means.len()] {
                if found != manifest.genes.len() {
                    return Err(ReportError::Genes {
                        path,
                        generation: line.generation,
                        found,
                        expected: manifest.genes.len(),
                    });
                }
            }
        }
        let timings = lines_of(&folder.join(Timing::FILE))?;

        // 3. Champion and proof.
        let proof = Proof::read(folder)?;
        let path = folder.join(record::CHAMPION);
        let champion = text_of(&path)?.map(|text| Player::parse(&text, "it"));
        let champion = champion.transpose().map_err(broken(&path))?;
        let mut record = Self {
            folder: folder.to_owned(),
            manifest,
            recipe,
            paper,
            generations,
            timings,
            proof,
            champion,
            ancestry: None,
            exam: ExternalTestReport::default(),
            analyses: Analyses::default(),
            histograms: settings.unwrap_or_default().histograms,
            own_samples: has_own_samples(&table),
        };

        // 4. The ancestors of the champion.
        let lineage: Vec<Lineage> = lines_of(&folder.join(record::LINEAGE))?;
        record.ancestry = record
            .champion_id()
            .and_then(|champion| Ancestry::of(champion, &lineage));

        // 5. External tests.
        let lines = lines_of(&folder.join(EXAM))?;
        let figures = record.paper.as_ref().map(|paper| paper.figure.as_slice());
        record.exam = ExternalTestReport::new(lines, figures.unwrap_or_default());
        Ok(record)
    }

    /// Adds the analyses of populations and games, which take seconds where whole generations were
    /// kept.
    ///
    /// # Errors
    ///
    /// If one of their journals cannot be read.
    pub fn with_analyses(mut self) -> Result<Self, ReportError> {
        let is_network = |line: &Generation| line.networks.is_some();
        // Weights of networks are fixed-point numbers.
        let unit = if self.generations.iter().any(is_network) {
            f64::from(mendel_evaluator::mlp::ONE)
        } else {
            1.0
        };
        self.analyses = Analyses::read(&self.folder, &self.generations, unit)?;
        Ok(self)
    }

    /// The last generation.
    pub(super) fn last(&self) -> Option<&Generation> {
        self.generations.last()
    }

    /// The generation with the best fitness of the run, the earliest of several.
    pub fn best(&self) -> Option<&Generation> {
        self.generations.iter().reduce(|best, line| {
            if self.manifest.is_better(line.best, best.best) {
                line
            } else {
                best
            }
        })
    }

    /// The best fitness that random search found with as many judgements.
    pub fn random_best(&self) -> Option<f64> {
        let mut lines = self.generations.iter().rev();
        lines.find_map(|line| line.random_best)
    }

    /// The quality of the champion on all training positions, or of the best of the generations
    /// while that is not measured.
    pub fn reached(&self) -> Option<RunQuality> {
        let best = self.best().map(|line| (line.best, line.generation));
        let mut reached = reached(&self.manifest, self.proof.as_ref(), best, self.own_samples)?;
        if reached.generation.is_none() {
            reached.generation = self.champion_id().map(|id| id.generation);
        }
        Some(reached)
    }

    /// The improvement over the parent; negative if the result is worse.
    pub fn gain(&self) -> Option<f64> {
        let it = self.reached()?;
        let sign = if self.manifest.smaller_is_better {
            -1.0
        } else {
            1.0
        };
        Some(sign * (it.value - it.parent?))
    }

    /// The champion, by its pedigree or as the best of all.
    fn champion_id(&self) -> Option<MemberId> {
        let pedigree = self.champion.as_ref().map(|player| &player.pedigree);
        let number = |key: &str| {
            let value = pedigree?.get(key)?.as_integer()?;
            u32::try_from(value).ok()
        };
        let generation = number("generation");
        if let (Some(generation), Some(member)) = (generation, number("member")) {
            return Some(MemberId { generation, member });
        }
        // Bred, but not a member: made from the whole population, or the parent itself.
        if pedigree.is_some_and(|it| it.contains_key("run")) {
            return None;
        }
        let named = generation.and_then(|generation| {
            let mut lines = self.generations.iter();
            lines.find(|line| line.generation == generation)
        });
        Some(named.or_else(|| self.best())?.best_member)
    }

    /// The recorded seconds of one kind of work.
    pub fn seconds_of(&self, what: &str) -> Option<f64> {
        let mut spent = self.timings.iter().filter(|it| it.phase == what).peekable();
        spent.peek()?;
        Some(spent.map(|timing| timing.seconds).sum())
    }

    /// The command that repeats the run.
    pub fn command(&self) -> String {
        if self.manifest.command.is_empty() {
            let Manifest { recipe, seed, .. } = &self.manifest;
            format!("mendel breed {recipe} --seed {seed}")
        } else {
            self.manifest.command.clone()
        }
    }
}

/// The quality of a run; `best` is the best fitness of all generations and its generation.
pub(crate) fn reached(
    manifest: &Manifest,
    proof: Option<&Proof>,
    best: Option<(f64, u32)>,
    own_samples: bool,
) -> Option<RunQuality> {
    if let Some(training) = proof.and_then(|proof| proof.training.as_ref()) {
        return Some(RunQuality {
            value: training.champion,
            parent: Some(training.parent),
            beside: manifest.measured_beside(),
            generation: None,
            on: Some(ALL),
        });
    }
    best.map(|(value, generation)| RunQuality {
        value,
        parent: manifest.baseline,
        beside: manifest.measured_beside(),
        generation: Some(generation),
        on: own_samples.then_some(OWN),
    })
}

/// Whether a recipe draws new positions for each generation or member.
pub(crate) fn has_own_samples(recipe: &Table) -> bool {
    let stages = recipe.get("stage").and_then(Value::as_array);
    let stages = stages.into_iter().flatten().filter_map(Value::as_table);
    let trials = std::iter::once(recipe).chain(stages);
    let trials = trials.filter_map(|stage| stage.get("trial").and_then(Value::as_table));
    trials.into_iter().any(|trial| {
        let draw = trial.get("draw").and_then(Value::as_str);
        trial.contains_key("sample") && draw != Some("never")
    })
}

/// A table of the recipe, if it exists.
fn section<T: DeserializeOwned>(recipe: &Table, name: &str) -> Result<Option<T>, String> {
    let Some(value) = recipe.get(name) else {
        return Ok(None);
    };
    let read = value.clone().try_into();
    read.map(Some)
        .map_err(|error: toml::de::Error| format!("in `[{name}]`: {}", error.message()))
}

/// Makes the error of a broken file from a reason.
pub(crate) fn broken<E: ToString>(path: &Path) -> impl FnOnce(E) -> ReportError {
    move |reason| ReportError::Broken {
        path: path.to_owned(),
        reason: reason.to_string(),
    }
}

/// The text of a file, if it exists.
pub(crate) fn text_of(path: &Path) -> Result<Option<String>, ReportError> {
    let reading = |source| ReportError::Read {
        path: path.to_owned(),
        source,
    };
    let facts = match fs::metadata(path) {
        Ok(facts) => facts,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(reading(error)),
    };
    if !facts.is_file() || facts.len() > MAX_SIZE {
        return Err(broken(path)("it is not a file of reasonable size"));
    }
    fs::read_to_string(path).map(Some).map_err(reading)
}

/// The records of a journal; none if the file does not exist yet.
pub(crate) fn lines_of<T: Record>(path: &Path) -> Result<Vec<T>, ReportError> {
    match Journal::read(path) {
        Ok(lines) => Ok(lines),
        Err(FileError::Read { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
            Ok(Vec::new())
        }
        Err(error) => Err(error.into()),
    }
}
