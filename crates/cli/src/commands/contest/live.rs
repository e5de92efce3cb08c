//! What a match shows while it runs.

use std::io::{self, IsTerminal, Write};
use std::path::Path;

use indicatif::{ProgressBar, ProgressStyle};
use mendel_arena::statistics::{EloEstimate, SprtState};
use mendel_arena::{Conclusion, Contest, Progress};
use serde_json::json;

use super::report::{elo_text, percent};

/// On a terminal a bar with the score so far; elsewhere a line for each game; with
/// `--json` a JSON line for each game on stdout.
pub(super) struct Live {
    bar: Option<ProgressBar>,
    names: Vec<String>,
    json: bool,
    lines: bool,
}

impl Live {
    pub(super) fn new(contest: &Contest, folder: &Path, json: bool, quiet: bool) -> Self {
        let names: Vec<String> = contest
            .entrants()
            .iter()
            .map(|entrant| entrant.name.clone())
            .collect();
        if !quiet {
            say(&format!(
                "{}: {} games at {}, kept in {}",
                names.join(" – "),
                contest.total(),
                contest.plan().pace,
                folder.display()
            ));
        }
        let terminal = io::stderr().is_terminal();
        let bar = (terminal && !quiet).then(|| {
            let bar = ProgressBar::new(contest.total());
            let style = "{bar:30} {pos}/{len} games, {eta} left  {msg}";
            bar.set_style(
                ProgressStyle::with_template(style).expect("the template is tested by use"),
            );
            bar
        });
        Self {
            bar,
            names,
            json,
            lines: !terminal && !quiet,
        }
    }

    pub(super) fn show(&mut self, progress: &Progress) {
        let record = progress.record;
        if self.json {
            let line = json!({
                "event": "game",
                "game": record.game,
                "pair": record.pair,
                "white": self.names[record.white],
                "black": self.names[record.black],
                "result": record.ending.result(),
                "reason": record.ending.reason,
                "words": record.ending.words,
                "plies": record.opening.len() + record.moves.len(),
                "found": progress.found,
                "llr": progress.test.map(|test| test.llr),
            });
            let mut out = io::stdout().lock();
            // Whoever does not listen any more still gets the folder.
            let _ = writeln!(out, "{line}").and_then(|()| out.flush());
        }
        if progress.found || (self.bar.is_none() && !self.lines) {
            return;
        }
        let state = self.state(progress);
        if let Some(bar) = &self.bar {
            bar.set_position(progress.standing.games());
            bar.set_message(state);
        } else {
            say(&format!(
                "game {} of {}: {} – {} {} ({}); {state}",
                record.game + 1,
                progress.total,
                self.names[record.white],
                self.names[record.black],
                record.ending.result(),
                record.ending.words,
            ));
        }
    }

    fn state(&self, progress: &Progress) -> String {
        let summary = progress
            .standing
            .summary(None, None, Conclusion::Unfinished);
        if let [pairing] = &summary.pairings[..] {
            let tally = pairing.tally;
            let elo: &EloEstimate = &pairing.elo;
            let mut text = format!(
                "+{} ={} -{}  {}  Elo {}",
                tally.wins,
                tally.draws,
                tally.losses,
                percent(tally.ratio()),
                elo_text(elo),
            );
            if let Some(test) = progress.test {
                let SprtState {
                    llr, lower, upper, ..
                } = test;
                text = format!("{text}  LLR {llr:.2} [{lower:.2}, {upper:.2}]");
            }
            return text;
        }
        let ratings = summary.ratings.as_ref();
        let best = ratings.and_then(|ratings| {
            ratings.ratings.iter().max_by(|a, b| {
                a.rating
                    .unwrap_or(f64::MIN)
                    .total_cmp(&b.rating.unwrap_or(f64::MIN))
            })
        });
        best.map_or_else(String::new, |best| {
            format!(
                "{} leads with {}",
                self.names[best.player],
                percent(best.tally.ratio())
            )
        })
    }

    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.abandon();
        }
    }
}

fn say(text: &str) {
    // With stderr closed there is nobody left to tell.
    let _ = writeln!(io::stderr().lock(), "{text}");
}
