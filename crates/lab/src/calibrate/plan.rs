//! What is calibrated, and by which games: `levels.toml`.

use std::path::PathBuf;

use mendel_arena::{EntrantError, Pace, absolute_player};
use mendel_engine::{Level, StrengthTable};
use serde::{Deserialize, Serialize};

/// The plan of a calibration. It is also a table of strengths that players read while they are
/// measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CalibrationPlan {
    schema: i64,
    pub(super) calibration: CalibrationSettings,
    pub(super) level: Vec<PlannedLevel>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct CalibrationSettings {
    pub(super) player: String,
    /// Games for each two levels that meet, rounded up to pairs.
    pub(super) games: u64,
    /// Where the table goes, besides the folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) out: Option<PathBuf>,
    pub(super) ratings: Vec<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) anchor: Option<AnchorOpponent>,
}

/// A level with a number in place of its rating.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PlannedLevel {
    elo: usize,
    pub(super) nodes: u64,
    margin: i32,
    noise: i32,
    oversight: f64,
}

/// An opponent whose rating is published. Without one the level in the middle keeps its rating.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnchorOpponent {
    pub entrant: String,
    pub name: String,
    pub rating: f64,
    pub source: String,
    /// Games against the two levels nearest to it, together.
    pub games: u64,
    /// What it may use for a move; the levels use their nodes.
    pub pace: Pace,
}

/// The rating that a level has while it is measured.
pub(super) fn nominal_elo(index: usize) -> usize {
    1000 + 100 * index
}

impl CalibrationPlan {
    /// The file of the table, besides the folder.
    pub fn out(&self) -> Option<&PathBuf> {
        self.calibration.out.as_ref()
    }

    /// The levels of a player, the weakest first, with the ratings they have so far; `games` for
    /// each two levels that meet.
    pub fn new(player: impl Into<String>, levels: &[(i32, Level)], games: u64) -> Self {
        let planned = |(index, (_, level)): (usize, &(i32, Level))| PlannedLevel {
            elo: nominal_elo(index),
            nodes: level.nodes,
            margin: level.margin,
            noise: level.noise,
            oversight: level.oversight,
        };
        Self {
            schema: StrengthTable::SCHEMA,
            calibration: CalibrationSettings {
                player: player.into(),
                games,
                out: None,
                ratings: levels.iter().map(|(rating, _)| *rating).collect(),
                anchor: None,
            },
            level: levels.iter().enumerate().map(planned).collect(),
        }
    }

    #[must_use]
    pub fn with_anchor(mut self, anchor: Option<AnchorOpponent>) -> Self {
        self.calibration.anchor = anchor;
        self
    }

    #[must_use]
    pub fn with_out(mut self, out: impl Into<PathBuf>) -> Self {
        self.calibration.out = Some(out.into());
        self
    }

    pub(super) fn levels(&self) -> impl Iterator<Item = Level> {
        self.level.iter().map(|level| Level {
            nodes: level.nodes,
            margin: level.margin,
            noise: level.noise,
            oversight: level.oversight,
        })
    }

    /// The same plan with absolute paths, so that it can be resumed from any folder.
    pub(super) fn with_absolute_paths(mut self) -> Result<Self, EntrantError> {
        let settings = &mut self.calibration;
        settings.player = absolute_player(&settings.player)?;
        if let Some(anchor) = &mut settings.anchor {
            anchor.entrant = absolute_player(&anchor.entrant)?;
        }
        // The program has found that it can be written.
        settings.out = settings
            .out
            .take()
            .map(|out| std::path::absolute(&out).unwrap_or(out));
        Ok(self)
    }
}
