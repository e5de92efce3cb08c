//! Who says what the positions of a game are worth.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use mendel_arena::{AnalysisRequest, Analyst, AnalystError, Entrant, Pace, SeatError};
use mendel_board::{Game, Position};
use mendel_engine::Score;

use crate::accuracy::{CEILING, GameAccuracy, INITIAL};

/// A player or program that has taken its seat to judge positions.
pub struct Analyser {
    name: String,
    analyst: Box<dyn Analyst>,
    limit: Pace,
    patience: Duration,
}

/// Why a game has no analysis.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnalysisError {
    /// The analyser cannot be started, or not with this limit.
    #[error(transparent)]
    Seat(#[from] SeatError),
    /// The limit would give other scores on another machine.
    #[error(
        "`{name}` cannot analyse with the limit `{limit}`, which is another one on each machine: give nodes or a depth"
    )]
    Limit {
        /// Who.
        name: String,
        /// What was asked for.
        limit: Pace,
    },
    /// It misbehaved.
    #[error("`{name}` {fault} about the position after half-move {ply}{}", quoted(.last_words))]
    Fault {
        /// Who.
        name: String,
        /// The position, by the half-moves before it.
        ply: usize,
        /// What it did.
        fault: AnalystError,
        /// The last lines that went to and fro.
        last_words: Vec<String>,
    },
    /// It answered without a score.
    #[error(
        "`{name}` gives no score for the position after half-move {ply}; take another analyser, or one without a book"
    )]
    Mute {
        /// Who.
        name: String,
        /// The position, by the half-moves before it.
        ply: usize,
    },
    /// A side made no move that could be judged.
    #[error(
        "there is nothing to judge: of {moves} half-moves {opening} are the opening's, and each side needs one that does not mate"
    )]
    TooShort {
        /// Half-moves of the game.
        moves: usize,
        /// Those that nobody chose.
        opening: usize,
    },
    /// Somebody asked it to end.
    #[error("the analysis was stopped")]
    Stopped,
}

fn quoted(last_words: &[String]) -> String {
    if last_words.is_empty() {
        return String::new();
    }
    format!("\nits last words:\n  {}", last_words.join("\n  "))
}

impl std::fmt::Debug for Analyser {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Analyser")
            .field("name", &self.name)
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}

impl Analyser {
    /// So long it may take for a position.
    pub const PATIENCE: Duration = Duration::from_mins(2);

    /// An analyser that thinks about each position up to `limit`, or up to the
    /// entrant's own if it has one.
    ///
    /// # Errors
    ///
    /// If it cannot be started, or the limit is neither nodes nor depth.
    pub fn new(entrant: &Entrant, limit: Pace) -> Result<Self, AnalysisError> {
        let limit = entrant.pace.unwrap_or(limit);
        if !limit.is_repeatable() {
            return Err(AnalysisError::Limit {
                name: entrant.name.clone(),
                limit,
            });
        }
        let analyst = entrant.start_analyst()?;
        analyst.supports(&limit).map_err(|fault| SeatError {
            name: entrant.name.clone(),
            fault,
            last_words: Vec::new(),
        })?;
        Ok(Self {
            name: analyst.name().to_owned(),
            analyst,
            limit,
            patience: Self::PATIENCE,
        })
    }

    /// What it calls itself.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How well both sides played `game`, whose first `opening` half-moves nobody
    /// chose.
    ///
    /// # Errors
    ///
    /// If the analyser misbehaves, a side made no move, or `stop` was set.
    pub fn accuracy(
        &mut self,
        game: &Game,
        opening: usize,
        stop: &Arc<AtomicBool>,
    ) -> Result<GameAccuracy, AnalysisError> {
        let too_short = || AnalysisError::TooShort {
            moves: game.moves().len(),
            opening,
        };
        let first = game.positions().get(opening).ok_or_else(too_short)?.turn();
        let usual = opening == 0 && game.start().fen() == Position::initial().fen();

        // 1. After each move and, where it is not known, before the first; from the
        //    last back. A mate that stands on the board ends all judging, and so it
        //    does at Lichess.
        let since = if usual { 1 } else { opening };
        let mut so_far = game.clone();
        let mut scores = Vec::with_capacity(game.moves().len() + 1);
        while so_far.moves().len() >= since {
            let position = so_far.position();
            if !(position.is_check() && position.legal_moves().is_empty()) {
                scores.push(self.score(&so_far, stop)?);
            }
            if so_far.undo().is_none() {
                break;
            }
        }

        // 2. As Lichess reads them.
        scores.extend(usual.then_some(INITIAL));
        scores.reverse();
        let (&before, scores) = scores.split_first().ok_or_else(too_short)?;
        GameAccuracy::of_scores(first, before, scores).ok_or_else(too_short)
    }

    /// What the last position of `game` is worth to White, in centipawns; mates
    /// are ±[`CEILING`].
    ///
    /// # Errors
    ///
    /// If the analyser misbehaves or `stop` was set.
    pub fn score(&mut self, game: &Game, stop: &Arc<AtomicBool>) -> Result<i32, AnalysisError> {
        // 1. What the rules know.
        let position = game.position();
        let turn = position.turn();
        if position.legal_moves().is_empty() {
            let lost = if position.is_check() { -CEILING } else { 0 };
            return Ok(turn.fold_wb(lost, -lost));
        }

        // 2. What the analyst says, with a fresh memory, so that no score depends on
        //    what came before.
        let request = AnalysisRequest {
            limit: self.limit,
            lines: 1,
            deadline: self.patience,
        };
        let ply = game.moves().len();
        let lines = self
            .analyst
            .analyse(game, &request, stop)
            .map_err(|error| match error {
                AnalystError::Stopped => AnalysisError::Stopped,
                fault => AnalysisError::Fault {
                    name: self.name.clone(),
                    ply,
                    fault,
                    last_words: self.analyst.recent_output(),
                },
            })?;

        // 3. As White sees it.
        let score = lines.first().and_then(|line| line.score);
        let score = match score {
            Some(Score::Centipawns(centipawns)) => centipawns.clamp(-CEILING, CEILING),
            Some(Score::Mate(moves)) if moves > 0 => CEILING,
            Some(Score::Mate(_)) => -CEILING,
            None => {
                let name = self.name.clone();
                return Err(AnalysisError::Mute { name, ply });
            }
        };
        Ok(turn.fold_wb(score, -score))
    }
}
