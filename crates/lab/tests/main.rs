//! The laboratory from outside.

mod absent;
mod calibration;
mod experiment;
mod games;
mod learning;
mod made_data;
mod networks;
mod pairs;
mod parameters;
mod pedigrees;
mod perturbation;
mod recipes;
mod records;
mod runs;
mod suite;
mod tuner_bench;
