//! Players in, results out: games, matches and tournaments whose results can be
//! trusted.
//!
//! An [`Entrant`] says who plays, a [`Contestant`] is one of them ready to move,
//! a game between two of them ends as a [`GameRecord`]. A player that crashes,
//! stalls or cheats loses that game, with the reason in the record; only what
//! stops the whole match is an error. This crate knows nothing of evolution.

mod adjudicate;
mod book;
mod bouts;
mod bred;
mod clock;
mod contest;
mod contestant;
mod crew;
mod entrant;
mod first_moves;
mod folder;
mod game;
mod hands;
mod offers;
mod opening;
mod pace;
pub mod pgn;
mod plan;
pub mod program;
mod record;
mod same;
mod schedule;
mod seats;
mod seconds;
mod standing;
pub mod statistics;
pub mod task;

pub use adjudicate::{
    Adjudication, DrawRule, LengthRule, MaterialRule, Referee, ResignRule, SyzygyRule, Verdict,
};
pub use bouts::{BoutGame, Bouts, Pair, PairOutcome};
pub use clock::{Clocks, Overstep, Patience};
pub use contest::{Contest, ContestError, Progress};
pub use contestant::{Answer, Contestant, Fault, Reply, Thought, Turn};
pub use crew::{AwayError, Crew, Desk, Errand, Pack, Returned, WhenDead, Workers};
pub use entrant::{Entrant, EntrantError, Kind, Protocol, SeatError};
pub use first_moves::FirstMoves;
pub use folder::{FolderError, MatchFolder};
pub use game::{GameSetting, Played, play};
pub use hands::Hands;
pub use offers::options_line;
pub use opening::{Opening, OpeningError, OpeningSetting, Openings, Order};
pub use pace::{Pace, PaceError, TimeControl};
pub use plan::{Plan, PlanError, SprtPlan};
pub use record::{EndReason, Ending, GameRecord, MoveRecord, Side};
pub use schedule::{Fixture, Format, Schedule, ScheduleError};
pub use standing::{Conclusion, Pairing, Standing, Summary};
