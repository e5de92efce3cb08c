//! The plan of a tuning, as `tune.toml` has it.

use std::path::PathBuf;

use mendel_arena::{Adjudication, Pace, Patience, SprtPlan};
use mendel_evolve::tuners::TunerPlan;
use serde::{Deserialize, Serialize};

use super::tune_param::{Aside, Infeasible, Param};

/// `tune.toml`: everything that decides which games are played. The same plan gives
/// the same tuning where the pace is one of nodes or depth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct TunePlan {
    pub version: String,
    /// The engine as it starts, as on the command line but with absolute paths.
    pub engine: String,
    /// A hash of its program or player file, where that can be read; part of the id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine_hash: Option<String>,
    pub seed: u64,
    /// Games in all before the proof: those of the tuner and of the validations.
    pub games: u64,
    /// How many times the proposal of the moment meets the start.
    pub validations: u32,
    pub validation_games: u64,
    /// The most games of the proof, unless others are requested when it is played.
    pub proof_games: u64,
    /// Pairs that a round of the tuner should have at least.
    pub batch: u32,
    /// A file of openings; without it the program's own book.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub openings: Option<PathBuf>,
    /// A hash of that file; part of the id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub openings_hash: Option<String>,
    pub pace: Pace,
    /// The test of the proposal against the start.
    pub sprt: SprtPlan,
    pub patience: Patience,
    pub adjudication: Adjudication,
    pub tuner: TunerPlan,
    #[serde(rename = "param")]
    pub params: Vec<Param>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aside: Vec<Aside>,
    /// Where the engine failed before the first game.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub infeasible: Vec<Infeasible>,
    #[serde(default, rename = "limit", skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<Limit>,
}

/// The bounds that the engine itself has for an option.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limit {
    pub name: String,
    /// The least value that it takes.
    pub low: i64,
    pub high: i64,
}
