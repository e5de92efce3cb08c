//! The agreement and judgement steps of a pipeline, and what all steps with tables share.

use std::iter::once;

use mendel_lab::record::{Agreement, Answers, Curve, Judgement, Nearness, Part, Tally};

use super::{counted, interval_text, or_dash};
use crate::page::PageBlock;
use crate::plot::{Axis, LineChart, Series, number};

/// A title and a table, whose first row is the head.
pub type TitledTable = (String, Vec<Vec<String>>);

/// A table with this head.
pub(super) fn rows_under<'a>(
    head: impl IntoIterator<Item = &'a str>,
    rows: impl Iterator<Item = Vec<String>>,
) -> Vec<Vec<String>> {
    let head = head.into_iter().map(str::to_owned).collect();
    once(head).chain(rows).collect()
}

pub(super) fn curve_block(curve: &Curve) -> PageBlock {
    let series = curve.lines.iter().enumerate().map(|(at, line)| {
        let band = line.points.iter().filter_map(|it| {
            let [low, high] = it.interval?;
            Some((it.at, low, high))
        });
        let points = line.points.iter().map(|it| (it.at, it.value)).collect();
        Series {
            // More than one band would hide the lines.
            band: band.filter(|_| at == 0).collect(),
            ..Series::line(&line.name, (at % 6) as u8, points)
        }
    });
    let chart = LineChart {
        title: format!("{} by {}", curve.of, curve.along),
        x: Axis::new(&curve.along),
        y: Axis::new(&curve.of),
        series: series.collect(),
        ..LineChart::default()
    };
    let best = curve.best().map_or_else(String::new, |best| {
        let (name, along) = (&curve.lines[0].name, &curve.along);
        let (at, value) = (number(best.at), number(best.value));
        format!("The line “{name}” is highest at {along} = {at}, with {value}.")
    });
    let has_band = chart.series.first().is_some_and(|it| !it.band.is_empty());
    let band = if has_band {
        " The band is its 95 % interval."
    } else {
        ""
    };
    PageBlock::figure(chart.draw(), format!("{best}{band}"))
}

/// The result in one line.
pub(super) fn agreement_words(agreement: &Agreement) -> String {
    let best = agreement.players.iter().max_by_key(|it| it.all.right);
    let Some(best) = best else {
        return "nobody was asked".to_owned();
    };
    let share = best.all.share().unwrap_or_default();
    let positions = counted(agreement.positions, "position");
    match agreement.players.len() {
        1 => format!("{share:.1} % of the moves in {positions}"),
        count => {
            let players = counted(count as u64, "player");
            let name = &best.player;
            format!("{players}, {positions}; most by {name}: {share:.1} %")
        }
    }
}

/// The tables, each with a title; the first row is the head.
pub(super) fn agreement_tables(agreement: &Agreement) -> Vec<TitledTable> {
    let Some(first) = agreement.players.first() else {
        return Vec::new();
    };
    let table = |title: &str, parts: fn(&Answers) -> &Vec<Part>, words: fn(&Tally) -> String| {
        let names = parts(first).iter().map(|it| it.name.as_str());
        let rows = agreement.players.iter().map(|it| {
            let cells = parts(it).iter().map(|part| words(&part.tally));
            once(it.player.clone()).chain(cells).collect()
        });
        let rows = rows_under(once("player").chain(names), rows);
        (title.to_owned(), rows)
    };
    let mut tables = vec![
        ("Right moves:".to_owned(), whole_table(agreement)),
        table(
            "By the piece that is to move: right moves of those in which it is chosen, %:",
            |it| &it.pieces,
            |it| share(it.to_share(), it.from),
        ),
        table(
            "By part of the game: right moves, %:",
            |it| &it.phases,
            |it| share(it.share(), it.positions),
        ),
    ];
    if agreement.players.iter().any(|it| !it.bands.is_empty()) {
        tables.push(table(
            "By the lower of the two ratings: right moves, %:",
            |it| &it.bands,
            |it| with_interval(share(it.share(), it.positions), it.interval(), 1),
        ));
    }
    tables
}

fn whole_table(agreement: &Agreement) -> Vec<Vec<String>> {
    let papers = agreement.players.iter().any(|it| it.paper.is_some());
    let head = "player|right|of|%|95 %|piece %|then move %".split('|');
    let mut head: Vec<&str> = head.collect();
    head.extend(papers.then_some("paper"));
    let rows = agreement.players.iter().map(|it| {
        let percent = |it: f64| format!("{it:.1}");
        let interval = it.all.interval();
        let interval = interval.map(|ends| interval_text(ends, percent));
        let mut row = vec![
            it.player.clone(),
            it.all.right.to_string(),
            it.all.positions.to_string(),
            or_dash(it.all.share(), percent),
            interval.unwrap_or_default(),
            or_dash(it.all.from_share(), percent),
            or_dash(it.all.to_share(), percent),
        ];
        row.extend(papers.then(|| or_dash(it.paper.clone(), |it| it)));
        row
    });
    rows_under(head, rows)
}

/// A share and the number it is a share of.
fn share(share: Option<f64>, of: u64) -> String {
    or_dash(share, |share| format!("{share:.1} of {of}"))
}

/// A text and an interval with this many decimals.
fn with_interval(text: String, interval: Option<[f64; 2]>, decimals: usize) -> String {
    match interval {
        Some(ends) => {
            let interval = interval_text(ends, |it| format!("{it:.decimals$}"));
            format!("{text} {interval}")
        }
        None => text,
    }
}

/// The result in one line.
pub(super) fn judgement_words(judgement: &Judgement) -> String {
    let value = |it: &Nearness| it.correlation.unwrap_or(f64::NEG_INFINITY);
    let best = judgement.players.iter();
    let best = best.max_by(|one, other| value(&one.all).total_cmp(&value(&other.all)));
    let positions = counted(judgement.positions, "position");
    match best.and_then(|it| Some((&it.player, it.all.correlation?))) {
        Some((name, best)) => format!("{positions}; nearest is {name}: r = {best:.3}"),
        None => positions,
    }
}

/// The tables, each with a title; the first row is the head.
pub(super) fn judgement_tables(judgement: &Judgement) -> Vec<TitledTable> {
    let Some(first) = judgement.players.first() else {
        return Vec::new();
    };
    let parts = once(&first.all).chain(&first.phases);
    let names = parts.map(|it| format!("{} ({})", it.name, counted(it.positions, "position")));
    let names: Vec<String> = names.collect();
    let table = |title: &str, words: fn(&Nearness) -> String| {
        let rows = judgement.players.iter().map(|it| {
            let parts = once(&it.all).chain(&it.phases).map(words);
            once(it.player.clone()).chain(parts).collect()
        });
        let head = once("player").chain(names.iter().map(String::as_str));
        (title.to_owned(), rows_under(head, rows))
    };
    vec![
        table("Correlation with the expert’s scores, with 95 %:", |it| {
            let value = or_dash(it.correlation, |it| format!("{it:.3}"));
            with_interval(value, it.interval, 3)
        }),
        table(
            "Mean distance from the expert’s scores, in centipawns:",
            |it| or_dash(it.error, |it| format!("{it:.0}")),
        ),
    ]
}
