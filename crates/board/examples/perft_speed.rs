//! How fast the board is beside the bare rules library, in one run.
//!
//! A busy machine can only lose time, so run it twice and believe the quicker.
//!
//! `cargo run --release -p mendel-board --example perft_speed`

#![allow(clippy::print_stdout, reason = "this is a program")]

use std::hint::black_box;
use std::time::Instant;

use mendel_board::{Chess, Move, MoveList, PackedMove, Position, perft};
use shakmaty::Position as _;

const FENS: [&str; 6] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
];

const ROUNDS: usize = 300;

/// Times both by turns and reports the quickest round of each: a round is short,
/// so that some are not disturbed even on a busy machine.
fn compare(what: &str, count: usize, mut bare: impl FnMut(), mut ours: impl FnMut()) {
    let time = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        work();
        start.elapsed().as_nanos() as f64 / count as f64
    };
    let (mut best_bare, mut best_ours) = (f64::MAX, f64::MAX);
    for _ in 0..ROUNDS {
        best_bare = best_bare.min(time(&mut bare));
        best_ours = best_ours.min(time(&mut ours));
    }
    let ratio = best_bare / best_ours;
    println!(
        "{what:<26} bare {best_bare:5.1} ns, ours {best_ours:5.1} ns: {ratio:.2} of its speed"
    );
}

fn main() {
    let positions: Vec<Position> = FENS
        .iter()
        .map(|fen| Position::from_fen(fen).expect("the table is right"))
        .collect();
    let nodes: u64 = positions.iter().map(|position| perft(position, 3)).sum();

    // 1. Perft, as it is.
    compare(
        "perft",
        nodes as usize,
        || {
            for position in &positions {
                black_box(shakmaty::perft(position.chess(), 3));
            }
        },
        || {
            for position in &positions {
                black_box(perft(position, 3));
            }
        },
    );

    // 2. A search's tree without its thinking: generate, copy, play.
    compare(
        "generate, copy and play",
        nodes as usize,
        || {
            for position in &positions {
                black_box(walk_chess(position.chess(), 3));
            }
        },
        || {
            for position in &positions {
                black_box(walk_position(position, 3));
            }
        },
    );

    // 3. Copy and play alone, over moves generated before.
    let nodes: Vec<(Position, MoveList)> = positions
        .iter()
        .flat_map(|position| {
            let moves = position.legal_moves();
            moves.into_iter().map(|m| position.after(m))
        })
        .map(|position| (position.clone(), position.legal_moves()))
        .collect();
    let count = nodes.iter().map(|(_, moves)| moves.len()).sum();
    compare(
        "copy and play",
        count,
        || {
            for (position, moves) in &nodes {
                for &m in moves {
                    black_box(&after_chess(position.chess(), m));
                }
            }
        },
        || {
            for (position, moves) in &nodes {
                for &m in moves {
                    black_box(&after_position(position, m));
                }
            }
        },
    );

    // 4. Passing.
    compare(
        "null move",
        nodes.len(),
        || {
            for (position, _) in &nodes {
                let _ = black_box(position.chess().clone().swap_turn());
            }
        },
        || {
            for (position, _) in &nodes {
                black_box(position.after_null_move());
            }
        },
    );

    // 5. A table move: unpacked and proved legal.
    let packed: Vec<(&Position, PackedMove)> = nodes
        .iter()
        .flat_map(|(position, moves)| moves.iter().map(move |&m| (position, m.into())))
        .collect();
    compare(
        "legal moves / unpack",
        packed.len(),
        || {
            for (position, _) in &packed {
                black_box(position.legal_moves());
            }
        },
        || {
            for (position, packed) in &packed {
                black_box(packed.unpack(position));
            }
        },
    );
}

// Both are called and not inlined, so that neither is measured without the copy
// it is about.

#[inline(never)]
fn after_chess(chess: &Chess, m: Move) -> Chess {
    let mut next = chess.clone();
    next.play_unchecked(m);
    next
}

#[inline(never)]
fn after_position(position: &Position, m: Move) -> Position {
    position.after(m)
}

fn walk_chess(chess: &Chess, depth: u8) -> u64 {
    if depth == 0 {
        return u64::from(chess.halfmoves());
    }
    let mut sum = 0_u64;
    for &m in &chess.legal_moves() {
        sum = sum.wrapping_add(walk_chess(&after_chess(chess, m), depth - 1));
    }
    sum
}

fn walk_position(position: &Position, depth: u8) -> u64 {
    if depth == 0 {
        return position.key();
    }
    let mut sum = 0_u64;
    for &m in &position.legal_moves() {
        sum = sum.wrapping_add(walk_position(&after_position(position, m), depth - 1));
    }
    sum
}
