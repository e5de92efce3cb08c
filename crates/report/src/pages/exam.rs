//! External tests on the page.

use super::analyses::{AnalysisKind, Picture, block};
use super::games::{lengths, most_frequent, moves};
use super::read::RunRecord;
use super::{or_dash, p_value};
use crate::analysis::exam::{ColourLengths, ExamLengths, ExternalTestReport};
use crate::page::{HtmlTable, PageBlock};
use crate::plot::{Axis, BarGroup, BarRow, LineChart, Series, StackedBars, number};

/// Maximum number of generations that are bars; more are lines.
const MAX_BARS: usize = 12;

/// Maximum number of rows that are not folded.
const MAX_ROWS: usize = 40;

impl RunRecord {
    /// Plots and lengths. The table of shares is in the section of the paper, if there is one.
    pub(super) fn exam_blocks(&self) -> Vec<PageBlock> {
        let exam = &self.exam;
        if exam.lines.is_empty() {
            return Vec::new();
        }
        let mut blocks = Vec::new();
        if exam.published.is_empty() {
            blocks.extend(share_blocks(exam));
        }
        blocks.extend(exam_pictures(exam).into_iter().map(block));
        for row in exam.lengths() {
            blocks.extend(length_blocks(&row));
        }
        blocks
    }
}

/// The shares as a table: the published ones, and a column for each opponent.
pub fn exam_table(exam: &ExternalTestReport) -> HtmlTable {
    let rows = exam.rows();
    let has_paper = !exam.published.is_empty();
    let mut head = vec!["generations".to_owned()];
    head.extend(has_paper.then(|| "paper".to_owned()));
    head.extend(rows.iter().map(|(_, name)| format!("ours: {name}")));
    head.extend(rows.is_empty().then(|| "ours".to_owned()));
    head.push("games".to_owned());
    let mut table = HtmlTable::new(head);
    let all = exam.all();
    let generations = exam.generations().into_iter().map(Some);
    for generation in generations.chain([None]) {
        let paper = generation.map_or_else(|| exam.paper_mean(), |it| exam.paper(it));
        let own = rows.iter().map(|(row, _)| {
            let mut all = all.iter();
            all.find(|it| it.generation == generation && it.row == *row)
        });
        let mut cells = vec![generation_name(generation)];
        cells.extend(has_paper.then(|| words(paper)));
        cells.extend(own.clone().map(|it| words(it.and_then(|it| it.shares))));
        cells.extend(rows.is_empty().then(|| words(None)));
        let games = own.flatten().map(|it| it.games.to_string());
        cells.push(games.collect::<Vec<_>>().join(" + "));
        table.row(cells);
    }
    table
}

fn generation_name(generation: Option<u32>) -> String {
    generation.map_or_else(|| "all".to_owned(), |it| it.to_string())
}

/// The table with a text above it, and notes.
pub(super) fn share_blocks(exam: &ExternalTestReport) -> Vec<PageBlock> {
    let mut blocks = vec![PageBlock::text(
        "Games of all members against a program from elsewhere, after so many generations: lost, drawn, won.",
    )];
    let table = exam_table(exam);
    if table.rows.len() <= MAX_ROWS {
        blocks.push(PageBlock::Table(table));
    } else {
        // The published generations, the last and the sum; the others are folded.
        let published = |cells: &Vec<String>| {
            let generation = cells.first().and_then(|it| it.parse().ok());
            generation.is_none_or(|it| exam.paper(it).is_some())
        };
        let last = table.rows.len() - 2;
        let rows = table.rows.iter().enumerate();
        let rows = rows.filter(|(at, cells)| *at == last || published(cells));
        blocks.push(PageBlock::Table(HtmlTable {
            head: table.head.clone(),
            rows: rows.map(|it| it.1.clone()).collect(),
        }));
        let count = table.rows.len() - 1;
        let summary = format!("All {count} generations that were examined");
        blocks.push(PageBlock::details(summary, PageBlock::Table(table)));
    }
    let mut notes: Vec<String> = exam.lines.iter().filter_map(|it| it.note.clone()).collect();
    notes.dedup();
    notes.truncate(2);
    if !notes.is_empty() {
        blocks.push(PageBlock::List(notes));
    }
    blocks
}

/// Lost, drawn, won.
pub(super) fn words(shares: Option<[f64; 3]>) -> String {
    or_dash(shares, |[lost, drawn, won]| {
        format!("{lost:.1} %, {drawn:.1} %, {won:.1} %")
    })
}

/// All plots of external tests.
pub fn exam_pictures(exam: &ExternalTestReport) -> Vec<Picture> {
    let mut pictures = Vec::new();
    let generations = exam.generations().len();
    if generations > MAX_BARS {
        pictures.extend(points_picture(exam));
    } else {
        pictures.extend(share_picture(exam));
    }
    for (row, opponent) in exam.rows() {
        let own = exam.lines.iter().filter(|line| line.row == row);
        let sides = [0, 1].map(|side| -> Vec<u32> {
            let own = own.clone();
            own.flat_map(|line| line.lost[side].iter().copied())
                .collect()
        });
        let name = format!("exam-{}", row + 1);
        pictures.extend(lengths(
            &name,
            [&sides[0], &sides[1]],
            format!(
                "Half-moves of the games that members lost against {opponent}, in all examinations."
            ),
        ));
        let with_black = exam.opened(row, 1);
        let all: u64 = with_black.iter().map(|it| it.1).sum();
        let answers = match most_frequent(&with_black, all).as_str() {
            "" => String::new(),
            answers => format!(" With Black they began with {answers}."),
        };
        pictures.extend(moves(
            (&name, "First moves with White"),
            &exam.opened(row, 0),
            &format!("The first move of members with White, against {opponent}.{answers}"),
        ));
    }
    pictures
}

