//! The laboratory from outside.

mod accuracy;
mod chromosomes;
mod cwu;
mod data;
mod games;
mod hybrids;
mod made_data;
mod made_up;
mod matrix;
mod network;
mod networks;
mod online;
mod perturbation;
mod pipelines;
mod reports;
mod runs;
mod suite;
mod trials;
mod tuner_bench;
