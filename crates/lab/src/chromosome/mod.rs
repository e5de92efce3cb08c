//! What of a player is bred: chromosomes as the papers print them, and how a
//! genome becomes the weights of a player.

mod david;
mod gerald;
mod lambda;
pub mod space;

pub use david::DAVID;
pub use gerald::GERALD;
pub use lambda::LAMBDA;
