//! Openings as a payload holds them.

use mendel_board::{CastlingMode, Game, Position};
use serde::{Deserialize, Serialize};

use crate::Opening;

/// An opening as text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpeningLine {
    /// FEN; the usual start if it is not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// Whether castling is that of Chess960.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub chess960: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<String>,
}

/// Maximum number of moves, because a payload is untrusted.
const MAX_MOVES: usize = 2000;

impl OpeningLine {
    pub fn of(opening: &Opening) -> Self {
        let game = opening.game();
        let start = game.start();
        let chess960 = start.castling_mode() == CastlingMode::Chess960;
        let usual = !chess960 && start.fen() == Position::initial().fen();
        let moves = game.moves().iter().zip(game.positions());
        Self {
            start: (!usual).then(|| start.fen()),
            chess960,
            moves: moves.map(|(&m, position)| position.uci(m)).collect(),
        }
    }

    /// The opening.
    ///
    /// # Errors
    ///
    /// What is wrong with the text.
    pub fn opening(&self) -> Result<Opening, String> {
        if self.moves.len() > MAX_MOVES {
            return Err(format!("{} moves are no opening", self.moves.len()));
        }
        let start = match &self.start {
            None if self.chess960 => return Err("a start of Chess960 without its FEN".to_owned()),
            None => Position::initial(),
            Some(fen) => {
                let read = if self.chess960 {
                    Position::from_fen960(fen)
                } else {
                    Position::from_fen(fen)
                };
                read.map_err(|error| error.to_string())?
            }
        };
        let mut game = Game::new(start);
        for text in &self.moves {
            let m = game.position().parse_uci(text);
            let m = m.map_err(|error| error.to_string())?;
            game.play(m).map_err(|error| error.to_string())?;
        }
        Ok(Opening::new(game))
    }
}
