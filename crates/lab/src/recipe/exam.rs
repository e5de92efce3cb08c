//! The table `[exam]`: how generations meet programs from elsewhere.

use mendel_arena::Entrant;
use serde::Deserialize;

use super::{Misfit, require};

/// Checks that texts name players.
pub(crate) fn check_players<'a>(
    key: &'static str,
    players: impl IntoIterator<Item = &'a String>,
) -> Result<(), Misfit> {
    for text in players {
        Entrant::parse(text).map_err(|error| (key, error.to_string()))?;
    }
    Ok(())
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
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
    pub lead: Option<u32>,
    /// Whom members meet: of each row the first that can be started.
    pub rows: Vec<Vec<String>>,
}

impl ExamSettings {
    pub(crate) fn check(&self) -> Result<(), Misfit> {
        require(self.every > 0, "every", "is 0; 25 is every 25 generations")?;
        let even = self.games.is_multiple_of(2) && (2..=1000).contains(&self.games);
        require(even, "games", "must be an even number from 2 to 1000")?;
        require(self.depth > 0, "depth", "must be at least 1")?;
        require(
            self.movetime > 0,
            "movetime",
            "must be at least 1 millisecond",
        )?;
        let filled = !self.rows.is_empty() && !self.rows.iter().any(Vec::is_empty);
        require(
            filled,
            "rows",
            "must be lists of players, none of them empty",
        )?;
        check_players("rows", self.rows.iter().flatten())
    }
}
