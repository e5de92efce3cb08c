//! A match or a tournament as a page.

use std::collections::BTreeMap;
use std::path::Path;

use crate::page::{HtmlPage, HtmlTable, PageBlock, Tone};
use crate::plot::{Axis, LineChart, Reference, Series};
use mendel_arena::statistics::{EloEstimate, Sprt};
use mendel_arena::{
    Conclusion, EndReason, GameRecord, Match, MatchPlan, MatchSummary, Pairing, Schedule, Standings,
};
use mendel_store::Journal;
use mendel_store::frame::{Failure, Folder, Manifest};

use super::counted;

/// Openings that are listed.
const MAX_OPENINGS: usize = 20;

/// A match, finished or not, with what its games say.
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
    /// If it has none, or a file cannot be read.
    pub fn read(folder: &Path) -> Result<Self, Failure> {
        let files = Folder::at(folder);
        let path = files.file("games.jsonl");
        let mut games = if path.exists() {
            Journal::<GameRecord>::read(&path)?
        } else {
            Vec::new()
        };
        games.sort_by_key(|game| game.game);
        Ok(Self {
            manifest: Manifest::read(folder)?,
            plan: MatchPlan::read(folder)?,
            summary: Match::standings(&files)?,
            games,
        })
    }

    /// The standings, as `result.json` has them at the end.
    pub fn summary(&self) -> &MatchSummary {
        &self.summary
    }

    /// The page.
    pub fn page(&self) -> HtmlPage {
        let mut blocks = vec![self.verdict(), self.facts()];
        blocks.push(PageBlock::Heading("Standings".to_owned()));
        blocks.extend(self.ratings());
        blocks.push(pairings(&self.summary.pairings));
        blocks.extend(self.course());
        blocks.push(PageBlock::Heading("Games".to_owned()));
        blocks.push(self.endings());
        blocks.push(self.openings());
        blocks.push(PageBlock::Links(vec![
            ("Games as PGN".to_owned(), "games.pgn".to_owned()),
            ("Games as records".to_owned(), "games.jsonl".to_owned()),
        ]));
        HtmlPage {
            title: self.manifest.name.clone(),
            subtitle: format!("{} · match {}", self.plan.event, self.manifest.id),
            blocks,
            foot: format!(
                "mendel {} · {}",
                self.manifest.version, self.manifest.command
            ),
        }
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
                (
                    Tone::Bad,
                    format!("stopped: {player} had {faults} in {games}"),
                )
            }
        };
        let large = match &self.summary.pairings[..] {
            [pairing] => format!("{}: {} Elo", pairing.first, elo_text(&pairing.elo)),
            _ => counted(self.summary.players.len() as u64, "player"),
        };
        PageBlock::Verdict { tone, large, small }
    }

    fn facts(&self) -> PageBlock {
        let plan = &self.plan;
        let openings = plan.openings.as_ref().map_or_else(
            || "our own book".to_owned(),
            |path| path.display().to_string(),
        );
        let mut facts = vec![
            ("players".to_owned(), plan.players.join("; ")),
            ("a move".to_owned(), plan.pace.to_string()),
            ("openings".to_owned(), openings),
            ("seed".to_owned(), self.manifest.seed.to_string()),
        ];
        if let Some(sprt) = plan.sprt {
            let model = serde_json::to_value(sprt.model).unwrap_or_default();
            let model = model.as_str().unwrap_or_default();
            let text = format!(
                "[{}, {}] {model} Elo, α {}, β {}",
                sprt.elo0, sprt.elo1, sprt.alpha, sprt.beta
            );
            facts.push(("test".to_owned(), text));
        }
        PageBlock::Facts(facts)
    }

    /// The table of a tournament, the best player first.
    fn ratings(&self) -> Option<PageBlock> {
        let mut ratings = self.summary.ratings.as_ref()?.ratings.clone();
        let rating = |value: Option<f64>| value.unwrap_or(f64::MIN);
        ratings.sort_by(|a, b| rating(b.rating).total_cmp(&rating(a.rating)));
        let rows = ratings.iter().map(|it| {
            vec![
                self.summary.players[it.player].clone(),
                number(it.rating),
                it.error.map_or_else(dash, |error| format!("{error:.0}")),
                it.tally.games().to_string(),
                percent(it.tally.ratio()),
                percent(it.tally.draw_ratio()),
            ]
        });
        Some(PageBlock::Table(HtmlTable {
            head: words(&["player", "rating", "± 95 %", "games", "score", "draws"]),
            rows: rows.collect(),
        }))
    }

    /// How a match of two went: the test, or the difference in Elo.
    fn course(&self) -> Option<PageBlock> {
        if self.summary.pairings.len() != 1 || self.games.len() < 4 {
            return None;
        }
        let entrants = self.plan.players.len();
        let schedule = Schedule::new(self.plan.format, entrants, self.plan.games).ok()?;
        let mut standings = Standings::new(self.summary.players.clone(), &schedule);
        let sprt = self.plan.sprt.and_then(|sprt| sprt.test().ok());
        let mut points = Vec::new();
        let mut band = Vec::new();
        for (number, game) in (1..).zip(&self.games) {
            standings.count(game);
            if number % 2 == 1 {
                continue;
            }
            let number = f64::from(number);
            if let Some(sprt) = &sprt {
                points.push((number, standings.test(sprt).llr));
            } else {
                let pairing = standings.summary(None, None, Conclusion::Unfinished);
                let EloEstimate { elo, low, high, .. } = pairing.pairings[0].elo;
                points.extend(elo.map(|elo| (number, elo)));
                let ends = elo.and(low.zip(high));
                band.extend(ends.map(|(low, high)| (number, low, high)));
            }
        }
        Some(chart(sprt.as_ref(), points, band, &standings))
    }

    fn endings(&self) -> PageBlock {
        let mut rows: Vec<(u64, Vec<String>)> = Vec::new();
        for (reason, count) in &self.summary.reasons {
            rows.push((*count, vec![reason_text(*reason), count.to_string()]));
        }
        rows.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        let mut rows: Vec<Vec<String>> = rows.into_iter().map(|(_, row)| row).collect();
        for (index, player) in self.summary.players.iter().enumerate() {
            let faults = self.summary.faults[index];
            if faults > 0 {
                rows.push(vec![format!("faults of {player}"), faults.to_string()]);
            }
        }
        PageBlock::Table(HtmlTable {
            head: words(&["games ended by", "games"]),
            rows,
        })
    }

    /// The openings, those that were played most first.
    fn openings(&self) -> PageBlock {
        // White's wins, draws and losses.
        let mut openings: BTreeMap<(&str, String), [u64; 3]> = BTreeMap::new();
        for game in &self.games {
            let line = game.opening.join(" ");
            let place = match game.ending.winner {
                Some(mendel_arena::Side::White) => 0,
                None => 1,
                Some(mendel_arena::Side::Black) => 2,
            };
            openings.entry((&game.start, line)).or_default()[place] += 1;
        }
        let count = openings.len();
        let mut openings: Vec<_> = openings.into_iter().collect();
        openings.sort_by_key(|(_, results)| std::cmp::Reverse(results.iter().sum::<u64>()));
        let rows = openings
            .iter()
            .take(MAX_OPENINGS)
            .map(|((start, line), results)| {
                let opening = if line.is_empty() {
                    start
                } else {
                    line.as_str()
                };
                let [wins, draws, losses] = results.map(|it| it.to_string());
                vec![opening.to_owned(), wins, draws, losses]
            });
        PageBlock::Details {
            summary: counted(count as u64, "opening"),
            blocks: vec![PageBlock::Table(HtmlTable {
                head: words(&["opening", "White won", "drawn", "Black won"]),
                rows: rows.collect(),
            })],
        }
    }
}

