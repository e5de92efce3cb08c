//! What a network is wired like, thinned until it can be looked at.

use mendel_evaluator::graph::Parts;
use mendel_evaluator::mlp::ONE;
use mendel_evaluator::{AnyEvaluator, Graph, Mlp};
use serde::Serialize;

/// A network in layers, with the strongest of its nodes and connections.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct NetworkPlan {
    /// From the inputs to the output.
    pub layers: Vec<PlanLayer>,
    /// The strongest connections among the nodes that are shown.
    pub links: Vec<PlanLink>,
    /// How many connections there are in all.
    pub all_links: usize,
}

/// One layer.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PlanLayer {
    /// What it is.
    pub name: String,
    /// The nodes that are shown.
    pub nodes: Vec<String>,
    /// How many there are in all.
    pub all: usize,
}

/// One connection between nodes that are shown, each named by layer and place.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PlanLink {
    /// Where it comes from.
    pub from: (usize, usize),
    /// Where it leads.
    pub to: (usize, usize),
    /// What it multiplies by.
    pub weight: f64,
}

/// A node in its layer.
struct Placed {
    layer: usize,
    name: String,
}

/// A connection between two nodes, by their numbers.
pub(super) struct Wire {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) weight: f64,
}

/// No more nodes of a layer are shown.
const MOST_NODES: usize = 28;

/// No more connections are shown, as many into each layer.
const MOST_LINKS: usize = 400;

impl NetworkPlan {
    /// The plan of an evaluator that is a network of layers or a graph.
    pub fn of(evaluator: &AnyEvaluator) -> Option<Self> {
        match evaluator {
            AnyEvaluator::Mlp(mlp) => {
                let (nodes, wires) = of_layers(mlp);
                Some(Self::thinned(&nodes, &wires))
            }
            AnyEvaluator::Graph(graph) => {
                let (nodes, wires) = of_graph(graph);
                Some(Self::thinned(&nodes, &wires))
            }
            _ => None,
        }
    }

    fn thinned(nodes: &[Placed], wires: &[Wire]) -> Self {
        // 1. How much runs through each node: what comes in times what goes out,
        //    where it has both.
        let mut through = vec![[0.0_f64; 2]; nodes.len()];
        for wire in wires {
            through[wire.from][1] += wire.weight.abs();
            through[wire.to][0] += wire.weight.abs();
        }
        let strength = |node: usize| match through[node] {
            [0.0, out] => out,
            [coming, 0.0] => coming,
            [coming, out] => coming * out,
        };

        // 2. The strongest of each layer, in their old order.
        let count = nodes.iter().map(|node| node.layer + 1).max().unwrap_or(0);
        let mut spots: Vec<Option<(usize, usize)>> = vec![None; nodes.len()];
        let mut layers = Vec::with_capacity(count);
        for layer in 0..count {
            let mut own: Vec<usize> = (0..nodes.len())
                .filter(|&node| nodes[node].layer == layer)
                .collect();
            let all = own.len();
            own.sort_by(|&a, &b| strength(b).total_cmp(&strength(a)));
            own.truncate(MOST_NODES);
            own.sort_unstable();
            for (place, &node) in own.iter().enumerate() {
                spots[node] = Some((layer, place));
            }
            layers.push(PlanLayer {
                name: match layer {
                    0 => "inputs".to_owned(),
                    layer if layer + 1 == count => "output".to_owned(),
                    layer => format!("hidden {layer}"),
                },
                nodes: own.iter().map(|&node| nodes[node].name.clone()).collect(),
                all,
            });
        }

        // 3. The strongest connections between them.
        let mut links: Vec<PlanLink> = wires
            .iter()
            .filter_map(|wire| {
                Some(PlanLink {
                    from: spots[wire.from]?,
                    to: spots[wire.to]?,
                    weight: wire.weight,
                })
            })
            .collect();
        // Those into one layer beside each other only: inputs may be large and their
        // weights small.
        links.sort_by(|a, b| b.weight.abs().total_cmp(&a.weight.abs()));
        let most = MOST_LINKS / count.saturating_sub(1).max(1);
        let mut shown = vec![0; count];
        links.retain(|link| {
            shown[link.to.0] += 1;
            shown[link.to.0] <= most
        });
        Self {
            layers,
            links,
            all_links: wires.len(),
        }
    }
}

