//! A network whose numbers are small: added up in sixteen bits.
//!
//! Two views of the board, one layer of neurons cut to 0…1, one output: such a network
//! needs no fractions. All its numbers are parts of [`ONE`], and so are the values of
//! its neurons; where no sum over a board can leave sixteen bits, twice as many
//! neurons fit into a vector, and the output is a sum of whole products.
//!
//! # Source
//!
//! Yu Nasu's efficiently updatable networks (NNUE, 2018), as Stockfish has them.
//!
//! # Where this differs
//!
//! Nothing is quantised: what does not fit is added up by the general layers instead.
//! Both give the same output up to the rounding of those.

use mendel_board::Color;

use super::MlpShape;
use super::dense::Matrix;
use crate::accumulator::{FirstLayer, TwoSided, padded};
use crate::function::Function;
use crate::input::Input;
use crate::neural::ONE;

const PIECES: i32 = 64;

/// The numbers are parts of [`ONE`].
#[derive(Debug)]
pub(super) struct QuantisedMlp(pub(super) TwoSided);

impl QuantisedMlp {
    /// `None` if the network is of another shape, or if a sum might not fit.
    pub(super) fn new(shape: &MlpShape, first: &Matrix<'_>, output: &Matrix<'_>) -> Option<Self> {
        let fits = shape.input == Input::Sides
            && shape.layers.len() == 3
            && shape.hidden == Function::Clipped;
        if !fits {
            return None;
        }
        let width = padded(first.outputs);
        let rows = first.columns(|number| number);
        let bias: Vec<i32> = first
            .biases()
            .iter()
            .map(|bias| (bias * ONE as f32) as i32)
            .collect();

        // 1. No board adds up to more than sixteen bits hold.
        let largest = rows.iter().map(|number| number.abs()).max().unwrap_or(0);
        let offset = bias.iter().map(|number| number.abs()).max().unwrap_or(0);
        if i64::from(largest) * i64::from(PIECES) + i64::from(offset) > i64::from(i16::MAX) {
            return None;
        }

        // 2. Nor do the products leave 32: each value is one at most.
        let weights = output.numbers;
        let all: i64 = weights.iter().map(|weight| i64::from(weight.abs())).sum();
        let small = weights.iter().all(|&weight| i16::try_from(weight).is_ok());
        if !small || all * i64::from(ONE) > i64::from(i32::MAX) {
            return None;
        }

        let narrow = |numbers: &[i32]| numbers.iter().map(|&it| it as i16).collect();
        let mut padded_weights = Vec::with_capacity(2 * width);
        for view in weights.chunks_exact(first.outputs) {
            padded_weights.extend(view);
            padded_weights.resize(padded_weights.len().next_multiple_of(width), 0);
        }
        Some(Self(TwoSided {
            first: FirstLayer {
                rows: narrow(&rows),
                width,
            },
            biases: narrow(&bias),
            weights: narrow(&padded_weights),
            one: ONE as i16,
        }))
    }

    /// The output, from the sums of the first layer for White and Black.
    #[inline(always)]
    pub(super) fn output(&self, sums: &[i16], turn: Color) -> f32 {
        let product = |value: i16, weight: i16| i32::from(value) * i32::from(weight);
        self.0.output(sums, turn, product) as f32 / (ONE * ONE) as f32
    }
}

#[cfg(test)]
mod tests {
    use mendel_board::sample::random_positions;

    use crate::accumulator::Perspective;
    use crate::mlp::layers::{MlpCache, MlpLayers};
    use crate::mlp::{MlpShape, ONE};
    use crate::snapshot::BoardSnapshot;
    use crate::{Function, Input};

    fn network(neurons: u32, size: u64) -> (MlpShape, Vec<i32>) {
        let shape = MlpShape::new(Input::Sides, &[neurons], Function::Clipped);
        let number = |at| (mendel_board::mix(at) % (2 * size + 1)) as i32 - size as i32;
        let numbers = (0..shape.numbers() as u64).map(number).collect();
        (shape, numbers)
    }

    #[test]
    fn small_numbers_give_what_the_network_says_whether_mended_or_not() {
        for neurons in [5, 40, 200] {
            let (shape, numbers) = network(neurons, 150);
            let layers = MlpLayers::new(&shape, &numbers);
            assert!(layers.is_quantised());
            let (mut updated, mut refreshed) = (MlpCache::default(), MlpCache::default());
            for position in random_positions(3, 60) {
                let gives = layers.run(&position, &mut updated, false);
                let again = layers.run(&position, &mut refreshed, true);
                assert_eq!(gives.to_bits(), again.to_bits());
                let says = slowly(&shape, &numbers, &position);
                assert!((f64::from(gives) - says).abs() < 1e-6, "{gives} {says}");
            }
        }
    }

    #[test]
    fn numbers_that_might_not_fit_are_left_to_the_general_layers() {
        let (shape, mut numbers) = network(8, 500);
        assert!(MlpLayers::new(&shape, &numbers).is_quantised());
        numbers[3] = 600;
        assert!(!MlpLayers::new(&shape, &numbers).is_quantised());
        let (shape, numbers) = network(8, 500);
        let relu = MlpShape {
            hidden: Function::Relu,
            ..shape
        };
        assert!(!MlpLayers::new(&relu, &numbers).is_quantised());
    }

    /// The output by the book.
    fn slowly(shape: &MlpShape, numbers: &[i32], position: &mendel_board::Position) -> f64 {
        let one = f64::from(ONE);
        let neurons = shape.neurons();
        let (output, hidden) = neurons.split_last().expect("there is an output");
        let pieces = BoardSnapshot::new(position.board()).since(&BoardSnapshot::default());
        let mut weights = numbers[output.numbers.clone()].iter();
        let mut sum = 0.0;
        for view in [position.turn(), !position.turn()].map(Perspective::of) {
            for neuron in hidden {
                let numbers = &numbers[neuron.numbers.clone()];
                let bias = numbers[numbers.len() - 1];
                let rows = pieces.added.iter().map(|it| numbers[view.index(*it)]);
                let value = f64::from(rows.sum::<i32>() + bias) / one;
                let weight = f64::from(*weights.next().expect("a weight for each")) / one;
                sum += value.clamp(0.0, 1.0) * weight;
            }
        }
        sum
    }
}
