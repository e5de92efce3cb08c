//! How generations are made: who becomes a parent, what children inherit, and
//! what chance changes in them.

mod crossover;
mod mutate;
mod select;

pub use crossover::{Crossover, Piece};
pub(crate) use mutate::normals;
pub use mutate::{Measure, Mutation, normal};
pub use select::{Chooser, Selection};
pub(crate) use select::{WORST, ranking};
