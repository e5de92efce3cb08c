//! Networks of any wiring.

#![allow(clippy::float_cmp, reason = "equal means equal to the last bit")]

use mendel_board::Position;
use mendel_board::sample::{random_position, random_positions};
use mendel_evaluator::graph::{Edge, Frame, GraphCache, Node, Parts};
use mendel_evaluator::mlp::{MOST, MlpShape, ONE};
use mendel_evaluator::{
    AnyEvaluator, Evaluator, EvaluatorError, Function, Graph, Input, Silent, contract, explain, mlp,
};
use proptest::prelude::*;

use crate::mlp::{inputs, numbers};

fn graph(input: Input, parts: &Parts) -> Result<Graph, EvaluatorError> {
    Graph::new(Frame::new(input), &parts.to_numbers())
}

fn node(function: Function) -> Node {
    Node {
        function,
        bias: ONE / 8,
    }
}

fn edge(from: usize, to: usize, weight: i32) -> Edge {
    Edge {
        from: from as u32,
        to: to as u32,
        weight,
    }
}

/// A graph without cycles that follows from a seed.
fn made(input: Input, hidden: usize, edges: usize, seed: u32) -> Parts {
    let inputs = input.count();
    let mut dice = numbers(hidden + 1 + 3 * edges, seed, 1 << 20).into_iter();
    let mut roll = move |sides: usize| (dice.next().expect("enough") + (1 << 20)) as usize % sides;
    let nodes: Vec<Node> = (0..=hidden)
        .map(|_| node(Function::ALL[roll(Function::ALL.len())]))
        .collect();
    let size = if input == Input::Paper { 20 } else { 8000 };
    let mut made: Vec<Edge> = Vec::new();
    for _ in 0..edges {
        // The output counts as the last; the others are numbered downwards, so that
        // neither numbers nor the order of the list give the depth away.
        let to = roll(hidden + 1);
        let from = roll(inputs / 4 + to);
        let name = |at: usize| {
            if at == hidden {
                inputs
            } else {
                inputs + hidden - at
            }
        };
        let from = match from.checked_sub(inputs / 4) {
            None => from * 4,
            Some(node) => name(node),
        };
        let weight = roll(2 * size + 1) as i32 - size as i32;
        if !made
            .iter()
            .any(|it| (it.from, it.to) == (from as u32, name(to) as u32))
        {
            made.push(edge(from, name(to), weight));
        }
    }
    Parts {
        inputs,
        nodes,
        edges: made,
    }
}

/// The value of a node by asking those it depends on, and whether an input is among
/// them.
fn asked(parts: &Parts, input: Input, values: &[f64], at: usize) -> (f32, bool) {
    let Node { function, bias } = parts.nodes[at - parts.inputs];
    let mut edges: Vec<&Edge> = parts
        .edges
        .iter()
        .filter(|it| it.to as usize == at)
        .collect();
    edges.sort_by_key(|it| it.from);
    let (mut squares, mut others, mut found) = (0, Vec::new(), false);
    for edge in edges {
        let from = edge.from as usize;
        let weight = edge.weight as f32 / ONE as f32;
        if from >= parts.inputs {
            let (value, met) = asked(parts, input, values, from);
            found |= met;
            others.push(value * weight);
        } else if input.is_counted() {
            found = true;
            others.push(values[from] as f32 * weight);
        } else {
            found = true;
            let unit = if input == Input::Paper { 10 } else { 1 };
            squares += values[from] as i32 / unit * edge.weight;
        }
    }
    let unit = if input == Input::Paper { 10.0 } else { 1.0 };
    let mut sums = [0.0_f32; 4];
    for (at, value) in others.iter().enumerate() {
        sums[at % 4] += value;
    }
    let bias = bias as f32 / ONE as f32;
    let outside = squares as f32 * (unit / ONE as f32) + bias;
    let sum = if others.is_empty() {
        outside
    } else {
        outside + ((sums[0] + sums[1]) + (sums[2] + sums[3]))
    };
    (function.at(sum), found)
}

