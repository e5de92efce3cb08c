//! The rounds of a tuning, and what it found.

use std::path::Path;

use mendel_arena::options_line;
use mendel_evolve::tuners::{Interval, Outcome};
use mendel_store::frame::Folder;
use mendel_store::{FileError, Record};
use serde::{Deserialize, Serialize};

use super::proof::{MatchProof, elo_words};
use super::tune_plan::{Aside, Infeasible, ParamKind, TunePlan};

/// `result.json`: what a tuning found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TuneResult {
    pub id: String,
    pub engine: String,
    /// The same with the values found, as `mendel match` and others take it; the start
    /// where that is kept.
    pub engine_tuned: String,
    /// Those values, to paste behind a `?`.
    pub options: String,
    /// Whether the start values are kept: nothing better was found, or the proof was
    /// played and did not prove what was found.
    #[serde(default)]
    pub keeps_start: bool,
    pub tuner: String,
    /// Games of the tuner and of the validations.
    pub games: u64,
    /// Those of them that were not played, because the same two settings would have
    /// played the same games from the same opening again.
    #[serde(default)]
    pub spared_games: u64,
    pub params: Vec<ParamFound>,
    pub aside: Vec<Aside>,
    pub infeasible: Vec<Infeasible>,
    /// What the tuner makes of it: Elo above the start.
    pub gain: Interval,
    /// What the best values would be worth in Elo above those found.
    pub left: Interval,
    /// The proposals of the moment against the start.
    pub curve: Vec<Validation>,
    /// The fitted surface over the two parameters of each pair that matter most.
    pub landscapes: Vec<Landscape>,
    pub proof: Option<MatchProof>,
    /// Games still to be expected before the test decides, where it has not.
    pub games_left: Option<f64>,
    /// The most games that a proof can have with the openings held out; none where
    /// games do not repeat.
    pub most_games: Option<u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// In a sentence: `proved +X [a, b]` or `not proved`.
    pub verdict: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ParamFound {
    pub name: String,
    pub start: String,
    pub value: String,
    /// The same as a number: of a switch 0 or 1, of a word its place.
    pub number: i64,
    /// Where the best value lies: 95 %.
    pub interval: [f64; 2],
    /// What the value is worth in Elo against the start, all others as found.
    pub gain: Interval,
    /// What the worst value would lose against the one found: how much it matters.
    pub matters: Interval,
    /// Better values may lie beyond its bound.
    pub at_bound: bool,
    /// That bound is the engine's own.
    #[serde(default)]
    pub at_limit: bool,
    #[serde(default)]
    pub kind: ParamKind,
    /// Whether the games tell that it matters at all.
    pub visible: bool,
}

/// The proposal of the moment against the start, on openings held out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Validation {
    /// Games of the tuner before it.
    pub games: u64,
    pub proposal: Vec<i64>,
    /// Pairs by its points: 0, ½, 1, 1½, 2.
    pub pairs: [u64; 5],
    /// Elo above the start; none if one side took all points.
    pub elo: Option<f64>,
    /// Its 95 % interval; an open end is none.
    pub interval: [Option<f64>; 2],
}

/// The fitted surface over two parameters, all others as found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Landscape {
    /// The parameter to the right.
    pub first: String,
    /// The parameter upwards.
    pub second: String,
    /// Values of the first.
    pub x: Vec<f64>,
    pub y: Vec<f64>,
    /// Elo against what was found: a row for each value of the second.
    pub elo: Vec<Vec<f64>>,
}

/// What is said of a parameter whose interval includes 0.
pub const UNCLEAR: &str = "not told apart from 0 yet";

/// Elo differences beyond this are read off a surface where no game was played.
pub(crate) const MOST_ELO: f64 = 1000.0;

impl Validation {
    pub fn played(&self) -> u64 {
        2 * self.pairs.iter().sum::<u64>()
    }

    /// Whether one side took all points, and then whether the proposal did.
    pub fn one_sided(&self) -> Option<bool> {
        let points: u64 = self.pairs.iter().zip(0..).map(|(it, half)| it * half).sum();
        (self.elo.is_none() && self.played() > 0).then_some(points > self.played())
    }

    /// Elo and its interval in words, and in how many games.
    pub fn words(&self) -> String {
        let games = self.played();
        if games == 0 && self.elo == Some(0.0) {
            return "the start itself".to_owned();
        }
        let open = match self.one_sided() {
            Some(true) => "+∞",
            Some(false) => "−∞",
            None => "unknown",
        };
        let words = elo_words(self.elo, open, self.interval);
        format!("{words} in {games} games")
    }
}

