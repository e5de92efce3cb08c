//! Plots of games: lengths of lost games, first moves.

use mendel_lab::trial::games::Phase;

use super::analyses::{AnalysisKind, Picture};
use super::{counted, p_value};
use crate::analysis::games::PhaseGames;
use crate::analysis::welch::{self, Measurements};
use crate::page::HtmlTable;
use crate::plot::{Axis, Histograms, IntervalPlot, IntervalRow, Panel, decimal, number};

/// Maximum number of bars.
const MAX_MOVES: usize = 10;

/// Bins of a histogram of lengths.
const BINS: u32 = 24;

/// The purpose of games: file name and text.
fn purpose(phase: Phase) -> (&'static str, &'static str) {
    match phase {
        Phase::Trial => ("trial", "the games that judged the members"),
        Phase::Ladder => ("ladder", "the games of the ladder"),
        Phase::Verify => ("verify", "the games that chose the champion"),
    }
}

/// Lengths of the games that bred players lost, for either colour.
pub(super) fn length_picture(games: &PhaseGames) -> Option<Picture> {
    let (name, words) = purpose(games.phase);
    let [white, drawn, black] = games.results.map(|it| number(it as f64));
    let all = counted(games.games, "game");
    lengths(
        name,
        [&games.lost_by_white, &games.lost_by_black],
        format!(
            "Half-moves of the games that bred players lost, among {words}: {all}, of which White won {white} and Black \
             {black}, {drawn} drawn."
        ),
    )
}

/// Histograms of lengths in plies, as White and as Black.
pub(super) fn lengths(name: &str, sides: [&[u32]; 2], caption: String) -> Option<Picture> {
    let longest = sides.iter().flat_map(|it| it.iter()).max().copied()?;
    let width = longest.div_ceil(BINS).max(1);
    let high = f64::from(width * (longest / width + 1));
    let named = sides.iter().zip(["White", "Black"]);
    let panels = named.clone().map(|(lengths, name)| {
        let mut counts = vec![0; (longest / width + 1) as usize];
        for length in *lengths {
            counts[(length / width) as usize] += 1;
        }
        Panel {
            name: format!("lost as {name}"),
            low: 0.0,
            high,
            counts,
        }
    });
    let means: Vec<String> = named
        .filter(|(lengths, _)| !lengths.is_empty())
        .map(|(lengths, name)| {
            let sum: f64 = lengths.iter().copied().map(f64::from).sum();
            format!("{} as {name}", decimal(sum / lengths.len() as f64))
        })
        .collect();
    let chart = Histograms {
        title: format!("How long lost games were: {}", means.join(", ")),
        x: Axis::whole("half-moves"),
        panels: panels.collect(),
        reference: None,
    };
    let name = format!("lengths-{name}");
    Some(AnalysisKind::Lengths.picture(name, chart.draw(), caption))
}

/// Lengths as a table, and whether the colours differ.
pub(super) fn length_table(games: &PhaseGames) -> Option<HtmlTable> {
    let sides = [
        ("White", &games.lost_by_white),
        ("Black", &games.lost_by_black),
    ];
    let groups = sides.map(|(name, lengths)| Measurements::of_lengths(name, lengths));
    let difference = welch::compare(&groups).into_iter().next()?;
    let mut table = HtmlTable::named("lost as|games|mean half-moves|deviation|Welch’s p");
    let mut p = Some(p_value(difference.p));
    for group in &groups {
        table.row([
            group.name.clone(),
            number(group.values.len() as f64),
            decimal(group.mean()),
            decimal(group.variance().sqrt()),
            p.take().unwrap_or_default(),
        ]);
    }
    Some(table)
}

/// First moves and answers.
pub(super) fn move_picture(games: &PhaseGames) -> Option<Picture> {
    let (name, words) = purpose(games.phase);
    let first = games.first_moves.first()?;
    let answers = match most_frequent(&games.answers, first.1).as_str() {
        "" => String::new(),
        answers => format!(" {} was answered by {answers}.", first.0),
    };
    moves(
        (name, "First moves"),
        &games.first_moves,
        &format!("The first move after the opening, in {words}.{answers}"),
    )
}

/// The three most frequent moves with their shares of `all`.
pub(super) fn most_frequent(played: &[(String, u64)], all: u64) -> String {
    let moves = played.iter().take(3).map(|(text, count)| {
        let share = decimal(100.0 * *count as f64 / all as f64);
        format!("{text} ({share}\u{a0}%)")
    });
    moves.collect::<Vec<_>>().join(", ")
}

/// A plot of moves and their counts, which are sorted.
pub(super) fn moves(
    (name, title): (&str, &str),
    played: &[(String, u64)],
    caption: &str,
) -> Option<Picture> {
    let all: u64 = played.iter().map(|it| it.1).sum();
    let first = played.first().filter(|_| all > 0)?;
    let share = |count: u64| 100.0 * count as f64 / all as f64;
    let row = |(index, (text, count)): (usize, &(String, u64))| IntervalRow {
        name: text.clone(),
        value: share(*count),
        interval: None,
        marks: Vec::new(),
        words: format!("{} %, {}", decimal(share(*count)), counted(*count, "game")),
        chosen: index == 0,
    };
    let shown = played.iter().take(MAX_MOVES);
    let (most, often) = (&first.0, share(first.1));
    let chart = IntervalPlot {
        title: format!("{title}: {most} in {} % of the games", decimal(often)),
        x: Axis::new("games, %").between(0.0, often * 1.05),
        rows: shown.enumerate().map(row).collect(),
        reference: None,
    };
    let more = match played.len().saturating_sub(MAX_MOVES) {
        0 => String::new(),
        1 => " One more move was played.".to_owned(),
        rest => format!(" {rest} more moves were played."),
    };
    let (name, caption) = (format!("moves-{name}"), format!("{caption}{more}"));
    Some(AnalysisKind::Moves.picture(name, chart.draw(), caption))
}
