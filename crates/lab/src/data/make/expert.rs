//! Who labels, and how it is asked.

use std::env;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use mendel_arena::program::Program;
use mendel_arena::{
    Contestant, Entrant, EntrantError, Fault, Kind, Pace, Protocol, Reply, SeatError, Turn,
};
use mendel_board::{Color, Game, Move, Position};
use mendel_engine::{Player, Score};
use serde::{Deserialize, Serialize};

use super::MakeError;
use crate::data::{Expert, MATE, cut};

/// Who labels positions, and what it is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExpertPlan {
    /// Who: a built-in player, a player file or `cmd:PROGRAM`.
    pub player: String,
    /// What it is asked.
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

/// What an expert is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ask {
    /// What it thinks without looking ahead: a player of ours by its evaluator, a
    /// program by its command `eval`, in the form Stockfish gives it.
    Static {
        /// Which of its two evaluations.
        evaluation: Evaluation,
    },
    /// To search so many nodes.
    Nodes {
        /// How many.
        nodes: u64,
    },
    /// To search to a depth.
    Depth {
        /// So deep.
        depth: u32,
    },
}

/// The evaluations that Stockfish had in its versions 12 to 15.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Evaluation {
    /// Terms written by people.
    Classical,
    /// A network.
    Nnue,
}

impl Evaluation {
    /// As the command line writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Classical => "classical",
            Self::Nnue => "nnue",
        }
    }

    fn line(self) -> &'static str {
        match self {
            Self::Classical => "Classical evaluation",
            Self::Nnue => "NNUE evaluation",
        }
    }
}

impl ExpertPlan {
    /// So long an answer may take unless somebody says otherwise.
    pub const DEADLINE: Duration = Duration::from_mins(2);

    /// Stockfish where it is installed, as Debian does also outside of `PATH`.
    pub const STOCKFISH: &'static str = "cmd:stockfish";

    /// Stockfish 15.1 reports about half the centipawns of Stockfish 11, whose
    /// classical evaluation the GERALD thesis learned from; its two evaluations
    /// have the same unit.
    pub const STATIC_SCALE: f64 = 2.0;

    pub(super) fn entrant(&self) -> Result<Entrant, EntrantError> {
        Ok(self.prepared(Entrant::parse(&self.player)?))
    }

