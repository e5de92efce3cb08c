//! Networks that run.

use crate::function::Function;
use crate::genome::{Link, NetGenome, Shape};
use crate::settings::SettingsError;

/// Networks with so many nodes are small.
const SMALL: usize = 40;

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
    outputs: usize,
    nodes: Vec<Cell>,
    /// What leads to each node: the place it comes from, and the weight.
    edges: Vec<(u32, f64)>,
    /// Of the inputs, the outputs and the hidden nodes.
    values: Vec<f64>,
    /// The values of the step before; empty if each run begins afresh.
    before: Vec<f64>,
    empty: bool,
    /// The memory for the edges as they were given; empty but while it is built.
    given: Vec<(u32, u32, f64)>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Cell {
    bias: f64,
    function: Function,
    place: u32,
    /// Where its edges begin and end.
    edges: [u32; 2],
    /// How many nodes lie on the longest way to it; in a network with circles 0, but 1
    /// for outputs.
    depth: u32,
    id: u32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drawn {
    /// Its id in the genome, or its index in the parts.
    pub id: u32,
    /// What it makes of its sum.
    pub function: Function,
    /// Added to the sum.
    pub bias: f64,
}

impl Network {
    /// The network that a genome describes. Links that are not enabled are not
    /// there. The genome must be one of the shape (see [`NetGenome::check`]); what does
    /// not fit is left out.
    pub fn new(net: &NetGenome, shape: &Shape) -> Self {
        let mut network = Self::blank();
        network.rebuild(net, shape);
        network.given = Vec::new();
        network
    }

    /// Becomes the [`new`](Self::new) network of a genome, in the memory it has: for
    /// those who judge many.
    pub fn rebuild(&mut self, net: &NetGenome, shape: &Shape) {
        let inputs = (shape.inputs as usize).min(net.nodes.len());
        let outputs = (shape.outputs as usize).min(net.nodes.len() - inputs);
        let edge = |link: &Link| {
            let (from, to) = (net.place(link.from)?, net.place(link.to)?);
            let weight = link.weight * net.nodes[to].response;
            (link.enabled && to >= inputs).then_some((from as u32, to as u32, weight))
        };
        let node = |at: usize| {
            let node = &net.nodes[at];
            (node.id, node.function, node.bias)
        };
        let mut edges = std::mem::take(&mut self.given);
        edges.extend(net.links.iter().filter_map(edge));
        let ends = [inputs, outputs, net.nodes.len()];
        self.assemble(ends, node, &edges, shape.recurrent);
        edges.clear();
        self.given = edges;
    }

    /// A network of plain parts. The inputs have the indices from 0 and no entry in
    /// `nodes`; `nodes` are the outputs, then the hidden ones, each with its function
    /// and bias, and their indices go on where those of the inputs end. An edge is
    /// (from, to, weight). Edges may lead in circles; then the network keeps its
    /// state from run to run.
    ///
    /// # Errors
    ///
    /// [`SettingsError::Genome`] names what does not fit.
    #[allow(
        clippy::needless_pass_by_value,
        reason = "who hands in parts has no more use for them"
    )]
    pub fn from_parts(
        inputs: usize,
        outputs: usize,
        nodes: Vec<(Function, f64)>,
        edges: Vec<(u32, u32, f64)>,
    ) -> Result<Self, SettingsError> {
        if nodes.len() < outputs {
            let nodes = nodes.len();
            return Err(SettingsError::genome(format!(
                "a network with {outputs} outputs has {nodes} nodes: give the outputs, then the \
                 hidden ones"
            )));
        }
        let end = inputs.saturating_add(nodes.len());
        if let Some(count) = [end, edges.len()]
            .into_iter()
            .find(|&it| it > u32::MAX as usize)
        {
            return Err(SettingsError::genome(format!(
                "{count} nodes or edges are too many: at most {} can be",
                u32::MAX
            )));
        }
        let odd = |place: Option<usize>, what| {
            let reason =
                |at| format!("{what} {at} has a number that is not finite: give a finite one");
            place.map(|at| SettingsError::genome(reason(at)))
        };
        let odd_node = nodes.iter().position(|(_, bias)| !bias.is_finite());
        let odd_edge = edges.iter().position(|(_, _, weight)| !weight.is_finite());
        if let Some(error) = odd(odd_node, "node").or(odd(odd_edge, "edge")) {
            return Err(error);
        }
        let misfit = |&&(from, to, _): &&(u32, u32, f64)| {
            from as usize >= end || !(inputs..end).contains(&(to as usize))
        };
        if let Some(&(from, to, _)) = edges.iter().find(misfit) {
            return Err(SettingsError::genome(format!(
                "the edge from {from} to {to} does not fit: it must lead from a node below {end} \
                 to one from {inputs} up to that"
            )));
        }
        let node = |at: usize| {
            let (function, bias) = nodes[at - inputs];
            (at as u32, function, bias)
        };
        let mut network = Self::blank();
        network.assemble([inputs, outputs, end], node, &edges, false);
        Ok(network)
    }

    fn blank() -> Self {
        Self {
            inputs: 0,
            outputs: 0,
            nodes: Vec::new(),
            edges: Vec::new(),
            values: Vec::new(),
            before: Vec::new(),
            empty: true,
            given: Vec::new(),
        }
    }

    /// Sorts nodes and edges, which are named by their places: inputs, outputs, hidden
    /// nodes. Small networks are made by the million: the numbers needed on the way lie
    /// on the stack for them.
    fn assemble(
        &mut self,
        [inputs, outputs, count]: [usize; 3],
        node: impl Fn(usize) -> (u32, Function, f64),
        given: &[(u32, u32, f64)],
        recurrent: bool,
    ) {
        let mut few = [0_u32; 4 * SMALL + 1];
        let mut many = Vec::new();
        let numbers = if count <= SMALL {
            few.as_mut_slice()
        } else {
            many.resize(4 * count + 1, 0);
            many.as_mut_slice()
        };
        let (starts, rest) = numbers.split_at_mut(count + 1);
        let (next, rest) = rest.split_at_mut(count);
        let (depths, path) = rest.split_at_mut(count);
        let path = &mut path[..count];

        // 1. The edges by the node they lead to, in the order they were given.
        for &(_, to, _) in given {
            starts[to as usize + 1] += 1;
        }
        for at in 0..count {
            starts[at + 1] += starts[at];
        }
        next.copy_from_slice(&starts[..count]);
        let edges = &mut self.edges;
        edges.clear();
        edges.resize(starts[count] as usize, (0, 0.0));
        for &(from, to, weight) in given {
            let place = &mut next[to as usize];
            edges[*place as usize] = (from, weight);
            *place += 1;
        }

        // 2. Back from the outputs: what is reached is needed, and lies behind all
        //    that leads to it, as far as that can be.
        next.copy_from_slice(&starts[..count]);
        let mut walk = Walk {
            inputs,
            edges,
            starts,
            next,
            depths,
            path,
            empty: true,
            cyclic: false,
        };
        for output in inputs..inputs + outputs {
            walk.back_from(output);
        }
        let (empty, cyclic) = (walk.empty, walk.cyclic);
        if cyclic {
            // Outputs last, for drawings; the order does not matter.
            for (at, depth) in depths.iter_mut().enumerate() {
                let output = (inputs..inputs + outputs).contains(&at);
                *depth = (*depth).min(1) * (1 + u32::from(output));
            }
        }

        // 3. In the order of their depths.
        self.nodes.clear();
        for at in (inputs..count).filter(|&at| depths[at] > 0) {
            let (id, function, bias) = node(at);
            self.nodes.push(Cell {
                bias,
                function,
                place: at as u32,
                edges: [starts[at], starts[at + 1]],
                depth: depths[at] - 1,
                id,
            });
        }
        self.nodes
            .sort_unstable_by_key(|node| (node.depth, node.place));

        // 4. The values.
        let stepwise = recurrent || cyclic;
        for (values, count) in [
            (&mut self.values, count),
            (&mut self.before, if stepwise { count } else { 0 }),
        ] {
            values.clear();
            values.resize(count, 0.0);
        }
        (self.inputs, self.outputs, self.empty) = (inputs, outputs, empty);
    }

    pub fn inputs(&self) -> usize {
        self.inputs
    }

    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Runs it: once through, or one step if it keeps a state. Inputs that are
    /// missing count as 0, outputs for which there is no room are dropped.
    pub fn run(&mut self, inputs: &[f64], outputs: &mut [f64]) {
        let given = inputs.len().min(self.inputs);
        self.values[..given].copy_from_slice(&inputs[..given]);
        self.values[given..self.inputs].fill(0.0);
        if self.before.is_empty() {
            for node in &self.nodes {
                self.values[node.place as usize] = node.give(&self.edges, &self.values);
            }
        } else {
            self.before.copy_from_slice(&self.values);
            for node in &self.nodes {
                self.values[node.place as usize] = node.give(&self.edges, &self.before);
            }
        }
        let answers = &self.values[self.inputs..self.inputs + self.outputs];
        for (output, answer) in outputs.iter_mut().zip(answers) {
            *output = *answer;
        }
    }

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
        // Inputs are called by their place.
        let mut names: Vec<u32> = (0..self.values.len() as u32).collect();
        for node in &self.nodes {
            names[node.place as usize] = node.id;
        }
        let leading = |node: &Cell| node.edges[0] as usize..node.edges[1] as usize;
        let edges = self.nodes.iter().flat_map(move |node| {
            let edges = self.edges[leading(node)].iter();
            edges.map(move |&(from, weight)| (from, node.id, weight))
        });
        edges.map(move |(from, to, weight)| (names[from as usize], to, weight))
    }
}

