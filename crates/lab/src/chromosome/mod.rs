//! What of a player is bred: chromosomes as the papers print them, and how a
//! genome becomes a player.

mod cwu;
mod david;
mod gerald;
pub(crate) mod jitter;
mod lambda;
pub mod network;
mod parts;
mod refusals;
mod settings;
pub mod space;
#[cfg(test)]
mod tests;

pub use cwu::CWU;
pub use david::{DAVID, DAVID_SEARCH};
pub use gerald::{GERALD, GERALD_SEARCH};
pub use lambda::LAMBDA;
