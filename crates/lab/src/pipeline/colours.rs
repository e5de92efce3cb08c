//! The points of a tournament by colour, and along a number of the players.

use std::path::Path;

use mendel_arena::GameRecord;
use mendel_store::Journal;
use mendel_store::frame::Failure;

use crate::recipe::steps::MatchSettings;
use crate::record::{ByColour, Played};

impl MatchSettings {
    /// Adds the tables and the curve that the step asks for.
    pub(super) fn tables(
        &self,
        path: &Path,
        places: &[Option<usize>],
        played: &mut Played,
    ) -> Result<(), Failure> {
        if self.by_colour {
            let players = played.players.len();
            let games: Vec<GameRecord> = Journal::read(&path.join("games.jsonl"))?;
            let mut table = ByColour::of(&games, players);
            table.published = self.beside(places, players);
            table.published_black = table.published.as_ref().and_then(|it| self.left(it));
            played.by_colour = Some(table);
        }
        played.incomparable = self.incomparable(places.len(), played);
        played.notes.extend(played.incomparable.clone());
        if let Some(curve) = &self.curve {
            let mut curve = curve.clone();
            if played.incomparable.is_some() {
                curve.paper.clear();
            }
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

    /// The published points with Black. They follow from the published number of games,
    /// whatever number is played here.
    fn left(&self, white: &[Vec<Option<f64>>]) -> Option<Vec<Vec<Option<f64>>>> {
        let games = self.published_games? as f64 / 2.0;
        let players = white.len();
        let cell = |row: usize, column: usize| white[column][row].map(|it| games - it);
        let row = |row: usize| (0..players).map(|column| cell(row, column)).collect();
        Some((0..players).map(row).collect())
    }

    /// Why the points of a match cannot be compared with the published ones, if they cannot.
    fn incomparable(&self, players: usize, played: &Played) -> Option<String> {
        let published = self.published_games?;
        let end = "the paper’s points are not comparable with ours";
        if played.players.len() < players {
            let count = played.players.len();
            return Some(format!("{count} of {players} players took part: {end}"));
        }
        let other = played.pairings.iter().find(|it| it.games() != published)?;
        let games = other.games();
        Some(format!(
            "the paper’s points are of {published} games for each two, these of {games}: not comparable"
        ))
    }
}

impl ByColour {
    fn of(games: &[GameRecord], players: usize) -> Self {
        let mut table = Self {
            white: vec![vec![None; players]; players],
            black: vec![vec![None; players]; players],
            published: None,
            published_black: None,
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
