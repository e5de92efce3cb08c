//! What is written down while a network learns.

use std::collections::BTreeMap;

use mendel_store::Record;
use serde::{Deserialize, Serialize};

/// What must be known to resume a training, beside the recipe and the checkpoint.
pub const MANIFEST: &str = "manifest.toml";
pub const RECIPE: &str = "recipe.toml";
/// The [`Evaluation`]s of a training.
pub const EVALUATIONS: &str = "epochs.jsonl";
pub const RESULT: &str = "result.json";

/// A line of `epochs.jsonl`: how a network stood when the validation part was asked.
/// Nothing in it comes from a clock.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Evaluation {
    pub step: u64,
    /// Positions learnt from.
    pub positions: u64,
    /// Rounds through the data, the last one in part.
    pub epoch: f64,
    /// The learning rate of the last step.
    pub rate: f64,
    pub loss: f64,
    pub validation_loss: f64,
    pub best: bool,
    /// Figures of the validation part by name.
    pub figures: BTreeMap<String, f64>,
}

impl Record for Evaluation {}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Timing {
    pub step: u64,
    /// Seconds of learning so far.
    pub seconds: f64,
    /// Positions a second since the last line, evaluations left out.
    pub positions_per_second: f64,
    /// The share of that time spent waiting for data.
    pub waiting: f64,
}

impl Record for Timing {}

/// The end of a training, as `result.json` has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Outcome {
    pub name: String,
    pub steps: u64,
    /// The step whose network was kept.
    pub best_step: u64,
    /// Its loss on the validation part.
    pub validation_loss: f64,
    /// Its loss on the test part.
    pub test_loss: f64,
    /// Positions of the test part.
    pub test_positions: u64,
    /// Figures of the test part by name.
    pub test: BTreeMap<String, f64>,
    /// Published figures by the same names.
    pub paper: BTreeMap<String, f64>,
    pub numbers: usize,
    pub end: End,
    pub file: String,
}

/// What came of a network of a grid.
#[derive(Clone, Debug)]
pub struct GridCell {
    /// What it is called, which is also its folder's name.
    pub name: String,
    /// How it learnt.
    pub evaluations: Vec<Evaluation>,
    /// What came of it; `None` if its loss was no number any more.
    pub outcome: Option<Outcome>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// All steps or epochs are done.
    Done,
    /// Nothing became better for long enough.
    Patience,
    /// The time is over.
    Time,
}

impl End {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Done => "all steps done",
            Self::Patience => "nothing became better any more",
            Self::Time => "the time was over",
        }
    }
}
