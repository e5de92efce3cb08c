//! Who labels, and how it is asked.

use std::env;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use mendel_arena::{
    AnalysisRequest, Analyst, AnalystError, Entrant, EntrantError, Kind, Pace, Protocol,
};
use mendel_board::{Game, Move, Position};
use mendel_engine::Score;
use serde::{Deserialize, Serialize};

use crate::{LabelSource, MATE, MakeError, cut};

/// The static evaluation that an expert is asked for.
pub use mendel_arena::StockfishEval as Evaluation;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExpertPlan {
    /// Who: a built-in player, a player file or `cmd:PROGRAM`.
    pub player: String,
    pub ask: Ask,
    /// Its centipawns are multiplied by this.
    pub scale: f64,
    /// How long it may take for an answer; it changes no label.
    #[serde(skip, default = "patience")]
    pub deadline: Duration,
}

fn patience() -> Duration {
    ExpertPlan::DEADLINE
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ask {
    /// What it thinks without looking ahead: a player of ours by its evaluator, a
    /// program by its command `eval`, in the form Stockfish gives it.
    Static {
        evaluation: Evaluation,
    },
    Nodes {
        nodes: u64,
    },
    Depth {
        depth: u32,
    },
}

impl ExpertPlan {
    pub const DEADLINE: Duration = Duration::from_mins(2);

    /// Stockfish where it is installed, as Debian does also outside of `PATH`.
    pub const STOCKFISH: &'static str = "cmd:stockfish";

    /// Stockfish 15.1 reports about half the centipawns of Stockfish 11, whose
    /// classical evaluation the GERALD thesis learned from; its two evaluations
    /// have the same unit.
    pub const STATIC_SCALE: f64 = 2.0;

    pub(crate) fn entrant(&self) -> Result<Entrant, EntrantError> {
        Ok(self.prepared(Entrant::parse(&self.player)?))
    }

    /// The same entrant as it has to be to be asked.
    pub(crate) fn prepared(&self, mut entrant: Entrant) -> Entrant {
        if let Kind::Program {
            command, protocol, ..
        } = &mut entrant.kind
        {
            if let Some(found) = outside_of_path(&command[0]) {
                command[0] = found;
            }
            if let Ask::Static { evaluation } = self.ask {
                // Only who speaks UCI can be asked for `eval`.
                *protocol = Some(Protocol::Uci);
                let name = "Use NNUE";
                let is_set = |(set, _): &(String, String)| set.eq_ignore_ascii_case(name);
                if !entrant.options.iter().any(is_set) {
                    let value = (evaluation == Evaluation::Nnue).to_string();
                    entrant.options.push((name.to_owned(), value));
                }
            }
        }
        entrant
    }
}

/// Where Debian puts a program that `PATH` does not lead to.
fn outside_of_path(program: &str) -> Option<String> {
    const GAMES: &str = "/usr/games";
    if program.contains('/') {
        return None;
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let in_path = env::split_paths(&path).any(|folder| folder.join(program).is_file());
    let there = Path::new(GAMES).join(program);
    (!in_path && there.is_file()).then(|| there.display().to_string())
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Label {
    pub(crate) score: Option<i16>,
    pub(crate) best: Option<Move>,
}

pub struct Consultant {
    plan: ExpertPlan,
    is_built_in: bool,
    analyst: Box<dyn Analyst>,
}

impl std::fmt::Debug for Consultant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Consultant")
            .field("name", &self.name())
            .finish_non_exhaustive()
    }
}

impl Consultant {
    /// An expert on a machine that is busy with making data may start slowly.
    const READY_TIMEOUT: Duration = Duration::from_mins(1);

    pub(crate) fn new(plan: &ExpertPlan) -> Result<Self, MakeError> {
        Self::of(plan, &plan.entrant()?)
    }

    /// This entrant, started.
    pub(crate) fn of(plan: &ExpertPlan, entrant: &Entrant) -> Result<Self, MakeError> {
        if let (Kind::Bred(player), Ask::Static { .. }) = (&entrant.kind, plan.ask) {
            player.used_evaluator()?;
        }
        Ok(Self {
            plan: plan.clone(),
            is_built_in: matches!(entrant.kind, Kind::Bred(_)),
            analyst: entrant.start_analyst_within(Self::READY_TIMEOUT)?,
        })
    }

    pub(crate) fn introduction(&self) -> LabelSource {
        LabelSource {
            name: self.name().to_owned(),
            asked: match self.plan.ask {
                Ask::Static { evaluation } => match (self.is_built_in, evaluation) {
                    (true, _) => "static evaluation".to_owned(),
                    (false, Evaluation::Classical) => "classical static evaluation".to_owned(),
                    (false, Evaluation::Nnue) => "NNUE static evaluation".to_owned(),
                },
                Ask::Nodes { nodes } => format!("search of {nodes} nodes"),
                Ask::Depth { depth } => format!("search to depth {depth}"),
            },
        }
    }

    pub(crate) fn name(&self) -> &str {
        self.analyst.name()
    }

    pub(crate) fn recent_output(&self) -> Vec<String> {
        self.analyst.recent_output()
    }

    /// Its label; without any where it has none, such as a static score in check.
    pub(crate) fn ask(
        &mut self,
        position: &Position,
        stop: &Arc<AtomicBool>,
    ) -> Result<Label, AnalystError> {
        let ExpertPlan {
            ask,
            scale,
            deadline,
            ..
        } = self.plan;
        let game = Game::new(position.clone());
        let mut limit = Pace::default();
        match ask {
            Ask::Static { evaluation } => {
                let score = self.analyst.evaluate(&game, Some(evaluation), deadline)?;
                return Ok(Label {
                    score: score.map(|centipawns| cut(centipawns * scale)),
                    best: None,
                });
            }
            Ask::Nodes { nodes } => limit.nodes = Some(nodes),
            Ask::Depth { depth } => limit.depth = Some(depth),
        }
        let request = AnalysisRequest {
            limit,
            lines: 1,
            deadline,
        };
        let lines = self.analyst.analyse(&game, &request, stop)?;
        Ok(lines.first().map_or_else(Label::default, |line| Label {
            score: line.score.map(|score| number(score, scale)),
            best: line.pv.first().copied(),
        }))
    }
}

/// A score of a search as sets keep it.
pub(crate) fn number(score: Score, scale: f64) -> i16 {
    match score {
        Score::Centipawns(centipawns) => cut(f64::from(centipawns) * scale),
        Score::Mate(moves) if moves > 0 => MATE,
        Score::Mate(_) => -MATE,
    }
}
