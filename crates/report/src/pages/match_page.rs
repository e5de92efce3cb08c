//! A match or a tournament.

use std::collections::BTreeMap;
use std::path::Path;

use mendel_arena::statistics::{EloEstimate, Sprt};
use mendel_arena::{
    Conclusion, GameRecord, Match, MatchPlan, MatchSummary, Pairing, Schedule, Side, Standings,
};
use mendel_store::frame::{Failure, Folder, Manifest};
use serde::Serialize;

use super::read::lines_of;
use super::{counted, elo, elo_interval, or_dash};
use crate::page::{HtmlPage, HtmlTable, PageBlock, Tone};
use crate::plot::{Axis, LineChart, Reference, Series};

/// Maximum number of openings in the table.
const MAX_OPENINGS: usize = 20;

/// A match, finished or not, read from its folder.
#[derive(Debug)]
pub struct MatchRecord {
    manifest: Manifest,
    plan: MatchPlan,
    summary: MatchSummary,
    games: Vec<GameRecord>,
}

impl MatchRecord {
    /// Reads the folder of a match.
    ///
    /// # Errors
    ///
    /// If the folder is not that of a match, or a file cannot be read.
    pub fn read(folder: &Path) -> Result<Self, Failure> {
        let files = Folder::at(folder);
        let mut games: Vec<GameRecord> = lines_of(&files.file("games.jsonl"))?;
        games.sort_by_key(|game| game.game);
        Ok(Self {
            manifest: Manifest::read(folder)?,
            plan: MatchPlan::read(folder)?,
            summary: Match::standings(&files)?,
            games,
        })
    }

    /// The standings, as in `result.json` at the end.
    pub fn summary(&self) -> &MatchSummary {
        &self.summary
    }

    pub fn page(&self) -> HtmlPage {
        let manifest = &self.manifest;
        let mut page = HtmlPage::new(
            &manifest.name,
            format!("{} · match {}", self.plan.event, manifest.id),
            format!("mendel {} · {}", manifest.version, manifest.command),
        );
        page.blocks = vec![self.verdict(), self.facts()];
        let pairings = pairings(&self.summary.pairings);
        let standings = self.ratings().into_iter().chain([pairings]);
        page.section("Standings", standings.chain(self.course()));
        let links = PageBlock::Links(vec![
            ("Games as PGN".to_owned(), "games.pgn".to_owned()),
            ("Games as records".to_owned(), "games.jsonl".to_owned()),
        ]);
        page.section("Games", [self.endings(), self.openings(), links]);
        page
    }

    fn verdict(&self) -> PageBlock {
        let games = counted(self.summary.games, "game");
        let (tone, small) = match &self.summary.conclusion {
            Conclusion::Unfinished => (Tone::Plain, format!("after {games}: not finished")),
            Conclusion::AllPlayed => (Tone::Plain, format!("after {games}")),
            Conclusion::Accepted => (Tone::Good, format!("accepted by the test after {games}")),
            Conclusion::Rejected => (Tone::Bad, format!("rejected by the test after {games}")),
            Conclusion::TooManyFaults { player, faults } => {
                let faults = counted(*faults, "fault");
                let small = format!("stopped: {player} had {faults} in {games}");
                (Tone::Bad, small)
            }
        };
        let large = match &self.summary.pairings[..] {
            [pairing] => format!("{}: {} Elo", pairing.first, elo_text(&pairing.elo)),
            _ => counted(self.summary.players.len() as u64, "player"),
        };
        PageBlock::verdict(tone, large, small)
    }

    fn facts(&self) -> PageBlock {
        let plan = &self.plan;
        let openings = plan.openings.as_ref().map(|it| it.display().to_string());
        let mut facts = vec![
            ("players", plan.players.join("; ")),
            ("a move", plan.pace.to_string()),
            (
                "openings",
                openings.unwrap_or_else(|| "our own book".to_owned()),
            ),
            ("seed", self.manifest.seed.to_string()),
        ];
        facts.extend(plan.sprt.map(|sprt| {
            let (model, alpha, beta) = (serial_name(sprt.model), sprt.alpha, sprt.beta);
            let bounds = format!("[{}, {}]", sprt.elo0, sprt.elo1);
            ("test", format!("{bounds} {model} Elo, α {alpha}, β {beta}"))
        }));
        PageBlock::facts(facts)
    }

    /// The table of a tournament, the best player first.
    fn ratings(&self) -> Option<PageBlock> {
        let mut ratings = self.summary.ratings.as_ref()?.ratings.clone();
        let rating = |value: Option<f64>| value.unwrap_or(f64::MIN);
        ratings.sort_by(|a, b| rating(b.rating).total_cmp(&rating(a.rating)));
        let mut table = HtmlTable::new(["player", "rating", "± 95 %", "games", "score", "draws"]);
        for it in &ratings {
            table.row([
                self.summary.players[it.player].clone(),
                or_dash(it.rating, |it| format!("{it:+.0}")),
                or_dash(it.error, |it| format!("{it:.0}")),
                it.tally.games().to_string(),
                percent(it.tally.ratio()),
                percent(it.tally.draw_ratio()),
            ]);
        }
        Some(PageBlock::Table(table))
    }

