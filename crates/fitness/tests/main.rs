//! Genomes, matrices and trials from outside.

mod chromosomes;
mod games;
mod matrix;
mod nnue;
mod spaces;
mod trials;
