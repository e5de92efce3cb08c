//! What a pattern comes to: nodes and links.

use super::substrate::Point;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    pub from: usize,
    pub to: usize,
    pub weight: f64,
}

/// Why a network answers the same whatever it is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Emptiness {
    /// No link leaves an input: seen from the inputs, the pattern is flat or too faint.
    FlatFromInputs,
    /// No link enters an output: seen from the outputs, the pattern is flat or too faint.
    FlatToOutputs,
    /// There are both, but no path from one to the other.
    NoPath,
}

/// The nodes and links that a pattern came to. Nodes are numbered: inputs, outputs,
/// hidden.
#[derive(Clone, Debug, PartialEq)]
pub struct Wiring {
    pub inputs: usize,
    pub outputs: usize,
    pub hidden: Vec<Point>,
    /// The biases of the outputs, then of the hidden nodes.
    pub biases: Vec<f64>,
    /// The links, no two between the same nodes.
    pub edges: Vec<Edge>,
    /// Links that were left out because they would have closed a circle.
    pub left_out: usize,
    /// Why there is no path from an input to an output, if there is none.
    pub emptiness: Option<Emptiness>,
}

impl Wiring {
    /// Looks for paths from inputs to outputs and says so in
    /// [`emptiness`](Self::emptiness). Returns for each node whether it is on one.
    pub(super) fn find_paths(&mut self) -> Vec<bool> {
        let fixed = self.inputs + self.outputs;
        let count = fixed + self.hidden.len();
        let from_inputs = reach(count, 0..self.inputs, self.edges.iter().map(ahead));
        let to_outputs = reach(count, self.inputs..fixed, self.edges.iter().map(back));
        let on_path: Vec<bool> = (0..count)
            .map(|node| from_inputs[node] && to_outputs[node])
            .collect();
        let is_output = |node: usize| (self.inputs..fixed).contains(&node);
        self.emptiness = if (self.inputs..fixed).any(|node| on_path[node]) {
            None
        } else if !self.edges.iter().any(|edge| edge.from < self.inputs) {
            Some(Emptiness::FlatFromInputs)
        } else if !self.edges.iter().any(|edge| is_output(edge.to)) {
            Some(Emptiness::FlatToOutputs)
        } else {
            Some(Emptiness::NoPath)
        };
        on_path
    }

    /// Drops hidden nodes and links that are on no path from an input to an output.
    pub(super) fn prune(&mut self) {
        let on_path = self.find_paths();
        let fixed = self.inputs + self.outputs;
        // The new number of each node that stays.
        let mut number: Vec<usize> = (0..on_path.len()).collect();
        let mut next = fixed;
        for node in fixed..on_path.len() {
            number[node] = next;
            next += usize::from(on_path[node]);
        }
        let hidden = on_path[fixed..].iter();
        let mut stays = hidden.clone();
        self.hidden
            .retain(|_| *stays.next().expect("one for each hidden node"));
        let outputs = std::iter::repeat_n(&true, self.outputs);
        let mut stays = outputs.chain(hidden);
        self.biases
            .retain(|_| *stays.next().expect("one for each output and hidden node"));
        self.edges
            .retain(|edge| on_path[edge.from] && on_path[edge.to]);
        for edge in &mut self.edges {
            (edge.from, edge.to) = (number[edge.from], number[edge.to]);
        }
    }
}

fn ahead(edge: &Edge) -> (usize, usize) {
    (edge.from, edge.to)
}

fn back(edge: &Edge) -> (usize, usize) {
    (edge.to, edge.from)
}

/// The nodes that can be reached from some, by links that lead from one to another.
fn reach(
    count: usize,
    starts: impl Iterator<Item = usize>,
    links: impl Iterator<Item = (usize, usize)>,
) -> Vec<bool> {
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (from, to) in links {
        next[from].push(to);
    }
    let mut reached = vec![false; count];
    let mut open: Vec<usize> = starts.collect();
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut reached[node], true) {
            open.extend(next[node].iter().filter(|&&node| !reached[node]));
        }
    }
    reached
}

/// How a generation of networks came out. Whoever judges one says this with its scores: a
/// generation of empty networks is otherwise easily taken for one of bad ones.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Census {
    pub members: usize,
    /// How many have no path from an input to an output.
    pub empty: usize,
    /// Of these: no link leaves an input.
    pub flat_from_inputs: usize,
    /// Of these: no link enters an output.
    pub flat_to_outputs: usize,
    /// Hidden nodes, on average.
    pub hidden: f64,
    /// Links, on average.
    pub links: f64,
}

impl Census {
    pub fn of<'a>(wirings: impl IntoIterator<Item = &'a Wiring>) -> Self {
        let mut census = Self::default();
        let (mut hidden, mut links) = (0, 0);
        for wiring in wirings {
            census.members += 1;
            census.empty += usize::from(wiring.emptiness.is_some());
            match wiring.emptiness {
                Some(Emptiness::FlatFromInputs) => census.flat_from_inputs += 1,
                Some(Emptiness::FlatToOutputs) => census.flat_to_outputs += 1,
                Some(Emptiness::NoPath) | None => {}
            }
            hidden += wiring.hidden.len();
            links += wiring.edges.len();
        }
        let members = census.members.max(1) as f64;
        census.hidden = hidden as f64 / members;
        census.links = links as f64 / members;
        census
    }

    /// The share of empty networks; 0 without any network.
    pub fn empty_share(&self) -> f64 {
        self.empty as f64 / self.members.max(1) as f64
    }
}