impl ParamFound {
    /// What must not be overlooked.
    pub fn marks(&self) -> String {
        let mut marks = Vec::new();
        if self.at_limit {
            marks.push("at the engine's own limit");
        } else if self.at_bound {
            marks.push("at its bound");
        }
        if !self.visible {
            marks.push(UNCLEAR);
        }
        marks.join(", ")
    }

    /// Whether the start was kept: then nothing is to be said of its worth.
    pub fn is_start(&self) -> bool {
        self.value == self.start
    }

    pub fn interval_words(&self) -> String {
        let [low, high] = self.interval.map(f64::round);
        if self.kind == ParamKind::Spin {
            format!("[{low:.0}, {high:.0}]")
        } else if low < high {
            "any".to_owned()
        } else {
            self.value.clone()
        }
    }

    pub fn matters_words(&self) -> String {
        if self.matters.value >= MOST_ELO {
            format!("> {MOST_ELO:.0}")
        } else {
            format!("{:.1}", self.matters.value)
        }
    }
}

impl TuneResult {
    pub const FILE: &'static str = Folder::RESULT;

    pub fn values(&self) -> Vec<i64> {
        self.params.iter().map(|it| it.number).collect()
    }

    pub fn is_start(&self) -> bool {
        self.params.iter().all(ParamFound::is_start)
    }

    /// Whether there were too few games for the number of parameters: most effects cannot be
    /// distinguished from 0, and the gain that is left is as large as the one found.
    pub fn too_few_games(&self) -> bool {
        let unclear = self.params.iter().filter(|it| !it.visible).count();
        2 * unclear > self.params.len() && self.left.value >= self.gain.value
    }

    pub fn conclude(&mut self) {
        self.verdict = match &self.proof {
            _ if self.is_start() => {
                "not proved: nothing better than the start was found".to_owned()
            }
            None => "not proved: no match was played".to_owned(),
            Some(proof) => proof.verdict(),
        };
        if self.is_start() {
            self.games_left = None;
        }
        let is_proved = |proof: &MatchProof| proof.is_proved();
        self.keeps_start = self.is_start() || !self.proof.as_ref().is_none_or(is_proved);
        if self.keeps_start {
            self.engine_tuned.clone_from(&self.engine);
            let starts = self.params.iter();
            let starts = starts.map(|it| (it.name.as_str(), it.start.as_str()));
            self.options = options_line(starts);
        }
    }

    /// How many more games would tell, and how to have them played; `run` is how the
    /// tuning is named on the command line.
    pub fn more(&self, run: &str) -> Option<String> {
        let left = self.games_left?.ceil() as u64;
        let played = self.proof.as_ref().map_or(0, |it| it.games);
        let all = (played + left).next_multiple_of(2);
        let what = format!("about {left} more games would tell");
        Some(match self.most_games {
            Some(most) if all > most => format!(
                "{what}, but {most} are the most: at a fixed depth or number of nodes each opening held out gives one \
                 pair; `--openings FILE` with more of them, or another pace, is needed"
            ),
            _ => format!("{what}: `mendel resume {run} --proof-games {all}`"),
        })
    }

    /// Reads the result of a tuning's folder; `None` if there is none yet.
    ///
    /// # Errors
    ///
    /// If it cannot be read or understood.
    pub fn read(folder: &Path) -> Result<Option<Self>, FileError> {
        Folder::at(folder).read_result()
    }
}

/// A line of `rounds.jsonl`: what the tuner asked for, and what it would propose then.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TunedRound {
    /// Counted from 0.
    pub round: u32,
    pub games: u64,
    pub duels: Vec<TunedDuel>,
    /// What it proposes now, a value for each parameter.
    pub proposal: Vec<i64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TunedDuel {
    pub first: Vec<i64>,
    pub second: Vec<i64>,
    pub outcome: Outcome,
}

impl Record for TunedRound {}

/// A pair in which the start failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Where the second try began.
    pub opening: String,
    /// Which game of that pair, from 1.
    pub game: u32,
    pub reason: String,
}

/// The part of a tuning's checkpoint that a page shows.
#[derive(Deserialize)]
struct Progress {
    curve: Vec<Validation>,
    infeasible: Vec<Infeasible>,
}

/// Reads the validations of a tuning that is not finished, and the values found not to work,
/// from its last checkpoint.
pub fn tune_progress(folder: &Path, plan: &TunePlan) -> (Vec<Validation>, Vec<Infeasible>) {
    let progress = Folder::at(folder).read_checkpoint::<Progress>();
    progress.ok().flatten().map_or_else(
        || (Vec::new(), plan.infeasible.clone()),
        |it| (it.curve, it.infeasible),
    )
}
