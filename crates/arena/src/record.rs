//! Records of games.

use std::time::Duration;

use mendel_board::pgn::GameResult;
use mendel_board::{Color, Outcome, Reason};
use serde::{Deserialize, Serialize};

/// One finished game: everything needed to count it and to print it again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// Its place in the schedule, from 0.
    pub game: u64,
    /// The pair it belongs to, from 0.
    pub pair: u64,
    /// Index of the entrant with White.
    pub white: usize,
    /// Index of the entrant with Black.
    pub black: usize,
    /// The start position, as FEN.
    pub start: String,
    /// Moves of the opening, in UCI notation; the players did not choose them.
    pub opening: Vec<String>,
    pub moves: Vec<MoveRecord>,
    pub ending: Ending,
    /// When it began, as PGN writes a date; not part of any comparison.
    pub date: String,
    /// Last lines of protocol and stderr, after a fault.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub last_words: Vec<String>,
}

impl mendel_store::Record for GameRecord {}

impl mendel_store::frame::MemoRecord for GameRecord {
    type Key = u64;

    fn key(&self) -> u64 {
        self.game
    }
}

/// One move, with what its player reported.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MoveRecord {
    /// The move, in UCI notation.
    pub m: String,
    /// Score for the side that moved: `+0.35`, `-1.20`, `#4`, `#-3`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Time it took, in seconds.
    #[serde(with = "crate::seconds")]
    pub time: Duration,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ending {
    /// `None` for a draw.
    pub winner: Option<Side>,
    pub reason: EndReason,
    /// The reason in words, with the fault's details.
    pub words: String,
}

/// A colour as records write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    White,
    Black,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EndReason {
    Checkmate,
    Stalemate,
    /// Neither side can mate.
    InsufficientMaterial,
    /// Fifty moves without progress.
    FiftyMoves,
    /// The third repetition.
    Repetition,
    Time,
    /// The loser played an illegal move or none.
    IllegalMove,
    /// The loser's program ended or could not be started.
    Crash,
    Stall,
    Flood,
    Resignation,
    /// Both scores said it was decided.
    AdjudicatedWin,
    /// Both scores said it was even.
    AdjudicatedDraw,
    /// The game was as long as allowed: a draw.
    LengthDraw,
    /// The game was as long as allowed: more material won.
    LengthMaterial,
    /// A tablebase knew the rest.
    Tablebase,
}

impl EndReason {
    /// Whether a player lost by a fault.
    pub fn is_fault(self) -> bool {
        matches!(
            self,
            Self::IllegalMove | Self::Crash | Self::Stall | Self::Flood
        )
    }
}

impl Ending {
    /// The result as PGN writes it.
    pub fn result(&self) -> &'static str {
        self.game_result().as_str()
    }

    pub fn game_result(&self) -> GameResult {
        match self.winner {
            Some(Side::White) => GameResult::WhiteWins,
            Some(Side::Black) => GameResult::BlackWins,
            None => GameResult::Draw,
        }
    }
}

impl From<Color> for Side {
    fn from(color: Color) -> Self {
        color.fold_wb(Self::White, Self::Black)
    }
}

impl From<Outcome> for Ending {
    fn from(outcome: Outcome) -> Self {
        let reason = match outcome.reason {
            Reason::Checkmate => EndReason::Checkmate,
            Reason::Stalemate => EndReason::Stalemate,
            Reason::InsufficientMaterial => EndReason::InsufficientMaterial,
            Reason::FiftyMoves => EndReason::FiftyMoves,
            Reason::Repetition => EndReason::Repetition,
        };
        Self {
            winner: outcome.winner.map(Into::into),
            reason,
            words: outcome.reason.to_string(),
        }
    }
}
