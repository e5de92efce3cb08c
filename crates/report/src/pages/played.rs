//! The tables of a match or a tournament.

use mendel_lab::record::{ByColour, Played};

use super::answers::{curve_block, table_blocks};
use super::{NOT_COMPARABLE, elo, elo_interval};
use crate::page::PageBlock;

/// Points of each player against each other one, if they were published.
type Points = Option<Vec<Vec<Option<f64>>>>;

/// The match step of a pipeline, as a page and a terminal show it.
#[derive(Debug)]
pub struct PlayedView<'a>(pub &'a Played);

impl PlayedView<'_> {
    /// What a page shows of it.
    pub(super) fn blocks(&self) -> Vec<PageBlock> {
        let mut blocks = vec![PageBlock::Text(format!("{}.", self.0.conditions))];
        blocks.extend(self.0.curve.iter().map(curve_block));
        blocks.extend(table_blocks(self.tables()));
        blocks.push(PageBlock::List(self.0.notes.clone()));
        blocks
    }

    /// The tables of a match, each with a title; the first row is the head.
    pub fn tables(&self) -> Vec<(String, Vec<Vec<String>>)> {
        let mut tables = Vec::new();
        if self.0.standings.is_empty() {
            return tables;
        }
        tables.push(("Standings:".to_owned(), self.standings_table()));
        let is_gauntlet = self
            .0
            .pairings
            .iter()
            .all(|it| it.first == self.0.players[0]);
        tables.push(if is_gauntlet {
            let title = format!("{} against each, with 95 %:", self.0.players[0]);
            (title, self.gauntlet_table())
        } else {
            let title = "Each against each: points of the row’s player, and its Elo with 95 %:";
            (title.to_owned(), self.cross_table())
        });
        if let Some(table) = &self.0.by_colour {
            tables.extend(self.colour_tables(table));
        }
        if !self.0.games.is_empty() {
            let judge = self.0.judge.as_deref().unwrap_or("nobody");
            tables.push((
                format!("Games, with the accuracy of both sides in per cent (judged by {judge}):"),
                self.games_table(),
            ));
        }
        tables
    }

    fn standings_table(&self) -> Vec<Vec<String>> {
        let share = |it: Option<f64>| it.map_or_else(|| "–".to_owned(), |it| format!("{it:.1}"));
        let accurate = self.0.standings.iter().any(|it| it.accuracy.is_some());
        let papers = self.0.standings.iter().any(|it| it.paper.is_some());
        let mut head = vec![
            "player", "games", "points", "score %", "draws %", "Elo", "±",
        ];
        head.extend(accurate.then_some("accuracy %"));
        head.extend(papers.then_some("paper"));
        let mut rows: Vec<Vec<String>> = vec![head.into_iter().map(str::to_owned).collect()];
        for it in &self.0.standings {
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
            row.extend(papers.then(|| match (&it.paper, &self.0.incomparable) {
                (None, _) => "–".to_owned(),
                (Some(paper), None) => paper.clone(),
                (Some(paper), Some(_)) => format!("{paper} ({NOT_COMPARABLE})"),
            }));
            rows.push(row);
        }
        rows
    }

    /// Points with White, then with Black: ours, and in brackets what was published; in
    /// tables of their own where these cannot be compared.
    fn colour_tables(&self, table: &ByColour) -> Vec<(String, Vec<Vec<String>>)> {
        let colours = [
            ("White", &table.white, &table.published),
            ("Black", &table.black, &table.published_black),
        ];
        let beside = |published: &Points| self.0.incomparable.is_none() && published.is_some();
        let mut tables = Vec::new();
        for (colour, ours, published) in colours {
            let is_beside = beside(published);
            let brackets = if is_beside {
                " (in brackets the paper’s)"
            } else {
                ""
            };
            let paper = published.as_ref().filter(|_| is_beside);
            let cell = |row: usize, column: usize| {
                (ours[row][column], paper.and_then(|it| it[row][column]))
            };
            tables.push((
                format!("Points of the row’s player with {colour}{brackets}:"),
                self.points_table(&cell),
            ));
        }
        for (colour, _, published) in colours {
            if let (Some(reason), Some(paper)) = (&self.0.incomparable, published) {
                tables.push((
                    format!("The paper’s points of the row’s player with {colour} ({reason}):"),
                    self.points_table(&|row, column| (paper[row][column], None)),
                ));
            }
        }
        tables
    }

    fn points_table(
        &self,
        cell: &dyn Fn(usize, usize) -> (Option<f64>, Option<f64>),
    ) -> Vec<Vec<String>> {
        let mut head = vec![String::new()];
        head.extend(self.0.players.iter().cloned());
        head.push("all".to_owned());
        let mut rows = vec![head];
        let words = |ours: Option<f64>, paper: Option<f64>| {
            let ours = ours.map_or_else(|| "–".to_owned(), |it| it.to_string());
            match paper {
                Some(paper) => format!("{ours} ({paper})"),
                None => ours,
            }
        };
        for (at, player) in self.0.players.iter().enumerate() {
            let cells: Vec<_> = (0..self.0.players.len())
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
        for it in &self.0.pairings {
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
        head.extend(self.0.players.iter().cloned());
        let mut rows = vec![head];
        for first in &self.0.players {
            let mut row = vec![first.clone()];
            for second in &self.0.players {
                row.push(self.cell(first, second));
            }
            rows.push(row);
        }
        rows
    }

    fn cell(&self, first: &str, second: &str) -> String {
        for it in &self.0.pairings {
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
        for game in &self.0.games {
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
