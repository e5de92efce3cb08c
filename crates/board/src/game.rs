//! A game: where it started, what was played, and whether it is over.

use std::fmt;

use shakmaty::{Color, Move};

use crate::{NotationError, Position};

/// A game from its start position to now.
#[derive(Clone, Debug)]
pub struct Game {
    /// The start position and the position after each move.
    positions: Vec<Position>,
    moves: Vec<Move>,
}

/// How a game ended by the rules of chess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Who won; `None` for a draw.
    pub winner: Option<Color>,
    pub reason: Reason,
}

/// Why a game is over by the rules of chess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The side to move is in check and has no move.
    Checkmate,
    /// The side to move is not in check and has no move.
    Stalemate,
    InsufficientMaterial,
    /// Fifty moves of each side without capture or pawn move.
    FiftyMoves,
    Repetition,
}

impl Game {
    pub fn new(start: Position) -> Self {
        Self {
            positions: vec![start],
            moves: Vec::new(),
        }
    }

    pub fn position(&self) -> &Position {
        self.positions.last().expect("a game has a start position")
    }

    pub fn start(&self) -> &Position {
        &self.positions[0]
    }

    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The start position and the position after each move; one more than moves.
    pub fn positions(&self) -> &[Position] {
        &self.positions
    }

    /// Plays `m`.
    ///
    /// # Errors
    ///
    /// If the move is illegal; the game is then untouched. A game that is over
    /// by repetition, fifty moves or material may go on, as it may over the
    /// board without a claim.
    pub fn play(&mut self, m: Move) -> Result<(), NotationError> {
        let position = self.position();
        if !position.is_legal(m) {
            return Err(NotationError::IllegalMove {
                text: position.uci(m),
                fen: position.fen(),
            });
        }
        self.push(m);
        Ok(())
    }

    /// Plays `m`, which is known to be legal.
    pub(crate) fn push(&mut self, m: Move) {
        let next = self.position().after(m);
        self.positions.push(next);
        self.moves.push(m);
    }

    /// Takes the last move back and returns it.
    pub fn undo(&mut self) -> Option<Move> {
        let m = self.moves.pop()?;
        self.positions.pop();
        Some(m)
    }

    /// How often the position now has been on the board, itself included.
    pub fn repetitions(&self) -> usize {
        let now = self.position();
        // A capture or pawn move cannot be undone, so nothing before it counts.
        let reversible = now.halfmoves() as usize;
        self.positions
            .iter()
            .rev()
            .take(reversible + 1)
            .step_by(2)
            .filter(|earlier| *earlier == now)
            .count()
    }

    /// How the game ended, if it is over by the rules.
    ///
    /// Mate and stalemate come first: a mate on the hundredth half-move counts.
    pub fn outcome(&self) -> Option<Outcome> {
        let position = self.position();
        let draw = |reason| {
            Some(Outcome {
                winner: None,
                reason,
            })
        };
        if position.legal_moves().is_empty() {
            if position.is_check() {
                return Some(Outcome {
                    winner: Some(!position.turn()),
                    reason: Reason::Checkmate,
                });
            }
            return draw(Reason::Stalemate);
        }
        if position.is_insufficient_material() {
            return draw(Reason::InsufficientMaterial);
        }
        if position.halfmoves() >= 100 {
            return draw(Reason::FiftyMoves);
        }
        if self.repetitions() >= 3 {
            return draw(Reason::Repetition);
        }
        None
    }
}

impl Default for Game {
    fn default() -> Self {
        Self::new(Position::initial())
    }
}

impl Outcome {
    /// The result as PGN writes it: `1-0`, `0-1` or `1/2-1/2`.
    pub fn result(&self) -> &'static str {
        match self.winner {
            Some(Color::White) => "1-0",
            Some(Color::Black) => "0-1",
            None => "1/2-1/2",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let result = self.result();
        match (self.reason, self.winner) {
            (Reason::Checkmate, Some(winner)) => {
                let winner = winner.fold_wb("White", "Black");
                write!(f, "{result} {{{winner} mates}}")
            }
            (reason, _) => write!(f, "{result} {{{reason}}}"),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Checkmate => "Checkmate",
            Self::Stalemate => "Stalemate",
            Self::InsufficientMaterial => "Insufficient material",
            Self::FiftyMoves => "Fifty-move rule",
            Self::Repetition => "Threefold repetition",
        })
    }
}
