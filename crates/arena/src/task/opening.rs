//! Openings as a payload holds them.

use mendel_board::{CastlingMode, Game, Position};
use serde::{Deserialize, Serialize};

use crate::Opening;

/// A start position and moves that nobody chose, as text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpeningLine {
    /// FEN; the usual start if it is not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// Whether castling is that of Chess960.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub chess960: bool,
    /// The moves, in UCI notation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<String>,
}

/// No opening is as long; what comes from a wire is not replayed without an end.
const MAX_MOVES: usize = 2000;

impl OpeningLine {
    /// As text.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{OpeningSetting, Openings};

    #[test]
    fn an_opening_comes_out_as_it_went_in() {
        let setting = OpeningSetting::default();
        for openings in [
            Openings::own(&setting),
            Openings::initial(&setting),
            Openings::chess960(&setting),
        ] {
            for index in 0..openings.len().min(100) {
                let opening = openings.get(index as u64);
                let line = OpeningLine::of(&opening);
                let again = line.opening().expect("it was an opening").game();
                let game = opening.game();
                assert_eq!(again.start(), game.start());
                assert_eq!(again.moves(), game.moves());
                assert_eq!(again.position(), game.position());
            }
        }
    }

    #[test]
    fn nonsense_is_refused() {
        let line = |start: Option<&str>, chess960, moves: &[&str]| OpeningLine {
            start: start.map(str::to_owned),
            chess960,
            moves: moves.iter().map(|&m| m.to_owned()).collect(),
        };
        for bad in [
            line(Some("no FEN"), false, &[]),
            line(None, true, &[]),
            line(None, false, &["e2e5"]),
            line(None, false, &["e2e4", "e2e4"]),
            line(None, false, &["g1f3", "g8f6", "f3g1", "f6g8"].repeat(600)),
        ] {
            assert!(bad.opening().is_err(), "{bad:?}");
        }
    }
}
