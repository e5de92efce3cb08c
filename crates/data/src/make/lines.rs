//! The lines of the journals, which are removed when the set is complete.

use std::time::Duration;

use mendel_store::{Record, Sync};
use serde::{Deserialize, Serialize};

/// What was drawn from games.
pub(super) const GAMES: &str = "games.jsonl";

/// What the expert labelled.
pub(super) const LABELS: &str = "labels.jsonl";

/// Lines come faster than a disk confirms them, and a lost second is soon made up.
pub(super) const SYNC: Sync = Sync::Every(Duration::from_secs(1));

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct GameLine {
    pub(super) game: u64,
    /// As PGN writes it.
    pub(super) result: String,
    pub(super) drawn: Vec<Drawn>,
}

/// A position drawn from a game, with what its player thought.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Drawn {
    pub(super) fen: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) score: Option<i16>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) best: Option<String>,
}

impl Record for GameLine {}

/// A line of `labels.jsonl`: what the expert says of one position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct LabelLine {
    /// The position's place among those drawn.
    pub(super) index: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) score: Option<i16>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) best: Option<String>,
}

impl Record for LabelLine {}
