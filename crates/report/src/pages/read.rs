//! Everything a run's folder holds.

use std::path::{Path, PathBuf};
use std::{fs, io};

use mendel_engine::Player;
use mendel_evolve::MemberId;
use mendel_lab::recipe::{Paper, ReportSettings};
use mendel_lab::record::manifest::Manifest;
use mendel_lab::record::{self, EXAM, Generation, Lineage, Proof, Timing};
use mendel_store::{Journal, JournalError, Record};
use serde::de::DeserializeOwned;
use toml::{Table, Value};

use super::analyses::Analyses;
use super::lineage::Ancestry;
use super::paper::own_name;
use crate::analysis::exam::ExternalTestReport;
use crate::error::ReportError;

/// Files larger than this are not read as a whole.
const LARGEST: u64 = 64 << 20;

/// A run, as its folder tells it. Files that come last (champion, proof) may be
/// missing; one that is there but cannot be read is an error.
#[derive(Debug)]
pub struct RunRecord {
    /// Where it lies.
    pub folder: PathBuf,
    /// What was run.
    pub manifest: Manifest,
    /// The recipe as it was read, as text.
    pub recipe: String,
    /// What was published, if the recipe repeats a paper.
    pub paper: Option<Paper>,
    /// How each generation did.
    pub generations: Vec<Generation>,
    /// What it took.
    pub timings: Vec<Timing>,
    /// What was proved.
    pub proof: Option<Proof>,
    /// What was bred.
    pub champion: Option<Player>,
    /// Whose child the champion is.
    pub ancestry: Option<Ancestry>,
    /// How generations did against programs from elsewhere.
    pub exam: ExternalTestReport,
    /// What can be said of whole populations and of the games that judged them; nothing
    /// before [`with_analyses`](Self::with_analyses).
    pub analyses: Analyses,
    /// The generations whose histograms the recipe wants.
    pub(super) histograms: Vec<u32>,
    /// Whether each generation is judged by positions of its own, so that the best
    /// of all generations is also the luckiest.
    pub(super) own_samples: bool,
}

/// How good a run's result is, beside its parent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunQuality {
    /// The fitness.
    pub value: f64,
    /// The parent's, on the same positions where both were measured.
    pub parent: Option<f64>,
    /// Whose fitness that is, in words: usually the parent's.
    pub beside: &'static str,
    /// The generation it was bred in.
    pub generation: Option<u32>,
    /// What it was measured on: [`ALL`], [`OWN`], or nothing that needs to be said.
    pub on: Option<&'static str>,
}

/// The champion on all the positions that it was bred with.
pub const ALL: &str = "all training positions";

/// The best of a generation that was judged by positions of its own.
pub const OWN: &str = "its own sample";

impl RunRecord {
    /// Reads a run's folder. The run may still be going on.
    ///
    /// # Errors
    ///
    /// If it is not the folder of a run, or a file of it is broken.
    pub fn read(folder: &Path) -> Result<Self, ReportError> {
        // 1. What was asked for.
        let manifest = Manifest::read(folder)?;
        let path = folder.join(record::RECIPE);
        let recipe = text_of(&path)?.unwrap_or_default();
        let broken = |reason: String| ReportError::Broken {
            path: path.clone(),
            reason,
        };
        let table: Table = recipe
            .parse()
            .map_err(|error: toml::de::Error| broken(error.to_string()))?;
        let paper: Option<Paper> = section(&table, "paper").map_err(broken)?;
        for figure in paper.iter().flat_map(|paper| &paper.figure) {
            own_name(figure).map_err(broken)?;
        }
        let wishes: Option<ReportSettings> = section(&table, "report").map_err(broken)?;

        // 2. What happened.
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

        // 3. What came out.
        let proof = Proof::read(folder)?;
        let path = folder.join(record::CHAMPION);
        let champion = match text_of(&path)? {
            Some(text) => {
                let player = Player::parse(&text, "it").map_err(|error| ReportError::Broken {
                    path,
                    reason: error.to_string(),
                })?;
                Some(player)
            }
            None => None,
        };
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
            histograms: wishes.unwrap_or_default().histograms,
            own_samples: has_own_samples(&table),
        };

        // 4. Whose child the champion is.
        let lineage: Vec<Lineage> = lines_of(&folder.join(record::LINEAGE))?;
        record.ancestry = record
            .champion_id()
            .and_then(|champion| Ancestry::of(champion, &lineage));

