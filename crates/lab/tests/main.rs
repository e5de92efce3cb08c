//! The laboratory from outside.

mod chromosomes;
mod data;
mod made_data;
mod made_up;
mod matrix;
mod reports;
mod runs;
mod trials;
