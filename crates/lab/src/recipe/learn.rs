//! The table `[learn]`: learning after each game.

use serde::Deserialize;

use super::{Complaint, Document};
use crate::learning::InitialWeights;

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct LearnSettings {
    /// The opponent: a player or a program, as in a match.
    pub opponent: Option<String>,
    /// Games that are played against it in one folder.
    #[serde(default = "default_games")]
    pub games: u64,
    #[serde(default = "default_start")]
    pub start: InitialWeights,
}

fn default_games() -> u64 {
    300
}

fn default_start() -> InitialWeights {
    InitialWeights::Bred
}

const MAX_GAMES: u64 = 1_000_000;

/// Tables of breeding, which learning does not have.
const EXCLUDED: [&str; 11] = [
    "founders", "genome", "breeder", "trial", "stop", "stage", "step", "sweep", "exam", "full",
    "proof",
];

impl LearnSettings {
    pub(super) fn read(document: &Document) -> Result<Option<Self>, Complaint> {
        if document.get("learn").is_none() {
            return Ok(None);
        }
        let reason = "has no effect in a recipe with the table `learn`; leave it out";
        for key in EXCLUDED {
            document.require(document.get(key).is_none(), key, reason)?;
        }
        let settings: Self = document.section("learn")?;
        let reason = format!("must be from 1 to {MAX_GAMES}");
        let fits = (1..=MAX_GAMES).contains(&settings.games);
        document.require(fits, "learn.games", reason)?;
        Ok(Some(settings))
    }
}