fn check(input: Input, parts: &Parts, positions: impl Iterator<Item = Position>) {
    let graph = graph(input, parts).expect("a graph without cycles");
    let mut memory = GraphCache::default();
    for position in positions {
        let values = inputs(input, &position, position.turn());
        let (exact, found) = asked(parts, input, &values, parts.inputs);
        let output = graph.output(&position, &mut memory);
        assert_eq!(
            output,
            if found { exact } else { 0.0 },
            "{}",
            position.fen()
        );
        assert_eq!(graph.is_empty(), !found);
        contract::holds(&graph, &position, &mut memory);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_sorted_graph_says_what_asking_says(
        which in 0..3_usize, hidden in 0..12_usize, edges in 0..40_usize, seed: u32,
    ) {
        let input = Input::ALL[which];
        let parts = made(input, hidden, edges, seed);
        let again = Parts::from_numbers(&parts.to_numbers());
        prop_assert_eq!(again.as_ref(), Ok(&parts));
        let positions = (0..4).map(|at| random_position(u64::from(seed) + at, 40));
        check(input, &parts, positions);
    }

    #[test]
    fn no_list_of_numbers_breaks_anything(
        which in 0..3_usize, seed: u32, at: prop::sample::Index, wild: i32, tame in 0..80_i32,
        cut: prop::sample::Index,
    ) {
        // A graph with a number exchanged, for a likely one or any, and one that ends early.
        let input = Input::ALL[which];
        let good = made(input, 6, 25, seed).to_numbers();
        let at = at.index(good.len());
        for number in [wild, tame, tame % 8, input.count() as i32 + tame % 8] {
            let mut numbers = good.clone();
            numbers[at] = number;
            if let Ok(graph) = Graph::new(Frame::new(input), &numbers) {
                let position = random_position(u64::from(seed), 30);
                contract::holds(&graph, &position, &mut GraphCache::default());
            }
        }
        let early = &good[..cut.index(good.len())];
        prop_assert!(Graph::new(Frame::new(input), early).is_err());
    }
}

#[test]
fn every_graph_keeps_the_laws_and_says_what_asking_says() {
    for input in Input::ALL {
        for seed in 0..4 {
            let parts = made(input, 30, 200, seed);
            check(input, &parts, random_positions(61, 100));
        }
    }
}

#[test]
fn exactly_the_input_of_the_paper_sees_colour() {
    for input in Input::ALL {
        let parts = made(input, 10, 200, 3);
        let graph = graph(input, &parts).expect("a graph");
        let score = |it: &Position| graph.evaluate(it, &mut GraphCache::default(), &mut Silent);
        let sees = random_positions(67, 50).any(|it| score(&it) != score(&it.mirrored()));
        assert_eq!(
            (sees, graph.sees_colour()),
            (input == Input::Paper, input == Input::Paper)
        );
    }
}

#[test]
fn a_graph_wired_like_layers_says_what_layers_say() {
    for input in [Input::Paper, Input::Features] {
        let shape = MlpShape::new(input, &[128, 7], Function::Tanh);
        let network = crate::mlp::mlp(shape.clone(), 5);
        let first = input.count();
        // The output is the last neuron of the one and the first node of the other.
        let neurons = shape.neurons();
        let name = |at: usize| (first + (at + 1) % neurons.len()) as u32;
        let begin = |layer: usize| {
            neurons
                .iter()
                .position(|it| it.layer == layer)
                .expect("it is there")
        };
        let mut nodes = vec![
            Node {
                function: Function::Tanh,
                bias: 0
            };
            neurons.len()
        ];
        let mut edges = Vec::new();
        for (at, neuron) in neurons.iter().enumerate() {
            let mut given = network.numbers()[neuron.numbers.clone()].to_vec();
            if neuron.biased {
                nodes[name(at) as usize - first].bias = given.pop().expect("a bias");
            }
            for (source, weight) in given.into_iter().enumerate() {
                let from = match neuron.layer {
                    1 => source as u32,
                    layer => name(begin(layer - 1) + source),
                };
                edges.push(Edge {
                    from,
                    to: name(at),
                    weight,
                });
            }
        }
        let parts = Parts {
            inputs: first,
            nodes,
            edges,
        };
        let graph = graph(input, &parts).expect("a graph");
        let (mut one, mut other) = (GraphCache::default(), mlp::MlpCache::default());
        for position in random_positions(71, 100) {
            let difference =
                graph.output(&position, &mut one) - network.output(&position, &mut other);
            assert!(
                difference.abs() < 1e-5,
                "{difference} in {}",
                position.fen()
            );
        }
    }
}

#[test]
fn what_leads_nowhere_is_dropped() {
    // 64 is the output; 65 leads to it, 66 is led to by an input but leads nowhere, 67
    // leads to it but nothing to 67.
    let wired = |edges: &[&[Edge]]| Parts {
        inputs: 64,
        nodes: vec![node(Function::Tanh); 4],
        edges: edges.concat(),
    };
    let ways = [edge(3, 65, 7), edge(65, 64, 9)];
    let lost = [edge(3, 66, 7), edge(64, 66, 5)];
    let constant = [edge(67, 64, 900)];
    let made = |edges: &[&[Edge]]| graph(Input::Paper, &wired(edges)).expect("a graph");
    let (all, few) = (made(&[&ways, &lost]), made(&[&ways]));
    assert_eq!((all.size(), few.size()), ((2, 2), (2, 2)));
    assert_eq!(made(&[&ways, &lost, &constant]).size(), (3, 3));
    for position in random_positions(73, 50) {
        let output = |graph: &Graph| graph.output(&position, &mut GraphCache::default());
        assert_eq!(output(&all), output(&few));
    }

    let empty = made(&[&lost, &constant]);
    assert!(empty.is_empty());
    assert_eq!(
        empty.output(&Position::initial(), &mut GraphCache::default()),
        0.0
    );
    let position = crate::position("4k3/8/8/8/8/8/8/3QK3 b - - 0 1");
    assert_eq!(AnyEvaluator::Graph(empty).evaluate(&position).0, -900);
}

#[test]
fn a_cache_shared_by_several_graphs_does_not_change_outputs() {
    let graphs: Vec<Graph> = Input::ALL
        .into_iter()
        .flat_map(|input| (0..2).map(move |seed| (input, seed)))
        .map(|(input, seed)| graph(input, &made(input, 20, 150, seed)).expect("a graph"))
        .collect();
    let mut memory = GraphCache::default();
    for (at, position) in random_positions(79, 600).enumerate() {
        let graph = &graphs[at / 5 % graphs.len()];
        let fresh = graph.output(&position, &mut GraphCache::default());
        assert_eq!(graph.output(&position, &mut memory), fresh);
    }
}

#[test]
fn a_graph_comes_back_from_its_file_and_its_weights() {
    for input in Input::ALL {
        let any = AnyEvaluator::Graph(graph(input, &made(input, 9, 60, 2)).expect("a graph"));
        assert_eq!(AnyEvaluator::from_toml(&any.to_toml()), Ok(any.clone()));

        let values: Vec<i32> = any.weights().iter().map(|it| it.value).collect();
        assert_eq!(any.with_weights(&values), Ok(any.clone()));
        // Another graph, of another size.
        let other = made(input, 3, 10, 8).to_numbers();
        let AnyEvaluator::Graph(made) = any.with_weights(&other).expect("a graph") else {
            panic!("another kind");
        };
        assert_eq!(made.numbers(), other);
        assert_eq!(any.coefficients(&Position::initial()), None);
    }
}

#[test]
fn what_is_no_graph_is_refused_with_the_reason() {
    let good = made(Input::Paper, 3, 10, 1);
    let changed = |change: &dyn Fn(&mut Parts)| {
        let mut parts = good.clone();
        change(&mut parts);
        graph(Input::Paper, &parts)
    };
    let with = |edges: &[Edge]| changed(&|parts| parts.edges = edges.to_vec());
    let list = |numbers: &[i32]| Graph::new(Frame::new(Input::Paper), numbers);
    let cases = [
        (list(&[]), "0 numbers are no graph"),
        (list(&[1, 64, 0, 0]), "4 numbers are no graph"),
        (list(&[2, 64, 0, 0, 0, 0]), "begins with 1"),
        (list(&[1, -64, 0, 0, 0, 0]), "6 numbers are no graph"),
        (
            list(&[1, 64, i32::MAX, i32::MAX, 0, 0]),
            "2147483647 hidden nodes are too many",
        ),
        (
            list(&[1, 64, 0, 500_001, 0, 0]),
            "500001 edges are too many; there may be 500000",
        ),
        (
            list(&[1, 63, 0, 0, 0, 0]),
            "it has 63 inputs where the evaluator has 64",
        ),
        (
            list(&[1, 64, 0, 0, 19, 0]),
            "node 64 has the function 19; there are 0 to 18",
        ),
        (
            list(&[1, 64, 0, 0, 0, MOST + 1]),
            "bias 0 (from 0) is 262145; keep it within ±262144",
        ),
        (
            list(&[1, 64, 0, 1, 0, 0, 0, 64, i32::MIN]),
            "weight 0 (from 0) is -2147483648",
        ),
        (list(&[1, 64, 0, 1, 0, 0, -1, 64, 0]), "leads from -1 to 64"),
        (
            with(&[edge(0, 63, 1)]),
            "an edge leads from 0 to 63; it comes from 0 to 67 and leads to 64 to 67",
        ),
        (with(&[edge(68, 64, 1)]), "leads from 68 to 64"),
        (with(&[edge(0, 68, 1)]), "leads from 0 to 68"),
        (
            with(&[edge(0, 64, 1), edge(0, 64, 2)]),
            "two edges lead from 0 to 64",
        ),
        (with(&[edge(65, 65, 1)]), "node 65 depends on itself"),
        (
            with(&[edge(65, 66, 1), edge(66, 67, 1), edge(67, 65, 1)]),
            "depends on itself",
        ),
    ];
    for (result, expected) in cases {
        let error = result.expect_err(expected);
        assert!(matches!(error, EvaluatorError::Graph { .. }), "{error:?}");
        let message = error.to_string();
        assert!(message.contains(expected), "`{message}` lacks `{expected}`");
    }
    let error = Parts::from_numbers(&[7]).expect_err("a list that ends early");
    assert!(
        error.to_string().contains("1 numbers are no graph"),
        "{error}"
    );

    let mut table = AnyEvaluator::Graph(graph(Input::Paper, &good).expect("a graph")).to_toml();
    table.insert("layers".into(), 3.into());
    let error = AnyEvaluator::from_toml(&table)
        .expect_err("an unknown key")
        .to_string();
    assert!(error.contains("kind `graph` knows no `layers`"), "{error}");
}

#[test]
fn what_a_network_says_is_told_even_where_it_is_nothing() {
    let parts = Parts {
        inputs: Input::Sides.count(),
        nodes: vec![Node {
            function: Function::Tanh,
            bias: 0,
        }],
        edges: Vec::new(),
    };
    for material in [true, false] {
        let frame = Frame {
            material,
            ..Frame::new(Input::Sides)
        };
        let graph = Graph::new(frame, &parts.to_numbers()).expect("a graph");
        let told = explain(&graph, &Position::initial());
        let says: Vec<_> = told
            .rows
            .iter()
            .filter(|it| it.group == "network")
            .collect();
        assert_eq!(says.len(), 1, "{told:?}");
        assert_eq!(says[0].contribution.parts, 0);
        let groups: Vec<&str> = told.groups().iter().map(|it| it.0).collect();
        assert_eq!(groups.last(), Some(&"network"), "in the order of the table");
    }
}
