//! What a network of genes computes.

use mendel_evolve::{Connected, Function, Link, NetGenome, Network, Node, Shape};

fn node(id: u32, bias: f64, function: Function) -> Node {
    Node {
        id,
        bias,
        response: 1.0,
        function,
    }
}

/// Links in a row, numbered as they come.
fn links(links: &[(u32, u32, f64)]) -> Vec<Link> {
    let link = |(at, &(from, to, weight)): (usize, &(u32, u32, f64))| Link {
        innovation: at as u32,
        from,
        to,
        weight,
        enabled: true,
    };
    links.iter().enumerate().map(link).collect()
}

fn run(network: &mut Network, inputs: &[f64]) -> f64 {
    let mut output = [f64::NAN];
    network.run(inputs, &mut output);
    output[0]
}

/// Two inputs, one output (2), hidden nodes 3 and above.
fn net(hidden: &[(f64, Function)], row: &[(u32, u32, f64)]) -> NetGenome {
    let ends = (0..3).map(|id| node(id, 0.0, Function::Identity));
    let hidden = hidden.iter().zip(3..);
    let hidden = hidden.map(|(&(bias, function), id)| node(id, bias, function));
    NetGenome {
        nodes: ends.chain(hidden).collect(),
        links: links(row),
    }
}

const SHAPE: Shape = Shape {
    inputs: 2,
    outputs: 1,
    hidden: 0,
    connected: Connected::Full { direct: true },
    recurrent: false,
};

#[test]
fn exclusive_or_by_hand() {
    // Either but not both: two steps and their difference.
    let steps = [(-0.5, Function::Step), (-1.5, Function::Step)];
    let row = [
        (0, 3, 1.0),
        (1, 3, 1.0),
        (0, 4, 1.0),
        (1, 4, 1.0),
        (3, 2, 1.0),
        (4, 2, -1.0),
    ];
    let net = net(&steps, &row);
    net.check(&SHAPE).unwrap();
    let mut network = Network::new(&net, &SHAPE);
    assert!(!network.is_recurrent() && !network.is_empty());
    let truth = [
        [0.0, 0.0, 0.0],
        [0.0, 1.0, 1.0],
        [1.0, 0.0, 1.0],
        [1.0, 1.0, 0.0],
    ];
    for [one, other, expected] in truth {
        assert!((run(&mut network, &[one, other]) - expected).abs() < 1e-12);
    }
}

#[test]
fn bias_response_and_function_are_applied_in_this_order() {
    let mut net = net(&[], &[(0, 2, 3.0), (1, 2, 0.5)]);
    net.nodes[2] = Node {
        id: 2,
        bias: 0.25,
        response: 2.0,
        function: Function::Square,
    };
    // 0.25 + 2 · (3 · 1 + 0.5 · 2) = 8.25, squared.
    let found = run(&mut Network::new(&net, &SHAPE), &[1.0, 2.0]);
    assert!((found - 8.25 * 8.25).abs() < 1e-12, "{found}");
}

#[test]
fn a_long_chain_whose_ids_run_backwards_is_sorted() {
    let identity = [(1.0, Function::Identity); 3];
    let net = net(
        &identity,
        &[(3, 2, 1.0), (4, 3, 1.0), (5, 4, 1.0), (0, 5, 1.0)],
    );
    let mut network = Network::new(&net, &SHAPE);
    assert!((run(&mut network, &[10.0, 0.0]) - 13.0).abs() < 1e-12);
    let layers = network.layers();
    let ids = layers.iter().map(|layer| layer[0].id).collect::<Vec<_>>();
    assert_eq!(ids, [5, 4, 3, 2]);
    let mut edges: Vec<_> = network.edges().collect();
    edges.sort_by_key(|edge| edge.1);
    assert_eq!(edges, [(3, 2, 1.0), (4, 3, 1.0), (5, 4, 1.0), (0, 5, 1.0)]);
}

#[test]
fn a_link_that_is_not_enabled_is_not_there() {
    let mut net = net(&[], &[(0, 2, 1.0), (1, 2, 1.0)]);
    net.links[0].enabled = false;
    let mut network = Network::new(&net, &SHAPE);
    assert!((run(&mut network, &[5.0, 7.0]) - 7.0).abs() < 1e-12);
    net.links[1].enabled = false;
    let mut network = Network::new(&net, &SHAPE);
    assert!(network.is_empty());
    assert!(run(&mut network, &[5.0, 7.0]).abs() < 1e-12);
}

/// A trap of other programs: a node that lost its last incoming link was never
/// computed, and whatever it leads to neither.
#[test]
fn a_node_that_nothing_leads_to_gives_its_bias() {
    let net = net(&[(2.0, Function::Square)], &[(0, 2, 1.0), (3, 2, 1.0)]);
    let mut network = Network::new(&net, &SHAPE);
    assert!((run(&mut network, &[0.5, 0.0]) - 4.5).abs() < 1e-12);
    assert!(!network.is_empty());
}

