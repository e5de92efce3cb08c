//! The tables of a match or a tournament.

use mendel_store::page::Block;

use super::answers::{curve_block, table_blocks};
use super::{elo, elo_interval};
use crate::pipeline::{ByColour, Played};

impl Played {
    /// What a page shows of it.
    pub(super) fn blocks(&self) -> Vec<Block> {
        let mut blocks = vec![Block::Text(format!("{}.", self.conditions))];
        blocks.extend(self.curve.iter().map(curve_block));
        blocks.extend(table_blocks(self.tables()));
        blocks.push(Block::List(self.notes.clone()));
        blocks
    }

    /// The tables of a match, each with a title; the first row is the head.
    pub fn tables(&self) -> Vec<(String, Vec<Vec<String>>)> {
        let mut tables = Vec::new();
        if self.standings.is_empty() {
            return tables;
        }
        tables.push(("Standings:".to_owned(), self.standings_table()));
        let is_gauntlet = self.pairings.iter().all(|it| it.first == self.players[0]);
        tables.push(if is_gauntlet {
            let title = format!("{} against each, with 95 %:", self.players[0]);
            (title, self.gauntlet_table())
        } else {
            let title = "Each against each: points of the row’s player, and its Elo with 95 %:";
            (title.to_owned(), self.cross_table())
        });
        if let Some(table) = &self.by_colour {
            tables.extend(self.colour_tables(table));
        }
        if !self.games.is_empty() {
            let judge = self.judge.as_deref().unwrap_or("nobody");
            tables.push((
                format!("Games, with the accuracy of both sides in per cent (judged by {judge}):"),
                self.games_table(),
            ));
        }
        tables
    }

    fn standings_table(&self) -> Vec<Vec<String>> {
        let share = |it: Option<f64>| it.map_or_else(|| "–".to_owned(), |it| format!("{it:.1}"));
        let accurate = self.standings.iter().any(|it| it.accuracy.is_some());
        let papers = self.standings.iter().any(|it| it.paper.is_some());
        let mut head = vec![
            "player", "games", "points", "score %", "draws %", "Elo", "±",
        ];
        head.extend(accurate.then_some("accuracy %"));
        head.extend(papers.then_some("paper"));
        let mut rows: Vec<Vec<String>> = vec![head.into_iter().map(str::to_owned).collect()];
        for it in &self.standings {
            let mut row = vec![
                it.player.clone(),
                it.games.to_string(),
                it.points()
                    .map_or_else(|| "–".to_owned(), |it| it.to_string()),
                share(it.score),
                share(it.draws),
                it.elo.map_or_else(|| "–".to_owned(), elo),
                it.error
                    .map_or_else(|| "–".to_owned(), |it| format!("{it:.0}")),
            ];
            row.extend(accurate.then(|| share(it.accuracy)));
            row.extend(papers.then(|| it.paper.clone().unwrap_or_else(|| "–".to_owned())));
            rows.push(row);
        }
        rows
    }

    /// Points with White, then with Black: ours, and in brackets what was published.
    fn colour_tables(&self, table: &ByColour) -> Vec<(String, Vec<Vec<String>>)> {
        let published = table.published.as_ref();
        let beside = if published.is_some() {
            " (in brackets the paper’s)"
        } else {
            ""
        };
        // With Black one has what the other has not with White.
        let whole = |row: usize, column: usize| {
            let points = [table.white[column][row], table.black[row][column]];
            points.map(Option::unwrap_or_default).iter().sum::<f64>()
        };
        let white = |row: usize, column: usize| {
            let paper = published.and_then(|it| it[row][column]);
            (table.white[row][column], paper)
        };
        let black = |row: usize, column: usize| {
            let paper = published.and_then(|it| it[column][row]);
            (
                table.black[row][column],
                paper.map(|it| whole(row, column) - it),
            )
        };
        vec![
            (
                format!("Points of the row’s player with White{beside}:"),
                self.points_table(&white),
            ),
            (
                format!("Points of the row’s player with Black{beside}:"),
                self.points_table(&black),
            ),
        ]
    }

