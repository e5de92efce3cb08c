//! What the games of a match say while it is played.

use mendel_arena::statistics::{EloEstimate, SprtState, Tally};
use serde::Deserialize;
use serde_json::Value;

use super::tables::{elo_text, percent};
use crate::progress::{RecordView, Shown};

/// The score so far, beside the progress.
pub(super) struct MatchView;

impl RecordView for MatchView {
    fn show(&mut self, name: &str, data: &Value) -> Shown {
        let status = (name == "game").then(|| status(&data["score"])).flatten();
        Shown { status, line: None }
    }
}

/// The field `score` of the event `game`.
#[derive(Deserialize)]
#[serde(untagged)]
enum Score {
    /// Of two players.
    Two {
        tally: Tally,
        elo: EloEstimate,
        sprt: Option<SprtState>,
    },
    /// Of a tournament.
    Many { leader: String, ratio: f64 },
}

fn status(score: &Value) -> Option<String> {
    Some(match Score::deserialize(score).ok()? {
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
        Score::Many { leader, ratio } => {
            format!("{leader} leads with {}", percent(Some(ratio)))
        }
    })
}
