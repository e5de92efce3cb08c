//! The results of a sweep, as its `result.json` has them.

use serde::{Deserialize, Serialize};
use toml::Table;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SweepOutcome {
    pub unit: String,
    /// Whether less is better.
    pub smaller_is_better: bool,
    /// What the parent makes of the suite that all champions are held to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<OnSuite>,
    /// The combinations, in the order of the grid.
    pub cells: Vec<SweepCell>,
    /// Whether the matches that the recipe asks for were played. Without them the sweep is not
    /// finished if they are requested.
    #[serde(default)]
    pub matches_played: bool,
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

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SweepCell {
    pub setting: Table,
    pub seeds: Vec<u64>,
    /// What the champions reached on the positions they were bred with.
    pub finals: Vec<f64>,
    pub holdouts: Vec<f64>,
    /// The mean of `holdouts`, or of `finals` where nothing was held out.
    pub mean: f64,
    /// Its 95 % interval over the seeds (Student's t); none with one seed.
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