/// Nodes and connections of a network of layers: the inputs, then layer by layer.
fn of_layers(mlp: &Mlp) -> (Vec<Placed>, Vec<Wire>) {
    let shape = mlp.shape();
    let sizes: Vec<usize> = shape.layers.iter().map(|size| *size as usize).collect();
    let mut nodes: Vec<Placed> = (0..sizes.first().copied().unwrap_or(0))
        .map(|input| Placed {
            layer: 0,
            name: shape.input.label(input),
        })
        .collect();
    let mut wires = Vec::new();
    let (mut before, mut layer) = (0, 0);
    let mut first = 0;
    for neuron in shape.neurons() {
        if neuron.layer != layer {
            before = first;
            first = nodes.len();
            layer = neuron.layer;
        }
        let to = nodes.len();
        nodes.push(Placed {
            layer,
            name: (to - first).to_string(),
        });
        let mut weights = neuron.numbers;
        if neuron.biased {
            weights.end -= 1;
        }
        // The second layer may see the first twice: as either side.
        let width = sizes[layer - 1].max(1);
        for (place, number) in mlp.numbers()[weights].iter().enumerate() {
            wires.push(Wire {
                from: before + place % width,
                to,
                weight: f64::from(*number) / f64::from(ONE),
            });
        }
    }
    if let Some(output) = nodes.last_mut() {
        "score".clone_into(&mut output.name);
    }
    (nodes, wires)
}

/// Nodes and connections of a graph; each node lies behind the last of those it
/// hears of. What no input reaches, or what does not reach the output, is left out.
fn of_graph(graph: &Graph) -> (Vec<Placed>, Vec<Wire>) {
    let parts = graph.parts();
    let count = parts.inputs + parts.nodes.len();
    let output = parts.inputs;
    let wires = wires_of(&parts);

    // 1. Who matters.
    let mut heard: Vec<bool> = (0..count).map(|node| node < parts.inputs).collect();
    let mut useful: Vec<bool> = (0..count).map(|node| node == output).collect();
    let mut depth = vec![0_usize; count];
    // A graph has no cycles, so that as many rounds as there are nodes are enough;
    // usually a few are.
    for _ in 0..count {
        let mut changed = false;
        for wire in &wires {
            if heard[wire.from] {
                let deeper = depth[wire.from] + 1;
                changed |= !heard[wire.to] || deeper > depth[wire.to];
                heard[wire.to] = true;
                depth[wire.to] = depth[wire.to].max(deeper);
            }
            if useful[wire.to] && !useful[wire.from] {
                useful[wire.from] = true;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }

    // 2. Only these, numbered anew; the output behind everybody.
    let kept: Vec<usize> = (0..count)
        .filter(|&node| heard[node] && useful[node])
        .collect();
    let last = kept.iter().map(|&node| depth[node]).max().unwrap_or(0);
    let input = graph.frame().input;
    let nodes = kept.iter().map(|&node| match node {
        node if node < parts.inputs => Placed {
            layer: 0,
            name: input.label(node),
        },
        node if node == output => Placed {
            layer: last,
            name: "score".to_owned(),
        },
        node => Placed {
            layer: depth[node],
            name: format!(
                "{} {}",
                parts.nodes[node - output].function.name(),
                node - output
            ),
        },
    });
    let place = |node: usize| kept.binary_search(&node).ok();
    let wires = wires.iter().filter_map(|wire| {
        Some(Wire {
            from: place(wire.from)?,
            to: place(wire.to)?,
            weight: wire.weight,
        })
    });
    (nodes.collect(), wires.collect())
}

/// The connections of a graph, by the numbers of its nodes.
pub(super) fn wires_of(parts: &Parts) -> Vec<Wire> {
    let wires = parts.edges.iter().map(|edge| Wire {
        from: edge.from as usize,
        to: edge.to as usize,
        weight: f64::from(edge.weight) / f64::from(ONE),
    });
    wires.collect()
}

#[cfg(test)]
mod tests {
    use mendel_evaluator::graph::{Edge, Frame, Node};
    use mendel_evaluator::mlp::MlpShape;
    use mendel_evaluator::{Function, Input};

    use super::*;

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
        let plan = NetworkPlan::of(&AnyEvaluator::Graph(graph)).expect("it is a network");
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
            PlanLink {
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
        let plan = NetworkPlan::of(&AnyEvaluator::Mlp(mlp)).expect("it is one");
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
        assert!(NetworkPlan::of(&AnyEvaluator::Material(mendel_evaluator::Material)).is_none());
    }
}
