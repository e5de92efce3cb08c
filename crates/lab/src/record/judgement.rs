//! How near evaluators come to an expert.

use serde::{Deserialize, Serialize};

use super::curve::Curve;

/// How near evaluators come to an expert.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// Where the positions and scores are from, in words.
    pub conditions: String,
    /// A hash of the sets.
    pub hash: String,
    /// How many positions.
    pub positions: u64,
    /// What each player came to, in the order of the players.
    pub players: Vec<Judged>,
    /// The result along a number of the players.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub curve: Option<Curve>,
    /// What a reader must know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// What one evaluator came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// Whose.
    pub player: String,
    /// All positions.
    pub all: Nearness,
    /// By part of the game, in its order.
    pub phases: Vec<Nearness>,
}

/// How near scores are to an expert's.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Nearness {
    /// Which positions.
    pub name: String,
    /// How many.
    pub positions: u64,
    /// Pearson's correlation; none where one of both says the same everywhere.
    pub correlation: Option<f64>,
    /// Its 95 % interval, by Fisher's transformation.
    pub interval: Option<[f64; 2]>,
    /// The mean distance in centipawns.
    pub error: Option<f64>,
}
