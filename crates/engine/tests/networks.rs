//! Players that judge with networks.

use std::sync::Arc;

use mendel_board::{Game, Position};
use mendel_engine::{Best, Control, Engine, Limits, Options, Player};
use mendel_evaluator::graph::{Edge, Frame, Graph, Node, Parts};
use mendel_evaluator::mlp::{Mlp, MlpShape};
use mendel_evaluator::{AnyEvaluator, Function, Input};

/// Small numbers, always the same.
fn numbers(count: usize) -> Vec<i32> {
    let mut state = 3_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) as i32 % 401 - 200
    };
    (0..count).map(|_| next()).collect()
}

fn mlp(input: Input, hidden: &[u32]) -> Mlp {
    let shape = MlpShape::new(input, hidden, Function::Sigmoid);
    let numbers = numbers(shape.numbers());
    Mlp::new(shape, &numbers).expect("a network")
}

fn player(evaluator: AnyEvaluator) -> Player {
    Player {
        name: "networked".to_owned(),
        evaluator,
        ..Player::find("material").expect("it is built in")
    }
}

fn think(player: Player, nodes: u64) -> Best {
    let mut engine = Engine::new(Arc::new(player), Options::default()).expect("plain options");
    let limits = Limits {
        nodes: Some(nodes),
        ..Limits::default()
    };
    engine.go(
        &Game::new(Position::initial()),
        &limits,
        &Control::default(),
        &mut |_| {},
    )
}

#[test]
fn a_player_with_a_network_survives_its_file_and_plays_the_same() {
    let inputs = Input::Features.count();
    let graph = Parts {
        inputs,
        nodes: vec![
            Node {
                function: Function::Tanh,
                bias: 0,
            };
            2
        ],
        edges: vec![
            Edge {
                from: 13,
                to: inputs as u32 + 1,
                weight: 900,
            },
            Edge {
                from: inputs as u32 + 1,
                to: inputs as u32,
                weight: 900,
            },
        ],
    };
    let graph = Graph::new(Frame::new(Input::Features), &graph.to_numbers()).expect("a graph");
    let evaluators = [
        AnyEvaluator::Mlp(mlp(Input::Paper, &[128])),
        AnyEvaluator::Mlp(mlp(Input::Sides, &[64])),
        AnyEvaluator::Mlp(mlp(Input::Features, &[8])),
        AnyEvaluator::Graph(graph),
    ];
    for evaluator in evaluators {
        let player = player(evaluator);
        let text = player.to_toml();
        let again = Player::parse(&text, "test").unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(again.evaluator, player.evaluator);
        let (one, other) = (think(player, 3_000), think(again, 3_000));
        assert!(one.best.is_some());
        assert_eq!((one.best, one.nodes), (other.best, other.nodes));
    }
}

#[test]
fn a_search_is_the_same_whether_the_network_remembers_or_not() {
    for (input, hidden) in [(Input::Sides, 24), (Input::Paper, 16)] {
        let network = mlp(input, &[hidden]);
        let anew = think(
            player(AnyEvaluator::Mlp(network.clone().without_cache())),
            20_000,
        );
        let mended = think(player(AnyEvaluator::Mlp(network)), 20_000);
        assert_eq!((mended.best, mended.nodes), (anew.best, anew.nodes));
        let score = |best: &Best| best.info.as_ref().map(|info| info.score);
        assert_eq!(score(&mended), score(&anew));
    }
}

#[test]
fn a_broken_network_in_a_file_is_refused_with_the_reason() {
    let text = player(AnyEvaluator::Mlp(mlp(Input::Features, &[8]))).to_toml();
    let broken = text.replace("numbers = \"", "numbers = \"AAAA");
    let error = Player::parse(&broken, "`x.toml`").expect_err("three bytes too many");
    assert!(
        error
            .to_string()
            .starts_with("`x.toml`: `numbers` in [evaluator] of kind `mlp`"),
        "{error}"
    );
}
