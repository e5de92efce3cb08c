//! What a champion is worth: positions it never saw, and games it did not train
//! on.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use mendel_arena::statistics::{Decision, EloModel, Outcomes, SprtState};
use mendel_arena::{
    Adjudication, Conclusion, Contest, ContestError, Crew, Entrant, FolderError, Format, Kind,
    MatchFolder, OpeningSetting, Openings, Pace, Patience, Plan, Progress, SprtPlan, Summary,
    Workers,
};
use mendel_store::{ReplaceError, replace};
use serde::{Deserialize, Serialize};

/// How a champion is proved: the table `[proof]` of a recipe.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct ProofSettings {
    /// The most games against the parent.
    pub games: u64,
    /// Nodes for each move.
    pub nodes: Option<u64>,
    /// Plies for each move.
    pub depth: Option<u32>,
    /// Normalised Elo of the two hypotheses of the test.
    pub sprt: [f64; 2],
    /// Play all games, also when the test is decided before: a better estimate.
    pub play_all: bool,
    /// Outside players of about the champion's strength; the first that can be
    /// started is met.
    pub outside: Vec<String>,
    /// Games against the outside player.
    pub outside_games: u64,
    /// Whether each founder of the recipe is met, too.
    pub founders: bool,
    /// Games against each founder; as many as against the parent if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub founder_games: Option<u64>,
}

impl Default for ProofSettings {
    fn default() -> Self {
        Self {
            games: 400,
            nodes: None,
            depth: None,
            sprt: [0.0, 15.0],
            play_all: false,
            outside: Vec::new(),
            outside_games: 100,
            founders: false,
            founder_games: None,
        }
    }
}

/// Nodes for each move where a recipe says nothing.
const NODES: u64 = 1000;

impl ProofSettings {
    /// What is wrong with the settings: the key, and why.
    pub(crate) fn check(&self) -> Result<(), (&'static str, String)> {
        if self.games == 0 {
            return Err((
                "games",
                "must be at least 1; `--no-proof` plays none".to_owned(),
            ));
        }
        if self.nodes == Some(0) || self.depth == Some(0) {
            return Err(("nodes", "must be at least 1".to_owned()));
        }
        if !self.outside.is_empty() && self.outside_games == 0 {
            let reason = "must be at least 1; leave `outside` out to play none";
            return Err(("outside-games", reason.to_owned()));
        }
        // The same opening gives the same game, so that a match cannot be longer.
        let most = 2 * Openings::own(&OpeningSetting::default()).len() as u64;
        if self.founder_games == Some(0) {
            let reason = "must be at least 1; leave `founders` out to play none";
            return Err(("founder-games", reason.to_owned()));
        }
        for (key, games) in [
            ("games", self.games),
            ("outside-games", self.outside_games),
            ("founder-games", self.founder_games.unwrap_or(1)),
        ] {
            if games > most {
                return Err((key, format!("is {games}; our book has openings for {most}")));
            }
        }
        for player in &self.outside {
            Entrant::parse(player).map_err(|error| ("outside", error.to_string()))?;
        }
        let test = self.sprt().test();
        test.map(|_| ())
            .map_err(|error| ("sprt", error.to_string()))
    }

    fn sprt(&self) -> SprtPlan {
        SprtPlan {
            elo0: self.sprt[0],
            elo1: self.sprt[1],
            alpha: SprtPlan::ERROR,
            beta: SprtPlan::ERROR,
            model: EloModel::Normalized,
        }
    }

    fn pace(&self) -> Pace {
        Pace {
            nodes: self.nodes.or(self.depth.is_none().then_some(NODES)),
            depth: self.depth,
            ..Pace::default()
        }
    }

    fn conditions(&self) -> String {
        let pace = self.pace();
        let nodes = pace.nodes.map(|nodes| format!("{nodes} nodes a move"));
        let depth = pace.depth.map(|depth| format!("depth {depth}"));
        let pace: Vec<String> = nodes.into_iter().chain(depth).collect();
        format!("{}, pairs from our own book", pace.join(", "))
    }
}

/// `proof.json`: what was proved.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Proof {
    /// On the positions it was bred with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub training: Option<Measured>,
    /// On positions it never saw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holdout: Option<Measured>,
    /// In games.
    #[serde(default)]
    pub matches: Vec<MatchProof>,
    /// What a reader must know, such as that nobody from outside could be met.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// In a sentence: `proved +X [a, b]` or `not proved`.
    pub verdict: String,
}

