//! How near evaluators come to an expert.

use serde::{Deserialize, Serialize};

use super::curve::Curve;

/// How near evaluators come to an expert.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// Where the positions and scores are from, in words.
    pub conditions: String,
    pub hash: String,
    pub positions: u64,
    pub players: Vec<Judged>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub curve: Option<Curve>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    pub player: String,
    pub all: Nearness,
    /// By part of the game, in its order.
    pub phases: Vec<Nearness>,
}

/// How near scores are to an expert's.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Nearness {
    pub name: String,
    pub positions: u64,
    /// Pearson's correlation; none where one of both says the same everywhere.
    pub correlation: Option<f64>,
    /// Its 95 % interval, by Fisher's transformation.
    pub interval: Option<[f64; 2]>,
    /// The mean distance in centipawns.
    pub error: Option<f64>,
}
