//! Networks that run.

use crate::function::Function;
use crate::genome::{Net, Shape};

/// A network, sorted once, then run.
///
/// What has no way to an output is left out. A node that nothing leads to gives what
/// its function makes of its bias.
///
/// Without circles every node is computed once, after those it needs. With circles,
/// or if its [`Shape`] is recurrent, each run is one step: every node sees what the
/// others gave in the step before, and the inputs as they are now.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    inputs: usize,
    /// Where the outputs lie in `values`.
    outputs: Vec<u32>,
    /// What is computed, in its order; their values follow those of the inputs.
    nodes: Vec<Cell>,
    /// What leads to the nodes, one after the other.
    edges: Vec<(u32, f64)>,
    values: Vec<f64>,
    /// The values of the step before; empty if each run begins afresh.
    before: Vec<f64>,
    empty: bool,
}

/// A node that is computed.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cell {
    bias: f64,
    function: Function,
    /// Where its edges end.
    end: u32,
    /// How many nodes lie on the longest way to it; 0 in a network with circles,
    /// for all but the outputs.
    depth: u32,
    /// What it is called outside.
    id: u32,
}

/// A node of a network, for drawings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drawn {
    /// Its id in the genome, or its index in the parts.
    pub id: u32,
    /// What it makes of its sum.
    pub function: Function,
    /// Added to the sum.
    pub bias: f64,
}

/// Why parts make no network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// Not even the outputs are there.
    #[error(
        "a network with {outputs} outputs has {nodes} nodes: give the outputs, then the hidden ones"
    )]
    Outputs {
        /// How many outputs it is to have.
        outputs: usize,
        /// How many nodes were given.
        nodes: usize,
    },
    /// An edge between nodes that are not there, or to an input.
    #[error(
        "the edge from {from} to {to} does not fit: it must lead from a node below {end} to one \
         from {inputs} up to that"
    )]
    Edge {
        /// Where it comes from.
        from: u32,
        /// Where it leads to.
        to: u32,
        /// How many inputs there are.
        inputs: usize,
        /// How many inputs and nodes there are.
        end: usize,
    },
    /// A weight or bias that is not finite.
    #[error("{what} {at} has a number that is not finite: give a finite one")]
    Number {
        /// An edge or a node.
        what: &'static str,
        /// Which one, from 0.
        at: usize,
    },
    /// More than fits.
    #[error("{count} nodes or edges are too many: at most 4294967295 can be")]
    Size {
        /// How many there are.
        count: usize,
    },
}

/// Nodes and edges by their places: inputs, then outputs, then hidden nodes.
struct Parts {
    inputs: usize,
    outputs: usize,
    /// Without the inputs; with what they are called.
    nodes: Vec<(u32, Function, f64)>,
    edges: Vec<(u32, u32, f64)>,
}

impl Network {
    /// The network that a genome describes. Links that are not enabled are not
    /// there. The genome must be one of the shape (see [`Net::check`]); what does
    /// not fit is left out.
    pub fn new(net: &Net, shape: &Shape) -> Self {
        let inputs = (shape.inputs as usize).min(net.nodes.len());
        let outputs = (shape.outputs as usize).min(net.nodes.len() - inputs);
        let nodes = &net.nodes[inputs..];
        let edge = |link: &crate::Link| {
            let (from, to) = (net.place(link.from)?, net.place(link.to)?);
            (link.enabled && to >= inputs)
                .then(|| (from as u32, to as u32, link.weight * net.nodes[to].response))
        };
        let parts = Parts {
            inputs,
            outputs,
            nodes: nodes
                .iter()
                .map(|node| (node.id, node.function, node.bias))
                .collect(),
            edges: net.links.iter().filter_map(edge).collect(),
        };
        Self::assemble(&parts, shape.recurrent)
    }

