//! A match, complete: what is written to `match.toml` before a game is played.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::statistics::{EloModel, Sprt, SprtError};
use crate::{Adjudication, Format, OpeningSetting, Pace, Patience};

/// Everything that decides which games are played and when they end. The same
/// plan gives the same schedule; at fixed nodes or depth, the same games.
///
/// How many games run at once is not part of it: it changes nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The version of the program that made the plan.
    pub version: String,
    /// What PGN calls the event.
    pub event: String,
    /// The players, as on the command line.
    pub players: Vec<String>,
    /// Who meets whom.
    #[serde(default)]
    pub format: Format,
    /// Games for each two that meet, rounded up to pairs.
    pub games: u64,
    /// A file of openings; without it the program's own book.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub openings: Option<PathBuf>,
    /// A table of opening names for the PGN.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub names: Option<PathBuf>,
    /// Whose rating is known, in a pool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<(String, f64)>,
    /// Where the match was begun: paths in it are meant from there.
    #[serde(default)]
    pub directory: PathBuf,
    /// After so many misdeeds of one player the match stops.
    #[serde(default = "default_faults")]
    pub most_faults: u64,
    /// Whether the last position of each game is written as EPD.
    #[serde(default)]
    pub final_positions: bool,
    /// What the players, the files and the program were when the match began;
    /// filled when the plan is checked.
    #[serde(default)]
    pub fingerprints: BTreeMap<String, String>,
    /// What a move may use.
    pub pace: Pace,
    /// How openings are taken and ordered; holds the seed.
    #[serde(default)]
    pub opening: OpeningSetting,
    /// How exactly time is taken.
    #[serde(default)]
    pub patience: Patience,
    /// What stops a game early.
    #[serde(default)]
    pub adjudication: Adjudication,
    /// When enough has been played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtPlan>,
}

/// A sequential test as it is written down.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SprtPlan {
    /// Elo of the hypothesis to be rejected.
    pub elo0: f64,
    /// Elo of the hypothesis to be proved.
    pub elo1: f64,
    /// The chance to accept a change that is none.
    #[serde(default = "default_error")]
    pub alpha: f64,
    /// The chance to reject a change that is one.
    #[serde(default = "default_error")]
    pub beta: f64,
    /// What the bounds are measured in.
    pub model: EloModel,
}

fn default_faults() -> u64 {
    Plan::MOST_FAULTS
}

fn default_error() -> f64 {
    SprtPlan::ERROR
}

impl SprtPlan {
    /// The usual chance of either error.
    pub const ERROR: f64 = 0.05;

    /// The test itself.
    ///
    /// # Errors
    ///
    /// If the numbers make no test.
    pub fn test(&self) -> Result<Sprt, SprtError> {
        Sprt::new(self.model, self.elo0, self.elo1, self.alpha, self.beta)
    }
}

/// Why a plan cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// The file cannot be read.
    #[error("cannot read the match `{}`", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is not a plan.
    #[error("`{}` is not a match: {reason}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// What is wrong, with line and column.
        reason: String,
    },
}

impl Plan {
    /// Misdeeds of one player before a match stops, unless something else is said.
    pub const MOST_FAULTS: u64 = 20;

    /// Reads `match.toml`.
    ///
    /// # Errors
    ///
    /// If it cannot be read or is not a plan.
    pub fn read(path: &Path) -> Result<Self, PlanError> {
        let text = std::fs::read_to_string(path).map_err(|source| PlanError::Read {
            path: path.to_owned(),
            source,
        })?;
        toml::from_str(&text).map_err(|error| PlanError::Syntax {
            path: path.to_owned(),
            reason: error.to_string(),
        })
    }

    /// The text of `match.toml`.
    ///
    /// # Panics
    ///
    /// Never: a plan holds plain values only.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("a plan of plain values can be written")
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_plan_survives_its_file() {
        let plan = Plan {
            version: "1".to_owned(),
            event: "a match".to_owned(),
            players: vec!["mendel".to_owned(), "cmd:x?Hash=1".to_owned()],
            format: Format::Gauntlet,
            games: 100,
            openings: Some("book.epd".into()),
            names: None,
            anchor: Some(("mendel".to_owned(), 2000.0)),
            directory: "here".into(),
            fingerprints: BTreeMap::from([("a".to_owned(), "b".to_owned())]),
            most_faults: 3,
            final_positions: true,
            pace: Pace {
                clock: Some("40/60+0.5".parse().expect("a time control")),
                movetime: Some(Duration::from_millis(50)),
                nodes: Some(1000),
                depth: Some(4),
            },
            opening: OpeningSetting::default(),
            patience: Patience::default(),
            adjudication: Adjudication::default(),
            sprt: Some(SprtPlan {
                elo0: 0.0,
                elo1: 5.0,
                alpha: 0.05,
                beta: 0.1,
                model: EloModel::Normalized,
            }),
        };
        let text = plan.to_toml();
        let again: Plan = toml::from_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(again, plan);
    }
}
