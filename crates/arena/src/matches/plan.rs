//! Everything that decides which games are played: `match.toml`.

use std::path::{Path, PathBuf};

use mendel_store::FileError;
use mendel_store::InputHashes;
use mendel_store::frame::Folder;
use serde::{Deserialize, Serialize};

use super::io_error;
use crate::entrant::absolute_player;
use crate::statistics::{EloModel, Sprt, StatisticsError};
use crate::{Adjudication, Entrant, Format, MatchError, OpeningSetting, Pace, Patience};

/// Everything that decides which games are played and when they end. The same
/// plan gives the same schedule; at fixed nodes or depth, the same games.
///
/// How many games run at once is not part of it: it changes nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchPlan {
    /// The version of the program that made the plan.
    pub version: String,
    /// What PGN calls the event.
    pub event: String,
    /// The players, as on the command line.
    pub players: Vec<String>,
    #[serde(default)]
    pub format: Format,
    /// Games of each pairing, rounded up to pairs.
    pub games: u64,
    /// A file of openings; without it the program's own book.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub openings: Option<PathBuf>,
    /// A table of opening names for the PGN.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub names: Option<PathBuf>,
    /// A player whose rating is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<(String, f64)>,
    /// The match ends when one player has more faults than this.
    #[serde(default = "default_faults")]
    pub max_faults: u64,
    /// Whether the last position of each game is written as EPD.
    #[serde(default)]
    pub final_positions: bool,
    pub pace: Pace,
    /// How openings are taken and ordered; holds the seed.
    #[serde(default)]
    pub opening: OpeningSetting,
    #[serde(default)]
    pub patience: Patience,
    #[serde(default)]
    pub adjudication: Adjudication,
    /// A test that ends the match.
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
    /// The probability of accepting a change without an effect.
    #[serde(default = "default_error")]
    pub alpha: f64,
    /// The probability of rejecting a change that has the effect.
    #[serde(default = "default_error")]
    pub beta: f64,
    /// What the bounds are measured in.
    pub model: EloModel,
}

fn default_faults() -> u64 {
    MatchPlan::MAX_FAULTS
}

fn default_error() -> f64 {
    SprtPlan::ERROR
}

impl SprtPlan {
    /// The default probability of either error.
    pub const ERROR: f64 = 0.05;

    /// The test itself.
    ///
    /// # Errors
    ///
    /// If the bounds or the probabilities are invalid.
    pub fn test(&self) -> Result<Sprt, StatisticsError> {
        Sprt::new(self.model, self.elo0, self.elo1, self.alpha, self.beta)
    }
}

impl MatchPlan {
    /// Faults of one player that a match allows by default.
    pub const MAX_FAULTS: u64 = 20;

    /// The file of the plan in the folder of a match.
    pub const FILE: &'static str = "match.toml";

    /// A plan with all that has a default: add what differs by `MatchPlan { pace, ..plan }`.
    pub fn new(event: impl Into<String>, players: Vec<String>, games: u64) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            event: event.into(),
            players,
            format: Format::default(),
            games,
            openings: None,
            names: None,
            anchor: None,
            max_faults: Self::MAX_FAULTS,
            final_positions: false,
            pace: Pace::default(),
            opening: OpeningSetting::default(),
            patience: Patience::default(),
            adjudication: Adjudication::default(),
            sprt: None,
        }
    }

    /// Reads the plan of a match that was started.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn read(folder: &Path) -> Result<Self, MatchError> {
        let files = Folder::at(folder);
        let text = files.read(Self::FILE)?;
        toml::from_str(&text).map_err(|error| {
            MatchError::File(FileError::Content {
                path: files.file(Self::FILE),
                reason: error.to_string(),
            })
        })
    }

    /// The seed of all random numbers of the match.
    pub fn seed(&self) -> u64 {
        self.opening.seed
    }

    /// The same plan with absolute paths, so that it can be resumed from any folder.
    ///
    /// # Errors
    ///
    /// If a player cannot be read, or the current folder is not known.
    pub fn with_absolute_paths(self) -> Result<Self, MatchError> {
        let absolute = |path: PathBuf| std::path::absolute(&path).map_err(io_error(&path));
        let mut adjudication = self.adjudication;
        if let Some(rule) = &mut adjudication.syzygy {
            rule.path = absolute_list(&rule.path)?;
        }
        Ok(Self {
            players: self
                .players
                .iter()
                .map(|text| absolute_player(text))
                .collect::<Result<_, _>>()?,
            openings: self.openings.map(absolute).transpose()?,
            names: self.names.map(absolute).transpose()?,
            adjudication,
            ..self
        })
    }

    /// The hashes of the players and files of the match.
    pub(super) fn inputs(&self) -> Result<InputHashes, MatchError> {
        let mut inputs = InputHashes::of_this_build();
        for text in &self.players {
            Entrant::parse(text)?.add_inputs(&mut inputs)?;
        }
        for path in self.openings.iter().chain(&self.names) {
            inputs.add_file(path)?;
        }
        Ok(inputs)
    }
}

/// Folders of tables, separated as in `PATH`.
fn absolute_list(paths: &str) -> Result<String, MatchError> {
    let paths: Vec<PathBuf> = std::env::split_paths(paths)
        .map(|path| std::path::absolute(&path).map_err(io_error(&path)))
        .collect::<Result<_, _>>()?;
    let joined = std::env::join_paths(paths).ok();
    // Each of them came out of such a list.
    let joined = joined.expect("no path has a separator in it");
    Ok(joined.to_string_lossy().into_owned())
}
