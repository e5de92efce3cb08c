//! Networks as an evaluator has them.

use std::sync::LazyLock;

use mendel_evaluator::Function;
use mendel_evaluator::graph::{Edge, MOST_EDGES, MOST_HIDDEN, Node, Parts};
use mendel_evolve::Function as Bred;
use mendel_evolve::hyperneat::Phenotype;

use super::network::fixed;

/// A graph without edges.
pub(super) fn silent(inputs: usize) -> Parts {
    Parts {
        inputs,
        nodes: vec![Node {
            function: Function::Tanh,
            bias: 0,
        }],
        edges: Vec::new(),
    }
}

/// For each function of a bred node the evaluator's function of the same name.
static PLAYED: LazyLock<[Function; Bred::ALL.len()]> = LazyLock::new(|| {
    Bred::ALL.map(|function| {
        let name = serde_json::to_value(function).ok();
        let name = name.as_ref().and_then(|name| name.as_str());
        name.and_then(Function::from_name)
            .expect("evolution and the evaluator name functions alike")
    })
});

/// The evaluator's function that a bred one stands for.
pub(super) fn played(function: Bred) -> Function {
    PLAYED[function as usize]
}

/// The inverse; what evolution does not know counts as the nearest.
pub(super) fn bred(function: Function) -> Bred {
    let mut all = Bred::ALL.into_iter();
    all.find(|&it| played(it) == function)
        .unwrap_or(Bred::Clamped)
}

/// The numbers of a network, or of one that says nothing in place of one that is too
/// large; and which of the two.
pub(super) fn playable(parts: &Parts) -> (Vec<i32>, bool) {
    let too_large = parts.nodes.len() > MOST_HIDDEN + 1 || parts.edges.len() > MOST_EDGES;
    if too_large {
        return (silent(parts.inputs).to_numbers(), true);
    }
    (parts.to_numbers(), false)
}

/// A painted network.
pub(super) fn parts(phenotype: &Phenotype) -> Parts {
    let wiring = &phenotype.wiring;
    let function = |at: usize| {
        let bred = if at < wiring.outputs {
            phenotype.output
        } else {
            phenotype.hidden
        };
        played(bred)
    };
    let nodes = wiring.biases.iter().enumerate().map(|(at, &bias)| Node {
        function: function(at),
        bias: fixed(bias),
    });
    let edges = wiring.edges.iter().map(|edge| Edge {
        from: edge.from as u32,
        to: edge.to as u32,
        weight: fixed(edge.weight),
    });
    Parts {
        inputs: wiring.inputs,
        nodes: nodes.collect(),
        edges: edges.filter(|edge| edge.weight != 0).collect(),
    }
}

/// The network of the own men's boards, and the other's beside them.
pub(super) fn mirrored(own: Parts) -> Parts {
    let count = own.inputs as u32;
    let node = |at: u32| if at < count { at } else { at + count };
    let mut edges = Vec::with_capacity(2 * own.edges.len());
    for edge in own.edges {
        let to = node(edge.to);
        if edge.from < count {
            edges.push(Edge {
                // The same square, seen from the other side of the board.
                from: count + (edge.from ^ 0o70),
                to,
                weight: -edge.weight,
            });
        }
        edges.push(Edge {
            from: node(edge.from),
            to,
            ..edge
        });
    }
    Parts {
        inputs: 2 * own.inputs,
        nodes: own.nodes,
        edges,
    }
}
