//! Rounds of a tuning and pairs that were left out.

use std::path::Path;

use mendel_evolve::tuners::Outcome;
use mendel_store::Record;
use mendel_store::frame::Folder;
use serde::{Deserialize, Serialize};

use super::tune_param::Infeasible;
use super::tune_plan::TunePlan;
use super::tune_result::Validation;

/// A line of `rounds.jsonl`: what the tuner asked for, and what it would propose then.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TunedRound {
    /// Counted from 0.
    pub round: u32,
    pub games: u64,
    pub duels: Vec<TunedDuel>,
    /// What it proposes now, a value for each parameter.
    pub proposal: Vec<i64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TunedDuel {
    pub first: Vec<i64>,
    pub second: Vec<i64>,
    pub outcome: Outcome,
}

impl Record for TunedRound {
    const VERSION: u32 = 1;
}

/// A pair in which the start failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Where the second try began.
    pub opening: String,
    /// Which game of that pair, from 1.
    pub game: u32,
    pub reason: String,
}

/// The part of a tuning's checkpoint that a page shows.
#[derive(Deserialize)]
struct Progress {
    curve: Vec<Validation>,
    infeasible: Vec<Infeasible>,
}

/// Reads the validations of a tuning that is not finished, and the values found not to work,
/// from its last checkpoint.
pub fn tune_progress(folder: &Path, plan: &TunePlan) -> (Vec<Validation>, Vec<Infeasible>) {
    let progress = Folder::at(folder).read_checkpoint::<Progress>();
    progress.ok().flatten().map_or_else(
        || (Vec::new(), plan.infeasible.clone()),
        |it| (it.curve, it.infeasible),
    )
}
