//! The points of a tournament by colour, and along a number of the players.

use std::path::Path;

use mendel_arena::GameRecord;
use mendel_store::Journal;
use serde::{Deserialize, Serialize};

use super::contest::MatchSettings;
use super::error::StepError;
use super::record::Played;

/// Points of each player against each other one, with one colour.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ByColour {
    /// Points of the row's player with White; none where they did not meet so.
    pub white: Vec<Vec<Option<f64>>>,
    /// The same with Black.
    pub black: Vec<Vec<Option<f64>>>,
    /// What was published for White, as in `white`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<Vec<Vec<Option<f64>>>>,
}

impl MatchSettings {
    /// Adds the tables and the curve that the step asks for.
    pub(super) fn tables(
        &self,
        path: &Path,
        meant: &[Vec<String>],
        present: &[String],
        played: &mut Played,
    ) -> Result<(), StepError> {
        let places: Vec<Option<usize>> = meant
            .iter()
            .map(|texts| present.iter().position(|it| texts.contains(it)))
            .collect();
        if self.by_colour {
            let games: Vec<GameRecord> = Journal::read(&path.join("games.jsonl"))?;
            let mut table = ByColour::of(&games, present.len());
            table.published = self.beside(&places, present.len());
            played.by_colour = Some(table);
        }
        if let Some(curve) = &self.curve {
            let points = places.iter().map(|place| {
                let it = played.standings.get((*place)?)?;
                Some((it.points()?, it.points_interval()))
            });
            played.curve = Some(curve.through("points", [("ours", points.collect())]));
        }
        Ok(())
    }

    /// What was published, for those who play.
    fn beside(&self, places: &[Option<usize>], players: usize) -> Option<Vec<Vec<Option<f64>>>> {
        if self.published_white.is_empty() {
            return None;
        }
        let mut table = vec![vec![None; players]; players];
        for (row, points) in self.published_white.iter().enumerate() {
            // A row has no place for the player itself.
            let others = (0..places.len()).filter(|&column| column != row);
            for (column, &value) in others.zip(points) {
                if let (Some(one), Some(other)) = (places[row], places[column]) {
                    table[one][other] = Some(value);
                }
            }
        }
        Some(table)
    }
}

impl ByColour {
    fn of(games: &[GameRecord], players: usize) -> Self {
        let mut table = Self {
            white: vec![vec![None; players]; players],
            black: vec![vec![None; players]; players],
            published: None,
        };
        for game in games {
            let (white, black) = (game.white, game.black);
            let points = match game.ending.result() {
                "1-0" => [1.0, 0.0],
                "0-1" => [0.0, 1.0],
                "1/2-1/2" => [0.5, 0.5],
                _ => continue,
            };
            let add = |cell: &mut Option<f64>, more: f64| {
                *cell = Some(cell.unwrap_or_default() + more);
            };
            if white < players && black < players {
                add(&mut table.white[white][black], points[0]);
                add(&mut table.black[black][white], points[1]);
            }
        }
        table
    }
}
