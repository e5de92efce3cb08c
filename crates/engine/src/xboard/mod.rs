//! The Chess Engine Communication Protocol, version 2, as xboard, `WinBoard` and
//! other GUIs use it: its grammar in both directions.
//!
//! [`XboardCommand`] is what a GUI may say, [`XboardReply`] what an engine may say; both are
//! read and printed, so that a program that drives other engines needs no second grammar.
//!
//! # Source
//!
//! Mann and Muller, "Chess Engine Communication Protocol", version 2,
//! `engine-intf.html` of xboard.
//!
//! # Where this differs
//!
//! Our engine does not ponder (`hard` is accepted and has no effect), does not
//! resign and answers no draw offer; the obsolete `edit`, `white` and `black` are
//! refused. Increments may be fractions of a second.

mod command;
mod reply;

pub use command::{LevelCommand, XboardCommand, XboardCommandError};
pub use reply::{Thinking, XboardReply};

/// Whether a line is how xboard greets an engine.
pub(crate) fn is_greeting(line: &str) -> bool {
    matches!(line.split_whitespace().next(), Some("xboard" | "protover"))
}
