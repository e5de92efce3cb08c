//! How long one call of an evaluator takes.
//!
//! `cargo run --release -p mendel-evaluator --example judging_speed` evaluates positions of
//! random games and of games between masters, and all positions one move behind them, as
//! a search does. It prints nanoseconds per call, and a checksum of all scores.

#![allow(clippy::print_stdout, reason = "an example may print")]

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use mendel_board::sample::random_positions;
use mendel_board::{Position, mix};
use mendel_evaluator::mlp::{Mlp, MlpShape, ONE};
use mendel_evaluator::network::{HIDDEN, INPUTS, Parameters};
use mendel_evaluator::{
    AnyEvaluator, Breakdown, Classic, Evaluator, Function, Input, Network, Silent,
};

const ROUNDS: usize = 300;

fn main() {
    let random: Vec<Position> = random_positions(1, 300).collect();
    let played: Vec<Position> = PLAYED
        .iter()
        .map(|fen| Position::from_fen(fen).expect("a legal position"))
        .collect();
    let children = |position: &Position| {
        let moves = position.legal_moves();
        moves.into_iter().map(|m| position.after(m)).collect()
    };
    let tree: Vec<Position> = played.iter().flat_map::<Vec<_>, _>(children).collect();

    let classic = classic();
    for (name, positions) in [("random", &random), ("played", &played), ("tree", &tree)] {
        measure(&format!("classic, {name}"), &classic, positions);
    }
    listen("classic, with a trace", &classic, &random);
    let with_network = classic.judging_with(Arc::new(network()));
    let sides = |hidden: &[u32], function| mlp(Input::Sides, hidden, function, ONE / 32);
    for (name, positions) in [("random", &random), ("tree", &tree)] {
        let at = |kind: &str| format!("{kind}, {name}");
        measure(&at("classic with a network"), &with_network, positions);
        measure(
            &at("mlp, sixteen bits"),
            &sides(&[256], Function::Clipped),
            positions,
        );
        measure(
            &at("mlp, two layers"),
            &sides(&[64, 16], Function::Relu),
            positions,
        );
        let paper = mlp(Input::Paper, &[128], Function::Sigmoid, 20);
        measure(&at("mlp, paper"), &paper, positions);
        let graph = include_str!("../../../players/es-hyperneat.toml");
        let AnyEvaluator::Graph(graph) = player(graph) else {
            panic!("the player has a graph");
        };
        measure(&at("graph"), &graph, positions);
        let gerald = include_str!("../../../players/gerald-base.toml");
        let AnyEvaluator::Gerald(gerald) = player(gerald) else {
            panic!("the player has the evaluator of GERALD");
        };
        measure(&at("gerald"), &gerald, positions);
        let lambda = include_str!("../../../players/lambda-ga.toml");
        let AnyEvaluator::Lambda(lambda) = player(lambda) else {
            panic!("the player has the evaluator of the λ hybrid");
        };
        measure(&at("lambda"), &lambda, positions);
    }
}

fn player(text: &str) -> AnyEvaluator {
    let player: toml::Table = text.parse().expect("the player file is TOML");
    let table = player["evaluator"].as_table().expect("a table");
    AnyEvaluator::from_toml(table).expect("an evaluator")
}

fn classic() -> Classic {
    match player(include_str!("../../../players/mendel-hand-set.toml")) {
        AnyEvaluator::Classic(classic) => classic,
        other => panic!("no classic evaluator: {other:?}"),
    }
}

/// Random numbers from −1 to 1.
fn numbers() -> impl FnMut() -> f32 {
    let mut state = 0;
    move || {
        state = mix(state);
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    }
}

fn network() -> Network {
    let mut next = numbers();
    let mut row = |size: f32| std::array::from_fn::<f32, HIDDEN, _>(|_| next() * size);
    Network::round(&Parameters {
        first: (0..INPUTS).map(|_| row(0.2)).collect(),
        bias: row(0.5),
        out: [row(1.0), row(1.0)],
        out_bias: 0.05,
    })
}

fn mlp(input: Input, hidden: &[u32], function: Function, size: i32) -> Mlp {
    let shape = MlpShape::new(input, hidden, function);
    let mut next = numbers();
    let numbers: Vec<i32> = (0..shape.numbers())
        .map(|_| (next() * size as f32) as i32)
        .collect();
    Mlp::new(shape, &numbers).expect("a network")
}

fn measure<E: Evaluator>(what: &str, evaluator: &E, positions: &[Position]) {
    let mut scratch = E::Scratch::default();
    let mut sum = 0;
    for position in positions {
        let score = evaluator.evaluate(position, &mut scratch, &mut Silent);
        sum = mix(sum ^ score.0 as u64);
    }
    let mut round = || {
        let start = Instant::now();
        for position in positions {
            black_box(evaluator.evaluate(black_box(position), &mut scratch, &mut Silent));
        }
        start.elapsed().as_nanos() as f64 / positions.len() as f64
    };
    // The machine may be busy with other things; the best round was disturbed least.
    let best = (0..ROUNDS).map(|_| round()).fold(f64::MAX, f64::min);
    println!("{what:32} {best:7.0} ns a call, scores {sum:016x}");
}

fn listen(what: &str, classic: &Classic, positions: &[Position]) {
    let mut scratch = mendel_evaluator::classic::Scratch::default();
    let start = Instant::now();
    for position in positions {
        black_box(classic.evaluate(position, &mut scratch, &mut Breakdown::default()));
    }
    let each = start.elapsed().as_nanos() as f64 / positions.len() as f64;
    println!("{what:32} {each:7.0} ns a call");
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
