//! The table `[exam]`: how generations meet programs from elsewhere.

use mendel_arena::Entrant;
use serde::{Deserialize, Serialize};

use super::Misfit;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ExamSettings {
    /// It is held in the first generation, to compare with, and in every `every`-th one.
    pub every: u32,
    /// Games of each member in each row, half of them with White.
    pub games: u64,
    /// Plies for each move of a member.
    pub depth: u32,
    /// Milliseconds for each move of the other.
    pub movetime: u64,
    /// A side has won if it is ahead by this many centipawns of material.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lead: Option<u32>,
    /// Whom members meet: of each row the first that can be started.
    pub rows: Vec<Vec<String>>,
}

impl ExamSettings {
    pub(crate) fn check(&self) -> Result<(), Misfit> {
        let wrong = |key, reason: &str| Err((key, reason.to_owned()));
        if self.every == 0 {
            return wrong("every", "is 0; 25 is every 25 generations");
        }
        if self.games == 0 || !self.games.is_multiple_of(2) || self.games > 1000 {
            return wrong("games", "must be an even number from 2 to 1000");
        }
        if self.depth == 0 {
            return wrong("depth", "must be at least 1");
        }
        if self.movetime == 0 {
            return wrong("movetime", "must be at least 1 millisecond");
        }
        if self.rows.is_empty() || self.rows.iter().any(Vec::is_empty) {
            return wrong("rows", "must be lists of players, none of them empty");
        }
        for text in self.rows.iter().flatten() {
            if let Err(error) = Entrant::parse(text) {
                return Err(("rows", error.to_string()));
            }
        }
        Ok(())
    }
}
