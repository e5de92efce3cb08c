//! Runs, matches and labels by a crew: a real server, workers in processes of their own.

mod deaths;
mod judging;
mod owners;
mod place;
mod refusals;
mod together;
mod work;
