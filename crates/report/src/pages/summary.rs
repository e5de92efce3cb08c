//! A run as data, for `--json`.

use mendel_lab::record::Proof;
use mendel_lab::record::manifest::Data;
use serde::Serialize;

use super::genes::GeneRow;
use super::lineage::Ancestry;
use super::read::RunRecord;
use crate::analysis::exam::Examined;
use crate::metrics::PaperComparison;

/// The contents of the page, as data.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunSummary {
    pub id: String,
    pub recipe: String,
    pub seed: u64,
    pub version: String,
    pub command: String,
    pub parent: String,
    pub data: Vec<Data>,
    pub unit: String,
    pub smaller_is_better: bool,
    pub generations: usize,
    /// Judgements of single members.
    pub judgements: u64,
    /// The fitness of the parent.
    pub baseline: Option<f64>,
    /// The fitness of the champion on all training positions, or the best of the generations while
    /// that is not measured.
    pub best: Option<f64>,
    /// What `best` was measured on, where that must be said.
    pub best_on: Option<&'static str>,
    pub best_generation: Option<u32>,
    /// The mean fitness of the last generation.
    pub mean: Option<f64>,
    /// Whether and when one genome took over, as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub takeover: Option<String>,
    /// The best of random search with as many judgements.
    pub random_best: Option<f64>,
    /// Wall-clock seconds of the generations.
    pub seconds: Option<f64>,
    /// `proved …`, `not proved`, or `None` without a proof.
    pub verdict: Option<String>,
    pub proof: Option<Proof>,
    /// Results against external engines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exam: Vec<Examined>,
    /// Published figures with ours.
    pub paper: Vec<PaperComparison>,
    pub genes: Vec<GeneRow>,
    pub ancestry: Option<Ancestry>,
    pub warnings: Vec<String>,
}

impl RunRecord {
    pub fn summary(&self) -> RunSummary {
        let manifest = &self.manifest;
        let reached = self.reached();
        let last = self.last();
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
