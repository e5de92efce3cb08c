//! Players in, results out: games, matches and tournaments whose results can be
//! trusted.
//!
//! An [`Entrant`] says who plays, a [`Contestant`] is one of them ready to move,
//! a game between two of them ends as a [`GameRecord`]. A player that crashes,
//! stalls or cheats loses that game, with the reason in the record; only what
//! stops the whole match is an error. This crate knows nothing of evolution.

#![allow(
    clippy::missing_panics_doc,
    reason = "each `expect` says why it cannot fail"
)]

mod adjudicate;
mod analyst;
mod book;
mod bred;
mod clock;
mod contestant;
mod crew_file;
mod entrant;
mod error;
mod first_moves;
mod game;
mod inputs;
mod matches;
mod opening;
mod pace;
pub mod pgn;
mod player_pool;
pub mod program;
mod record;
mod schedule;
mod seconds;
mod start;
pub mod statistics;
pub mod task;

pub use adjudicate::{
    Adjudication, Adjudicator, DrawRule, LengthRule, MaterialRule, ResignRule, SyzygyRule, Verdict,
};
pub use analyst::{AnalysisLine, AnalysisRequest, Analyst, AnalystError, StockfishEval};
pub use clock::{Clocks, Patience, TimeForfeit};
pub use contestant::{Answer, Contestant, Fault, Reply, Thought, Turn};
pub use crew_file::CrewFile;
pub use entrant::{Entrant, EntrantError, Kind, Protocol, absolute_player};
pub use error::MatchError;
pub use first_moves::FirstMoves;
pub use game::{GameSetting, Played, play};
// A field of `Pace`.
pub use matches::{
    Conclusion, Match, MatchOptions, MatchPlan, MatchSummary, Pairing, SprtPlan, Standings,
};
pub use mendel_engine::TimeControl;
pub use opening::{Opening, OpeningSetting, Openings, Order};
pub use pace::Pace;
pub use player_pool::PlayerPool;
pub use record::{EndReason, Ending, GameRecord, MoveRecord, Side};
pub use schedule::{Fixture, Format, Schedule};
pub use start::{SeatError, options_line};
pub use task::{
    GamePair, GamePairResult, GamePairs, PairGame, PairMemo, TakePair, map_pairs, play_pairs,
};