    /// A network of plain parts. The inputs have the indices from 0 and no entry in
    /// `nodes`; `nodes` are the outputs, then the hidden ones, each with its function
    /// and bias, and their indices go on where those of the inputs end. An edge is
    /// (from, to, weight). Edges may lead in circles; then the network keeps its
    /// state from run to run.
    ///
    /// # Errors
    ///
    /// [`NetworkError`] names what does not fit.
    pub fn from_parts(
        inputs: usize,
        outputs: usize,
        nodes: Vec<(Function, f64)>,
        edges: Vec<(u32, u32, f64)>,
    ) -> Result<Self, NetworkError> {
        if nodes.len() < outputs {
            let nodes = nodes.len();
            return Err(NetworkError::Outputs { outputs, nodes });
        }
        let end = inputs.saturating_add(nodes.len());
        if let Some(count) = [end, edges.len()]
            .into_iter()
            .find(|&it| it > u32::MAX as usize)
        {
            return Err(NetworkError::Size { count });
        }
        let odd = |place: Option<usize>, what| place.map(|at| NetworkError::Number { what, at });
        let odd_node = nodes.iter().position(|(_, bias)| !bias.is_finite());
        let odd_edge = edges.iter().position(|(_, _, weight)| !weight.is_finite());
        if let Some(error) = odd(odd_node, "node").or(odd(odd_edge, "edge")) {
            return Err(error);
        }
        let misfit = |&&(from, to, _): &&(u32, u32, f64)| {
            from as usize >= end || !(inputs..end).contains(&(to as usize))
        };
        if let Some(&(from, to, _)) = edges.iter().find(misfit) {
            return Err(NetworkError::Edge {
                from,
                to,
                inputs,
                end,
            });
        }
        let nodes = nodes.into_iter().zip(inputs as u32..);
        let parts = Parts {
            inputs,
            outputs,
            nodes: nodes
                .map(|((function, bias), id)| (id, function, bias))
                .collect(),
            edges,
        };
        Ok(Self::assemble(&parts, false))
    }

    fn assemble(parts: &Parts, recurrent: bool) -> Self {
        let inputs = parts.inputs;
        let count = inputs + parts.nodes.len();

        // 1. The edges by the node they lead to, in the order they were given.
        let mut starts = vec![0_u32; count + 1];
        for &(_, to, _) in &parts.edges {
            starts[to as usize + 1] += 1;
        }
        for at in 0..count {
            starts[at + 1] += starts[at];
        }
        let mut next = starts.clone();
        let mut incoming = vec![(0_u32, 0.0); parts.edges.len()];
        for &(from, to, weight) in &parts.edges {
            let place = &mut next[to as usize];
            incoming[*place as usize] = (from, weight);
            *place += 1;
        }
        let leading = |to: usize| &incoming[starts[to] as usize..starts[to + 1] as usize];

        // 2. What has a way to an output is needed.
        let mut needed = vec![false; count];
        let mut open: Vec<usize> = (inputs..inputs + parts.outputs).collect();
        for &at in &open {
            needed[at] = true;
        }
        let mut empty = true;
        while let Some(to) = open.pop() {
            for &(from, _) in leading(to) {
                let from = from as usize;
                empty &= from >= inputs;
                if !needed[from] {
                    needed[from] = true;
                    open.push(from);
                }
            }
        }

        // 3. Each after those it needs, as far as that can be.
        let depths = depths(inputs, &needed, &leading);
        let cyclic = depths.is_none();
        let depths = depths.unwrap_or_else(|| {
            let output = |at: usize| (inputs..inputs + parts.outputs).contains(&at);
            (0..count).map(|at| u32::from(output(at))).collect()
        });
        let mut order: Vec<u32> = (inputs..count)
            .filter(|&at| needed[at])
            .map(|at| at as u32)
            .collect();
        order.sort_by_key(|&at| depths[at as usize]);

        // 4. Laid out one after the other.
        let mut slots: Vec<u32> = (0..count as u32).collect();
        for (slot, &at) in order.iter().enumerate() {
            slots[at as usize] = (inputs + slot) as u32;
        }
        let mut nodes = Vec::with_capacity(order.len());
        let mut edges = Vec::with_capacity(parts.edges.len());
        for &at in &order {
            let to = at as usize;
            edges.extend(
                leading(to)
                    .iter()
                    .map(|&(from, weight)| (slots[from as usize], weight)),
            );
            let (id, function, bias) = parts.nodes[to - inputs];
            nodes.push(Cell {
                bias,
                function,
                end: edges.len() as u32,
                depth: depths[to],
                id,
            });
        }
        let width = inputs + nodes.len();
        let stepwise = recurrent || cyclic;
        Self {
            inputs,
            outputs: slots[inputs..inputs + parts.outputs].to_vec(),
            nodes,
            edges,
            values: vec![0.0; width],
            before: vec![0.0; if stepwise { width } else { 0 }],
            empty,
        }
    }