fn chart(
    sprt: Option<&Sprt>,
    points: Vec<(f64, f64)>,
    band: Vec<(f64, f64, f64)>,
    standings: &Standings,
) -> PageBlock {
    let level = |name: &str, value| Reference {
        name: name.to_owned(),
        pen: 2,
        value,
    };
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
    let axis = |label: &str| Axis {
        label: label.to_owned(),
        ..Axis::default()
    };
    let chart = LineChart {
        title: label.to_owned(),
        x: axis("games"),
        y: axis(label),
        series: vec![Series {
            band,
            ..Series::line("", 0, points)
        }],
        references,
        ..LineChart::default()
    };
    PageBlock::Figure {
        drawing: chart.draw(),
        caption: caption.to_owned(),
    }
}

fn pairings(pairings: &[Pairing]) -> PageBlock {
    let rows = pairings.iter().map(|it| {
        vec![
            it.first.clone(),
            it.second.clone(),
            it.tally.games().to_string(),
            it.tally.wins.to_string(),
            it.tally.draws.to_string(),
            it.tally.losses.to_string(),
            percent(it.tally.ratio()),
            elo_text(&it.elo),
            percent(Some(it.elo.superiority)),
        ]
    });
    let head = [
        "first", "second", "games", "won", "drawn", "lost", "score", "Elo", "LOS",
    ];
    PageBlock::Table(HtmlTable {
        head: words(&head),
        rows: rows.collect(),
    })
}

fn reason_text(reason: EndReason) -> String {
    let name = serde_json::to_value(reason).unwrap_or_default();
    name.as_str().unwrap_or_default().replace('-', " ")
}

/// Elo with its error; where there is no error, with its interval.
fn elo_text(it: &EloEstimate) -> String {
    match (it.elo, it.error) {
        (Some(elo), Some(error)) => format!("{} ± {error:.1}", super::elo(elo)),
        (Some(elo), None) => {
            format!(
                "{} {}",
                super::elo(elo),
                super::elo_interval([it.low, it.high])
            )
        }
        (None, _) => super::elo_interval([it.low, it.high]),
    }
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(dash, |value| format!("{value:+.0}"))
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(dash, |share| format!("{:.1} %", share * 100.0))
}

fn dash() -> String {
    "–".to_owned()
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}