impl Cell {
    #[inline]
    fn give(&self, edges: &[(u32, f64)], values: &[f64]) -> f64 {
        let mut sum = self.bias;
        for &(from, weight) in &edges[self.edges[0] as usize..self.edges[1] as usize] {
            sum += weight * values[from as usize];
        }
        self.function.at(sum)
    }
}

struct Walk<'a> {
    inputs: usize,
    /// What leads to each node, one after the other.
    edges: &'a [(u32, f64)],
    starts: &'a [u32],
    /// The edge of each node to be walked next.
    next: &'a mut [u32],
    /// How many nodes lie on the longest way to each, itself included; 0 for those
    /// that were not reached, [`WAITING`] for those on the path.
    depths: &'a mut [u32],
    path: &'a mut [u32],
    /// Whether no input was met.
    empty: bool,
    cyclic: bool,
}

const WAITING: u32 = u32::MAX;

impl Walk<'_> {
    fn back_from(&mut self, start: usize) {
        if self.depths[start] != 0 {
            return;
        }
        self.depths[start] = WAITING;
        self.path[0] = start as u32;
        let mut len = 1;
        while len > 0 {
            let at = self.path[len - 1] as usize;
            if self.next[at] < self.starts[at + 1] {
                // One edge further.
                let from = self.edges[self.next[at] as usize].0 as usize;
                self.next[at] += 1;
                if from < self.inputs {
                    self.empty = false;
                } else if self.depths[from] == 0 {
                    self.depths[from] = WAITING;
                    self.path[len] = from as u32;
                    len += 1;
                } else if self.depths[from] == WAITING {
                    self.cyclic = true;
                }
            } else {
                // All that leads here is known.
                let leading = self.starts[at] as usize..self.starts[at + 1] as usize;
                let leading = self.edges[leading].iter().map(|edge| edge.0 as usize);
                let depths = leading.map(|from| self.depths[from]);
                let deepest = depths.filter(|&depth| depth != WAITING).max();
                self.depths[at] = deepest.unwrap_or(0) + 1;
                len -= 1;
            }
        }
    }
}
