//! Positions and moves as text: FEN, SAN and UCI.

use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Move, PositionError};

use crate::Position;

/// Why a text is not a position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FenError {
    /// The text does not have the form of a FEN.
    #[error("`{fen}` is not a FEN: {reason}")]
    Syntax {
        /// What was read.
        fen: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The text is a FEN, but no legal game position.
    #[error("`{fen}` is not a legal position: {reason}")]
    Position {
        /// What was read.
        fen: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// Why a text is not a move of a position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoveTextError {
    /// The text does not have the form of a move.
    #[error("`{text}` does not look like a move")]
    Syntax {
        /// What was read.
        text: String,
    },
    /// The text is a move, but not one this position allows.
    #[error("illegal move `{text}` in `{fen}`")]
    Illegal {
        /// What was read.
        text: String,
        /// The position in which it was tried.
        fen: String,
    },
    /// The text fits more than one legal move.
    #[error("ambiguous move `{text}` in `{fen}`")]
    Ambiguous {
        /// What was read.
        text: String,
        /// The position in which it was tried.
        fen: String,
    },
}

/// A megabyte of garbage is quoted in an error only as far as it helps.
pub(crate) fn quote(text: &str) -> String {
    const LONGEST: usize = 100;
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

impl Position {
    /// Reads a FEN; Shredder-FEN and X-FEN castling fields are understood, and a
    /// position that needs Chess960 castling gets it.
    ///
    /// Castling rights without king and rook in place and impossible en passant
    /// squares are dropped, as GUIs and test suites expect. The two move counters
    /// may be missing.
    ///
    /// # Errors
    ///
    /// If the text is not a FEN or the position could not be played on.
    pub fn from_fen(fen: &str) -> Result<Self, FenError> {
        Self::read_fen(fen, None)
    }

    /// Reads a FEN for Chess960: castling is understood and written as the king
    /// taking its own rook, also where standard castling would do.
    ///
    /// # Errors
    ///
    /// If the text is not a FEN or the position could not be played on.
    pub fn from_fen960(fen: &str) -> Result<Self, FenError> {
        Self::read_fen(fen, Some(CastlingMode::Chess960))
    }

    fn read_fen(text: &str, mode: Option<CastlingMode>) -> Result<Self, FenError> {
        let text = text.trim();
        let fen: Fen = text
            .parse()
            .map_err(|error: shakmaty::fen::ParseFenError| FenError::Syntax {
                fen: quote(text),
                reason: error.to_string(),
            })?;
        let mode = mode.unwrap_or_else(|| CastlingMode::detect(fen.as_setup()));
        fen.into_position::<Chess>(mode)
            .or_else(PositionError::ignore_invalid_castling_rights)
            .or_else(PositionError::ignore_invalid_ep_square)
            .or_else(PositionError::ignore_too_much_material)
            .or_else(PositionError::ignore_impossible_check)
            .map(Self::from)
            .map_err(|error| FenError::Position {
                fen: quote(text),
                reason: error.to_string(),
            })
    }

    /// The position as FEN; Shredder-FEN castling letters only where X-FEN needs
    /// them.
    pub fn fen(&self) -> String {
        Fen::from_position(self.chess(), EnPassantMode::Legal).to_string()
    }

    /// Reads a move in standard algebraic notation, check marks optional.
    ///
    /// # Errors
    ///
    /// If the text is no move, not a legal one here, or fits several.
    pub fn parse_san(&self, text: &str) -> Result<Move, MoveTextError> {
        let san: SanPlus = text
            .parse()
            .map_err(|_| MoveTextError::Syntax { text: quote(text) })?;
        san.san.to_move(self.chess()).map_err(|error| match error {
            shakmaty::san::SanError::AmbiguousSan => MoveTextError::Ambiguous {
                text: quote(text),
                fen: self.fen(),
            },
            shakmaty::san::SanError::IllegalSan => MoveTextError::Illegal {
                text: quote(text),
                fen: self.fen(),
            },
        })
    }

    /// The legal move `m` in standard algebraic notation, with its check mark.
    pub fn san(&self, m: Move) -> String {
        SanPlus::from_move(self.chess().clone(), m).to_string()
    }

    /// Reads a move as UCI writes it; castling may be written either way.
    ///
    /// # Errors
    ///
    /// If the text is no move or not a legal one here.
    pub fn parse_uci(&self, text: &str) -> Result<Move, MoveTextError> {
        let uci: UciMove = text
            .parse()
            .map_err(|_| MoveTextError::Syntax { text: quote(text) })?;
        uci.to_move(self.chess())
            .map_err(|_| MoveTextError::Illegal {
                text: quote(text),
                fen: self.fen(),
            })
    }

    /// A move as UCI writes it; castling as the position's mode asks for.
    pub fn uci(&self, m: Move) -> String {
        m.to_uci(self.castling_mode()).to_string()
    }

    /// Reads a move in either notation; a UCI reading is tried first.
    ///
    /// # Errors
    ///
    /// If the text is no legal move here in either notation; the error speaks of
    /// SAN, which says more.
    pub fn parse_move(&self, text: &str) -> Result<Move, MoveTextError> {
        self.parse_uci(text).or_else(|_| self.parse_san(text))
    }
}
