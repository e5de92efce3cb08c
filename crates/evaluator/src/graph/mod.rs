//! A network of any wiring without cycles: what NEAT and `HyperNEAT` breed.
//!
//! The whole graph is a list of whole numbers ([`Parts`]); it is sorted once when it is
//! made and then run without questions. Nodes without a way to the output are dropped
//! with their edges; one that nothing leads to gives what its function makes of its
//! bias; and a graph in which no input leads to the output says 0.
//!
//! [`Input::Sides`] shows it the board as the side to move sees it, once: unlike a
//! network of layers it has no second look as the other side.

mod parts;
mod sorted;
mod table;

use std::sync::Arc;

use mendel_board::Position;

pub use self::parts::{Edge, GraphError, MOST_EDGES, MOST_HIDDEN, Node, Parts, VERSION};
pub use self::sorted::Memory;
use self::sorted::Sorted;
use crate::input::Input;
use crate::mlp::{self, QUEEN, add_up};
use crate::{Centipawns, Evaluator, EvaluatorError, Term, Trace};

/// What surrounds a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// What it sees.
    pub input: Input,
    /// Whether material is added.
    pub material: bool,
    /// Centipawns for an output of one.
    pub scale: i32,
}

impl Frame {
    /// Beside material, a queen for an output of one: as in the paper.
    pub fn new(input: Input) -> Self {
        Self {
            input,
            material: true,
            scale: QUEEN,
        }
    }
}

/// A graph with its numbers.
#[derive(Clone, Debug)]
pub struct Graph {
    frame: Frame,
    numbers: Arc<[i32]>,
    sorted: Arc<Sorted>,
}

impl PartialEq for Graph {
    fn eq(&self, other: &Self) -> bool {
        self.frame == other.frame && self.numbers == other.numbers
    }
}

impl Eq for Graph {}

impl Graph {
    /// What a player file calls it.
    pub const KIND: &'static str = "graph";

    /// The graph of these numbers, see [`Parts`].
    ///
    /// # Errors
    ///
    /// If the numbers are no graph, or it has a cycle.
    pub fn new(frame: Frame, numbers: &[i32]) -> Result<Self, EvaluatorError> {
        mlp::check_scale(Self::KIND, frame.scale.into())?;
        let parts = Parts::from_numbers(numbers)?;
        Ok(Self {
            frame,
            sorted: Arc::new(Sorted::new(frame.input, &parts)?),
            numbers: numbers.into(),
        })
    }

    /// Another graph in the same frame.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new).
    pub fn with_numbers(&self, numbers: &[i32]) -> Result<Self, EvaluatorError> {
        Self::new(self.frame, numbers)
    }

    /// What surrounds it.
    pub fn frame(&self) -> Frame {
        self.frame
    }

    /// Its numbers.
    pub fn numbers(&self) -> &[i32] {
        &self.numbers
    }

    /// Its parts, those that do not matter included.
    ///
    /// # Panics
    ///
    /// Never: the numbers were read when it was made.
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

    /// What the numbers are called.
    pub(crate) fn names(&self) -> Vec<String> {
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

    /// The output, before it is scaled: for [`Input::Paper`] as White sees it, else
    /// as the side to move does.
    #[inline]
    pub fn output(&self, position: &Position, memory: &mut Memory) -> f32 {
        self.sorted.run(position, memory)
    }
}

impl Evaluator for Graph {
    type Scratch = Memory;

    fn name(&self) -> String {
        Self::KIND.to_owned()
    }

    fn sees_colour(&self) -> bool {
        self.frame.input.sees_colour()
    }

    fn terms(&self) -> Vec<Term> {
        mlp::terms()
    }

    #[inline]
    fn evaluate(
        &self,
        position: &Position,
        memory: &mut Memory,
        trace: &mut impl Trace,
    ) -> Centipawns {
        let output = self.output(position, memory);
        let Frame {
            input,
            material,
            scale,
        } = self.frame;
        add_up(position, output, input, material, scale, trace)
    }
}
