//! The page of a population that learns.

use mendel_store::page::{Block, Page, Table, Tone};
use mendel_store::plot::{Axis, LineChart, Series, number};

use super::event::{Against, Event};
use super::learning::{EVENTS, Learning};
use crate::analysis::Trend;

/// The file of the page, in the folder of the population.
pub const REPORT: &str = "report.html";

/// Games of which the curve shows the mean.
const WINDOW: usize = 50;

/// The page that shows a population to a person.
pub fn page(learning: &Learning) -> Page {
    let events: Vec<&Event> = learning.events().collect();
    let results: Vec<f64> = events.iter().map(|it| it.result.points()).collect();
    let mut blocks = vec![verdict(&results)];
    blocks.push(Block::Heading("What was played".to_owned()));
    blocks.push(Block::Facts(facts(learning, &events)));
    blocks.push(Block::Heading("Results".to_owned()));
    if results.len() >= 2 {
        blocks.push(curve(&results));
    }
    blocks.push(Block::Table(opponents(&events)));
    blocks.push(Block::Heading("Sets".to_owned()));
    blocks.push(Block::Table(sets(learning)));
    blocks.push(Block::Links(vec![(
        "the games, a line each".to_owned(),
        EVENTS.to_owned(),
    )]));
    Page {
        title: "Learning after each game".to_owned(),
        subtitle: format!("A population of Mendel {}", env!("CARGO_PKG_VERSION")),
        blocks,
        foot: "Made from the journal of games beside it, which is all that is known.".to_owned(),
    }
}

fn verdict(results: &[f64]) -> Block {
    match Trend::of(results) {
        None => Block::Verdict {
            tone: Tone::Plain,
            large: format!("{} games", results.len()),
            small: "Too few to see a trend.".to_owned(),
        },
        Some(trend) => Block::Verdict {
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
            small: trend.words(),
        },
    }
}

fn facts(learning: &Learning, events: &[&Event]) -> Vec<(String, String)> {
    let founding = learning.founding();
    let count = |against: Against| events.iter().filter(|it| it.against == against).count();
    let facts = [
        ("games", number(events.len() as f64)),
        ("against people", number(count(Against::Person) as f64)),
        ("in a GUI", number(count(Against::Gui) as f64)),
        ("against programs", number(count(Against::Program) as f64)),
        ("sets", number(learning.population().members().len() as f64)),
        ("children born", learning.population().births().to_string()),
        ("seed", founding.seed.to_string()),
    ];
    facts
        .map(|(name, value)| (name.to_owned(), value))
        .into_iter()
        .collect()
}

/// The mean of the last games, after each.
fn curve(results: &[f64]) -> Block {
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
    };
    Block::Figure {
        drawing: chart.draw(),
        caption: format!("After each game the mean of the last {window}."),
    }
}

fn opponents(events: &[&Event]) -> Table {
    let mut names: Vec<&str> = events.iter().map(|it| it.opponent.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let mut table = Table::new(["opponent", "games", "points", "per cent"]);
    for name in names {
        let results = events.iter().filter(|it| it.opponent == name);
        let results: Vec<f64> = results.map(|it| it.result.points()).collect();
        let points: f64 = results.iter().sum();
        table.row([
            name.to_owned(),
            results.len().to_string(),
            number(points),
            format!("{:.1}", 100.0 * points / results.len() as f64),
        ]);
    }
    table
}

/// The sets, the best first.
fn sets(learning: &Learning) -> Table {
    let head = ["merit", "games", "born"].map(str::to_owned);
    let names = learning.names().iter().cloned();
    let mut table = Table::new(head.into_iter().chain(names));
    let mut members: Vec<_> = learning.population().members().iter().collect();
    members.sort_by(|a, b| b.tally.merit().total_cmp(&a.tally.merit()));
    for member in members {
        let first = [
            format!("{:.2}", member.tally.merit()),
            member.tally.games().to_string(),
            member.born.to_string(),
        ];
        let weights = member.set.iter().map(i32::to_string);
        table.row(first.into_iter().chain(weights));
    }
    table
}
