//! A game and limits in, a move out.
//!
//! An [`Engine`] is a [`Player`] (evaluator, search parameters) with the memory a
//! search needs. It finds a move for a [`Game`](mendel_board::Game) within
//! [`Limits`] and reports what it thinks through [`Info`]. It knows nothing of
//! matches: who the opponent is and what the result means is decided elsewhere.
//!
//! ```
//! use std::sync::Arc;
//! use mendel_board::{Game, Position};
//! use mendel_engine::{Control, Engine, Limits, Options, Player, Score};
//!
//! let player = Arc::new(Player::find("mendel")?);
//! let mut engine = Engine::new(player, Options::default())?;
//! let game = Game::new(Position::from_fen("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1")?);
//! let limits = Limits { depth: Some(4), ..Limits::default() };
//! let best = engine.go(&game, &limits, &Control::default(), &mut |_| {});
//! let m = best.best.expect("there are legal moves");
//! assert_eq!(game.position().san(m), "Ra8#");
//! assert_eq!(best.info.map(|info| info.score), Some(Score::Mate(1)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![allow(
    clippy::missing_panics_doc,
    reason = "each `expect` says why it cannot fail"
)]

pub mod bench;
mod control;
mod engine;
mod files;
mod guidance;
mod guided;
mod info;
mod limits;
pub mod memory;
mod networks;
mod params;
pub mod play;
mod player;
mod restraint;
mod search;
pub mod session;
mod strength;
mod time_control;
pub mod uci;
mod words;
pub mod xboard;

pub use control::Control;
pub use engine::{Engine, Options, OptionsError};
pub use guidance::{Guidance, Setting, Way};
pub use info::{Best, Bound, Change, Info, Score, Wdl};
pub use limits::{Clock, Limits, SideClock};
pub use networks::NetworkError;
pub use params::{Profile, SearchParams, SettingError, Tunable};
pub use player::{Luggage, Player, PlayerError, UnusedEvaluator};
pub use strength::{Level, Strength, StrengthTable, StrengthTableError};
pub use time_control::{SideTimer, TimeControl, TimeControlError};
