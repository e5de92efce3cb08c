//! How fast a search is with networks.
//!
//! `cargo run --release -p mendel-engine --example networks` searches the positions of
//! the bench with networks of random numbers, each to the same number of nodes, and
//! prints nodes a second of processor time: with a first layer that is mended from position to position
//! and with one that is added up anew, and those of the published experiment beside
//! counting wood.

#![allow(clippy::print_stdout, reason = "an example may print")]

use std::sync::Arc;
use std::time::Duration;

use mendel_board::{Game, Position};
use mendel_engine::{Control, Engine, Limits, Options, Player, bench};
use mendel_evaluator::graph::{Edge, Frame, Graph, Node, Parts};
use mendel_evaluator::mlp::{Mlp, MlpShape, ONE};
use mendel_evaluator::{AnyEvaluator, Function, Input, Material};
use rustix::time::{ClockId, clock_gettime};

/// Nodes of each position.
const NODES: u64 = 10_000;

/// The machine may be busy with other things; the best round was disturbed least.
const ROUNDS: usize = 7;

fn main() {
    let material = ("material".to_owned(), AnyEvaluator::Material(Material));
    let mlp = |input: Input, hidden: &[u32], function| {
        let name = format!("mlp {} {hidden:?}", input.name());
        let shape = MlpShape::new(input, hidden, function);
        let numbers = numbers(
            shape.numbers(),
            if input == Input::Paper { 20 } else { ONE / 32 },
        );
        (name, Mlp::new(shape, &numbers).expect("a network"))
    };
    let any = |(name, mlp): (String, Mlp)| (name, AnyEvaluator::Mlp(mlp));
    let others = vec![
        material,
        any(mlp(Input::Paper, &[128], Function::Sigmoid)),
        any(mlp(Input::Paper, &[64, 64], Function::Sigmoid)),
        any(mlp(Input::Features, &[16], Function::Tanh)),
        (
            "graph paper, 128 hidden".to_owned(),
            AnyEvaluator::Graph(neat()),
        ),
    ];
    for (name, nps) in measure(&others) {
        println!("{name:28} {nps:9.0} nodes/s");
    }
    for hidden in [16, 64, 128, 256, 512, 1024, 2048] {
        let (name, mended) = mlp(Input::Sides, &[hidden], Function::Clipped);
        let anew = mended.clone().without_cache();
        let found = measure(&[
            ("mended".to_owned(), AnyEvaluator::Mlp(mended)),
            ("anew".to_owned(), AnyEvaluator::Mlp(anew)),
        ]);
        let (mended, anew) = (found[0].1, found[1].1);
        let ratio = mended / anew;
        println!("{name:28} {mended:9.0} nodes/s, anew {anew:9.0}: {ratio:.2} times");
    }
}

/// Nodes a second of each evaluator in its best round; they take turns.
fn measure(evaluators: &[(String, AnyEvaluator)]) -> Vec<(String, f64)> {
    let mut found: Vec<(String, f64)> = evaluators.iter().map(|it| (it.0.clone(), 0.0)).collect();
    for _ in 0..ROUNDS {
        for (best, (_, evaluator)) in found.iter_mut().zip(evaluators) {
            best.1 = best.1.max(nodes_a_second(evaluator));
        }
    }
    found
}

fn nodes_a_second(evaluator: &AnyEvaluator) -> f64 {
    let mut player = Player::find("material").expect("it is built in");
    player.evaluator = evaluator.clone();
    let mut engine = Engine::new(Arc::new(player), Options::default()).expect("plain options");
    let limits = Limits {
        nodes: Some(NODES),
        ..Limits::default()
    };
    let (mut nodes, mut time) = (0, Duration::ZERO);
    for fen in bench::POSITIONS.iter().step_by(2) {
        let game = Game::new(Position::from_fen(fen).expect("the positions are tested"));
        engine.new_game();
        let start = now();
        nodes += engine
            .go(&game, &limits, &Control::default(), &mut |_| {})
            .nodes;
        time += now().saturating_sub(start);
    }
    nodes as f64 / time.as_secs_f64()
}

/// Time of this thread on the processor, which others do not use up.
fn now() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// What the published NEAT begins with: 128 hidden nodes between all inputs and the
/// output.
fn neat() -> Graph {
    let node = Node {
        function: Function::Tanh,
        bias: 0,
    };
    let ends = (65..193).flat_map(|node| {
        let inputs = (0..64).map(move |input| (input, node));
        inputs.chain([(node, 64)])
    });
    let ends: Vec<(u32, u32)> = ends.collect();
    let edges = ends.iter().zip(numbers(ends.len(), 20));
    let parts = Parts {
        inputs: 64,
        nodes: vec![node; 129],
        edges: edges
            .map(|(&(from, to), weight)| Edge { from, to, weight })
            .collect(),
    };
    Graph::new(Frame::new(Input::Paper), &parts.to_numbers()).expect("a graph")
}

/// Numbers within ±`size`, always the same.
fn numbers(count: usize, size: i32) -> Vec<i32> {
    let mut state = 1_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((i64::from(state >> 8) * i64::from(2 * size + 1)) >> 24) as i32 - size
    };
    (0..count).map(|_| next()).collect()
}
