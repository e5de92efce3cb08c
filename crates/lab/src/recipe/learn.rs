//! The table `[learn]`: learning after each game.

use serde::{Deserialize, Serialize};

use super::{Complaint, Document};
use crate::learning::InitialWeights;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
        if let Some(key) = EXCLUDED.into_iter().find(|key| document.get(key).is_some()) {
            let reason = "has no effect in a recipe with the table `learn`; leave it out";
            return Err(document.complaint(key, reason));
        }
        let settings: Self = document.section("learn")?;
        if !(1..=MAX_GAMES).contains(&settings.games) {
            let reason = format!("must be from 1 to {MAX_GAMES}");
            return Err(document.complaint("learn.games", reason));
        }
        Ok(Some(settings))
    }
}
