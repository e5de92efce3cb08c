//! A game and limits in, a move out.
//!
//! An [`Engine`] is a [`Player`] (evaluator, search parameters) with the memory a
//! search needs. It finds a move for a [`Game`](mendel_board::Game) within
//! [`Limits`] and reports what it thinks through [`Info`]. It knows nothing of
//! matches: who the opponent is and what the result means is decided elsewhere.

mod engine;
mod info;
mod limits;
mod player;

pub use engine::{Control, Engine, Options};
pub use info::{Best, Bound, Info, Score, Wdl};
pub use limits::{Clock, Limits, SideClock};
pub use player::{Player, PlayerError};
