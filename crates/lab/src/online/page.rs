//! The page of a population that learns.

use mendel_store::page::{Block, Page, Table, Tone};
use mendel_store::plot::{Axis, LineChart, Series, number};

use super::event::{Against, Event};
use super::learning::{EVENTS, Learning};
use super::opponents::{Opponent, opponents};

/// The file of the page, in the folder of the population.
pub const REPORT: &str = "report.html";

/// Games of which the curve shows the mean.
const WINDOW: usize = 50;

/// The page that shows a population to a person.
pub fn page(learning: &Learning) -> Page {
    let events: Vec<&Event> = learning.events().collect();
    let results: Vec<f64> = events.iter().map(|it| it.result.points()).collect();
    let met = opponents(learning);
    let most = met.iter().max_by_key(|it| it.results.len());
    let mut blocks = vec![verdict(most)];
    blocks.push(Block::Heading("What was played".to_owned()));
    blocks.push(Block::Facts(facts(learning, &events)));
    blocks.push(Block::Heading("Results".to_owned()));
    if results.len() >= 2 {
        blocks.push(curve(&results));
    }
    blocks.push(Block::Table(against(&met)));
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

/// Whether it gets better against the opponent that it met most: games against several
/// say nothing together, since one may be easier than the other.
fn verdict(most: Option<&Opponent>) -> Block {
    let games = most.map_or(0, |it| it.results.len());
    match most.and_then(|it| Some((it, it.trend()?))) {
        None => Block::Verdict {
            tone: Tone::Plain,
            large: format!("{games} games"),
            small: "Too few to see a trend.".to_owned(),
        },
        Some((opponent, trend)) => Block::Verdict {
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
            small: format!("Against {}: {}", opponent.name, trend.words()),
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
        beyond: Vec::new(),
    };
    Block::Figure {
        drawing: chart.draw(),
        caption: format!("After each game the mean of the last {window}."),
    }
}

fn against(met: &[Opponent]) -> Table {
    let mut table = Table::new([
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
