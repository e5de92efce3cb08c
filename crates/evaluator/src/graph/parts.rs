//! A graph as a list of whole numbers.
//!
//! `[version, inputs, hidden nodes, edges]`, then for the output and each hidden node
//! `function, bias`, then for each edge `from, to, weight`. Nodes are numbered: the
//! inputs from 0, then the output, then the hidden ones. Biases and weights are in
//! parts of [`ONE`](crate::mlp::ONE).

use crate::EvaluatorError;
use crate::function::Function;
use crate::neural::MOST;

pub const VERSION: i32 = 1;

pub const MOST_HIDDEN: usize = 1024;

pub const MOST_EDGES: usize = 500_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// What it applies to its sum.
    pub function: Function,
    /// What is added to its sum, in parts of [`ONE`](crate::mlp::ONE).
    pub bias: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    pub from: u32,
    pub to: u32,
    /// What the value of `from` is multiplied by, in parts of
    /// [`ONE`](crate::mlp::ONE).
    pub weight: i32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    /// How many inputs there are: the nodes from 0.
    pub inputs: usize,
    /// The output, then the hidden nodes.
    pub nodes: Vec<Node>,
    /// The connections, in any order.
    pub edges: Vec<Edge>,
}

impl Parts {
    pub fn to_numbers(&self) -> Vec<i32> {
        let head = [
            VERSION,
            self.inputs as i32,
            self.nodes.len() as i32 - 1,
            self.edges.len() as i32,
        ];
        let nodes = self.nodes.iter();
        let nodes = nodes.flat_map(|node| [node.function.code(), node.bias]);
        let edges = self.edges.iter();
        let edges = edges.flat_map(|edge| [edge.from as i32, edge.to as i32, edge.weight]);
        head.into_iter().chain(nodes).chain(edges).collect()
    }

    /// The inverse of [`to_numbers`](Self::to_numbers).
    ///
    /// # Errors
    ///
    /// If the numbers are no graph. Cycles are found only when it is sorted.
    pub fn from_numbers(numbers: &[i32]) -> Result<Self, EvaluatorError> {
        let length = || wrong_length(numbers.len());

        // 1. As many as the head says, and no more than there may be.
        let (&[version, inputs, hidden, edges], rest) =
            numbers.split_first_chunk().ok_or_else(length)?;
        let size = |number: i32| usize::try_from(number).map_err(|_| length());
        let (inputs, hidden, edges) = (size(inputs)?, size(hidden)?, size(edges)?);
        few("hidden nodes", hidden, MOST_HIDDEN)?;
        few("edges", edges, MOST_EDGES)?;
        if version != VERSION || rest.len() != 2 * (hidden + 1) + 3 * edges {
            return Err(length());
        }
        let (nodes, edges) = rest.split_at(2 * (hidden + 1));

        // 2. The nodes.
        let node = |(at, &[code, bias]): (usize, &[i32; 2])| {
            let node = inputs + at;
            let function = Function::from_code(code).ok_or_else(|| {
                let last = Function::ALL.len() - 1;
                unfit(format!(
                    "node {node} has the function {code}; there are 0 to {last}"
                ))
            });
            function.map(|function| Node { function, bias })
        };
        let nodes = nodes.as_chunks().0.iter().enumerate().map(node);
        let nodes = nodes.collect::<Result<Vec<Node>, _>>()?;

        // 3. The edges.
        let (first, last) = (inputs, inputs + hidden);
        let edge = |&[from, to, weight]: &[i32; 3]| {
            let wrong = || wrong_edge(from.into(), to.into(), first, last);
            Ok(Edge {
                from: u32::try_from(from).map_err(|_| wrong())?,
                to: u32::try_from(to).map_err(|_| wrong())?,
                weight,
            })
        };
        let edges = edges.as_chunks().0.iter().map(edge);
        let edges = edges.collect::<Result<Vec<Edge>, _>>()?;
        Ok(Self {
            inputs,
            nodes,
            edges,
        })
    }

    /// Refuses what cannot be sorted, but for cycles.
    pub(super) fn check(&self, needed: usize) -> Result<(), EvaluatorError> {
        if self.inputs != needed {
            return Err(unfit(format!(
                "it has {} inputs where the evaluator has {needed}",
                self.inputs
            )));
        }
        if self.nodes.is_empty() {
            return Err(wrong_length(0));
        }
        few("hidden nodes", self.nodes.len() - 1, MOST_HIDDEN)?;
        few("edges", self.edges.len(), MOST_EDGES)?;
        let biases = self.nodes.iter().map(|node| node.bias);
        small("bias", biases)?;
        let weights = self.edges.iter().map(|edge| edge.weight);
        small("weight", weights)?;
        let (first, last) = (self.inputs, self.inputs + self.nodes.len() - 1);
        let leads = |edge: &&Edge| {
            edge.from as usize <= last && (first..=last).contains(&(edge.to as usize))
        };
        match self.edges.iter().find(|edge| !leads(edge)) {
            None => Ok(()),
            Some(edge) => Err(wrong_edge(edge.from.into(), edge.to.into(), first, last)),
        }
    }
}

/// Why numbers are no graph, as the end of a sentence about them.
pub(super) fn unfit(reason: String) -> EvaluatorError {
    EvaluatorError::Graph { reason }
}

fn wrong_length(found: usize) -> EvaluatorError {
    unfit(format!(
        "{found} numbers are no graph: it begins with {VERSION}, the inputs, hidden nodes and edges, then two numbers a node and three an edge"
    ))
}

fn wrong_edge(from: i64, to: i64, first: usize, last: usize) -> EvaluatorError {
    unfit(format!(
        "an edge leads from {from} to {to}; it comes from 0 to {last} and leads to {first} to {last}"
    ))
}

fn few(what: &str, found: usize, most: usize) -> Result<(), EvaluatorError> {
    if found > most {
        return Err(unfit(format!(
            "{found} {what} are too many; there may be {most}"
        )));
    }
    Ok(())
}

fn small(what: &str, numbers: impl Iterator<Item = i32>) -> Result<(), EvaluatorError> {
    let wild = |(_, number): &(usize, i32)| number.unsigned_abs() > MOST.unsigned_abs();
    match numbers.enumerate().find(wild) {
        None => Ok(()),
        Some((index, found)) => Err(unfit(format!(
            "{what} {index} (from 0) is {found}; keep it within ±{MOST}"
        ))),
    }
}
