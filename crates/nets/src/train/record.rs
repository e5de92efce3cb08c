//! What is written down while a network learns.

use std::collections::BTreeMap;
use std::path::PathBuf;

use mendel_store::Record;
use serde::{Deserialize, Serialize};

/// The kind of a training, as its manifest has it.
pub const KIND: &str = "train";
/// The form of the files in its folder.
pub const SCHEMA: u32 = 1;
/// The plan: the recipe.
pub const RECIPE: &str = "recipe.toml";
/// The [`Evaluation`]s of a training.
pub const EVALUATIONS: &str = "epochs.jsonl";
/// The record of the events that has a [`TrainingStart`].
pub const START: &str = "training";
/// The record of the events that has an [`Evaluation`].
pub const EVALUATION: &str = "evaluation";
/// The record of the events that has a [`TrainProgress`].
pub const STEP: &str = "step";

/// Where a network learns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ComputeDevice {
    /// The processor.
    #[default]
    Cpu,
    /// The first GPU.
    Cuda,
}

/// `[facts]` of the manifest: what decides the result besides the recipe and the seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct TrainingFacts {
    pub files: Vec<PathBuf>,
    /// The training whose network it begins with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<PathBuf>,
    pub device: ComputeDevice,
    pub threads: usize,
    /// A sentence about the data, and their fingerprint.
    pub data: String,
    pub fingerprint: String,
}

/// The beginning of the work of a process on a network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct TrainingStart {
    /// Weights and biases of the network.
    pub numbers: usize,
    /// A sentence about what it learns from.
    pub data: String,
    /// Steps that were done before.
    pub step: u64,
    /// Numbers of the network that it begins with; 0 without one, and on resume.
    pub taken: usize,
}

/// The progress of a training since the last record of this kind; `loss` is the mean since the
/// last evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct TrainProgress {
    pub step: u64,
    /// Rounds through the data.
    pub epoch: u64,
    pub loss: f64,
    pub rate: f64,
    pub positions_per_second: f64,
    /// The share of the time spent waiting for data.
    pub waiting: f64,
    /// Seconds of learning so far.
    pub seconds: f64,
}

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

/// The outcome of a training, as `result.json` has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum TrainingOutcome {
    /// Of a recipe without a grid.
    Network(TrainedNetwork),
    Grid(TrainedGrid),
}

impl TrainingOutcome {
    pub fn network(self) -> Option<TrainedNetwork> {
        match self {
            Self::Network(network) => Some(network),
            Self::Grid(_) => None,
        }
    }
}

/// The networks of a grid, in its order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainedGrid {
    pub cells: Vec<GridCell>,
}

/// A network that was trained to its end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct TrainedNetwork {
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

/// One network of a grid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GridCell {
    /// Also the name of its folder, which has a training of its own.
    pub name: String,
    /// `None` if its loss was not a number any more.
    pub outcome: Option<TrainedNetwork>,
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
