//! A graph sorted once, so that running it is one pass without questions.

use mendel_board::{Position, mix};

use super::parts::{Parts, unfit};
use crate::EvaluatorError;
use crate::accumulator::{AccumulatorCache, Paper, Perspective, SquareLayer, padded};
use crate::function::Function;
use crate::input::Input;
use crate::neural::ONE;
use crate::simd::with_simd;
use crate::snapshot::BoardSnapshot;

/// A graph without what does not matter, in the order of its depths.
#[derive(Debug)]
pub(super) struct SortedGraph {
    /// What the nodes get from squares; their biases alone where the inputs are
    /// features. As wide as there are nodes, padded.
    first: SquareLayer,
    /// Nodes in a row that apply the same function and need not wait for each other.
    runs: Vec<NodeRange>,
    /// For each node where its edges begin, and where the last one's end.
    starts: Vec<u32>,
    /// From which value, with which weight; by rising number of the source.
    edges: Vec<(u32, f32)>,
    /// Where the nodes' values begin: the inputs stand before them if they are
    /// features.
    begin: usize,
    /// The output's place among the nodes; none if no input leads to it.
    output: Option<usize>,
    fingerprint: u64,
}

#[derive(Debug)]
struct NodeRange {
    from: usize,
    to: usize,
    function: Function,
    /// Whether they have edges beside those from squares.
    edges: bool,
}

/// The caches of one thread: accumulators for each perspective, and a buffer of values.
#[derive(Clone, Debug, Default)]
pub struct GraphCache {
    boards: [AccumulatorCache; 2],
    values: Vec<f32>,
}