    /// How many numbers go in.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// How many come out.
    pub fn outputs(&self) -> usize {
        self.outputs.len()
    }

    /// Runs it: once through, or one step if it keeps a state. Inputs that are
    /// missing count as 0, outputs for which there is no room are dropped.
    pub fn run(&mut self, inputs: &[f64], outputs: &mut [f64]) {
        let given = inputs.iter().copied().chain(std::iter::repeat(0.0));
        for (value, input) in self.values[..self.inputs].iter_mut().zip(given) {
            *value = input;
        }
        let mut start = 0;
        if self.before.is_empty() {
            for (node, at) in self.nodes.iter().zip(self.inputs..) {
                let (done, rest) = self.values.split_at_mut(at);
                let edges = &self.edges[start..node.end as usize];
                rest[0] = node.give(edges, done);
                start = node.end as usize;
            }
        } else {
            self.before.copy_from_slice(&self.values);
            for (node, value) in self.nodes.iter().zip(&mut self.values[self.inputs..]) {
                let edges = &self.edges[start..node.end as usize];
                *value = node.give(edges, &self.before);
                start = node.end as usize;
            }
        }
        for (output, &at) in outputs.iter_mut().zip(&self.outputs) {
            *output = self.values[at as usize];
        }
    }

    /// Forgets what was before: all values are 0 again.
    pub fn reset(&mut self) {
        self.values.fill(0.0);
        self.before.fill(0.0);
    }

    /// Whether it keeps a state from run to run.
    pub fn is_recurrent(&self) -> bool {
        !self.before.is_empty()
    }

    /// Whether no input has a way to any output, so that all it can say is a
    /// constant.
    pub fn is_empty(&self) -> bool {
        self.empty
    }

    /// The nodes that are computed, by how far they are from the inputs, for
    /// drawings; in each layer in the order of their ids.
    pub fn layers(&self) -> Vec<Vec<Drawn>> {
        let same = |one: &Cell, other: &Cell| one.depth == other.depth;
        let draw = |cell: &Cell| Drawn {
            id: cell.id,
            function: cell.function,
            bias: cell.bias,
        };
        self.nodes
            .chunk_by(same)
            .map(|layer| layer.iter().map(draw).collect())
            .collect()
    }

    /// The edges as (from, to, weight), with the ids of [`layers`](Self::layers);
    /// inputs are called by their place. Responses are part of the weights.
    pub fn edges(&self) -> impl Iterator<Item = (u32, u32, f64)> + '_ {
        let name = |slot: u32| match (slot as usize).checked_sub(self.inputs) {
            Some(at) => self.nodes[at].id,
            None => slot,
        };
        let mut start = 0;
        self.nodes.iter().flat_map(move |node| {
            let edges = &self.edges[start..node.end as usize];
            start = node.end as usize;
            edges
                .iter()
                .map(move |&(from, weight)| (name(from), node.id, weight))
        })
    }
}

impl Cell {
    fn give(&self, edges: &[(u32, f64)], values: &[f64]) -> f64 {
        let mut sum = self.bias;
        for &(from, weight) in edges {
            sum += weight * values[from as usize];
        }
        self.function.at(sum)
    }
}

/// How many nodes lie on the longest way to each node that is needed, or nothing if
/// they lead in a circle.
fn depths<'a>(
    inputs: usize,
    needed: &[bool],
    leading: &impl Fn(usize) -> &'a [(u32, f64)],
) -> Option<Vec<u32>> {
    let count = needed.len();
    let mut depths = vec![0_u32; count];
    // 0: not seen; 1: waiting for others; 2: known.
    let mut states = vec![0_u8; count];
    let mut open = Vec::new();
    for start in (inputs..count).filter(|&at| needed[at]) {
        open.push(start);
        while let Some(&at) = open.last() {
            if states[at] == 2 {
                open.pop();
                continue;
            }
            let others = leading(at).iter().map(|&(from, _)| from as usize);
            let others = others.filter(|&from| from >= inputs);
            if states[at] == 0 {
                states[at] = 1;
                for from in others {
                    match states[from] {
                        0 => open.push(from),
                        // It waits for this one.
                        1 => return None,
                        _ => {}
                    }
                }
            } else {
                depths[at] = others.map(|from| depths[from] + 1).max().unwrap_or(0);
                states[at] = 2;
                open.pop();
            }
        }
    }
    Some(depths)
}
