//! A network of layers: each neuron sees all of the layer before.
//!
//! The network of the published experiment is [`Shape::paper`]: 64 squares with the
//! raw values of the pieces, sigmoid neurons, an output through the hyperbolic
//! tangent, and the score Σ material / 900 + output, which in centipawns is 900 times
//! that. [`Input::Sides`] and [`Input::Features`] are our own inputs.
//!
//! A network over [`Input::Sides`] looks at the board twice with the same first layer:
//! as the side to move and as the other. What both see, one after the other, is what
//! the second layer sees. So it is colour-blind however its numbers are.
//!
//! # Source
//!
//! "`NeuroEvolutionary` Frameworks to Evolve Chess Evaluation Function", 2023, sections
//! II.B and III.A, and its program at `github.com/gzemo/neuroevolved-chess-engine`.
//!
//! # Where this differs
//!
//! * The weights are whole numbers of 1/4096, the score is whole centipawns.
//! * The printed sigmoid is 1 / (1 + exp x); here it is 1 / (1 + exp −x), which is the
//!   same network with the signs of some weights changed.
//! * The output neuron has no bias: the paper counts 128 biases, one for each hidden
//!   neuron of either network.

mod dense;
mod layers;
mod small;
mod table;

use std::sync::Arc;

use mendel_board::{Color, Position};

use self::layers::Layers;
pub use self::layers::Memory;
pub(crate) use self::table::{check_scale, flag, input, scale};
use crate::function::Function;
use crate::input::Input;
use crate::{Centipawns, Evaluator, EvaluatorError, Material, Term, Trace};

/// One, among the numbers of a network.
pub const ONE: i32 = 4096;

/// The largest number without sign: a weight of 64.
pub const MOST: i32 = 64 * ONE;

/// Centipawns for an output of one in the paper: a queen.
pub const QUEEN: i32 = 900;

/// The term behind those of [`Material`].
pub(crate) const NETWORK: usize = 5;

/// What a network is but for its numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// What it sees.
    pub input: Input,
    /// The sizes of all layers: the inputs, one to four hidden layers, and 1.
    pub layers: Vec<u32>,
    /// What hidden neurons apply.
    pub hidden: Function,
    /// What the output applies: [`Function::Tanh`] or [`Function::Identity`].
    pub output: Function,
    /// Whether hidden neurons have a bias.
    pub biases: bool,
    /// Whether material is added.
    pub material: bool,
    /// Centipawns for an output of one.
    pub scale: i32,
}

/// One neuron, as a genome has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neuron {
    /// Its layer, from 1.
    pub layer: usize,
    /// Its numbers: the weights of its inputs, then its bias where it has one.
    pub numbers: std::ops::Range<usize>,
    /// Whether the last of them is a bias.
    pub biased: bool,
    /// How many neurons its layer has; its inputs are as many as its weights.
    pub beside: usize,
}

impl Shape {
    /// A network of the paper with these hidden layers: `[128]` or `[64, 64]`.
    pub fn paper(hidden: &[u32]) -> Self {
        Self::new(Input::Paper, hidden, Function::Sigmoid)
    }

    /// A network with biases, beside material.
    pub fn new(input: Input, hidden: &[u32], function: Function) -> Self {
        let inputs = [input.count() as u32];
        Self {
            input,
            layers: inputs.iter().chain(hidden).chain(&[1]).copied().collect(),
            hidden: function,
            output: Function::Tanh,
            biases: true,
            material: true,
            scale: QUEEN,
        }
    }

    /// How often the first layer looks at the board.
    fn views(&self) -> usize {
        if self.input == Input::Sides { 2 } else { 1 }
    }

    /// All neurons, in the order of their numbers.
    pub fn neurons(&self) -> Vec<Neuron> {
        let mut neurons = Vec::new();
        let mut next = 0;
        for layer in 1..self.layers.len() {
            let views = if layer == 2 { self.views() } else { 1 };
            let inputs = views * self.layers[layer - 1] as usize;
            let biased = self.biases && layer + 1 < self.layers.len();
            for _ in 0..self.layers[layer] {
                let end = next + inputs + usize::from(biased);
                neurons.push(Neuron {
                    layer,
                    numbers: next..end,
                    biased,
                    beside: self.layers[layer] as usize,
                });
                next = end;
            }
        }
        neurons
    }

    /// How many numbers such a network has.
    pub fn numbers(&self) -> usize {
        self.neurons().last().map_or(0, |last| last.numbers.end)
    }

    /// What the numbers are called: `1.7.e4` for the weight of the input e4 of the
    /// seventh neuron (from 0) of the first layer, `1.7.bias`.
    fn names(&self) -> impl Iterator<Item = String> + '_ {
        let mut place = (0, 0);
        self.neurons().into_iter().flat_map(move |neuron| {
            place = match place {
                (layer, at) if layer == neuron.layer => (layer, at + 1),
                _ => (neuron.layer, 0),
            };
            let (layer, at) = place;
            let count = neuron.numbers.len();
            (0..count).map(move |input| {
                let input = if neuron.biased && input + 1 == count {
                    "bias".to_owned()
                } else if layer == 1 {
                    self.input.label(input)
                } else {
                    input.to_string()
                };
                format!("{layer}.{at}.{input}")
            })
        })
    }
}

