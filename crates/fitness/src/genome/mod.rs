//! What of a player is bred: chromosomes as the papers print them, and how a
//! genome becomes a player.

mod cwu;
mod david;
mod genotype;
mod gerald;
mod graph_parts;
pub mod jitter;
mod lambda;
pub mod network;
mod player_genome;
mod settings;
pub mod space;
#[cfg(test)]
mod tests;
mod validate;

pub use cwu::CWU;
pub use david::{DAVID, DAVID_SEARCH};
pub use genotype::Genotype;
pub use gerald::{GERALD, GERALD_SEARCH};
pub use lambda::LAMBDA;
pub use player_genome::Bred;