/// Links, and whether the network is empty.
type Case = (&'static [(u32, u32, f64)], bool);

#[test]
fn only_a_way_from_an_input_to_an_output_makes_a_network_full() {
    let hidden = [(1.0, Function::Identity); 2];
    let table: [Case; 4] = [
        (&[], true),
        (&[(0, 3, 1.0)], true),
        (&[(0, 3, 1.0), (4, 2, 1.0)], true),
        (&[(0, 3, 1.0), (3, 4, 1.0), (4, 2, 1.0)], false),
    ];
    for (row, empty) in table {
        let network = Network::new(&net(&hidden, row), &SHAPE);
        assert_eq!(network.is_empty(), empty, "{row:?}");
    }
}

#[test]
fn a_loop_remembers_and_is_reset() {
    let shape = Shape {
        recurrent: true,
        ..SHAPE
    };
    // The output adds up the input.
    let mut network = Network::new(&net(&[], &[(0, 2, 1.0), (2, 2, 1.0)]), &shape);
    assert!(network.is_recurrent());
    let mut sums = Vec::new();
    for input in [1.0, 2.0, 3.0] {
        sums.push(run(&mut network, &[input, 0.0]));
    }
    assert_eq!(sums, [1.0, 3.0, 6.0]);
    network.reset();
    assert!((run(&mut network, &[1.0, 0.0]) - 1.0).abs() < 1e-12);
    // A hidden node delays by one step, whether there is a loop or not.
    let hidden = [(0.0, Function::Identity)];
    let mut network = Network::new(&net(&hidden, &[(0, 3, 1.0), (3, 2, 1.0)]), &shape);
    assert!(run(&mut network, &[5.0, 0.0]).abs() < 1e-12);
    assert!((run(&mut network, &[0.0, 0.0]) - 5.0).abs() < 1e-12);
}

#[test]
fn plain_parts_and_genes_make_the_same_network() {
    let hidden = [(0.5, Function::Tanh), (-0.5, Function::Sine)];
    let row = [
        (0, 3, 1.5),
        (1, 4, -2.0),
        (3, 4, 0.3),
        (4, 2, 0.7),
        (0, 2, 0.1),
    ];
    let mut genes = Network::new(&net(&hidden, &row), &SHAPE);
    let nodes = [(Function::Identity, 0.0)];
    let nodes = nodes
        .into_iter()
        .chain(hidden.map(|(bias, function)| (function, bias)));
    let mut parts = Network::from_parts(2, 1, nodes.collect(), row.to_vec()).unwrap();
    for inputs in [[0.0, 0.0], [1.0, -1.0], [0.3, 0.9]] {
        let (one, other) = (run(&mut genes, &inputs), run(&mut parts, &inputs));
        assert_eq!(one.to_bits(), other.to_bits());
    }
}

#[test]
fn parts_that_do_not_fit_are_refused() {
    let identity = (Function::Identity, 0.0);
    let refused =
        |outputs, nodes: Vec<_>, edges| Network::from_parts(2, outputs, nodes, edges).unwrap_err();
    let error = refused(2, vec![identity], vec![]).to_string();
    assert!(error.starts_with("a network with 2 outputs has 1 nodes"));
    for (from, to) in [(0, 1), (0, 3), (3, 2)] {
        let error = refused(1, vec![identity], vec![(from, to, 1.0)]);
        let reason = format!("the edge from {from} to {to} does not fit");
        assert!(error.to_string().starts_with(&reason), "{error}");
    }
    let error = refused(1, vec![identity], vec![(0, 2, f64::NAN)]);
    assert!(error.to_string().starts_with("edge 0 has a number"));
}

/// A genome gone wrong, and what is said about it.
type Slip = (fn(&mut NetGenome), &'static str);

#[test]
fn a_genome_of_another_shape_is_refused() {
    let good = net(&[(0.0, Function::Tanh)], &[(0, 3, 1.0), (3, 2, 1.0)]);
    good.check(&SHAPE).unwrap();
    let table: [Slip; 7] = [
        (|it| it.nodes[1].id = 9, "first nodes"),
        (|it| it.nodes.truncate(2), "first nodes"),
        (|it| it.nodes[3].id = 2, "sorted by id"),
        (|it| it.links[1].innovation = 0, "sorted by innovation"),
        (|it| it.links[0].to = 1, "leads to an input"),
        (|it| it.links[0].from = 8, "misses a node"),
        (
            |it| {
                it.links[0] = Link {
                    from: 2,
                    ..it.links[0]
                }
            },
            "in a circle",
        ),
    ];
    for (slip, said) in table {
        let mut net = good.clone();
        slip(&mut net);
        let error = net.check(&SHAPE).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
        // What does not fit is left out; nothing panics.
        let mut network = Network::new(&net, &SHAPE);
        run(&mut network, &[1.0, 1.0]);
    }
}

#[test]
fn genes_are_written_as_short_lists_and_read_back() {
    let net = net(
        &[(0.1, Function::Gauss)],
        &[(0, 3, 1.0 / 3.0), (3, 2, -1e-9)],
    );
    let text = serde_json::to_string(&net).unwrap();
    assert!(text.contains("[0,0,3,0.3333333333333333,true]"), "{text}");
    assert_eq!(serde_json::from_str::<NetGenome>(&text).unwrap(), net);
}

#[test]
fn a_network_that_is_rebuilt_is_the_new_one() {
    let hidden = [(0.5, Function::Tanh), (-0.5, Function::Step)];
    let large: Vec<(f64, Function)> = (0..60).map(|at| (f64::from(at), Function::Sine)).collect();
    let nets = [
        net(&hidden, &[(0, 3, 1.0), (3, 4, 2.0), (4, 2, -1.0)]),
        net(&[], &[]),
        net(
            &hidden,
            &[(0, 3, 1.0), (3, 4, 2.0), (4, 3, -1.0), (4, 2, 1.0)],
        ),
        net(&large, &[(0, 62, 1.0), (62, 2, 3.0), (1, 30, 1.0)]),
        net(&[], &[(0, 2, 1.0), (1, 2, -1.0)]),
    ];
    for one in &nets {
        for other in &nets {
            let mut network = Network::new(one, &SHAPE);
            run(&mut network, &[1.0, 2.0]);
            network.rebuild(other, &SHAPE);
            assert_eq!(network, Network::new(other, &SHAPE));
        }
    }
}