        // 5. How generations were examined.
        let lines = lines_of(&folder.join(EXAM))?;
        let figures = record.paper.as_ref().map(|paper| paper.figure.as_slice());
        record.exam = ExternalTestReport::new(lines, figures.unwrap_or_default());
        Ok(record)
    }

    /// The same with what can be said of populations and games, which takes a moment
    /// where whole generations were kept.
    ///
    /// # Errors
    ///
    /// If one of their journals cannot be read.
    pub fn with_analyses(mut self) -> Result<Self, ReportError> {
        let is_network = |line: &Generation| line.networks.is_some();
        // Networks have their weights in parts of one.
        let unit = if self.generations.iter().any(is_network) {
            f64::from(mendel_evaluator::mlp::ONE)
        } else {
            1.0
        };
        self.analyses = Analyses::read(&self.folder, &self.generations, unit)?;
        Ok(self)
    }

    /// The line with the best fitness of the run, the earliest if several share it.
    pub fn best(&self) -> Option<&Generation> {
        self.generations.iter().reduce(|best, line| {
            if self.manifest.is_better(line.best, best.best) {
                line
            } else {
                best
            }
        })
    }

    /// What random search had found when it last ran beside.
    pub fn random_best(&self) -> Option<f64> {
        self.generations
            .iter()
            .rev()
            .find_map(|line| line.random_best)
    }

    /// What the run came to: the champion on all training positions once that is
    /// measured, until then the best of the generations.
    pub fn reached(&self) -> Option<RunQuality> {
        let best = self.best().map(|line| (line.best, line.generation));
        let mut reached = reached(&self.manifest, self.proof.as_ref(), best, self.own_samples)?;
        if reached.generation.is_none() {
            reached.generation = self.champion_id().map(|id| id.generation);
        }
        Some(reached)
    }

    /// How much better than the parent the run's result is; negative if it is worse.
    pub fn gain(&self) -> Option<f64> {
        let reached = self.reached()?;
        let difference = reached.value - reached.parent?;
        Some(if self.manifest.smaller_is_better {
            -difference
        } else {
            difference
        })
    }

    /// Who became the champion: what its pedigree says, or else the best of all.
    pub fn champion_id(&self) -> Option<MemberId> {
        let pedigree = self.champion.as_ref().map(|player| &player.pedigree);
        let number = |key: &str| {
            let value = pedigree?.get(key)?.as_integer()?;
            u32::try_from(value).ok()
        };
        let generation = number("generation");
        if let (Some(generation), Some(member)) = (generation, number("member")) {
            return Some(MemberId { generation, member });
        }
        // Bred, but none of the members: what a breeder made of them all, or the
        // parent itself.
        if pedigree.is_some_and(|it| it.contains_key("run")) {
            return None;
        }
        let named = generation.and_then(|generation| {
            let mut lines = self.generations.iter();
            lines.find(|line| line.generation == generation)
        });
        Some(named.or_else(|| self.best())?.best_member)
    }

    /// The seconds spent on one kind of work, if any were written down.
    pub fn seconds_of(&self, what: &str) -> Option<f64> {
        let mut spent = self
            .timings
            .iter()
            .filter(|timing| timing.phase == what)
            .peekable();
        spent.peek()?;
        Some(spent.map(|timing| timing.seconds).sum())
    }

    /// What to type to run it again.
    pub fn command(&self) -> String {
        if self.manifest.command.is_empty() {
            let Manifest { recipe, seed, .. } = &self.manifest;
            format!("mendel breed {recipe} --seed {seed}")
        } else {
            self.manifest.command.clone()
        }
    }
}

/// What a run came to, as far as its files say; `best` is the best of all
/// generations with the generation that had it.
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
    let (value, generation) = best?;
    Some(RunQuality {
        value,
        parent: manifest.baseline,
        beside: manifest.measured_beside(),
        generation: Some(generation),
        on: own_samples.then_some(OWN),
    })
}

/// Whether a recipe draws positions for each generation or member anew.
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

/// A table of the recipe; `None` if there is none.
fn section<T: DeserializeOwned>(recipe: &Table, name: &str) -> Result<Option<T>, String> {
    let Some(value) = recipe.get(name) else {
        return Ok(None);
    };
    let read = value.clone().try_into();
    read.map(Some)
        .map_err(|error: toml::de::Error| format!("in `[{name}]`: {}", error.message()))
}

/// A text file of the folder; `None` if there is none.
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
    if !facts.is_file() || facts.len() > LARGEST {
        return Err(ReportError::Broken {
            path: path.to_owned(),
            reason: "it is not a file of reasonable size".to_owned(),
        });
    }
    fs::read_to_string(path).map(Some).map_err(reading)
}

/// The lines of a journal; none if it is not there yet.
pub(crate) fn lines_of<T: Record>(path: &Path) -> Result<Vec<T>, ReportError> {
    match Journal::read(path) {
        Ok(lines) => Ok(lines),
        Err(JournalError::Read { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
            Ok(Vec::new())
        }
        Err(error) => Err(error.into()),
    }
}
