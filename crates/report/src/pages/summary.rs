//! A run for programs: what `--json` prints.

use mendel_lab::record::Proof;
use mendel_lab::record::manifest::Data;
use serde::Serialize;

use super::genes::GeneRow;
use super::lineage::Ancestry;
use super::paper::PaperComparison;
use super::read::RunRecord;
use crate::analysis::exam::Examined;

/// What the page says, as data.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunSummary {
    /// The run's id.
    pub id: String,
    /// The recipe's name.
    pub recipe: String,
    /// What chance began from.
    pub seed: u64,
    /// The version of the program that ran it.
    pub version: String,
    /// What to type to run it again.
    pub command: String,
    /// The player it started from.
    pub parent: String,
    /// What it was judged on.
    pub data: Vec<Data>,
    /// The unit of the fitness.
    pub unit: String,
    /// Whether a smaller fitness is better.
    pub smaller_is_better: bool,
    /// How many generations are written down.
    pub generations: usize,
    /// How many single judgements they took.
    pub judgements: u64,
    /// The parent's fitness.
    pub baseline: Option<f64>,
    /// The champion's on all training positions once that is measured, until then
    /// the best of the generations.
    pub best: Option<f64>,
    /// What it was measured on, where that needs to be said.
    pub best_on: Option<&'static str>,
    /// The generation that had it first.
    pub best_generation: Option<u32>,
    /// The mean of the last generation.
    pub mean: Option<f64>,
    /// Whether and when one genome took over, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub takeover: Option<String>,
    /// What random search had found with as many judgements.
    pub random_best: Option<f64>,
    /// Seconds spent on generations, as the clock gave them.
    pub seconds: Option<f64>,
    /// `proved …`, `not proved`, or `None` while there is no proof.
    pub verdict: Option<String>,
    /// Hold-out and matches.
    pub proof: Option<Proof>,
    /// How generations did against programs from elsewhere.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exam: Vec<Examined>,
    /// Published figures with ours.
    pub paper: Vec<PaperComparison>,
    /// The genes.
    pub genes: Vec<GeneRow>,
    /// The champion's ancestors.
    pub ancestry: Option<Ancestry>,
    /// What must not be overlooked.
    pub warnings: Vec<String>,
}

impl RunRecord {
    /// The run for programs.
    pub fn summary(&self) -> RunSummary {
        let manifest = &self.manifest;
        let reached = self.reached();
        let last = self.generations.last();
        let genes = self.genes();
        RunSummary {
            id: manifest.id.clone(),
            recipe: manifest.recipe.clone(),
            seed: manifest.seed,
            version: manifest.version.clone(),
            command: self.command(),
            parent: manifest.parent.clone(),
            data: manifest.data.clone(),
            unit: manifest.unit.clone(),
            smaller_is_better: manifest.smaller_is_better,
            generations: self.generations.len(),
            judgements: last.map_or(0, |line| line.judgements),
            baseline: reached.and_then(|it| it.parent).or(manifest.baseline),
            best: reached.map(|it| it.value),
            best_on: reached.and_then(|it| it.on),
            best_generation: reached.and_then(|it| it.generation),
            mean: last.map(|line| line.mean),
            takeover: self.takeover(),
            random_best: self.random_best(),
            seconds: self.seconds_of("generation"),
            verdict: self.proof.as_ref().map(|proof| proof.verdict.clone()),
            proof: self.proof.clone(),
            exam: self.exam.all(),
            paper: self.comparisons(),
            warnings: self.warnings_with(&genes),
            genes,
            ancestry: self.ancestry.clone(),
        }
    }
}
