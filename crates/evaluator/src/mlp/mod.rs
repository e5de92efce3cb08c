//! A network of layers: each neuron sees all of the layer before.
//!
//! The network of the published experiment is [`MlpShape::paper`]: 64 squares with the
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
mod quantised;

use std::sync::Arc;

use mendel_board::Position;
use toml::{Table, Value};

pub use self::layers::MlpCache;
use self::layers::MlpLayers;
use crate::coefficients::Weight;
use crate::function::Function;
use crate::input::Input;
use crate::neural::{self, Frame, read_numbers, write_numbers};
pub use crate::neural::{MOST, ONE, QUEEN};
use crate::player_file::{PlayerEvaluator, TableReader, choices, wrong_setting};
use crate::{Centipawns, Evaluator, EvaluatorError, Term, Trace};

const MAX_WIDTH: u32 = 4096;

/// The most hidden layers: with more, sums of the largest weights could grow beyond
/// what a single-precision number holds.
const MAX_HIDDEN_LAYERS: usize = 4;

const OUTPUTS: [Function; 2] = [Function::Tanh, Function::Identity];

/// What a network is but for its numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MlpShape {
    pub input: Input,
    /// The sizes of all layers: the inputs, one to four hidden layers, and 1.
    pub layers: Vec<u32>,
    pub hidden: Function,
    /// What the output applies: [`Function::Tanh`] or [`Function::Identity`].
    pub output: Function,
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
    pub biased: bool,
    /// How many neurons its layer has; its inputs are as many as its weights.
    pub beside: usize,
}

impl MlpShape {
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

    /// How often the first layer sees the board.
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

    fn frame(&self) -> Frame {
        let Self {
            input,
            material,
            scale,
            ..
        } = *self;
        Frame {
            input,
            material,
            scale,
        }
    }

    fn check(&self) -> Result<(), EvaluatorError> {
        let inputs = self.input.count();
        let sizes = &self.layers;
        let fits = sizes.first() == Some(&(inputs as u32))
            && sizes.last() == Some(&1)
            && (3..=MAX_HIDDEN_LAYERS + 2).contains(&sizes.len())
            && sizes.iter().skip(1).all(|it| (1..=MAX_WIDTH).contains(it));
        if !fits {
            return Err(wrong_setting(
                Mlp::KIND,
                "layers",
                format!("is {sizes:?}"),
                format!(
                    "[{inputs}, …, 1] with one to {MAX_HIDDEN_LAYERS} hidden layers of 1 to {MAX_WIDTH} neurons"
                ),
            ));
        }
        if !OUTPUTS.contains(&self.output) {
            return Err(wrong_setting(
                Mlp::KIND,
                "output",
                format!("is \"{}\"", self.output.name()),
                choices(OUTPUTS.map(Function::name)),
            ));
        }
        self.frame().check(Mlp::KIND)
    }

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

#[derive(Clone, Debug)]
pub struct Mlp {
    shape: Arc<MlpShape>,
    numbers: Arc<[i32]>,
    layers: Arc<MlpLayers>,
    /// Whether the first layer is recomputed for each position.
    refreshes: bool,
}

impl PartialEq for Mlp {
    fn eq(&self, other: &Self) -> bool {
        self.shape == other.shape && self.numbers == other.numbers
    }
}

impl Eq for Mlp {}

impl Mlp {
    /// A network of this shape.
    ///
    /// # Errors
    ///
    /// If the shape is invalid, or the numbers are too few, too many or too large.
    pub fn new(shape: MlpShape, numbers: &[i32]) -> Result<Self, EvaluatorError> {
        shape.check()?;
        Self::with(Arc::new(shape), numbers)
    }

    fn with(shape: Arc<MlpShape>, numbers: &[i32]) -> Result<Self, EvaluatorError> {
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
            layers: Arc::new(MlpLayers::new(&shape, numbers)),
            shape,
            numbers: numbers.into(),
            refreshes: false,
        })
    }

    /// The same network, but its first layer is recomputed for each position: to measure
    /// what the cache is worth.
    #[must_use]
    pub fn without_cache(mut self) -> Self {
        self.refreshes = true;
        self
    }

    pub fn shape(&self) -> &MlpShape {
        &self.shape
    }

    /// Its numbers, in parts of [`ONE`]: layer by layer, neuron by neuron the weights
    /// of its inputs and then its bias.
    pub fn numbers(&self) -> &[i32] {
        &self.numbers
    }

    pub fn names(&self) -> Vec<String> {
        self.shape.names().collect()
    }

    /// The output, before it is scaled: for [`Input::Paper`] as White sees it, else
    /// as the side to move does.
    pub fn output(&self, position: &Position, cache: &mut MlpCache) -> f32 {
        let sum = self.layers.run(position, cache, self.refreshes);
        self.shape.output.at(sum)
    }
}

impl PlayerEvaluator for Mlp {
    const KIND: &'static str = "mlp";

    fn read(table: &Table) -> Result<Self, EvaluatorError> {
        let known = [
            "input", "layers", "hidden", "output", "biases", "material", "scale", "numbers",
        ];
        let table = TableReader::new(Self::KIND, table, &known)?;
        let sizes = |value: &Value| {
            let size = |it: &Value| u32::try_from(it.as_integer()?).ok();
            value.as_array()?.iter().map(size).collect()
        };
        let function = |value: &Value| Function::from_name(value.as_str()?);
        let all = choices(Function::ALL.map(Function::name));
        let outputs = choices(OUTPUTS.map(Function::name));
        let Frame {
            input,
            material,
            scale,
        } = Frame::read(table)?;
        let shape = MlpShape {
            input,
            layers: table.setting("layers", None, sizes, "a list such as [64, 128, 1]")?,
            hidden: table.setting("hidden", Some(Function::Sigmoid), function, &all)?,
            output: table.setting("output", Some(Function::Tanh), function, &outputs)?,
            biases: table.flag("biases")?,
            material,
            scale,
        };
        shape.check()?;
        Self::new(shape, &read_numbers(table)?)
    }

    fn entries(&self) -> Vec<(&'static str, Value)> {
        let shape = &self.shape;
        let layers = shape.layers.iter().map(|&it| Value::from(it)).collect();
        vec![
            ("input", shape.input.name().into()),
            ("layers", Value::Array(layers)),
            ("hidden", shape.hidden.name().into()),
            ("output", shape.output.name().into()),
            ("biases", shape.biases.into()),
            ("material", shape.material.into()),
            ("scale", shape.scale.into()),
            ("numbers", write_numbers(&self.numbers)),
        ]
    }

    fn weights(&self) -> Vec<Weight> {
        neural::weights(self.names(), &self.numbers)
    }

    fn with_weights(&self, values: &[i32]) -> Result<Self, EvaluatorError> {
        Self::with(Arc::clone(&self.shape), values)
    }
}

impl Evaluator for Mlp {
    type Scratch = MlpCache;

    fn name(&self) -> String {
        Self::KIND.to_owned()
    }

    fn sees_colour(&self) -> bool {
        self.shape.input.sees_colour()
    }

    fn terms(&self) -> Vec<Term> {
        neural::terms()
    }

    #[inline]
    fn evaluate(
        &self,
        position: &Position,
        cache: &mut MlpCache,
        trace: &mut impl Trace,
    ) -> Centipawns {
        let output = self.output(position, cache);
        self.shape.frame().score(position, output, trace)
    }
}
