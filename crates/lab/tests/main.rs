//! The laboratory from outside.

mod absent;
mod calibration;
mod experiment;
mod finalists;
mod games;
mod kinds;
mod learning;
mod made_data;
mod networks;
mod pairs;
mod parameters;
mod pedigrees;
mod perturbation;
mod pipelines;
mod recipes;
mod records;
mod runs;
mod suite;
mod tuner_bench;
mod used_openings;
