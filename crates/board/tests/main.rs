//! The laws of the board, its tables and its stories.

#![allow(clippy::print_stderr, reason = "a skipped test says so")]

mod book;
mod eco;
mod epd;
mod game;
mod hash;
mod lines;
mod notation;
mod packed;
mod perft;
mod pgn;
mod position;
mod tablebase;
mod walks;
