//! Where a data set comes from.

use serde::{Deserialize, Serialize};

use super::mix;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Positions with the static score of an expert.
    Quiet,
    /// Positions with the best move of an expert.
    Moves,
    /// Positions with the result of the game.
    Selfplay,
    /// What others have gathered.
    Imported,
}

impl Kind {
    /// As the command line and the header write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Quiet => "quiet",
            Self::Moves => "moves",
            Self::Selfplay => "selfplay",
            Self::Imported => "imported",
        }
    }
}

/// Who gave the labels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelSource {
    /// What it calls itself, such as `Stockfish 15.1`.
    pub name: String,
    /// What was asked: `classical static evaluation`, `50000 nodes a position` …
    pub asked: String,
}

/// The first part of a data file: what is in it and how it came about. Nothing in
/// it comes from a clock, so that the same command gives the same file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DataSetHeader {
    /// What the set is for.
    pub kind: Kind,
    pub description: String,
    pub made_by: String,
    pub version: String,
    /// The seed of everything that was left to chance.
    pub seed: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expert: Option<LabelSource>,
    /// The expert's centipawns were multiplied by this.
    pub scale: f64,
    /// The share of games that are held out.
    pub hold_out: f64,
    /// How it is decided which; there is one rule so far, see
    /// [`holds_out`](Self::holds_out).
    pub split: String,
    pub positions: u64,
    pub games: u64,
}

/// The rule by which games are held out.
pub(super) const SPLIT: &str = "splitmix64 of the game's number";

impl DataSetHeader {
    /// The share of games that are held out by default.
    pub const HOLD_OUT: f64 = 0.2;

    /// A header for a set that is to be filled.
    pub fn new(kind: Kind, description: impl Into<String>) -> Self {
        Self {
            kind,
            description: description.into(),
            made_by: String::new(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            seed: 0,
            expert: None,
            scale: 1.0,
            hold_out: Self::HOLD_OUT,
            split: SPLIT.to_owned(),
            positions: 0,
            games: 0,
        }
    }

    /// Whether the positions of this game are held out.
    pub fn holds_out(&self, game: u32) -> bool {
        // 53 bits are what a float holds exactly.
        let chance = (mix(u64::from(game)) >> 11) as f64 / (1_u64 << 53) as f64;
        chance < self.hold_out
    }

    /// What is wrong with a header that was read, if anything.
    pub(super) fn fault(&self) -> Option<String> {
        if !(0.0..=1.0).contains(&self.hold_out) {
            return Some(format!("hold_out is {}, not a share", self.hold_out));
        }
        if !self.scale.is_finite() {
            return Some(format!("scale is {}", self.scale));
        }
        if self.split != SPLIT {
            return Some(format!("the split rule `{}` is not known", self.split));
        }
        None
    }
}
