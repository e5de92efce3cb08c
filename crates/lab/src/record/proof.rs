//! What a champion is worth: the result of a run.

use std::path::Path;

use mendel_store::FileError;
use mendel_store::frame::Folder;
use serde::{Deserialize, Serialize};

/// `result.json` of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunOutcome {
    #[serde(flatten)]
    pub proof: Proof,
    /// Whether the matches of the proof were played, if there were any to play. Without them
    /// the run is not finished if a proof is requested.
    #[serde(default)]
    pub matches_played: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Proof {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub training: Option<Measured>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holdout: Option<Measured>,
    #[serde(default)]
    pub matches: Vec<MatchProof>,
    /// Notes for the reader, such as that no outside player could be started.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// In a sentence: `proved +X [a, b]` or `not proved`.
    pub verdict: String,
}

/// Parent and champion on the same positions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    pub positions: u64,
    #[serde(default)]
    pub games: u64,
    pub parent: f64,
    pub champion: f64,
    /// 95 % interval of champion − parent, from game to game; none if there is one
    /// game only.
    pub interval: Option<[f64; 2]>,
    /// The share of positions in which the champion's best move is not the only
    /// one, where it chooses moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ties: Option<f64>,
    pub unit: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchProof {
    pub opponent: String,
    /// `parent`, `founder` or `outside`.
    pub role: String,
    pub games: u64,
    /// Won by the champion.
    pub wins: u64,
    pub draws: u64,
    /// Lost by the champion.
    pub losses: u64,
    /// The difference in Elo; none if one side took all points.
    pub elo: Option<f64>,
    /// Its 95 % interval; an open end is none.
    pub interval: [Option<f64>; 2],
    pub conditions: String,
    /// Why it was over: `all played`, `stopped by the test`, `too many faults`.
    #[serde(default)]
    pub conclusion: String,
    /// Games that the champion and its opponent lost by a fault: a crash, no answer, an
    /// illegal move.
    #[serde(default, skip_serializing_if = "is_clean")]
    pub faults: [u64; 2],
    /// Whether the test would not have accepted without the opponent's faults.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rests_on_faults: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sprt: Option<Tested>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tested {
    pub elo0: f64,
    pub elo1: f64,
    pub llr: f64,
    /// `accepted`, `rejected` or `undecided`.
    pub decision: String,
}

/// What there is to say where the champion is the parent itself.
pub const UNMOVED: &str = "not proved: nobody dethroned the parent, which is the champion itself";

/// The role of the player a run started from.
pub const PARENT: &str = "parent";
/// The role of a player whose genes a run began with.
pub const FOUNDER: &str = "founder";
/// The role of a player from elsewhere.
pub const OUTSIDE: &str = "outside";

impl Proof {
    pub fn conclude(&mut self) {
        let parent = self.matches.iter().find(|it| it.role == PARENT);
        self.verdict = match parent {
            None => "not proved: no match was played".to_owned(),
            Some(it) => it.verdict(),
        };
    }

    /// Reads the proof of a finished run; `None` if it is not finished.
    ///
    /// # Errors
    ///
    /// If it cannot be read, is damaged or cannot be understood.
    pub fn read(folder: &Path) -> Result<Option<Self>, FileError> {
        let outcome: Option<RunOutcome> = Folder::at(folder).read_result()?;
        Ok(outcome.map(|outcome| outcome.proof))
    }
}

/// An estimate with its interval in words; `open` is said where one side took all points.
pub(crate) fn elo_words(elo: Option<f64>, open: &str, [low, high]: [Option<f64>; 2]) -> String {
    let number = |elo: Option<f64>, open: &str| match elo {
        Some(elo) => format!("{elo:+.0}"),
        None => open.to_owned(),
    };
    let (low, high) = (number(low, "−∞"), number(high, "+∞"));
    format!("{} [{low}, {high}] Elo", number(elo, open))
}

fn is_clean(faults: &[u64; 2]) -> bool {
    *faults == [0; 2]
}
