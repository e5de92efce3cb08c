//! Questions about a position: best lines with scores, and static evaluations.
//!
//! An [`Analyst`] is a started player that is asked about positions instead of
//! playing a game. A built-in player and an external engine answer in the same form.
//! Every question is asked like the first move of a new game: nothing that was asked
//! before changes the answer, so that a limit of nodes or depth gives the same answer
//! on every machine.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use mendel_board::{CastlingMode, Game, Move};
use mendel_engine::{Score, Wdl};
use serde::{Deserialize, Serialize};

use crate::{Answer, Contestant, Fault, Pace, Turn};

/// A started player that answers questions about positions.
pub trait Analyst: Contestant {
    /// What the program calls itself, or the name of its player.
    fn name(&self) -> &str;

    /// Searches the last position of `game`; the best line comes first. There are
    /// fewer lines than requested where there are fewer moves, or where the player
    /// shows fewer, and no line if the program resigns.
    ///
    /// # Errors
    ///
    /// [`AnalystError::Stopped`] if `stop` was set, also if it was set before the
    /// search began: there is no partial result. A fault if no legal move comes before
    /// the deadline; the next question starts the program again.
    fn analyse(
        &mut self,
        game: &Game,
        request: &AnalysisRequest,
        stop: &Arc<AtomicBool>,
    ) -> Result<Vec<AnalysisLine>, AnalystError>;

    /// The evaluation of the last position of `game` without a search, in centipawns
    /// for the side to move; `None` where no evaluation exists, such as in check. A built-in
    /// player answers with its evaluator and ignores `which`; an external engine is
    /// asked with the command `eval` of Stockfish.
    ///
    /// A fraction and not a whole number, so that a factor on it is rounded once.
    ///
    /// # Errors
    ///
    /// If the program does not speak UCI, does not answer before `deadline`, or not as
    /// Stockfish does.
    fn evaluate(
        &mut self,
        game: &Game,
        which: Option<StockfishEval>,
        deadline: Duration,
    ) -> Result<Option<f64>, AnalystError>;
}

/// What an analyst is asked about a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AnalysisRequest {
    /// The limit of the search. Without any, the deadline is the limit and the lines
    /// known then are the answer.
    pub limit: Pace,
    /// The number of best lines; 0 counts as 1.
    pub lines: u32,
    /// A player that has not answered after this time has stalled.
    pub deadline: Duration,
}

/// One of the best lines of a position.
#[derive(Clone, Debug, PartialEq)]
pub struct AnalysisLine {
    /// 1 for the best line.
    pub rank: u32,
    /// The score for the side to move; `None` for a move without one, such as from a
    /// book.
    pub score: Option<Score>,
    /// Chances in thousandths for the side to move, if the player reports them. A program is
    /// asked for them with several lines; with one line it is asked as for a move.
    pub wdl: Option<Wdl>,
    /// Plies searched, if the player reports them.
    pub depth: Option<u32>,
    /// Nodes of the whole search, if the player reports them.
    pub nodes: Option<u64>,
    /// The moves, never empty. The first line begins with the move that the player
    /// would play.
    pub pv: Vec<Move>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnalystError {
    /// The stop flag ended the search before its limit.
    #[error("the analysis was stopped")]
    Stopped,
    #[error(transparent)]
    Fault(#[from] Fault),
    /// The program does not answer `eval` in the form of Stockfish 12 or later.
    #[error("does not answer `eval` as Stockfish does")]
    NoEvaluation,
}

/// The static evaluations that Stockfish prints for `eval`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StockfishEval {
    /// Hand-written terms, up to version 15.1.
    Classical,
    Nnue,
}

impl StockfishEval {
    /// As the command line writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Classical => "classical",
            Self::Nnue => "nnue",
        }
    }
}

impl AnalysisLine {
    /// The line of the move that was answered. A program may report another line last
    /// than that of its move; then only the move is known.
    pub(crate) fn of_answer(answer: &Answer, wdl: Option<Wdl>, pv: Vec<Move>) -> Self {
        let is_its_line = pv.first() == Some(&answer.m);
        Self {
            rank: 1,
            score: answer.thought.score,
            wdl: wdl.filter(|_| is_its_line),
            depth: answer.thought.depth,
            nodes: answer.thought.nodes,
            pv: if is_its_line { pv } else { vec![answer.m] },
        }
    }
}

/// Asks about the last position of `game` as in a new game, and drops the answer if
/// the stop flag may have ended the search.
pub(crate) fn ask<C: Contestant>(
    player: &mut C,
    game: &Game,
    request: &AnalysisRequest,
    stop: &Arc<AtomicBool>,
    search: impl FnOnce(&mut C, &Turn) -> Result<Vec<AnalysisLine>, Fault>,
) -> Result<Vec<AnalysisLine>, AnalystError> {
    let turn = Turn {
        game,
        pace: request.limit,
        clock: None,
        deadline: request.deadline,
        stop: Some(stop),
    };
    let chess960 = game.start().castling_mode() == CastlingMode::Chess960;
    let lines = player
        .new_game(chess960)
        .and_then(|()| search(player, &turn));
    // A program that was stopped reports a fault or a partial line. Neither counts.
    if stop.load(Ordering::Acquire) {
        return Err(AnalystError::Stopped);
    }
    Ok(lines?)
}

/// The answer of Stockfish to `eval`.
#[derive(Debug, PartialEq)]
pub(crate) enum EvalOutput {
    /// Pawns for White.
    Pawns(f64),
    /// There is no evaluation, as in check.
    Nothing,
}

/// Reads the answer of Stockfish to `eval`; `None` if it is not in that form.
pub(crate) fn read_evaluation(
    output: &[String],
    which: Option<StockfishEval>,
) -> Option<EvalOutput> {
    let label = match which {
        None => "Final evaluation",
        Some(StockfishEval::Classical) => "Classical evaluation",
        Some(StockfishEval::Nnue) => "NNUE evaluation",
    };
    for line in output {
        let line = line.trim();
        if line.starts_with("Final evaluation: none") {
            return Some(EvalOutput::Nothing);
        }
        let Some(rest) = line.strip_prefix(label) else {
            continue;
        };
        let mut words = rest.split_whitespace();
        let pawns = words.next().and_then(|word| word.parse::<f64>().ok());
        if let Some(pawns) = pawns.filter(|pawns| pawns.is_finite())
            && rest.contains("white side")
        {
            return Some(EvalOutput::Pawns(pawns));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stockfish_evaluations_are_read_as_it_prints_them() {
        let output: Vec<String> = [
            "info string NNUE evaluation using nn-ad9b42354671.nnue enabled",
            "",
            "Classical evaluation   +0.58 (white side)",
            "NNUE evaluation        -1.14 (white side)",
            "Final evaluation       +0.18 (white side) [with scaled NNUE, hybrid, ...]",
        ]
        .map(str::to_owned)
        .into();
        let read = |which| read_evaluation(&output, which);
        let pawns = |pawns| Some(EvalOutput::Pawns(pawns));
        assert_eq!(read(Some(StockfishEval::Classical)), pawns(0.58));
        assert_eq!(read(Some(StockfishEval::Nnue)), pawns(-1.14));
        assert_eq!(read(None), pawns(0.18));
        let in_check = ["Final evaluation: none (in check)".to_owned()];
        let read = read_evaluation(&in_check, Some(StockfishEval::Nnue));
        assert_eq!(read, Some(EvalOutput::Nothing));
        let other = ["Unknown command: 'eval'.".to_owned()];
        assert_eq!(read_evaluation(&other, Some(StockfishEval::Nnue)), None);
    }
}
