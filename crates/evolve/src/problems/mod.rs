//! Problems whose answers are known, to try breeders on.
//!
//! Hills are [`Trial`](crate::Trial)s of genomes; the tasks for networks run *any* controller, a function
//! of what it sees. There is no chance in any of them.

mod hills;
mod needed;
mod networks;
mod poles;
mod xor;

pub use hills::{BitHill, RealHill};
pub use needed::evaluations_needed;
pub use networks::FixedNet;
pub use poles::{CartState, Poles};
pub use xor::{XOR, XorScore, xor};
