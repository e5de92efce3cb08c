//! The page of a population that learns.

use mendel_lab::record::learning::{GAMES, LearningRecord, OpponentHistory, OpponentKind};

use crate::page::{HtmlPage, HtmlTable, PageBlock, Tone};
use crate::plot::{Axis, LineChart, Series, number};

/// Games of which the curve shows the mean.
const WINDOW: usize = 50;

/// The page that shows a population to a person.
pub fn learning_page(learning: &LearningRecord) -> HtmlPage {
    let events = &learning.games;
    let results: Vec<f64> = events.iter().map(|it| it.result.points()).collect();
    let met = &learning.opponents;
    let most = met.iter().max_by_key(|it| it.results.len());
    let mut blocks = vec![verdict(most)];
    blocks.push(PageBlock::Heading("What was played".to_owned()));
    blocks.push(PageBlock::Facts(facts(learning)));
    blocks.push(PageBlock::Heading("Results".to_owned()));
    if results.len() >= 2 {
        blocks.push(curve(&results));
    }
    blocks.push(PageBlock::Table(against(met)));
    blocks.push(PageBlock::Heading("Sets".to_owned()));
    blocks.push(PageBlock::Table(sets(learning)));
    blocks.push(PageBlock::Links(vec![(
        "the games, a line each".to_owned(),
        GAMES.to_owned(),
    )]));
    HtmlPage {
        title: "Learning after each game".to_owned(),
        subtitle: format!("A population of Mendel {}", env!("CARGO_PKG_VERSION")),
        blocks,
        foot: "Made from the journal of games beside it, which is all that is known.".to_owned(),
    }
}

/// Whether it gets better against the opponent that it met most: games against several
/// say nothing together, since one may be easier than the other.
fn verdict(most: Option<&OpponentHistory>) -> PageBlock {
    let games = most.map_or(0, |it| it.results.len());
    match most.and_then(|it| Some((it, it.trend()?))) {
        None => PageBlock::Verdict {
            tone: Tone::Plain,
            large: format!("{games} games"),
            small: "Too few to see a trend.".to_owned(),
        },
        Some((opponent, trend)) => PageBlock::Verdict {
            tone: if trend.is_proved() {
                Tone::Good
            } else {
                Tone::Plain
            },
            large: if trend.is_proved() {
                "it improves"
            } else {
                "not proved that it improves"
            }
            .to_owned(),
            small: format!("OpponentKind {}: {}", opponent.name, trend.words()),
        },
    }
}

fn facts(learning: &LearningRecord) -> Vec<(String, String)> {
    let events = &learning.games;
    let count = |against: OpponentKind| events.iter().filter(|it| it.against == against).count();
    let facts = [
        ("games", number(events.len() as f64)),
        ("against people", number(count(OpponentKind::Person) as f64)),
        ("in a GUI", number(count(OpponentKind::Gui) as f64)),
        (
            "against programs",
            number(count(OpponentKind::Program) as f64),
        ),
        ("sets", number(learning.members.len() as f64)),
        ("children born", learning.births.to_string()),
        ("seed", learning.seed.to_string()),
    ];
    facts
        .map(|(name, value)| (name.to_owned(), value))
        .into_iter()
        .collect()
}

/// The mean of the last games, after each.
fn curve(results: &[f64]) -> PageBlock {
    let window = WINDOW.min(results.len().div_ceil(2)).max(1);
    let means = results.windows(window).enumerate().map(|(at, games)| {
        let mean = games.iter().sum::<f64>() / window as f64;
        ((at + window) as f64, 100.0 * mean)
    });
    let chart = LineChart {
        title: "Results over the games".to_owned(),
        x: Axis::whole("game"),
        y: Axis::new("per cent of the points".to_owned()),
        series: vec![Series::line("all opponents", 0, means.collect())],
        references: Vec::new(),
        height: 320,
        beyond: Vec::new(),
    };
    PageBlock::Figure {
        drawing: chart.draw(),
        caption: format!("After each game the mean of the last {window}."),
    }
}

fn against(met: &[OpponentHistory]) -> HtmlTable {
    let mut table = HtmlTable::new([
        "opponent",
        "games",
        "played here",
        "points",
        "per cent",
        "trend",
    ]);
    for it in met {
        let points: f64 = it.results.iter().sum();
        let trend = it.trend();
        table.row([
            it.name.clone(),
            it.results.len().to_string(),
            it.here.to_string(),
            number(points),
            format!("{:.1}", 100.0 * points / it.results.len() as f64),
            trend.map_or_else(|| "too few games".to_owned(), |trend| trend.words()),
        ]);
    }
    table
}

/// The sets, the best first.
fn sets(learning: &LearningRecord) -> HtmlTable {
    let head = ["merit", "games", "born"].map(str::to_owned);
    let names = learning.names.iter().cloned();
    let mut table = HtmlTable::new(head.into_iter().chain(names));
    let mut members: Vec<_> = learning.members.iter().collect();
    members.sort_by(|a, b| b.merit().total_cmp(&a.merit()));
    for member in members {
        let first = [
            format!("{:.2}", member.merit()),
            member.tally.games().to_string(),
            member.born.to_string(),
        ];
        let weights = member.set.iter().map(i32::to_string);
        table.row(first.into_iter().chain(weights));
    }
    table
}
