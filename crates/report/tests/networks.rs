//! Layouts of networks.

use mendel_evaluator::graph::{Edge, Frame, Node, Parts};
use mendel_evaluator::mlp::{MlpShape, ONE};
use mendel_evaluator::{AnyEvaluator, Function, Graph, Input, Mlp};
use mendel_report::analysis::wiring::NetworkLayout;
use mendel_report::plot::DiagramEdge;

/// Nodes of a layer and connections that a layout has at most.
const MOST_NODES: usize = 28;
const MOST_LINKS: usize = 400;

#[test]
fn a_graph_is_drawn_without_what_does_not_matter() {
    let node = Node {
        function: Function::Tanh,
        bias: 0,
    };
    let edge = |from, to, weight| Edge { from, to, weight };
    // 64 inputs, the output 64, hidden 65 to 68. 67 leads nowhere, 68 hears nothing.
    let parts = Parts {
        inputs: 64,
        nodes: vec![node; 5],
        edges: vec![
            edge(3, 65, ONE),
            edge(65, 66, -2 * ONE),
            edge(66, 64, ONE / 2),
            edge(4, 64, ONE),
            edge(5, 67, ONE),
            edge(68, 64, ONE),
        ],
    };
    let graph = Graph::new(Frame::new(Input::Paper), &parts.to_numbers()).expect("a graph");
    let plan = NetworkLayout::of(&AnyEvaluator::Graph(graph)).expect("it is a network");
    let names: Vec<Vec<String>> = plan.layers.iter().map(|it| it.nodes.clone()).collect();
    assert_eq!(
        names,
        [
            vec!["d1", "e1"],
            vec!["tanh 1"],
            vec!["tanh 2"],
            vec!["score"]
        ]
    );
    assert_eq!(plan.all_links, 4);
    assert_eq!(
        plan.links[0],
        DiagramEdge {
            from: (1, 0),
            to: (2, 0),
            weight: -2.0
        }
    );
    assert!(
        plan.links
            .iter()
            .any(|it| (it.from, it.to) == ((0, 1), (3, 0)))
    );
}

#[test]
fn a_large_network_is_thinned_to_its_strongest_nodes() {
    let shape = MlpShape::paper(&[128]);
    let mut numbers = vec![1; shape.numbers()];
    // The seventh neuron sees h8 strongly and is heard.
    numbers[7 * 65 + 63] = 3 * ONE;
    numbers[128 * 65 + 7] = -ONE;
    let mlp = Mlp::new(shape, &numbers).expect("a network");
    let plan = NetworkLayout::of(&AnyEvaluator::Mlp(mlp)).expect("it is one");
    let sizes: Vec<(usize, usize)> = plan
        .layers
        .iter()
        .map(|it| (it.nodes.len(), it.all))
        .collect();
    assert_eq!(sizes, [(MOST_NODES, 64), (MOST_NODES, 128), (1, 1)]);
    assert_eq!(plan.all_links, 128 * 65);
    // Half of them into the hidden layer, and all into the output.
    assert_eq!(plan.links.len(), MOST_LINKS / 2 + MOST_NODES);
    let name = |(layer, place): (usize, usize)| plan.layers[layer].nodes[place].as_str();
    let strongest = plan.links[0];
    assert_eq!((name(strongest.from), name(strongest.to)), ("h8", "7"));
    assert_eq!(
        (name(plan.links[1].from), plan.links[1].weight),
        ("7", -1.0)
    );
    assert!(NetworkLayout::of(&AnyEvaluator::Material(mendel_evaluator::Material)).is_none());
}
