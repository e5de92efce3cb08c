//! Genomes, matrices and trials from outside.

mod chromosomes;
mod matrix;
mod nnue;
mod trials;
