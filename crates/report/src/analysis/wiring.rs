//! Layouts of networks, thinned to their strongest nodes and connections.

use mendel_evaluator::graph::Parts;
use mendel_evaluator::mlp::ONE;
use mendel_evaluator::{AnyEvaluator, Graph, Mlp};
use serde::Serialize;

use crate::plot::DiagramEdge;

/// A network in layers, with the strongest of its nodes and connections.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct NetworkLayout {
    /// From the inputs to the output.
    pub layers: Vec<LayoutLayer>,
    /// The strongest connections among the nodes that are shown.
    pub links: Vec<DiagramEdge>,
    /// Number of all connections.
    pub all_links: usize,
}

/// One layer.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LayoutLayer {
    pub name: String,
    /// The names of the nodes that are shown.
    pub nodes: Vec<String>,
    /// Number of all nodes.
    pub all: usize,
}

/// A node in its layer.
struct Placed {
    layer: usize,
    name: String,
}

/// A connection between two nodes, by their numbers.
pub(super) struct LayerEdge {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) weight: f64,
}

/// Maximum number of shown nodes of a layer.
const MAX_NODES: usize = 28;

/// Maximum number of shown connections, divided equally among the layers.
const MAX_LINKS: usize = 400;

impl NetworkLayout {
    /// The layout of an evaluator that is a network of layers or a graph.
    pub fn of(evaluator: &AnyEvaluator) -> Option<Self> {
        let (nodes, wires) = match evaluator {
            AnyEvaluator::Mlp(mlp) => of_layers(mlp),
            AnyEvaluator::Graph(graph) => of_graph(graph),
            _ => return None,
        };
        Some(Self::thinned(&nodes, &wires))
    }

    fn thinned(nodes: &[Placed], wires: &[LayerEdge]) -> Self {
        // 1. The strength of each node: incoming times outgoing weights, where it has both.
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

        // 2. The strongest of each layer, in their original order.
        let count = nodes.iter().map(|node| node.layer + 1).max().unwrap_or(0);
        let mut spots: Vec<Option<(usize, usize)>> = vec![None; nodes.len()];
        let mut layers = Vec::with_capacity(count);
        for layer in 0..count {
            let mut own: Vec<usize> = (0..nodes.len())
                .filter(|&node| nodes[node].layer == layer)
                .collect();
            let all = own.len();
            own.sort_by(|&a, &b| strength(b).total_cmp(&strength(a)));
            own.truncate(MAX_NODES);
            own.sort_unstable();
            for (place, &node) in own.iter().enumerate() {
                spots[node] = Some((layer, place));
            }
            layers.push(LayoutLayer {
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
        let shown = |wire: &LayerEdge| {
            Some(DiagramEdge {
                from: spots[wire.from]?,
                to: spots[wire.to]?,
                weight: wire.weight,
            })
        };
        let mut links: Vec<DiagramEdge> = wires.iter().filter_map(shown).collect();
        // Connections compete only with those into the same layer: inputs may be large and their
        // weights small.
        links.sort_by(|a, b| b.weight.abs().total_cmp(&a.weight.abs()));
        let most = MAX_LINKS / count.saturating_sub(1).max(1);
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
fn of_layers(mlp: &Mlp) -> (Vec<Placed>, Vec<LayerEdge>) {
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
        // The second layer may have the first one as input twice: for either side.
        let width = sizes[layer - 1].max(1);
        for (place, number) in mlp.numbers()[weights].iter().enumerate() {
            wires.push(LayerEdge {
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

/// Nodes and connections of a graph; each node lies in the layer after the last of its inputs. Nodes
/// without a path from an input or to the output are left out.
fn of_graph(graph: &Graph) -> (Vec<Placed>, Vec<LayerEdge>) {
    let parts = graph.parts();
    let count = parts.inputs + parts.nodes.len();
    let output = parts.inputs;
    let wires = wires_of(&parts);

    // 1. Reachable nodes and their depths.
    let mut heard: Vec<bool> = (0..count).map(|node| node < parts.inputs).collect();
    let mut useful: Vec<bool> = (0..count).map(|node| node == output).collect();
    let mut depth = vec![0_usize; count];
    // A graph has no cycles, so that one round for each node is enough; usually a few are.
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

    // 2. Only these, renumbered, with the output in the last layer.
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
        Some(LayerEdge {
            from: place(wire.from)?,
            to: place(wire.to)?,
            weight: wire.weight,
        })
    });
    (nodes.collect(), wires.collect())
}

/// The connections of a graph, by the numbers of its nodes.
pub(super) fn wires_of(parts: &Parts) -> Vec<LayerEdge> {
    let wires = parts.edges.iter().map(|edge| LayerEdge {
        from: edge.from as usize,
        to: edge.to as usize,
        weight: f64::from(edge.weight) / f64::from(ONE),
    });
    wires.collect()
}
