//! The match step of a pipeline.

use mendel_lab::record::{ByColour, Played};

use super::answers::{TitledTable, rows_under};
use super::{elo, elo_interval, or_dash};
use crate::metrics::{NOT_COMPARABLE, games_of};

/// The tables of the match, each with a title; the first row is the head.
pub(super) fn tables(played: &Played) -> Vec<TitledTable> {
    let mut tables = Vec::new();
    if played.standings.is_empty() {
        return tables;
    }
    tables.push(("Standings:".to_owned(), standings_table(played)));
    let first = &played.players[0];
    let is_gauntlet = played.pairings.iter().all(|it| it.first == *first);
    tables.push(if is_gauntlet {
        let title = format!("{first} against each, with 95 %:");
        (title, gauntlet_table(played))
    } else {
        let title = "Each against each: points of the row’s player, and its Elo with 95 %:";
        (title.to_owned(), cross_table(played))
    });
    if let Some(table) = &played.by_colour {
        tables.extend(colour_tables(played, table));
    }
    if !played.games.is_empty() {
        let judge = played.judge.as_deref().unwrap_or("nobody");
        tables.push((
            format!("Games, with the accuracy of both sides in per cent (judged by {judge}):"),
            games_table(played),
        ));
    }
    tables
}

fn standings_table(played: &Played) -> Vec<Vec<String>> {
    let share = |it: Option<f64>| or_dash(it, |it| format!("{it:.1}"));
    let accurate = played.standings.iter().any(|it| it.accuracy.is_some());
    let papers = played.standings.iter().any(|it| it.paper.is_some());
    let head = "player|games|points|score %|draws %|Elo|±".split('|');
    let mut head: Vec<&str> = head.collect();
    head.extend(accurate.then_some("accuracy %"));
    head.extend(papers.then_some("paper"));
    let rows = played.standings.iter().map(|it| {
        let mut row = vec![
            it.player.clone(),
            it.games.to_string(),
            or_dash(it.points(), |it| it.to_string()),
            share(it.score),
            share(it.draws),
            or_dash(it.elo, elo),
            or_dash(it.error, |it| format!("{it:.0}")),
        ];
        row.extend(accurate.then(|| share(it.accuracy)));
        row.extend(papers.then(|| match (&it.paper, &played.incomparable) {
            (None, _) => "–".to_owned(),
            (Some(paper), None) => paper.clone(),
            (Some(paper), Some(_)) => format!("{paper} ({NOT_COMPARABLE})"),
        }));
        row
    });
    rows_under(head, rows)
}

/// Points with White, then with Black: ours, with the published ones in brackets, or in separate
/// tables where they cannot be compared.
fn colour_tables(played: &Played, table: &ByColour) -> Vec<TitledTable> {
    let colours = [
        ("White", &table.white, &table.published),
        ("Black", &table.black, &table.published_black),
    ];
    let mut tables = Vec::new();
    for (colour, ours, published) in colours {
        let paper = published.as_ref();
        let paper = paper.filter(|_| played.incomparable.is_none());
        let brackets = paper.map_or("", |_| " (in brackets the paper’s)");
        let cell =
            |row: usize, column: usize| (ours[row][column], paper.and_then(|it| it[row][column]));
        tables.push((
            format!("Points of the row’s player with {colour}{brackets}:"),
            points_table(played, &cell),
        ));
    }
    for (colour, _, published) in colours {
        if let (Some(reason), Some(paper)) = (&played.incomparable, published) {
            tables.push((
                format!("The paper’s points of the row’s player with {colour} ({reason}):"),
                points_table(played, &|row, column| (paper[row][column], None)),
            ));
        }
    }
    tables
}

fn points_table(
    played: &Played,
    cell: &dyn Fn(usize, usize) -> (Option<f64>, Option<f64>),
) -> Vec<Vec<String>> {
    let players = &played.players;
    let names = players.iter().map(String::as_str);
    let head = [""].into_iter().chain(names).chain(["all"]);
    let words = |ours: Option<f64>, paper: Option<f64>| {
        let ours = or_dash(ours, |it| it.to_string());
        match paper {
            Some(paper) => format!("{ours} ({paper})"),
            None => ours,
        }
    };
    let rows = players.iter().enumerate().map(|(at, player)| {
        let cells: Vec<_> = (0..players.len()).map(|other| cell(at, other)).collect();
        let ours = cells.iter().filter_map(|it| it.0).sum();
        let papers: Vec<f64> = cells.iter().filter_map(|it| it.1).collect();
        let paper = (!papers.is_empty()).then(|| papers.iter().sum());
        let mut row = vec![player.clone()];
        row.extend(cells.into_iter().map(|(ours, paper)| words(ours, paper)));
        row.push(words(Some(ours), paper));
        row
    });
    rows_under(head, rows)
}

fn gauntlet_table(played: &Played) -> Vec<Vec<String>> {
    let head = ["opponent", "games", "won", "drawn", "lost", "Elo", "95 %"];
    let rows = played.pairings.iter().map(|it| {
        vec![
            it.second.clone(),
            it.games().to_string(),
            it.wins.to_string(),
            it.draws.to_string(),
            it.losses.to_string(),
            or_dash(it.elo, elo),
            elo_interval(it.interval),
        ]
    });
    rows_under(head, rows)
}

fn cross_table(played: &Played) -> Vec<Vec<String>> {
    let players = &played.players;
    let head = [""].into_iter().chain(players.iter().map(String::as_str));
    let rows = players.iter().map(|first| {
        let cells = players.iter().map(|second| cell(played, first, second));
        [first.clone()].into_iter().chain(cells).collect()
    });
    rows_under(head, rows)
}

fn cell(played: &Played, first: &str, second: &str) -> String {
    if let Some(it) = games_of(played, first).find(|it| it.second == second) {
        let points = it.wins as f64 + it.draws as f64 / 2.0;
        let difference = it.elo.map(elo).unwrap_or_default();
        let (games, interval) = (it.games(), elo_interval(it.interval));
        return format!("{points} / {games}  {difference} {interval}");
    }
    if first == second { "–" } else { "" }.to_owned()
}

fn games_table(played: &Played) -> Vec<Vec<String>> {
    let share = |it: Option<f64>| or_dash(it, |it| format!("{it:.0}"));
    let head = "white|black|result|by|half-moves|white %|black %".split('|');
    let rows = played.games.iter().map(|game| {
        vec![
            game.white.clone(),
            game.black.clone(),
            game.result.clone(),
            game.reason.clone(),
            game.plies.to_string(),
            share(game.accuracy[0]),
            share(game.accuracy[1]),
        ]
    });
    rows_under(head, rows)
}
