//! Effects of pieces on squares, and receptive fields.

use mendel_evaluator::graph::{Edge, Frame, Node, Parts};
use mendel_evaluator::mlp::ONE;
use mendel_evaluator::{AnyEvaluator, Function, Graph, Input, Material};
use mendel_report::analysis::squares::{effects, fields};

fn graph(input: Input, edges: Vec<Edge>) -> AnyEvaluator {
    let node = Node {
        function: Function::Identity,
        bias: 0,
    };
    let parts = Parts {
        inputs: input.count(),
        nodes: vec![node],
        edges,
    };
    let frame = Frame {
        input,
        material: false,
        scale: 100,
    };
    AnyEvaluator::Graph(Graph::new(frame, &parts.to_numbers()).expect("a graph"))
}

#[test]
fn material_is_worth_the_same_on_every_square() {
    let maps = effects(&AnyEvaluator::Material(Material));
    assert_eq!(maps.len(), 6, "it sees no colour");
    let (pawn, queen, king) = (&maps[0], &maps[4], &maps[5]);
    assert_eq!(pawn.values.iter().flatten().count(), 48, "ranks 2 to 7");
    assert_eq!(pawn.ends(), (100.0, 100.0));
    assert!((queen.mean() - 900.0).abs() < 1e-9);
    assert_eq!(king.ends(), (0.0, 0.0));
}

#[test]
fn a_network_that_likes_one_square_shows_it() {
    let edge = |from: u32, to: u32, weight| Edge { from, to, weight };
    // One input: an own knight on f3 (square 21).
    let knight = graph(Input::Sides, vec![edge(64 + 21, 768, ONE)]);
    let maps = effects(&knight);
    assert_eq!(maps.len(), 6);
    // Kings change places with a piece on the square.
    for (kind, map) in maps[..5].iter().enumerate() {
        for (square, value) in map.values.iter().enumerate() {
            // Seen by the side to move alone, which is every other time.
            let expected = if (kind, square) == (1, 21) { 50.0 } else { 0.0 };
            assert!(
                value.is_none_or(|it| (it - expected).abs() < 1e-9),
                "{} {square} {value:?}",
                map.name
            );
        }
    }
    let fields = fields(&knight);
    assert_eq!(fields.len(), 12);
    assert_eq!(fields[1].name, "the output, own knight");
    assert_eq!(fields[1].values[21], Some(1.0));
    assert_eq!(fields[1].ends(), (0.0, 1.0));
}

#[test]
fn what_sees_colour_has_boards_for_both() {
    let edge = |from: u32, weight| Edge {
        from,
        to: 64,
        weight,
    };
    let white_half = graph(Input::Paper, (0..8).map(|from| edge(from, 40)).collect());
    let maps = effects(&white_half);
    assert_eq!(maps.len(), 12);
    assert!(maps[1].name.starts_with("White’s") && maps[7].name.starts_with("Black’s"));
    // White's rooks on its own first rank, Black's on White's first, their last.
    assert!(maps[3].values[0] > Some(0.0) && maps[3].values[60] == Some(0.0));
    assert!(maps[9].values[60] > Some(0.0) && maps[9].values[0] == Some(0.0));
}