impl SortedGraph {
    pub(super) fn new(input: Input, parts: &Parts) -> Result<Self, EvaluatorError> {
        parts.check(input.count())?;

        // 1. Who depends on whom, how deep, and what matters.
        let count = parts.nodes.len();
        let incoming = incoming(parts)?;
        let order = order(parts, &incoming)?;
        let (kept, met) = kept(parts, &incoming, &order);
        let depths = depths(parts, &incoming, &order, &kept);

        // 2. The nodes by depth, then by function.
        let mut nodes: Vec<usize> = (0..count).filter(|&node| kept[node]).collect();
        nodes.sort_by_key(|&node| (depths[node], parts.nodes[node].function, node));
        let mut places = vec![None; count];
        for (place, &node) in nodes.iter().enumerate() {
            places[node] = Some(place);
        }

        // 3. What they get from squares, and what from each other.
        let squares = !input.is_counted();
        let begin = if squares { 0 } else { parts.inputs };
        let width = padded(nodes.len());
        let mut rows = vec![0; if squares { width * parts.inputs } else { 0 }];
        let mut bias = vec![0.0; width];
        let mut starts = vec![0];
        let mut edges = Vec::new();
        for (place, &node) in nodes.iter().enumerate() {
            bias[place] = real(parts.nodes[node].bias);
            for &(from, weight) in &incoming[node] {
                match from.checked_sub(parts.inputs) {
                    None if squares => rows[from * width + place] = weight,
                    None => edges.push((from as u32, real(weight))),
                    Some(source) => edges
                        .extend(places[source].map(|place| ((begin + place) as u32, real(weight)))),
                }
            }
            starts.push(edges.len() as u32);
        }

        // 4. Runs of one depth and one function.
        let mut runs: Vec<NodeRange> = Vec::new();
        let key = |place: usize| (depths[nodes[place]], parts.nodes[nodes[place]].function);
        for place in 0..nodes.len() {
            let has_edges = starts[place] < starts[place + 1];
            match runs.last_mut() {
                Some(run) if key(run.from) == key(place) => {
                    run.to = place + 1;
                    run.edges |= has_edges;
                }
                _ => runs.push(NodeRange {
                    from: place,
                    to: place + 1,
                    function: key(place).1,
                    edges: has_edges,
                }),
            }
        }

        let stir = |mixed, number: i32| mix(mixed ^ number as u64);
        let numbers = rows.iter().copied().chain([input as i32, width as i32]);
        let fingerprint = numbers.fold(0, stir);
        Ok(Self {
            first: SquareLayer::new(input, rows, bias),
            runs,
            starts,
            edges,
            begin,
            output: places[0].filter(|_| met),
            fingerprint,
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.output.is_none()
    }

    /// How many nodes and edges have a way to the output.
    pub(super) fn size(&self) -> (usize, usize) {
        let squares = self.first.layer.rows.iter().filter(|&&it| it != 0).count();
        (self.starts.len() - 1, squares + self.edges.len())
    }

    /// The output's value, or 0 where no input leads to it.
    #[inline]
    pub(super) fn run(&self, position: &Position, cache: &mut GraphCache) -> f32 {
        let Some(output) = self.output else {
            return 0.0;
        };
        let GraphCache { boards, values } = cache;
        values.resize(self.begin + self.first.layer.width, 0.0);
        let input = self.first.input;
        if input.is_counted() {
            input.count_into(position, &mut values[..self.begin]);
            values[self.begin..].copy_from_slice(&self.first.bias);
            with_simd(|| self.pass(values));
        } else {
            let now = BoardSnapshot::new(position.board());
            let layer = &self.first.layer;
            let view = Perspective::of(position.turn());
            let is_paper = input == Input::Paper;
            let cache = &mut boards[usize::from(!is_paper && position.turn().is_black())];
            with_simd(|| {
                let sums = if is_paper {
                    cache.sums(layer, self.fingerprint, now, &[Paper], false)
                } else {
                    cache.sums(layer, self.fingerprint, now, &[view], false)
                };
                self.first.values(sums, values);
                self.pass(values);
            });
        }
        values[self.begin + output]
    }

    /// From what the nodes get from outside to their values, in order of depth.
    #[inline(always)]
    fn pass(&self, values: &mut [f32]) {
        for run in &self.runs {
            if run.edges {
                for node in run.from..run.to {
                    let sum = self.gathered(node, values);
                    values[self.begin + node] += sum;
                }
            }
            let values = &mut values[self.begin + run.from..self.begin + run.to];
            run.function.apply(values);
        }
    }

    /// What a node gets from others: four sums of every fourth edge, so that one need
    /// not wait for the other.
    #[inline(always)]
    fn gathered(&self, node: usize, values: &[f32]) -> f32 {
        let edges = &self.edges[self.starts[node] as usize..self.starts[node + 1] as usize];
        let mut sums = [0.0_f32; 4];
        for edges in edges.chunks(4) {
            for (sum, &(from, weight)) in sums.iter_mut().zip(edges) {
                *sum += values[from as usize] * weight;
            }
        }
        (sums[0] + sums[1]) + (sums[2] + sums[3])
    }
}

fn real(number: i32) -> f32 {
    number as f32 / ONE as f32
}

/// For each node that is no input, where its edges come from and their weights; by
/// rising number.
fn incoming(parts: &Parts) -> Result<Vec<Vec<(usize, i32)>>, EvaluatorError> {
    let mut incoming = vec![Vec::new(); parts.nodes.len()];
    for edge in &parts.edges {
        incoming[edge.to as usize - parts.inputs].push((edge.from as usize, edge.weight));
    }
    for (node, edges) in incoming.iter_mut().enumerate() {
        edges.sort_unstable();
        if let Some(pair) = edges.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let (from, to) = (pair[0].0, parts.inputs + node);
            return Err(unfit(format!(
                "two edges lead from {from} to {to}; add their weights"
            )));
        }
    }
    Ok(incoming)
}

/// The nodes that are no inputs, each behind those it depends on.
fn order(parts: &Parts, incoming: &[Vec<(usize, i32)>]) -> Result<Vec<usize>, EvaluatorError> {
    let count = incoming.len();
    let mut waits = vec![0; count];
    let mut outgoing = vec![Vec::new(); count];
    for (node, edges) in incoming.iter().enumerate() {
        for source in edges.iter().filter_map(|it| it.0.checked_sub(parts.inputs)) {
            waits[node] += 1;
            outgoing[source].push(node);
        }
    }
    let mut order: Vec<usize> = (0..count).filter(|&node| waits[node] == 0).collect();
    let mut done = 0;
    while let Some(&node) = order.get(done) {
        done += 1;
        for &next in &outgoing[node] {
            waits[next] -= 1;
            if waits[next] == 0 {
                order.push(next);
            }
        }
    }
    match waits.iter().position(|&waits| waits > 0) {
        None => Ok(order),
        Some(node) => Err(unfit(format!(
            "node {} depends on itself; a graph has no cycles",
            parts.inputs + node
        ))),
    }
}

/// Which nodes have a way to the output, and whether an input has.
fn kept(parts: &Parts, incoming: &[Vec<(usize, i32)>], order: &[usize]) -> (Vec<bool>, bool) {
    let mut kept = vec![false; incoming.len()];
    kept[0] = true;
    let mut met = false;
    for &node in order.iter().rev() {
        if kept[node] {
            for &(from, _) in &incoming[node] {
                match from.checked_sub(parts.inputs) {
                    None => met = true,
                    Some(source) => kept[source] = true,
                }
            }
        }
    }
    (kept, met)
}

/// How many nodes that matter lie before each, at most.
fn depths(
    parts: &Parts,
    incoming: &[Vec<(usize, i32)>],
    order: &[usize],
    kept: &[bool],
) -> Vec<u32> {
    let mut depths = vec![0; incoming.len()];
    for &node in order {
        let sources = incoming[node].iter();
        let sources = sources.filter_map(|it| it.0.checked_sub(parts.inputs));
        let deepest = sources
            .filter(|&source| kept[source])
            .map(|source| depths[source] + 1);
        depths[node] = deepest.max().unwrap_or(0);
    }
    depths
}
