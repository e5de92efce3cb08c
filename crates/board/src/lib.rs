//! Chess as the rules know it: text in, positions and moves out.
//!
//! The rules themselves come from the library `shakmaty`, which only this crate
//! names; everything above works with what is re-exported here. This crate knows
//! nothing of engines: no score, no search, no player.
//!
//! ```
//! use mendel_board::{Game, Position};
//!
//! let mut game = Game::new(Position::initial());
//! for san in ["f3", "e5", "g4", "Qh4#"] {
//!     let played = game.position().parse_san(san)?;
//!     game.play(played)?;
//! }
//! let outcome = game.outcome().expect("the fool's mate ends the game");
//! assert_eq!(outcome.to_string(), "0-1 {Black mates}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![allow(
    clippy::missing_panics_doc,
    reason = "an `expect` here says why it cannot fail; callers have nothing to heed"
)]

pub mod book;
pub mod eco;
pub mod epd;
mod error;
mod game;
mod hash;
pub mod lines;
mod notation;
mod packed;
mod packed_position;
mod perft;
pub mod pgn;
mod position;
#[cfg(feature = "sample")]
pub mod sample;
pub mod tablebase;

pub use error::{BoardFileError, NotationError};
pub use game::{Game, Outcome, Reason};
pub use hash::mix;
pub use packed::PackedMove;
pub use packed_position::PackedPosition;
pub use perft::{divide, divide_with, perft, perft_with};
pub use position::{CheckSquares, Position};
pub use shakmaty::{
    Bitboard, Board, ByColor, ByRole, CastlingMode, CastlingSide, Chess, Color, File, Move,
    MoveList, Piece, Rank, Role, Square, attacks,
};
