//! A population that learns after each game.

use mendel_lab::record::learning::{GAMES, LearningRecord, OpponentHistory, OpponentKind};

use crate::page::{HtmlPage, HtmlTable, PageBlock, Tone};
use crate::plot::{Axis, LineChart, Series, number};

/// Number of games in each mean of the curve.
const WINDOW: usize = 50;

pub fn learning_page(learning: &LearningRecord) -> HtmlPage {
    let events = &learning.games;
    let results: Vec<f64> = events.iter().map(|it| it.result.points()).collect();
    let met = &learning.opponents;
    let most = met.iter().max_by_key(|it| it.results.len());
    let mut page = HtmlPage::new(
        "Learning after each game",
        format!("A population of Mendel {}", env!("CARGO_PKG_VERSION")),
        "Made from the journal of games beside it, which is all that is known.",
    );
    page.blocks.push(verdict(most));
    page.section("What was played", [facts(learning)]);
    let curve = (results.len() >= 2).then(|| curve(&results));
    let table = PageBlock::Table(against(met));
    page.section("Results", curve.into_iter().chain([table]));
    let links = vec![("the games, a line each".to_owned(), GAMES.to_owned())];
    let sets = PageBlock::Table(sets(learning));
    page.section("Sets", [sets, PageBlock::Links(links)]);
    page
}

/// Whether it improves against the most frequent opponent. Games against several opponents say
/// nothing together, because one may be easier than the other.
fn verdict(most: Option<&OpponentHistory>) -> PageBlock {
    let games = most.map_or(0, |it| it.results.len());
    let Some((opponent, trend)) = most.and_then(|it| Some((it, it.trend()?))) else {
        let large = format!("{games} games");
        return PageBlock::verdict(Tone::Plain, large, "Too few to see a trend.");
    };
    let (tone, large) = if trend.is_proved() {
        (Tone::Good, "it improves")
    } else {
        (Tone::Plain, "not proved that it improves")
    };
    let small = format!("Opponent {}: {}", opponent.name, trend.words());
    PageBlock::verdict(tone, large, small)
}

fn facts(learning: &LearningRecord) -> PageBlock {
    let events = &learning.games;
    let count = |against: OpponentKind| {
        let games = events.iter().filter(|it| it.against == against);
        number(games.count() as f64)
    };
    PageBlock::facts([
        ("games", number(events.len() as f64)),
        ("against people", count(OpponentKind::Person)),
        ("in a GUI", count(OpponentKind::Gui)),
        ("against programs", count(OpponentKind::Program)),
        ("sets", number(learning.members.len() as f64)),
        ("children born", learning.births.to_string()),
        ("seed", learning.seed.to_string()),
    ])
}

/// The mean of the last games, after each game.
fn curve(results: &[f64]) -> PageBlock {
    let window = WINDOW.min(results.len().div_ceil(2)).max(1);
    let means = results.windows(window).enumerate().map(|(at, games)| {
        let mean = games.iter().sum::<f64>() / window as f64;
        ((at + window) as f64, 100.0 * mean)
    });
    let chart = LineChart {
        title: "Results over the games".to_owned(),
        x: Axis::whole("game"),
        y: Axis::new("per cent of the points"),
        series: vec![Series::line("all opponents", 0, means.collect())],
        height: 320,
        ..LineChart::default()
    };
    let caption = format!("After each game the mean of the last {window}.");
    PageBlock::figure(chart.draw(), caption)
}

fn against(met: &[OpponentHistory]) -> HtmlTable {
    let mut table = HtmlTable::named("opponent|games|played here|points|per cent|trend");
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
    let names = learning.names.iter().map(String::as_str);
    let mut table = HtmlTable::new(["merit", "games", "born"].into_iter().chain(names));
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
