//! A match in the commands for all kinds of experiments.

use std::path::Path;

use mendel_arena::statistics::{EloEstimate, Rating, SprtState, Tally};
use mendel_arena::{Conclusion, Match, MatchOptions, MatchPlan, MatchSummary};
use mendel_report::MatchRecord;
use mendel_store::frame::{Failure, Folder, Manifest};
use serde::Deserialize;
use serde_json::{Value, json};

use super::tables::{elo_text, percent, tables};
use crate::exec_options::ExecOptions;
use crate::experiment::{ProgramExperiment, Report};
use crate::progress::{RecordText, RecordView};

impl ProgramExperiment for Match {
    const GROUP: &'static str = "matches";

    fn exec_options(options: &ExecOptions) -> MatchOptions {
        options.for_match()
    }

    fn text(outcome: &MatchSummary, folder: &Folder) -> Result<String, Failure> {
        let sprt = MatchPlan::read(folder.path())?.sprt;
        Ok(tables(outcome, sprt, folder.path()))
    }

    fn describe(folder: &Folder, _manifest: &Manifest) -> Value {
        let Ok(summary) = Match::standings(folder) else {
            return Value::Null;
        };
        let mut value = json!(summary);
        value["progress"] = json!(progress(folder, &summary));
        value["result"] = json!(result(&summary));
        value
    }

    fn report(folder: &Path) -> Result<Report, Failure> {
        let record = MatchRecord::read(folder)?;
        Ok(Report::new(record.page(), record.summary()))
    }

    /// The score so far, next to the progress.
    fn view() -> RecordView {
        Box::new(|name, data| {
            let score = (name == "game").then(|| Score::deserialize(&data["score"]).ok());
            RecordText::status(score.flatten().map(status))
        })
    }

    fn so_far(folder: &Folder) -> Result<Option<MatchSummary>, Failure> {
        Match::standings(folder).map(Some)
    }

    fn check(outcome: &MatchSummary) -> Result<(), Failure> {
        if let Conclusion::TooManyFaults { player, faults } = &outcome.conclusion {
            let what = format!("the match was stopped: {player} had {faults} faults");
            return Err(Failure::failed(what));
        }
        Ok(())
    }
}

/// The field `score` of the record `game`.
#[derive(Deserialize)]
#[serde(untagged)]
enum Score {
    Two {
        tally: Tally,
        elo: EloEstimate,
        sprt: Option<SprtState>,
    },
    Tournament {
        leader: String,
        ratio: f64,
    },
}

fn status(score: Score) -> String {
    match score {
        // Score and Elo are of the same games: a pair counts when both are played.
        Score::Two { tally, elo, sprt } => {
            let test = sprt.map_or_else(String::new, |test| {
                format!(
                    "  LLR {:.2} [{:.2}, {:.2}]",
                    test.llr, test.lower, test.upper
                )
            });
            format!(
                "+{} ={} -{}  {}  Elo {}{test}",
                tally.wins,
                tally.draws,
                tally.losses,
                percent(tally.ratio()),
                elo_text(&elo),
            )
        }
        Score::Tournament { leader, ratio } => {
            format!("{leader} leads with {}", percent(Some(ratio)))
        }
    }
}

fn progress(folder: &Folder, summary: &MatchSummary) -> String {
    if summary.conclusion != Conclusion::Unfinished {
        return format!("{} games", summary.games);
    }
    let total = MatchPlan::read(folder.path()).map_or(0, |plan| {
        let pairings = summary.pairings.len() as u64;
        2 * plan.games.div_ceil(2) * pairings
    });
    format!("{}/{total} games", summary.games)
}

/// The score in one line.
fn result(summary: &MatchSummary) -> String {
    if summary.games == 0 {
        return String::new();
    }
    if let [pairing] = &summary.pairings[..] {
        let elo = elo_text(&pairing.elo);
        return format!("{}: {} Elo", pairing.first, elo);
    }
    let ratings = summary.ratings.iter().flat_map(|it| &it.ratings);
    let best = ratings.max_by(|a, b| {
        let rating = |it: &Rating| it.rating.unwrap_or(f64::MIN);
        rating(a).total_cmp(&rating(b))
    });
    best.map_or_else(String::new, |best| {
        let share = percent(best.tally.ratio());
        format!("{} is first with {share}", summary.players[best.player])
    })
}
