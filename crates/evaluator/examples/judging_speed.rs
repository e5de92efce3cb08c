//! How long one call of the classic evaluator takes.
//!
//! `cargo run --release -p mendel-evaluator --example judging_speed` judges a few hundred
//! positions from random games again and again, with a warm pawn table and with
//! a listener, and prints nanoseconds per call.

#![allow(clippy::print_stdout, reason = "an example may print")]

use std::hint::black_box;
use std::time::Instant;

use mendel_board::Position;
use mendel_board::sample::random_positions;
use mendel_evaluator::classic::Scratch;
use mendel_evaluator::{AnyEvaluator, Breakdown, Classic, Evaluator, Silent};

const PLAYER: &str = include_str!("../../../players/mendel.toml");

fn main() {
    let player: toml::Table = PLAYER.parse().expect("the player file is TOML");
    let table = player["evaluator"].as_table().expect("a table");
    let Ok(AnyEvaluator::Classic(classic)) = AnyEvaluator::from_toml(table) else {
        panic!("the player has a classic evaluator");
    };
    let random: Vec<Position> = random_positions(1, 300).collect();
    let made: Vec<Position> = PLAYED
        .iter()
        .map(|fen| Position::from_fen(fen).expect("a legal position"))
        .collect();
    measure("random games", &classic, &random);
    measure("master games", &classic, &made);
}

fn measure(what: &str, classic: &Classic, positions: &[Position]) {
    let mut scratch = Scratch::default();
    // The machine may be busy with other things; the best round was left alone.
    let round = |scratch: &mut _| {
        let start = Instant::now();
        for position in positions {
            black_box(classic.evaluate(black_box(position), scratch, &mut Silent));
        }
        start.elapsed().as_nanos() as f64 / positions.len() as f64
    };
    let best = (0..3000)
        .map(|_| round(&mut scratch))
        .fold(f64::MAX, f64::min);
    println!("{what}: {best:.0} ns a call");

    let start = Instant::now();
    for position in positions {
        black_box(classic.evaluate(position, &mut scratch, &mut Breakdown::default()));
    }
    let each = start.elapsed().as_nanos() as f64 / positions.len() as f64;
    println!("{what}: {each:.0} ns a call with a listener");
}

/// Positions of all stages, made up in the manner of real games.
const PLAYED: [&str; 12] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4",
    "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2NB1N2/PP3PPP/R1BQ1RK1 w - - 0 9",
    "r2q1rk1/1b2bppp/p1n1pn2/1p6/3P4/1BN2N2/PP2QPPP/R1BR2K1 w - - 0 14",
    "2rq1rk1/pb2bppp/1p2pn2/n2p4/3P1B2/2PBPN2/P3QPPP/2R2RK1 w - - 4 14",
    "r4rk1/1bqnbppp/p2p1n2/1p2p3/4P3/1BN1BN1P/PPP1QPP1/R4RK1 w - - 0 13",
    "3r1rk1/pp3ppp/2p2q2/4n3/4P3/2N2P2/PPQ3PP/3R1R1K b - - 3 20",
    "2r3k1/pp3pp1/4p2p/3pP3/3P4/1P3N2/P4PPP/2R3K1 w - - 0 25",
    "8/pp3k1p/2p1r1p1/8/3P1P2/1P2K1P1/P6P/4R3 w - - 0 33",
    "8/5pk1/3b2p1/1p1P3p/p3B2P/P1P3P1/1P3PK1/8 b - - 0 38",
    "8/2k5/1p1p4/p1pP1pp1/P1P1p3/1P2K1PP/5P2/8 w - - 0 45",
    "6k1/5ppp/8/1q6/3Q4/6P1/5P1P/6K1 w - - 0 40",
];
