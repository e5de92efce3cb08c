//! The result of a pipeline: what it is and what its steps have come to. Nothing in
//! it comes from a clock.

use std::path::Path;

use mendel_fitness::nnue::Epoch;
use mendel_store::FileError;
use mendel_store::frame::Folder;
use serde::{Deserialize, Serialize};

use super::answers::{Agreement, Curve, Judgement};
use super::proof::Measured;

/// A pipeline: its steps and what came out of them so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Pipeline {
    /// A hash of the recipe, those of its steps, the parent, the seed and the
    /// version.
    pub id: String,
    pub recipe: String,
    pub seed: u64,
    pub version: String,
    pub command: String,
    /// The player it started from, as the recipe names it.
    pub parent: String,
    /// The steps, in the order in which they are done.
    pub steps: Vec<Step>,
    /// The champion of the last step that bred one, once all is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub champion: Option<String>,
    pub finished: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Its place, from 1.
    pub number: usize,
    pub name: String,
    /// In which round, where it is repeated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
    /// `breed`, `data`, `network`, `chance`, `match`, `agreement` or `judgement`.
    pub kind: String,
    /// Its folder, within that of the pipeline.
    pub folder: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Output>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Output {
    Runs(Runs),
    Data(Set),
    Network(Trained),
    Chance(Drawn),
    Match(Played),
    Agreement(Agreement),
    Judgement(Judgement),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Runs {
    pub runs: Vec<Bred>,
    /// Which of them has the champion of the step, from 0.
    pub best: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bred {
    /// Its folder, within that of the pipeline.
    pub folder: String,
    pub id: String,
    pub recipe: String,
    pub seed: u64,
    pub champion: String,
    pub unit: String,
    /// Whether less is better.
    pub smaller_is_better: bool,
    /// Parent and champion on the positions bred with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub training: Option<Measured>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holdout: Option<Measured>,
    /// Elo against its parent, where a match was played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elo: Option<f64>,
    /// Its 95 % interval; an open end is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<[Option<f64>; 2]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub games: Option<u64>,
    pub verdict: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Set {
    /// The file, within the folder of the pipeline.
    pub file: String,
    /// `quiet`, `moves` or `selfplay`.
    pub kind: String,
    pub player: String,
    pub positions: u64,
    pub games: u64,
    /// A hash of positions and labels.
    pub hash: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trained {
    /// Its folder, within that of the pipeline.
    pub folder: String,
    pub champion: String,
    /// Positions it learned from.
    pub positions: u64,
    /// The error of the terms alone on positions never seen.
    pub before: f64,
    pub epochs: Vec<Epoch>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Drawn {
    pub recipe: String,
    /// The player files, within the folder of the pipeline.
    pub files: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Played {
    pub players: Vec<String>,
    /// What a move may use, the openings and what ends a game, in words.
    pub conditions: String,
    /// Each two that met, as the first of them sees it.
    pub pairings: Vec<Pairing>,
    /// In the order of the players.
    pub standings: Vec<Standing>,
    /// The games, where their accuracy was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub games: Vec<Game>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<String>,
    /// Points by colour, where they were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_colour: Option<ByColour>,
    /// Points along a number of the players, where that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub curve: Option<Curve>,
    /// Why points cannot be compared with the published ones, where they cannot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incomparable: Option<String>,
    /// Who could not take part, and what else a reader must know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// Points of each player against each other one, with one colour.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ByColour {
    /// Points of the row's player with White; none where they did not meet so.
    pub white: Vec<Vec<Option<f64>>>,
    pub black: Vec<Vec<Option<f64>>>,
    /// What was published for White, as in `white`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<Vec<Vec<Option<f64>>>>,
    /// The same with Black: what the others left of the published games with White.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published_black: Option<Vec<Vec<Option<f64>>>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pairing {
    pub first: String,
    pub second: String,
    /// Won by the first.
    pub wins: u64,
    pub draws: u64,
    /// Lost by the first.
    pub losses: u64,
    /// The difference in Elo; none if one side took all points.
    pub elo: Option<f64>,
    /// Its 95 % interval; an open end is none.
    pub interval: [Option<f64>; 2],
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Standing {
    pub player: String,
    pub games: u64,
    /// Share of the points, in per cent.
    pub score: Option<f64>,
    /// Share of draws, in per cent.
    pub draws: Option<f64>,
    /// Relative to the mean of the pool, unless the rating of a player is known.
    pub elo: Option<f64>,
    /// Half the width of its 95 % interval.
    pub error: Option<f64>,
    /// Mean accuracy in per cent, where it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paper: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Game {
    pub white: String,
    pub black: String,
    /// As PGN writes it.
    pub result: String,
    pub reason: String,
    /// Half-moves that the players chose.
    pub plies: u64,
    /// White's and Black's accuracy in per cent; none where there is nothing to
    /// judge.
    pub accuracy: [Option<f64>; 2],
}

impl Pipeline {
    /// Reads the result of a pipeline, or its checkpoint while it is not finished; `None` before
    /// its first step.
    ///
    /// # Errors
    ///
    /// If it cannot be read, is damaged or cannot be understood.
    pub fn read(folder: &Path) -> Result<Option<Self>, FileError> {
        let folder = Folder::at(folder);
        match folder.read_result()? {
            Some(finished) => Ok(Some(finished)),
            None => folder.read_checkpoint(),
        }
    }

    pub fn done(&self) -> usize {
        self.steps.iter().filter(|it| it.result.is_some()).count()
    }
}

impl Step {
    /// Its name, with the round where there are several.
    pub fn title(&self) -> String {
        match self.round {
            Some(round) => format!("{}, round {round}", self.name),
            None => self.name.clone(),
        }
    }
}

impl Standing {
    /// Points, a draw for a half.
    pub fn points(&self) -> Option<f64> {
        // What is kept is a share; points come in halves.
        self.score
            .map(|score| (score * self.games as f64 / 50.0).round() / 2.0)
    }

    /// Where its points would lie with 95 % if it all were played again, from the share
    /// of draws.
    pub fn points_interval(&self) -> Option<[f64; 2]> {
        let (score, draws) = (self.score? / 100.0, self.draws? / 100.0);
        let games = self.games as f64;
        // A game gives 1 with chance s − d/2 and ½ with chance d.
        let square = score - draws / 2.0 + draws / 4.0;
        let spread = libm::sqrt(games * (square - score * score).max(0.0));
        let points = score * games;
        Some([points - 1.96 * spread, points + 1.96 * spread].map(|it| it.clamp(0.0, games)))
    }
}

impl Pairing {
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }
}
