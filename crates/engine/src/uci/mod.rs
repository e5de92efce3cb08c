//! The Universal Chess Interface: its grammar in both directions, and our side
//! of a session.
//!
//! [`Command`] is what a GUI may say, [`Reply`] what an engine may say; both are
//! read and printed, so that who drives other engines needs no second grammar.

mod command;
mod go;
mod option;
mod reply;
mod session;

pub use command::{Command, CommandError, Start};
pub use go::Go;
pub use option::{OptionKind, OptionLine};
pub use reply::{InfoLine, Reply};
pub(crate) use session::Session;
