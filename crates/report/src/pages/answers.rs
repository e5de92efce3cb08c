//! The tables of moves that are known, and curves along a number of the players.

use mendel_lab::record::{Agreement, Answers, Curve, Judgement, Nearness, Part, Tally};

use super::{counted, interval_text};
use crate::page::{HtmlTable, PageBlock};
use crate::plot::{Axis, LineChart, Series, number};

/// A title and a table, whose first row is the head.
pub(super) type Titled = (String, Vec<Vec<String>>);

/// Tables as a page shows them.
pub(super) fn table_blocks(tables: Vec<Titled>) -> impl Iterator<Item = PageBlock> {
    tables.into_iter().flat_map(|(title, table)| {
        let mut rows = table.into_iter();
        let head = rows.next().unwrap_or_default();
        let rows = rows.collect();
        [
            PageBlock::Text(title),
            PageBlock::Table(HtmlTable { head, rows }),
        ]
    })
}

/// A curve as a page shows it.
pub(super) fn curve_block(curve: &Curve) -> PageBlock {
    let series = curve.lines.iter().enumerate().map(|(at, line)| {
        let band = line.points.iter().filter_map(|it| {
            let [low, high] = it.interval?;
            Some((it.at, low, high))
        });
        Series {
            name: line.name.clone(),
            pen: (at % 6) as u8,
            points: line.points.iter().map(|it| (it.at, it.value)).collect(),
            // More than one band would hide the lines.
            band: if at == 0 { band.collect() } else { Vec::new() },
        }
    });
    let chart = LineChart {
        title: format!("{} by {}", curve.of, curve.along),
        x: Axis::new(curve.along.clone()),
        y: Axis::new(curve.of.clone()),
        series: series.collect(),
        ..LineChart::default()
    };
    let best = curve.best().map_or_else(String::new, |best| {
        let name = &curve.lines[0].name;
        let (at, value) = (number(best.at), number(best.value));
        format!(
            "The line “{name}” is highest at {} = {at}, with {value}.",
            curve.along
        )
    });
    let banded = curve.lines.iter().take(1);
    let banded = banded
        .flat_map(|it| &it.points)
        .any(|it| it.interval.is_some());
    let band = if banded {
        " The band is its 95 % interval."
    } else {
        ""
    };
    PageBlock::Figure {
        drawing: chart.draw(),
        caption: format!("{best}{band}"),
    }
}

/// The agreement step of a pipeline as a page and a terminal show it.
#[derive(Debug)]
pub struct AgreementView<'a>(pub &'a Agreement);

impl AgreementView<'_> {
    /// What came out, in some words.
    pub(super) fn words(&self) -> String {
        let best = self.0.players.iter().max_by_key(|it| it.all.right);
        let Some(best) = best else {
            return "nobody was asked".to_owned();
        };
        let share = best.all.share().unwrap_or_default();
        let positions = counted(self.0.positions, "position");
        match self.0.players.len() {
            1 => format!("{share:.1} % of the moves in {positions}"),
            count => {
                let players = counted(count as u64, "player");
                let name = &best.player;
                format!("{players}, {positions}; most by {name}: {share:.1} %")
            }
        }
    }

    /// What a page shows of it.
    pub(super) fn blocks(&self) -> Vec<PageBlock> {
        let mut blocks = vec![PageBlock::Text(format!("{}.", self.0.conditions))];
        blocks.extend(self.0.curves.iter().map(curve_block));
        blocks.extend(table_blocks(self.tables()));
        blocks.push(PageBlock::List(self.0.notes.clone()));
        blocks
    }

    /// The tables, each with a title; the first row is the head.
    pub fn tables(&self) -> Vec<(String, Vec<Vec<String>>)> {
        if self.0.players.is_empty() {
            return Vec::new();
        }
        let mut tables = vec![("Right moves:".to_owned(), self.whole_table())];
        tables.push((
            "By the piece that is to move: right moves of those in which it is chosen, %:"
                .to_owned(),
            self.parts_table(&|it| &it.pieces, &|it| share(it.to_share(), it.from)),
        ));
        tables.push((
            "By part of the game: right moves, %:".to_owned(),
            self.parts_table(&|it| &it.phases, &|it| share(it.share(), it.positions)),
        ));
        if self.0.players.iter().any(|it| !it.bands.is_empty()) {
            tables.push((
                "By the lower of the two ratings: right moves, %:".to_owned(),
                self.parts_table(&|it| &it.bands, &with_interval),
            ));
        }
        tables
    }

    fn whole_table(&self) -> Vec<Vec<String>> {
        let papers = self.0.players.iter().any(|it| it.paper.is_some());
        let mut head = vec![
            "player",
            "right",
            "of",
            "%",
            "95 %",
            "piece %",
            "then move %",
        ];
        head.extend(papers.then_some("paper"));
        let mut rows = vec![head.into_iter().map(str::to_owned).collect::<Vec<_>>()];
        for it in &self.0.players {
            let plain =
                |it: Option<f64>| it.map_or_else(|| "–".to_owned(), |it| format!("{it:.1}"));
            let ends = it.all.interval();
            let mut row = vec![
                it.player.clone(),
                it.all.right.to_string(),
                it.all.positions.to_string(),
                plain(it.all.share()),
                ends.map_or_else(String::new, |ends| {
                    interval_text(ends, |it| format!("{it:.1}"))
                }),
                plain(it.all.from_share()),
                plain(it.all.to_share()),
            ];
            row.extend(papers.then(|| it.paper.clone().unwrap_or_else(|| "–".to_owned())));
            rows.push(row);
        }
        rows
    }

    fn parts_table(
        &self,
        parts: &dyn Fn(&Answers) -> &Vec<Part>,
        words: &dyn Fn(&Tally) -> String,
    ) -> Vec<Vec<String>> {
        let mut head = vec!["player".to_owned()];
        let first = self.0.players.first().map(parts);
        head.extend(first.into_iter().flatten().map(|it| it.name.clone()));
        let rows = self.0.players.iter().map(|it| {
            let cells = parts(it).iter().map(|part| words(&part.tally));
            std::iter::once(it.player.clone()).chain(cells).collect()
        });
        std::iter::once(head).chain(rows).collect()
    }
}

