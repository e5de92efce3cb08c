//! Scores of the positions of a game, by a player or an external engine.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use mendel_arena::{AnalysisRequest, Analyst, AnalystError, Entrant, Pace, SeatError};
use mendel_board::{Game, Position};
use mendel_engine::Score;

use crate::accuracy::{CEILING, GameAccuracy, INITIAL};

/// A started player or engine that judges positions.
pub struct Analyser {
    name: String,
    analyst: Box<dyn Analyst>,
    limit: Pace,
    timeout: Duration,
}

/// Why a game has no analysis.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnalysisError {
    #[error(transparent)]
    Seat(#[from] SeatError),
    #[error(
        "`{name}` cannot analyse with the limit `{limit}`, which is another one on each machine: give nodes or a depth"
    )]
    Limit { name: String, limit: Pace },
    #[error("`{name}` {fault} about the position after half-move {ply}{}", quoted(.last_words))]
    Fault {
        name: String,
        /// Plies before the position.
        ply: usize,
        fault: AnalystError,
        /// The last lines of the protocol.
        last_words: Vec<String>,
    },
    #[error(
        "`{name}` gives no score for the position after half-move {ply}; take another analyser, or one without a book"
    )]
    Mute {
        name: String,
        /// Plies before the position.
        ply: usize,
    },
    #[error(
        "there is nothing to judge: of {moves} half-moves {opening} are the opening's, and each side needs one that does not mate"
    )]
    TooShort {
        /// Plies of the game.
        moves: usize,
        /// Plies of the given opening.
        opening: usize,
    },
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
    /// Maximum time for one position.
    pub const PATIENCE: Duration = Duration::from_mins(2);

    /// Starts an analyser that searches each position up to `limit`, or up to the limit of the
    /// entrant if it has one.
    ///
    /// # Errors
    ///
    /// If the player cannot be started, or the limit is neither nodes nor depth.
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
            timeout: Self::PATIENCE,
        })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// The accuracy of both sides in `game`, without its first `opening` plies.
    ///
    /// # Errors
    ///
    /// If the analyst fails, a side made no move, or `stop` was set.
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

        // 1. The scores after each move and, if it is not known, before the first one, from the last
        //    position back. A mate on the board is not scored, as at Lichess.
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

        // 2. The accuracy, as Lichess computes it.
        scores.extend(usual.then_some(INITIAL));
        scores.reverse();
        let (&before, scores) = scores.split_first().ok_or_else(too_short)?;
        GameAccuracy::of_scores(first, before, scores).ok_or_else(too_short)
    }

    /// The score of the last position of `game` for White, in centipawns; mates are ±[`CEILING`].
    ///
    /// # Errors
    ///
    /// If the analyst fails or `stop` was set.
    pub fn score(&mut self, game: &Game, stop: &Arc<AtomicBool>) -> Result<i32, AnalysisError> {
        // 1. The end of a game by the rules.
        let position = game.position();
        let turn = position.turn();
        if position.legal_moves().is_empty() {
            let lost = if position.is_check() { -CEILING } else { 0 };
            return Ok(turn.fold_wb(lost, -lost));
        }

        // 2. The score of the analyst with empty memory, so that no score depends on earlier ones.
        let request = AnalysisRequest {
            limit: self.limit,
            lines: 1,
            deadline: self.timeout,
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

        // 3. From White's point of view.
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
