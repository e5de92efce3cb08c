//! A network of any wiring without cycles: what NEAT and `HyperNEAT` breed.
//!
//! The whole graph is a list of whole numbers ([`Parts`]); it is sorted once when it is
//! made and then run without questions. Nodes without a way to the output are dropped
//! with their edges; one that nothing leads to gives what its function makes of its
//! bias; and a graph in which no input leads to the output says 0.
//!
//! [`Input::Sides`](crate::Input::Sides) shows it the board as the side to move sees it, once: unlike a
//! network of layers it has no second look as the other side.

mod parts;
mod topological;

use std::sync::Arc;

use mendel_board::Position;
use toml::{Table, Value};

pub use self::parts::{Edge, MOST_EDGES, MOST_HIDDEN, Node, Parts, VERSION};
pub use self::topological::GraphCache;
use self::topological::SortedGraph;
use crate::coefficients::Weight;
pub use crate::neural::Frame;
use crate::neural::{self, read_numbers, write_numbers};
use crate::player_file::{PlayerEvaluator, TableReader};
use crate::{Centipawns, Evaluator, EvaluatorError, Term, Trace};

#[derive(Clone, Debug)]
pub struct Graph {
    frame: Frame,
    numbers: Arc<[i32]>,
    sorted: Arc<SortedGraph>,
}

impl PartialEq for Graph {
    fn eq(&self, other: &Self) -> bool {
        self.frame == other.frame && self.numbers == other.numbers
    }
}

impl Eq for Graph {}

impl Graph {
    /// The graph of these numbers, see [`Parts`].
    ///
    /// # Errors
    ///
    /// If the numbers are no graph, or it has a cycle.
    pub fn new(frame: Frame, numbers: &[i32]) -> Result<Self, EvaluatorError> {
        frame.check(Self::KIND)?;
        let parts = Parts::from_numbers(numbers)?;
        Ok(Self {
            frame,
            sorted: Arc::new(SortedGraph::new(frame.input, &parts)?),
            numbers: numbers.into(),
        })
    }

    pub fn frame(&self) -> Frame {
        self.frame
    }

    pub fn numbers(&self) -> &[i32] {
        &self.numbers
    }

    /// Its parts, those that do not matter included.
    pub fn parts(&self) -> Parts {
        Parts::from_numbers(&self.numbers).expect("the numbers were read when it was made")
    }

    /// Whether no input leads to the output, so that it always says 0.
    pub fn is_empty(&self) -> bool {
        self.sorted.is_empty()
    }

    /// How many nodes and how many edges have a way to the output.
    pub fn size(&self) -> (usize, usize) {
        self.sorted.size()
    }

    fn names(&self) -> Vec<String> {
        let Parts {
            inputs,
            nodes,
            edges,
        } = self.parts();
        let head = ["version", "inputs", "hidden", "edges"].map(str::to_owned);
        let nodes = (inputs..inputs + nodes.len())
            .flat_map(|node| ["function", "bias"].map(|what| format!("{node}.{what}")));
        let edges = (0..edges.len())
            .flat_map(|edge| ["from", "to", "weight"].map(|what| format!("edge.{edge}.{what}")));
        head.into_iter().chain(nodes).chain(edges).collect()
    }

    /// The output, before it is scaled: for [`Input::Paper`](crate::Input::Paper) as White sees it, else
    /// as the side to move does.
    #[inline]
    pub fn output(&self, position: &Position, cache: &mut GraphCache) -> f32 {
        self.sorted.run(position, cache)
    }
}

impl PlayerEvaluator for Graph {
    const KIND: &'static str = "graph";

    fn read(table: &Table) -> Result<Self, EvaluatorError> {
        let known = ["input", "material", "scale", "numbers"];
        let table = TableReader::new(Self::KIND, table, &known)?;
        Self::new(Frame::read(table)?, &read_numbers(table)?)
    }

    fn entries(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("input", self.frame.input.name().into()),
            ("material", self.frame.material.into()),
            ("scale", self.frame.scale.into()),
            ("numbers", write_numbers(&self.numbers)),
        ]
    }

    fn weights(&self) -> Vec<Weight> {
        neural::weights(self.names(), &self.numbers)
    }

    fn with_weights(&self, values: &[i32]) -> Result<Self, EvaluatorError> {
        Self::new(self.frame, values)
    }
}

impl Evaluator for Graph {
    type Scratch = GraphCache;

    fn name(&self) -> String {
        Self::KIND.to_owned()
    }

    fn sees_colour(&self) -> bool {
        self.frame.input.sees_colour()
    }

    fn terms(&self) -> Vec<Term> {
        neural::terms()
    }

    #[inline]
    fn evaluate(
        &self,
        position: &Position,
        cache: &mut GraphCache,
        trace: &mut impl Trace,
    ) -> Centipawns {
        let output = self.output(position, cache);
        self.frame.score(position, output, trace)
    }
}