/// A network of layers with its numbers.
#[derive(Clone, Debug)]
pub struct Mlp {
    shape: Arc<Shape>,
    numbers: Arc<[i32]>,
    layers: Arc<Layers>,
    /// Whether nothing is remembered from one position to the next.
    forgets: bool,
}

impl PartialEq for Mlp {
    fn eq(&self, other: &Self) -> bool {
        self.shape == other.shape && self.numbers == other.numbers
    }
}

impl Eq for Mlp {}

impl Mlp {
    /// What a player file calls it.
    pub const KIND: &'static str = "mlp";

    /// A network of this shape.
    ///
    /// # Errors
    ///
    /// If the shape is none, or the numbers are too few, too many or too large.
    pub fn new(shape: Shape, numbers: &[i32]) -> Result<Self, EvaluatorError> {
        shape.check()?;
        Self::with(Arc::new(shape), numbers)
    }

    /// A network of the same shape with other numbers.
    ///
    /// # Errors
    ///
    /// If there are too few or too many, or one is too large.
    pub fn with_numbers(&self, numbers: &[i32]) -> Result<Self, EvaluatorError> {
        Self::with(Arc::clone(&self.shape), numbers)
    }

    fn with(shape: Arc<Shape>, numbers: &[i32]) -> Result<Self, EvaluatorError> {
        let needed = shape.numbers();
        if numbers.len() != needed {
            return Err(EvaluatorError::WrongCount {
                kind: Self::KIND,
                needed,
                found: numbers.len(),
            });
        }
        let limit = MOST.unsigned_abs();
        if let Some(index) = numbers.iter().position(|it| it.unsigned_abs() > limit) {
            return Err(EvaluatorError::NumberOutOfRange {
                kind: Self::KIND,
                index,
                found: numbers[index],
                limit: MOST,
            });
        }
        Ok(Self {
            layers: Arc::new(Layers::new(&shape, numbers)),
            shape,
            numbers: numbers.into(),
            forgets: false,
        })
    }

    /// The same network, but its first layer is added up anew for each position: for
    /// measuring what remembering is worth.
    #[must_use]
    pub fn forgetful(mut self) -> Self {
        self.forgets = true;
        self
    }

    /// What it is but for its numbers.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Its numbers, in parts of [`ONE`]: layer by layer, neuron by neuron the weights
    /// of its inputs and then its bias.
    pub fn numbers(&self) -> &[i32] {
        &self.numbers
    }

    /// What the numbers are called.
    pub fn names(&self) -> Vec<String> {
        self.shape.names().collect()
    }

    /// The output, before it is scaled: for [`Input::Paper`] as White sees it, else
    /// as the side to move does.
    pub fn output(&self, position: &Position, memory: &mut Memory) -> f32 {
        let sum = self.layers.run(position, memory, self.forgets);
        self.shape.output.at(sum)
    }
}

impl Evaluator for Mlp {
    type Scratch = Memory;

    fn name(&self) -> String {
        Self::KIND.to_owned()
    }

    fn sees_colour(&self) -> bool {
        self.shape.input.sees_colour()
    }

    fn terms(&self) -> Vec<Term> {
        terms()
    }

    #[inline]
    fn evaluate(
        &self,
        position: &Position,
        memory: &mut Memory,
        trace: &mut impl Trace,
    ) -> Centipawns {
        let output = self.output(position, memory);
        let Shape {
            input,
            material,
            scale,
            ..
        } = *self.shape;
        add_up(position, output, input, material, scale, trace)
    }
}

/// The terms of an evaluator that adds a network's output to material.
pub(crate) fn terms() -> Vec<Term> {
    let mut terms = Material.terms();
    terms.push(network_term());
    terms
}

/// The term of what a network says, in centipawns.
pub(crate) fn network_term() -> Term {
    Term {
        group: "network",
        label: String::new(),
        about: "What the network says.",
        middle_game: 1,
        end_game: 1,
    }
}

/// Material, if it counts, and a network's output in centipawns.
#[inline]
pub(crate) fn add_up(
    position: &Position,
    output: f32,
    input: Input,
    material: bool,
    scale: i32,
    trace: &mut impl Trace,
) -> Centipawns {
    let limit = Mlp::LIMIT.0;
    let scaled = libm::rintf(output * scale as f32);
    let network = scaled.clamp(-(limit as f32), limit as f32) as i32;
    let (teller, own) = match (input, position.turn()) {
        (Input::Paper, Color::Black) => (Color::White, -network),
        (_, turn) => (turn, network),
    };
    trace.term(NETWORK, teller, network);
    let wood = if material {
        Material.evaluate(position, &mut (), trace).0
    } else {
        0
    };
    Centipawns((wood + own).clamp(-limit, limit))
}
