//! The Universal Chess Interface: its grammar in both directions.
//!
//! [`UciCommand`] is what a GUI may say, [`UciReply`] what an engine may say; both are
//! read and printed, so that a program that drives other engines needs no second grammar.

mod command;
mod go;
mod option;
mod reply;

pub use command::{StartPosition, UciCommand, UciCommandError};
pub use go::Go;
pub use option::{OptionKind, OptionLine};
pub use reply::{InfoLine, UciReply};
