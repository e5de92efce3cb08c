//! What of a player is bred: chromosomes as the papers print them, and how a
//! genome becomes a player.

mod any;
mod cwu;
mod david;
mod genotype;
mod gerald;
mod graph_parts;
mod lambda;
pub mod network;
mod settings;
pub mod space;
mod validate;

pub use any::{AnyGenome, GenomeKind, NumberLimits};
pub use cwu::CWU;
pub use david::{DAVID, DAVID_SEARCH};
pub use genotype::Genotype;
pub use gerald::{GERALD, GERALD_SEARCH};
pub use lambda::LAMBDA;
