//! Networks painted by patterns.

mod bred;
mod evolvable;
mod fixed;
mod quadtree;

use mendel_evolve::hyperneat::{
    Channels, Connect, CppnInputs, Edge, EsHyperNeat, EsHyperNeatSettings, Expression, HyperNeat,
    HyperNeatSettings, OutputLinks, Point, Quadtree, Sheet, Substrate, Wiring,
};
use mendel_evolve::{Function, Link, NetGenome, Node};

fn fixed(expression: Expression, substrate: Substrate) -> HyperNeat {
    let settings = HyperNeatSettings {
        expression,
        cppn: CppnInputs::default(),
        biases: false,
        hidden: Function::Tanh,
        output: Function::Tanh,
    };
    HyperNeat::new(settings, substrate).expect("good settings")
}

fn found(quadtree: Quadtree, iterations: u32, substrate: Substrate) -> EsHyperNeat {
    EsHyperNeat::new(es_settings(quadtree, iterations), substrate).expect("good settings")
}

fn es_settings(quadtree: Quadtree, iterations: u32) -> EsHyperNeatSettings {
    EsHyperNeatSettings {
        quadtree,
        iterations,
        weight: 3.0,
        leo: None,
        outputs: OutputLinks::Quadtree,
        plane: [0.0; 2],
        recurrent: false,
        cppn: CppnInputs::default(),
        biases: false,
        hidden: Function::Tanh,
        output: Function::Tanh,
    }
}

/// Inputs and outputs at these places, nothing between.
fn flat(inputs: &[(f64, f64)], outputs: &[(f64, f64)]) -> Substrate {
    let sheet = |name: &str, places: &[(f64, f64)]| {
        let points = places.iter().map(|&(x, y)| Point::flat(x, y));
        vec![Sheet::new(name, points.collect())]
    };
    Substrate {
        axes: 2,
        inputs: sheet("in", inputs),
        hidden: Vec::new(),
        outputs: sheet("out", outputs),
        connect: Connect::Layered,
        channels: Channels::One,
    }
}

fn is(found: f64, expected: f64) -> bool {
    (found - expected).abs() < 1e-12
}

fn links(wiring: &Wiring) -> Vec<(usize, usize, f64)> {
    let link = |edge: &Edge| (edge.from, edge.to, edge.weight);
    wiring.edges.iter().map(link).collect()
}

fn assert_links(wiring: &Wiring, expected: &[(usize, usize, f64)]) {
    let links = links(wiring);
    let alike = |(one, other): (&(usize, usize, f64), &(usize, usize, f64))| {
        (one.0, one.1) == (other.0, other.1) && (one.2 - other.2).abs() < 1e-12
    };
    let same = links.len() == expected.len() && links.iter().zip(expected).all(alike);
    assert!(same, "{links:?} instead of {expected:?}");
}

fn ridge(from: Point, to: Point) -> (f64, f64) {
    let off = 6.0 * (to.x() - from.x());
    (libm::exp(-off * off), 0.0)
}

/// A CPPN without hidden nodes: its output is the second x, plus nothing else.
fn straight(weight: f64) -> NetGenome {
    let node = |id: u32| Node {
        id,
        bias: 0.0,
        response: 1.0,
        function: Function::Identity,
    };
    let link = Link {
        innovation: 2,
        from: 2,
        to: 5,
        weight,
        enabled: true,
    };
    NetGenome {
        nodes: (0..6).map(node).collect(),
        links: vec![link],
    }
}
