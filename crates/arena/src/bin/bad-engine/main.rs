//! A chess program with faults on demand, for tests and measurements; it is not installed.
//!
//! `bad-engine MISDEED [N]` does it at its N-th move (the first, if nothing is
//! said) and is a harmless UCI program before: it plays the first legal move.
//! `bad-engine xboard [FEATURES] [MISDEED]` speaks xboard's language instead.

mod uci;
mod xboard;

use std::io::{self, Write};

use mendel_board::{Game, Position};

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |index: usize| arguments.get(index).map_or("", String::as_str);
    match argument(0) {
        "xboard" => xboard::run(argument(1), argument(2)),
        misdeed => uci::run(misdeed, argument(1).parse().unwrap_or(1)),
    }
}

fn say(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}

/// The first legal move in alphabetical order, so that it is always the same.
fn choose(position: &Position) -> Option<String> {
    let moves = position.legal_moves();
    moves.iter().map(|m| position.uci(*m)).min()
}

/// Plays the moves that can be played.
fn play_all(game: &mut Game, moves: &[String]) {
    for text in moves {
        if let Ok(m) = game.position().parse_move(text) {
            let _ = game.play(m);
        }
    }
}

/// Waits for longer than any test.
fn sleep_forever() -> ! {
    loop {
        std::thread::sleep(std::time::Duration::from_mins(1));
    }
}
