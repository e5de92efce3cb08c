//! The program as people and GUIs meet it.

mod analysing;
mod arrows;
mod breeding;
mod contests;
mod counting;
mod crewing;
mod data;
mod explaining;
mod files;
mod guided;
mod hill;
mod inputs;
mod learning;
mod pipelines;
mod playing;
mod records;
mod requests;
mod speaking;
mod strength;
mod support;
mod training;
mod tuning;
mod tuning_faults;