    /// The course of a match of two players: the test, or the difference in Elo.
    fn course(&self) -> Option<PageBlock> {
        if self.summary.pairings.len() != 1 || self.games.len() < 4 {
            return None;
        }
        let players = self.plan.players.len();
        let schedule = Schedule::new(self.plan.format, players, self.plan.games).ok()?;
        let mut standings = Standings::new(self.summary.players.clone(), &schedule);
        let sprt = self.plan.sprt.and_then(|sprt| sprt.test().ok());
        let mut series = Series::default();
        for (number, game) in (1..).zip(&self.games) {
            standings.count(game);
            if number % 2 == 1 {
                continue;
            }
            let number = f64::from(number);
            if let Some(sprt) = &sprt {
                series.points.push((number, standings.test(sprt).llr));
            } else {
                let pairing = standings.summary(None, None, Conclusion::Unfinished);
                let EloEstimate { elo, low, high, .. } = pairing.pairings[0].elo;
                series.points.extend(elo.map(|elo| (number, elo)));
                let ends = elo.and(low.zip(high));
                let band = ends.map(|(low, high)| (number, low, high));
                series.band.extend(band);
            }
        }
        Some(chart(sprt.as_ref(), series, &standings))
    }

    fn endings(&self) -> PageBlock {
        let mut reasons: Vec<_> = self.summary.reasons.iter().collect();
        reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let mut table = HtmlTable::new(["games ended by", "games"]);
        for (reason, count) in reasons {
            table.row([serial_name(reason).replace('-', " "), count.to_string()]);
        }
        for (player, faults) in self.summary.players.iter().zip(&self.summary.faults) {
            if *faults > 0 {
                table.row([format!("faults of {player}"), faults.to_string()]);
            }
        }
        PageBlock::Table(table)
    }

    /// The openings, the most frequent first.
    fn openings(&self) -> PageBlock {
        // White's wins, draws and losses.
        let mut openings: BTreeMap<(&str, String), [u64; 3]> = BTreeMap::new();
        for game in &self.games {
            let line = game.opening.join(" ");
            let place = match game.ending.winner {
                Some(Side::White) => 0,
                None => 1,
                Some(Side::Black) => 2,
            };
            openings.entry((&game.start, line)).or_default()[place] += 1;
        }
        let mut openings: Vec<_> = openings.into_iter().collect();
        openings.sort_by_key(|(_, results)| std::cmp::Reverse(results.iter().sum::<u64>()));
        let mut table = HtmlTable::new(["opening", "White won", "drawn", "Black won"]);
        for ((start, line), results) in openings.iter().take(MAX_OPENINGS) {
            let opening = if line.is_empty() { start } else { &**line };
            let [wins, draws, losses] = results.map(|it| it.to_string());
            table.row([opening.to_owned(), wins, draws, losses]);
        }
        let summary = counted(openings.len() as u64, "opening");
        PageBlock::details(summary, PageBlock::Table(table))
    }
}

fn chart(sprt: Option<&Sprt>, series: Series, standings: &Standings) -> PageBlock {
    let level = |name: &str, value| Reference::new(name, 2, value);
    let (label, caption, references) = if let Some(sprt) = sprt {
        let state = standings.test(sprt);
        let bounds = vec![
            level("accepted", state.upper),
            level("rejected", state.lower),
        ];
        let caption = "The test after each pair of games: at a bound it is decided.";
        ("log-likelihood ratio", caption, bounds)
    } else {
        let caption = "The difference in Elo after each pair of games, with its interval of 95 %.";
        ("Elo", caption, vec![level("equal", 0.0)])
    };
    let chart = LineChart {
        title: label.to_owned(),
        x: Axis::new("games"),
        y: Axis::new(label),
        series: vec![series],
        references,
        ..LineChart::default()
    };
    PageBlock::figure(chart.draw(), caption)
}

fn pairings(pairings: &[Pairing]) -> PageBlock {
    let mut table = HtmlTable::named("first|second|games|won|drawn|lost|score|Elo|LOS");
    for it in pairings {
        table.row([
            it.first.clone(),
            it.second.clone(),
            it.tally.games().to_string(),
            it.tally.wins.to_string(),
            it.tally.draws.to_string(),
            it.tally.losses.to_string(),
            percent(it.tally.ratio()),
            elo_text(&it.elo),
            percent(Some(it.elo.superiority)),
        ]);
    }
    PageBlock::Table(table)
}

/// The name of a variant without fields, as JSON has it.
fn serial_name(value: impl Serialize) -> String {
    let name = serde_json::to_value(value).unwrap_or_default();
    name.as_str().unwrap_or_default().to_owned()
}

/// Elo with its error, or with its interval if there is no error.
fn elo_text(it: &EloEstimate) -> String {
    let interval = elo_interval([it.low, it.high]);
    match (it.elo, it.error) {
        (Some(value), Some(error)) => format!("{} ± {error:.1}", elo(value)),
        (Some(value), None) => format!("{} {interval}", elo(value)),
        (None, _) => interval,
    }
}

fn percent(share: Option<f64>) -> String {
    or_dash(share, |share| format!("{:.1} %", share * 100.0))
}