/// A share and of how many.
fn share(share: Option<f64>, of: u64) -> String {
    share.map_or_else(|| "–".to_owned(), |share| format!("{share:.1} of {of}"))
}

fn with_interval(tally: &Tally) -> String {
    let words = share(tally.share(), tally.positions);
    match tally.interval() {
        Some(ends) => format!("{words} {}", interval_text(ends, |it| format!("{it:.1}"))),
        None => words,
    }
}

/// The step of a pipeline that compares evaluators as a page and a terminal show it.
#[derive(Debug)]
pub struct JudgementView<'a>(pub &'a Judgement);

impl JudgementView<'_> {
    /// What came out, in some words.
    pub(super) fn words(&self) -> String {
        let value = |it: &Nearness| it.correlation.unwrap_or(f64::NEG_INFINITY);
        let best = self.0.players.iter();
        let best = best.max_by(|one, other| value(&one.all).total_cmp(&value(&other.all)));
        let positions = counted(self.0.positions, "position");
        match best.and_then(|it| Some((&it.player, it.all.correlation?))) {
            Some((name, best)) => format!("{positions}; nearest is {name}: r = {best:.3}"),
            None => positions,
        }
    }

    /// What a page shows of it.
    pub(super) fn blocks(&self) -> Vec<PageBlock> {
        let mut blocks = vec![PageBlock::Text(format!("{}.", self.0.conditions))];
        blocks.extend(self.0.curve.iter().map(curve_block));
        blocks.extend(table_blocks(self.tables()));
        blocks.push(PageBlock::List(self.0.notes.clone()));
        blocks
    }

    /// The tables, each with a title; the first row is the head.
    pub fn tables(&self) -> Vec<(String, Vec<Vec<String>>)> {
        let Some(first) = self.0.players.first() else {
            return Vec::new();
        };
        let parts = std::iter::once(&first.all).chain(&first.phases);
        let names = parts.map(|it| format!("{} ({})", it.name, counted(it.positions, "position")));
        let head: Vec<String> = std::iter::once("player".to_owned()).chain(names).collect();
        let table = |words: &dyn Fn(&Nearness) -> String| {
            let rows = self.0.players.iter().map(|it| {
                let parts = std::iter::once(&it.all).chain(&it.phases).map(words);
                std::iter::once(it.player.clone()).chain(parts).collect()
            });
            std::iter::once(head.clone()).chain(rows).collect()
        };
        let correlation = |it: &Nearness| {
            let value = it
                .correlation
                .map_or_else(|| "–".to_owned(), |it| format!("{it:.3}"));
            match it.interval {
                Some(ends) => format!("{value} {}", interval_text(ends, |it| format!("{it:.3}"))),
                None => value,
            }
        };
        let error = |it: &Nearness| {
            it.error
                .map_or_else(|| "–".to_owned(), |it| format!("{it:.0}"))
        };
        vec![
            (
                "Correlation with the expert’s scores, with 95 %:".to_owned(),
                table(&correlation),
            ),
            (
                "Mean distance from the expert’s scores, in centipawns:".to_owned(),
                table(&error),
            ),
        ]
    }
}