    fn points_table(
        &self,
        cell: &dyn Fn(usize, usize) -> (Option<f64>, Option<f64>),
    ) -> Vec<Vec<String>> {
        let mut head = vec![String::new()];
        head.extend(self.players.iter().cloned());
        head.push("all".to_owned());
        let mut rows = vec![head];
        let words = |ours: Option<f64>, paper: Option<f64>| {
            let ours = ours.map_or_else(|| "–".to_owned(), |it| it.to_string());
            match paper {
                Some(paper) => format!("{ours} ({paper})"),
                None => ours,
            }
        };
        for (at, player) in self.players.iter().enumerate() {
            let cells: Vec<_> = (0..self.players.len())
                .map(|other| cell(at, other))
                .collect();
            let ours = cells.iter().filter_map(|it| it.0).sum();
            let papers: Vec<f64> = cells.iter().filter_map(|it| it.1).collect();
            let paper = (!papers.is_empty()).then(|| papers.iter().sum());
            let mut row = vec![player.clone()];
            row.extend(cells.into_iter().map(|(ours, paper)| words(ours, paper)));
            row.push(words(Some(ours), paper));
            rows.push(row);
        }
        rows
    }

    fn gauntlet_table(&self) -> Vec<Vec<String>> {
        let head = ["opponent", "games", "won", "drawn", "lost", "Elo", "95 %"];
        let mut rows: Vec<Vec<String>> = vec![head.iter().map(|it| (*it).to_owned()).collect()];
        for it in &self.pairings {
            rows.push(vec![
                it.second.clone(),
                it.games().to_string(),
                it.wins.to_string(),
                it.draws.to_string(),
                it.losses.to_string(),
                it.elo.map_or_else(|| "–".to_owned(), elo),
                elo_interval(it.interval),
            ]);
        }
        rows
    }

    fn cross_table(&self) -> Vec<Vec<String>> {
        let mut head = vec![String::new()];
        head.extend(self.players.iter().cloned());
        let mut rows = vec![head];
        for first in &self.players {
            let mut row = vec![first.clone()];
            for second in &self.players {
                row.push(self.cell(first, second));
            }
            rows.push(row);
        }
        rows
    }

    fn cell(&self, first: &str, second: &str) -> String {
        for it in &self.pairings {
            let (wins, sign) = match (it.first.as_str(), it.second.as_str()) {
                pair if pair == (first, second) => (it.wins, 1.0),
                pair if pair == (second, first) => (it.losses, -1.0),
                _ => continue,
            };
            let points = wins as f64 + it.draws as f64 / 2.0;
            let [low, high] = it.interval.map(|end| end.map(|end| sign * end));
            let ends = if sign > 0.0 { [low, high] } else { [high, low] };
            let difference = it.elo.map(|it| elo(sign * it));
            let difference = difference.unwrap_or_default();
            let text = format!(
                "{points} / {}  {difference} {}",
                it.games(),
                elo_interval(ends)
            );
            return text;
        }
        if first == second { "–" } else { "" }.to_owned()
    }

    fn games_table(&self) -> Vec<Vec<String>> {
        let share = |it: Option<f64>| it.map_or_else(|| "–".to_owned(), |it| format!("{it:.0}"));
        let head = [
            "white",
            "black",
            "result",
            "by",
            "half-moves",
            "white %",
            "black %",
        ];
        let mut rows: Vec<Vec<String>> = vec![head.iter().map(|it| (*it).to_owned()).collect()];
        for game in &self.games {
            rows.push(vec![
                game.white.clone(),
                game.black.clone(),
                game.result.clone(),
                game.reason.clone(),
                game.plies.to_string(),
                share(game.accuracy[0]),
                share(game.accuracy[1]),
            ]);
        }
        rows
    }
}