/// Shares of each external test as bars, with those of the paper.
fn share_picture(exam: &ExternalTestReport) -> Option<Picture> {
    if exam.lines.is_empty() {
        return None;
    }
    let row = |name: String, shares: [f64; 3]| BarRow {
        name,
        values: shares.to_vec(),
        words: words(Some(shares)),
    };
    let rows = exam.rows();
    let groups = exam.generations().into_iter().map(|generation| {
        let paper = exam.paper(generation);
        let paper = paper.map(|it| row("paper".to_owned(), it));
        let own = rows.iter().filter_map(|(at, opponent)| {
            let shares = exam.own(generation, *at)?.shares?;
            Some(row(opponent.clone(), shares))
        });
        BarGroup {
            name: generation.to_string(),
            rows: paper.into_iter().chain(own).collect(),
        }
    });
    let chart = StackedBars {
        title: title(exam),
        parts: ["lost", "drawn", "won"].map(str::to_owned).to_vec(),
        groups: groups.filter(|it| !it.rows.is_empty()).collect(),
    };
    let caption = "Shares of the games of all members, after so many generations (at the left), against each opponent; \
                   lost, drawn, won. A clock decides in these games: another time they are others.";
    Some(AnalysisKind::Exam.picture("exam", chart.draw(), caption))
}

/// Points (won games and half of the drawn ones) of many external tests as lines.
fn points_picture(exam: &ExternalTestReport) -> Option<Picture> {
    let points = |[_, drawn, won]: [f64; 3]| won + drawn / 2.0;
    let mut series: Vec<Series> = Vec::new();
    for (pen, (row, opponent)) in exam.rows().into_iter().enumerate() {
        let point = |generation: &u32| {
            let shares = exam.own(*generation, row)?.shares?;
            Some((f64::from(*generation), points(shares)))
        };
        let curve = exam.generations().iter().filter_map(point).collect();
        series.push(Series::line(opponent, (pen % 4) as u8, curve));
    }
    if series.iter().all(|it| it.points.is_empty()) {
        return None;
    }
    if !exam.published.is_empty() {
        let curve = exam.published.iter();
        let curve = curve.map(|(generation, shares)| (f64::from(*generation), points(*shares)));
        series.push(Series::line("paper", 4, curve.collect()));
    }
    let most = series.iter().flat_map(|it| &it.points).map(|it| it.1);
    let most = (most.fold(0.0, f64::max) * 1.1).clamp(5.0, 100.0);
    let chart = LineChart {
        title: title(exam),
        x: Axis::whole("generations"),
        y: Axis::new("points, %").between(0.0, most),
        series,
        height: 300,
        ..LineChart::default()
    };
    let caption = "Points of all members in each examination: won games, and half of those drawn.";
    Some(AnalysisKind::Exam.picture("exam", chart.draw(), caption))
}

/// The lost games of each row, over all generations.
fn title(exam: &ExternalTestReport) -> String {
    let all = exam.all();
    let whole = all.iter().filter(|it| it.generation.is_none());
    let told: Vec<String> = whole
        .filter_map(|it| {
            let [lost, ..] = it.shares?;
            // The option that distinguishes the opponents; the bars have the whole name.
            let name = it.opponent.split_once(", ");
            let name = name.map_or(it.opponent.as_str(), |(_, option)| option);
            Some(format!("{lost:.1} % lost ({name})"))
        })
        .collect();
    if told.is_empty() {
        "The examination".to_owned()
    } else {
        format!("Examination: {}", told.join(", "))
    }
}

/// Lengths of lost games by colour and generation, and which generations differ.
fn length_blocks(row: &ExamLengths) -> Vec<PageBlock> {
    if row.colours.iter().all(|it| it.games == [0, 0]) {
        return Vec::new();
    }
    let mut table = HtmlTable::named(
        "generations|lost as White|half-moves|lost as Black|half-moves|Welch’s p, corrected",
    );
    for it in &row.colours {
        table.row([
            generation_name(it.generation),
            number(it.games[0] as f64),
            mean(it, 0),
            number(it.games[1] as f64),
            mean(it, 1),
            or_dash(it.corrected, p_value),
        ]);
    }
    let surely = row.generations.iter().filter(|it| it.corrected < 0.05);
    let surely = surely.map(|it| {
        let p = p_value(it.corrected);
        format!("{} and {} (p {p})", it.first, it.second)
    });
    let surely: Vec<String> = surely.collect();
    let compared = row.generations.len();
    let differ = match (compared, surely.len()) {
        (0, _) => String::new(),
        (_, 0) => format!(
            " No two generations differ in the length of all their lost games ({compared} Welch tests, p corrected by Bonferroni)."
        ),
        (_, count) => format!(
            " Of {compared} pairs of generations {count} differ in the length of all their lost games (Welch tests, p corrected by Bonferroni): {}{}.",
            surely[..count.min(6)].join(", "),
            if count > 6 { " …" } else { "" }
        ),
    };
    let text = PageBlock::text(format!(
        "Games that members lost against {}: their length in half-moves, mean ± deviation, and whether the colours differ.{differ}",
        row.opponent
    ));
    vec![text, PageBlock::Table(table)]
}

fn mean(it: &ColourLengths, side: usize) -> String {
    match (it.mean[side], it.deviation[side]) {
        (Some(mean), Some(deviation)) => format!("{mean:.1} ± {deviation:.1}"),
        (Some(mean), None) => format!("{mean:.1}"),
        _ => "–".to_owned(),
    }
}