    /// The same entrant as it has to be to be asked.
    pub(super) fn prepared(&self, mut entrant: Entrant) -> Entrant {
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

/// A program that is ready. On a machine that is busy with making data it may take
/// long to get so.
fn started(entrant: &Entrant) -> Result<Box<Program>, MakeError> {
    const PATIENCE: Duration = Duration::from_mins(1);
    let program = Program::new(entrant).expect("it is a program");
    let mut program = Box::new(program.with_patience(PATIENCE));
    match program.start() {
        Ok(()) => Ok(program),
        Err(fault) => Err(MakeError::Seat(SeatError {
            name: entrant.name.clone(),
            fault,
            last_words: program.last_words(),
        })),
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

/// What an expert says about a position, as the side to move sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Label {
    pub(super) score: Option<i16>,
    pub(super) best: Option<Move>,
}

/// An expert that has taken its seat.
pub(super) struct Consultant {
    plan: ExpertPlan,
    name: String,
    seat: Seat,
}

enum Seat {
    Evaluator(Arc<Player>),
    Program(Box<Program>),
    Searcher(Box<dyn Contestant>),
}

/// What went wrong, and whether asking again may help.
pub(super) enum Trouble {
    Fault(Fault),
    Mute,
}

impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl Consultant {
    pub(super) fn new(plan: &ExpertPlan) -> Result<Self, MakeError> {
        Self::of(plan, &plan.entrant()?)
    }

    /// This entrant in its seat.
    pub(super) fn of(plan: &ExpertPlan, entrant: &Entrant) -> Result<Self, MakeError> {
        let seat = match (&entrant.kind, plan.ask) {
            (Kind::Bred(player), Ask::Static { .. }) => Seat::Evaluator(Arc::clone(player)),
            (Kind::Program { .. }, ask) => {
                let program = started(entrant)?;
                match ask {
                    Ask::Static { .. } => Seat::Program(program),
                    Ask::Nodes { .. } | Ask::Depth { .. } => Seat::Searcher(program),
                }
            }
            (Kind::Bred(_), _) => Seat::Searcher(entrant.seat()?),
        };
        let own_name = match &seat {
            Seat::Evaluator(player) => Some(player.name.as_str()),
            Seat::Program(program) => program.own_name(),
            Seat::Searcher(searcher) => searcher.own_name(),
        };
        let name = own_name.unwrap_or(&entrant.name).to_owned();
        Ok(Self {
            plan: plan.clone(),
            name,
            seat,
        })
    }

    pub(super) fn introduction(&self) -> Expert {
        Expert {
            name: self.name.clone(),
            asked: match self.plan.ask {
                Ask::Static { evaluation } => match (&self.seat, evaluation) {
                    (Seat::Evaluator(_), _) => "static evaluation".to_owned(),
                    (_, Evaluation::Classical) => "classical static evaluation".to_owned(),
                    (_, Evaluation::Nnue) => "NNUE static evaluation".to_owned(),
                },
                Ask::Nodes { nodes } => format!("search of {nodes} nodes"),
                Ask::Depth { depth } => format!("search to depth {depth}"),
            },
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn last_words(&self) -> Vec<String> {
        match &self.seat {
            Seat::Evaluator(_) => Vec::new(),
            Seat::Program(program) => program.last_words(),
            Seat::Searcher(searcher) => searcher.last_words(),
        }
    }

    /// Its label; without any where it has none, such as a static score in check.
    pub(super) fn ask(
        &mut self,
        position: &Position,
        stop: &Arc<AtomicBool>,
    ) -> Result<Label, Trouble> {
        let deadline = self.plan.deadline;
        let scale = self.plan.scale;
        let game = Game::new(position.clone());
        match &mut self.seat {
            Seat::Evaluator(player) => Ok(Label {
                score: (!position.is_check())
                    .then(|| cut(f64::from(player.evaluator.evaluate(position).0) * scale)),
                best: None,
            }),
            Seat::Program(program) => {
                let Ask::Static { evaluation } = self.plan.ask else {
                    return Err(Trouble::Mute);
                };
                let said = program.consult(&game, "eval", deadline)?;
                let turn = position.turn();
                let score = match read_evaluation(&said, evaluation).ok_or(Trouble::Mute)? {
                    Said::Nothing => None,
                    Said::Pawns(white) => {
                        let sign = if turn == Color::White { 1.0 } else { -1.0 };
                        Some(cut(sign * white * 100.0 * scale))
                    }
                };
                Ok(Label { score, best: None })
            }
            Seat::Searcher(searcher) => {
                // A fresh memory, so that no label depends on what came before.
                searcher.new_game(false)?;
                let pace = match self.plan.ask {
                    Ask::Nodes { nodes } => Pace {
                        nodes: Some(nodes),
                        ..Pace::default()
                    },
                    Ask::Depth { depth } => Pace {
                        depth: Some(depth),
                        ..Pace::default()
                    },
                    Ask::Static { .. } => Pace::default(),
                };
                let turn = Turn {
                    game: &game,
                    pace,
                    clock: None,
                    deadline,
                    stop: Some(stop),
                };
                let Reply::Move(answer) = searcher.ask(&turn)? else {
                    return Ok(Label::default());
                };
                Ok(Label {
                    score: answer.thought.score.map(|score| number(score, scale)),
                    best: Some(answer.m),
                })
            }
        }
    }
}

/// A score of a search as sets keep it.
pub(super) fn number(score: Score, scale: f64) -> i16 {
    match score {
        Score::Centipawns(centipawns) => cut(f64::from(centipawns) * scale),
        Score::Mate(moves) if moves > 0 => MATE,
        Score::Mate(_) => -MATE,
    }
}

/// What Stockfish says to `eval`.
#[derive(Debug, PartialEq)]
enum Said {
    /// Pawns for White.
    Pawns(f64),
    /// That there is no evaluation, as in check.
    Nothing,
}

/// Reads what Stockfish says to `eval`; `None` where it says nothing of the kind.
fn read_evaluation(said: &[String], evaluation: Evaluation) -> Option<Said> {
    for line in said {
        let line = line.trim();
        if line.starts_with("Final evaluation: none") {
            return Some(Said::Nothing);
        }
        let Some(rest) = line.strip_prefix(evaluation.line()) else {
            continue;
        };
        let mut words = rest.split_whitespace();
        let pawns = words.next().and_then(|word| word.parse::<f64>().ok());
        if let Some(pawns) = pawns.filter(|pawns| pawns.is_finite())
            && rest.contains("white side")
        {
            return Some(Said::Pawns(pawns));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stockfish_evaluations_are_read_as_it_prints_them() {
        let said: Vec<String> = [
            "info string NNUE evaluation using nn-ad9b42354671.nnue enabled",
            "",
            "Classical evaluation   +0.58 (white side)",
            "NNUE evaluation        -1.14 (white side)",
            "Final evaluation       +0.18 (white side) [with scaled NNUE, hybrid, ...]",
        ]
        .map(str::to_owned)
        .into();
        let read = |evaluation| read_evaluation(&said, evaluation);
        assert_eq!(read(Evaluation::Classical), Some(Said::Pawns(0.58)));
        assert_eq!(read(Evaluation::Nnue), Some(Said::Pawns(-1.14)));
        let in_check = ["Final evaluation: none (in check)".to_owned()];
        let read = read_evaluation(&in_check, Evaluation::Nnue);
        assert_eq!(read, Some(Said::Nothing));
        let other = ["Unknown command: 'eval'.".to_owned()];
        assert_eq!(read_evaluation(&other, Evaluation::Nnue), None);
    }
}