/// Parent and champion on the same positions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// How many.
    pub positions: u64,
    /// From how many games.
    #[serde(default)]
    pub games: u64,
    /// What the parent reached.
    pub parent: f64,
    /// What the champion reached.
    pub champion: f64,
    /// 95 % interval of champion − parent, from game to game; none if there is one
    /// game only.
    #[serde(default)]
    pub interval: Option<[f64; 2]>,
    /// The share of positions in which the champion's best move is not the only
    /// one, where it chooses moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ties: Option<f64>,
    /// What is measured.
    pub unit: String,
}

/// One match of the champion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchProof {
    /// Against whom.
    pub opponent: String,
    /// `parent`, `founder` or `outside`.
    pub role: String,
    /// Games that count.
    pub games: u64,
    /// Won by the champion.
    pub wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Lost by the champion.
    pub losses: u64,
    /// The difference in Elo; none if one side took all points.
    pub elo: Option<f64>,
    /// Its 95 % interval; an open end is none.
    pub interval: [Option<f64>; 2],
    /// How it was played.
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
    /// Where the test ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sprt: Option<Tested>,
}

/// Where a sequential test ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tested {
    /// The lower hypothesis.
    pub elo0: f64,
    /// The upper hypothesis.
    pub elo1: f64,
    /// The log-likelihood ratio.
    pub llr: f64,
    /// `accepted`, `rejected` or `undecided`.
    pub decision: String,
}

/// Why a proof could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProofError {
    /// The match cannot be played.
    #[error("the champion cannot be proved: {0}")]
    Contest(#[from] ContestError),
    /// The folder of the match cannot be used.
    #[error("the champion cannot be proved: {0}")]
    Folder(#[from] FolderError),
    /// The games cannot be kept.
    #[error(transparent)]
    Replace(#[from] ReplaceError),
}

/// One match to be played for a proof.
#[derive(Debug)]
pub struct Bout<'a> {
    /// Where its games are kept.
    pub folder: PathBuf,
    /// The champion's player file.
    pub champion: &'a Path,
    /// Against whom, as on the command line.
    pub opponent: &'a str,
    /// `parent`, `founder` or `outside`.
    pub role: &'static str,
    /// Chance: the order of the openings.
    pub seed: u64,
    /// Games at once.
    pub threads: usize,
    /// Who plays them, where it is not these threads.
    pub crew: Option<&'a Workers>,
}

impl Bout<'_> {
    /// Plays the match, or the rest of it; `None` if it was stopped.
    ///
    /// # Errors
    ///
    /// If it cannot be played.
    pub fn play(
        &self,
        settings: &ProofSettings,
        stop: &Arc<AtomicBool>,
        watch: &mut dyn FnMut(&Progress),
    ) -> Result<Option<MatchProof>, ProofError> {
        // A match that was begun goes on as it was planned, against whom it was.
        let (contest, mut folder) = if self.folder.join("match.toml").is_file() {
            let (folder, plan) = MatchFolder::resume(&self.folder)?;
            (Contest::new(plan)?, folder)
        } else {
            let contest = Contest::new(self.plan(settings))?;
            let folder = MatchFolder::create(&self.folder, contest.plan())?;
            (contest, folder)
        };
        let crew = Crew::of(self.crew, &self.folder, self.threads).map_err(ContestError::from)?;
        let summary = contest.run(&mut folder, crew, stop, watch)?;
        if summary.conclusion == Conclusion::Unfinished {
            return Ok(None);
        }
        let opponent = contest.plan().players.get(1);
        let mut opponent = opponent.map_or(self.opponent, String::as_str).to_owned();
        if Path::new(&opponent).is_absolute() {
            // Where its file lies is part of no record.
            let entrant = contest.entrants().get(1);
            opponent = entrant.map_or(opponent, |entrant| entrant.name.clone());
        }
        Ok(Some(self.judge(settings, &summary, opponent)))
    }

    fn plan(&self, settings: &ProofSettings) -> Plan {
        let games = match self.role {
            PARENT => settings.games,
            FOUNDER => settings.founder_games.unwrap_or(settings.games),
            _ => settings.outside_games,
        };
        let tested = self.role == PARENT && !settings.play_all;
        Plan {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            event: "Mendel proof".to_owned(),
            players: vec![
                self.champion.to_string_lossy().into_owned(),
                self.opponent.to_owned(),
            ],
            format: Format::RoundRobin,
            games,
            openings: None,
            names: None,
            anchor: None,
            directory: PathBuf::new(),
            fingerprints: BTreeMap::new(),
            most_faults: Plan::MOST_FAULTS,
            final_positions: false,
            pace: settings.pace(),
            opening: OpeningSetting {
                seed: self.seed,
                ..OpeningSetting::default()
            },
            patience: Patience::default(),
            adjudication: Adjudication::default(),
            sprt: tested.then(|| settings.sprt()),
        }
    }

    fn judge(&self, settings: &ProofSettings, summary: &Summary, opponent: String) -> MatchProof {
        let test = settings.sprt();
        let test = (self.role == PARENT).then_some(&test);
        MatchProof::of(summary, test, opponent, self.role, settings.conditions())
    }
}

