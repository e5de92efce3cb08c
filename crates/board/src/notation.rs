//! Positions and moves as text: FEN, SAN and UCI.

use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Move, PositionError};

use crate::{NotationError, Position};

/// The first 100 characters of a text, for an error message.
pub(crate) fn quote(text: &str) -> String {
    match text.char_indices().nth(100) {
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
    pub fn from_fen(fen: &str) -> Result<Self, NotationError> {
        Self::read_fen(fen, None)
    }

    /// Reads a FEN for Chess960: castling is understood and written as the king
    /// taking its own rook, also where standard castling would do.
    ///
    /// # Errors
    ///
    /// If the text is not a FEN or the position could not be played on.
    pub fn from_fen960(fen: &str) -> Result<Self, NotationError> {
        Self::read_fen(fen, Some(CastlingMode::Chess960))
    }

    fn read_fen(text: &str, mode: Option<CastlingMode>) -> Result<Self, NotationError> {
        let text = text.trim();
        let fen: Fen = text
            .parse()
            .map_err(|error: shakmaty::fen::ParseFenError| NotationError::Fen {
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
            .map_err(|error| NotationError::Position {
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
    pub fn parse_san(&self, text: &str) -> Result<Move, NotationError> {
        let san: SanPlus = text
            .parse()
            .map_err(|_| NotationError::Move { text: quote(text) })?;
        san.san.to_move(self.chess()).map_err(|error| match error {
            shakmaty::san::SanError::AmbiguousSan => NotationError::AmbiguousMove {
                text: quote(text),
                fen: self.fen(),
            },
            shakmaty::san::SanError::IllegalSan => NotationError::IllegalMove {
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
    pub fn parse_uci(&self, text: &str) -> Result<Move, NotationError> {
        let uci: UciMove = text
            .parse()
            .map_err(|_| NotationError::Move { text: quote(text) })?;
        uci.to_move(self.chess())
            .map_err(|_| NotationError::IllegalMove {
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
    pub fn parse_move(&self, text: &str) -> Result<Move, NotationError> {
        self.parse_uci(text).or_else(|_| self.parse_san(text))
    }
}
