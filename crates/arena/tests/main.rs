//! What the arena promises, seen from outside.

#![allow(clippy::print_stderr, reason = "a test that is skipped says so")]

mod adjudication;
mod analysis;
mod clocks;
mod contests;
mod crewed;
mod entrants;
mod game_pairs;
mod games;
mod leftovers;
mod misdeeds;
mod openings;
mod real_programs;
mod records;
mod schedules;
mod scripted;
mod stage;
mod statistics;
mod stopped;
mod strength;
mod tasks;
mod trends;
mod xboard;