/// What there is to say where the champion is the parent itself.
pub const UNMOVED: &str = "not proved: nobody dethroned the parent, which is the champion itself";

/// The role of the player a run started from.
pub const PARENT: &str = "parent";
/// The role of a player whose genes a run began with.
pub const FOUNDER: &str = "founder";
/// The role of a player from elsewhere.
pub const OUTSIDE: &str = "outside";

/// The first of some outside players that can take part.
pub fn first_that_plays(players: &[String]) -> Option<&str> {
    let plays = |text: &&String| {
        let Ok(entrant) = Entrant::parse(text) else {
            return false;
        };
        matches!(entrant.kind, Kind::Bred(_)) || entrant.seat().is_ok()
    };
    players.iter().find(plays).map(String::as_str)
}

impl Proof {
    /// The file's name in the folder of a run.
    pub const FILE: &'static str = "proof.json";

    /// Says what the matches prove.
    pub fn conclude(&mut self) {
        let parent = self.matches.iter().find(|it| it.role == PARENT);
        self.verdict = match parent {
            None => "not proved: no match was played".to_owned(),
            Some(it) => it.verdict(),
        };
    }

    /// Reads `proof.json` of a run's folder; `None` if there is none yet.
    ///
    /// # Errors
    ///
    /// If it cannot be read or understood.
    pub fn read(folder: &Path) -> io::Result<Option<Self>> {
        match fs::read_to_string(folder.join(Self::FILE)) {
            Ok(text) => Ok(Some(serde_json::from_str(&text)?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Writes `proof.json`.
    ///
    /// # Errors
    ///
    /// If the disk refuses.
    ///
    /// # Panics
    ///
    /// Never: a proof is plain data.
    pub fn write(&self, folder: &Path) -> Result<(), ReplaceError> {
        let json = serde_json::to_string_pretty(self).expect("a proof is plain data");
        replace(&folder.join(Self::FILE), format!("{json}\n").as_bytes())
    }
}

impl MatchProof {
    /// Why a match is shorter than it might have been.
    pub(crate) const STOPPED: &str = "stopped by the test";

    /// What a match of two says; the test's bounds, where there is one.
    pub(crate) fn of(
        summary: &Summary,
        sprt: Option<&SprtPlan>,
        opponent: String,
        role: &str,
        conditions: String,
    ) -> Self {
        let pairing = &summary.pairings[0];
        let tally = pairing.tally;
        let test = sprt.and_then(|it| it.test().ok());
        let judge = |pairs| test.map(|test| test.judge(&Outcomes::Pairs(pairs)));
        let state = judge(pairing.pairs);
        let faults = [0, 1].map(|player| summary.faults.get(player).copied().unwrap_or(0));
        let without = judge(without_wins(pairing.pairs, faults[1]));
        let accepted = |state: &SprtState| state.decision == Decision::H1;
        Self {
            opponent,
            role: role.to_owned(),
            games: tally.games(),
            wins: tally.wins,
            draws: tally.draws,
            losses: tally.losses,
            elo: pairing.elo.elo,
            interval: [pairing.elo.low, pairing.elo.high],
            conditions,
            conclusion: match &summary.conclusion {
                Conclusion::Accepted | Conclusion::Rejected => Self::STOPPED.to_owned(),
                Conclusion::TooManyFaults { player, faults } => {
                    format!("{player} misbehaved {faults} times")
                }
                _ => ALL_PLAYED.to_owned(),
            },
            faults,
            rests_on_faults: state.as_ref().is_some_and(accepted)
                && !without.as_ref().is_some_and(accepted),
            sprt: sprt.zip(state).map(|(plan, state)| Tested {
                elo0: plan.elo0,
                elo1: plan.elo1,
                llr: state.llr,
                decision: match state.decision {
                    Decision::H1 => "accepted",
                    Decision::H0 => "rejected",
                    Decision::Continue => "undecided",
                }
                .to_owned(),
            }),
        }
    }

    /// What the match proves: better, and not by chance.
    pub(crate) fn verdict(&self) -> String {
        let test = self.sprt.as_ref().map(|test| test.decision.as_str());
        let above = self.interval[0].is_some_and(|low| low > 0.0);
        if self.rests_on_faults {
            return format!("not proved: {self}; without those the test would not be accepted");
        }
        if test == Some("accepted") && above {
            return format!("proved {self}");
        }
        let test = test.unwrap_or("missing");
        format!("not proved: {self}; the test is {test}")
    }
}

/// Why a match is over that nothing else ended.
const ALL_PLAYED: &str = "all played";

/// Pairs by their half points, if so many of the games won had been lost: at worst, the
/// best pairs had them.
fn without_wins(mut pairs: [u64; 5], wins: u64) -> [u64; 5] {
    for _ in 0..wins {
        let Some(best) = (2..pairs.len()).rev().find(|&it| pairs[it] > 0) else {
            break;
        };
        pairs[best] -= 1;
        pairs[best - 2] += 1;
    }
    pairs
}

fn is_clean(faults: &[u64; 2]) -> bool {
    *faults == [0; 2]
}

/// `+71 [+52, +91] in 1000 games`.
impl fmt::Display for MatchProof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |elo: Option<f64>, open: &str| match elo {
            Some(elo) => format!("{elo:+.0}"),
            None => open.to_owned(),
        };
        let all = if self.wins > self.losses {
            "+∞"
        } else {
            "−∞"
        };
        write!(
            f,
            "{} [{}, {}] Elo in {} games",
            number(self.elo, all),
            number(self.interval[0], "−∞"),
            number(self.interval[1], "+∞"),
            self.games
        )?;
        let [own, theirs] = self.faults;
        if own + theirs > 0 {
            let opponent = &self.opponent;
            write!(
                f,
                ", {theirs} of them lost by {opponent} and {own} by the other through a fault"
            )?;
        }
        // An estimate from a match that a test ended leans to the test's side.
        if !self.conclusion.is_empty() && self.conclusion != ALL_PLAYED {
            write!(f, ", {}", self.conclusion)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wins_by_faults_are_taken_from_the_best_pairs() {
        assert_eq!(without_wins([1, 2, 3, 4, 2], 0), [1, 2, 3, 4, 2]);
        assert_eq!(without_wins([1, 2, 3, 4, 2], 3), [1, 3, 5, 3, 0]);
        assert_eq!(without_wins([0, 0, 1, 0, 0], 9), [1, 0, 0, 0, 0]);
    }

    #[test]
    fn a_proof_does_not_rest_on_an_opponent_that_fails() {
        let mut proof = MatchProof {
            opponent: "the start".to_owned(),
            role: PARENT.to_owned(),
            games: 40,
            wins: 30,
            draws: 5,
            losses: 5,
            elo: Some(150.0),
            interval: [Some(80.0), Some(220.0)],
            conditions: String::new(),
            conclusion: MatchProof::STOPPED.to_owned(),
            faults: [0, 12],
            rests_on_faults: true,
            sprt: Some(Tested {
                elo0: 0.0,
                elo1: 15.0,
                llr: 3.0,
                decision: "accepted".to_owned(),
            }),
        };
        let verdict = proof.verdict();
        assert!(verdict.starts_with("not proved"), "{verdict}");
        assert!(
            verdict.contains("12 of them lost by the start"),
            "{verdict}"
        );
        proof.rests_on_faults = false;
        let verdict = proof.verdict();
        assert!(verdict.starts_with("proved +150"), "{verdict}");
    }
}
