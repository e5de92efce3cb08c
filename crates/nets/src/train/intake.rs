//! What a network learns from, as a recipe says it.

use mendel_evaluator::vision::View;
use serde::{Deserialize, Serialize};

use crate::stream::{Pick, Split};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct DataSettings {
    pub kind: DataKind,
    #[serde(default)]
    pub files: Vec<String>,
    #[serde(default)]
    pub split: Split,
    #[serde(default)]
    pub min_rating: u16,
    #[serde(default = "any_rating")]
    pub max_rating: u16,
    #[serde(default)]
    pub min_moves: u16,
    #[serde(default)]
    pub skip_plies: u16,
    #[serde(default)]
    pub pick: Pick,
    #[serde(default = "mixed_blocks")]
    pub mixed_blocks: usize,
    /// The score of a mate and the largest one, in centipawns.
    #[serde(default = "largest_score")]
    pub largest_score: u16,
    /// In what unit scores are learnt.
    #[serde(default)]
    pub unit: Unit,
    /// Whether half of the positions with scores are learnt from with their files from h
    /// to a, where neither side may castle any more.
    #[serde(default)]
    pub mirror: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DataKind {
    Games,
    /// Positions with scores as lines `FEN,centipawns`, from White's side.
    Scores,
}

/// The unit of scores while they are learnt. The file always answers in pawns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Distances from the mean, in standard deviations of the training part.
    #[default]
    ZScore,
    Pawns,
}

impl DataSettings {
    pub(crate) fn check(&self, view: View) -> Result<(), String> {
        if self.largest_score == 0 {
            return Err("`data.largest-score` must be at least 1".to_owned());
        }
        if self.mirror && (self.kind == DataKind::Games || view.planes() == 0) {
            let reason = "`data.mirror` is for scores and views of planes; leave it out";
            return Err(reason.to_owned());
        }
        Ok(())
    }
}

fn any_rating() -> u16 {
    u16::MAX
}

fn mixed_blocks() -> usize {
    crate::stream::Settings::default().mixed_blocks
}

fn largest_score() -> u16 {
    2500
}
