//! The frame with fake experiments: stopped, killed, damaged, resumed.

mod damage;
mod events;
pub(crate) mod fake;
pub(crate) mod kill;
mod library;
mod memo;
mod resume;
