//! Pictures of games: how long those were that bred players lost, and how they began.

use mendel_lab::trial::games::Phase;

use super::analyses::{AnalysisKind, Picture};
use super::counted;
use crate::analysis::games::PhaseGames;
use crate::analysis::welch::{self, Measurements};
use crate::page::HtmlTable;
use crate::plot::{Axis, Histograms, IntervalPlot, IntervalRow, Panel, decimal, number};

/// More bars than this tell nothing.
const MOST_MOVES: usize = 10;

/// Bins of a histogram of lengths.
const BINS: u32 = 24;

/// What games were played for, in words.
fn purpose(phase: Phase) -> (&'static str, &'static str) {
    match phase {
        Phase::Trial => ("trial", "the games that judged the members"),
        Phase::Ladder => ("ladder", "the games of the ladder"),
        Phase::Verify => ("verify", "the games that chose the champion"),
    }
}

/// How long the games were that bred players lost, for either colour.
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

/// Histograms of lengths in half-moves, as White and as Black.
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
    Some(Picture {
        what: AnalysisKind::Lengths,
        name: format!("lengths-{name}"),
        drawing: chart.draw(),
        caption,
    })
}

/// The same as numbers, and whether the colours differ.
pub(super) fn length_table(games: &PhaseGames) -> Option<HtmlTable> {
    let sides = [&games.lost_by_white, &games.lost_by_black];
    let groups = grouped(["White", "Black"], sides.map(Vec::as_slice));
    let difference = welch::compare(&groups).into_iter().next()?;
    let mut table = HtmlTable::new([
        "lost as",
        "games",
        "mean half-moves",
        "deviation",
        "Welch’s p",
    ]);
    for (index, group) in groups.iter().enumerate() {
        table.row([
            group.name.clone(),
            number(group.values.len() as f64),
            decimal(group.mean()),
            decimal(group.variance().sqrt()),
            if index == 0 {
                p_value(difference.p)
            } else {
                String::new()
            },
        ]);
    }
    Some(table)
}

/// Lengths as measurements.
pub(super) fn grouped(names: [&str; 2], sides: [&[u32]; 2]) -> [Measurements; 2] {
    [0, 1].map(|side| Measurements {
        name: names[side].to_owned(),
        values: sides[side].iter().copied().map(f64::from).collect(),
    })
}

/// How likely chance alone is; less than a thousandth nobody compares.
pub(super) fn p_value(p: f64) -> String {
    if p < 0.001 {
        "< 0.001".to_owned()
    } else {
        format!("{p:.3}")
    }
}

/// How games began.
pub(super) fn move_picture(games: &PhaseGames) -> Option<Picture> {
    let (name, words) = purpose(games.phase);
    let first = games.first_moves.first()?;
    let answers: Vec<String> = games
        .answers
        .iter()
        .take(3)
        .map(|(text, count)| {
            let share = decimal(100.0 * *count as f64 / first.1 as f64);
            format!("{text} ({share}\u{a0}%)")
        })
        .collect();
    let answers = if answers.is_empty() {
        String::new()
    } else {
        format!(" {} was answered by {}.", first.0, answers.join(", "))
    };
    moves(
        (name, "First moves"),
        &games.first_moves,
        &format!("The first move after the opening, in {words}.{answers}"),
    )
}

/// Moves and how often each was played, the most frequent first.
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
    let shown = played.iter().take(MOST_MOVES);
    let mut x = Axis::new("games, %");
    x.range = Some((0.0, share(first.1) * 1.05));
    let chart = IntervalPlot {
        title: format!(
            "{title}: {} in {} % of the games",
            first.0,
            decimal(share(first.1))
        ),
        x,
        rows: shown.enumerate().map(row).collect(),
        reference: None,
    };
    let more = match played.len().saturating_sub(MOST_MOVES) {
        0 => String::new(),
        1 => " One more move was played.".to_owned(),
        rest => format!(" {rest} more moves were played."),
    };
    Some(Picture {
        what: AnalysisKind::Moves,
        name: format!("moves-{name}"),
        drawing: chart.draw(),
        caption: format!("{caption}{more}"),
    })
}
