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

#![allow(
    clippy::inline_always,
    reason = "only what is inlined is compiled for the processor that its caller is compiled for"
)]

use super::dense::Matrix;
use super::{ONE, Shape};
use crate::first::{First, padded};
use crate::function::Function;
use crate::input::Input;

/// Sums in four registers.
const BLOCK: usize = 64;

/// More pieces no board holds.
const PIECES: i32 = 64;

#[derive(Debug)]
pub(super) struct Small {
    /// The first layer; its own biases are not used.
    pub(super) first: First<i16, BLOCK>,
    /// The biases in parts of [`ONE`], padded.
    biases: Vec<i16>,
    /// A weight for each neuron as the side to move sees the board, then as the other
    /// does, padded.
    weights: Vec<i16>,
}

impl Small {
    /// Nothing if the network is of another shape, or if a sum might not fit.
    pub(super) fn new(shape: &Shape, first: &Matrix<'_>, output: &Matrix<'_>) -> Option<Self> {
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

        let mut padded_weights = Vec::with_capacity(2 * width);
        for view in weights.chunks_exact(first.outputs) {
            padded_weights.extend(view.iter().map(|&weight| weight as i16));
            padded_weights.resize(padded_weights.len().next_multiple_of(width), 0);
        }
        Some(Self {
            first: First {
                input: Input::Sides,
                rows: rows.into_iter().map(|number| number as i16).collect(),
                bias: vec![0.0; width],
            },
            biases: bias.into_iter().map(|number| number as i16).collect(),
            weights: padded_weights,
        })
    }

    /// The output, from the sums of the first layer, the side to move's first.
    #[inline(always)]
    pub(super) fn output(&self, views: [&[i16]; 2]) -> f32 {
        // A plain sum: whole numbers may be added in any order, and compilers know the
        // instruction for pairs of products.
        let mut sum = 0_i32;
        for (view, weights) in views
            .into_iter()
            .zip(self.weights.chunks_exact(self.biases.len()))
        {
            for ((&seen, &bias), &weight) in view.iter().zip(&self.biases).zip(weights) {
                let value = seen.wrapping_add(bias).clamp(0, ONE as i16);
                sum = sum.wrapping_add(i32::from(value) * i32::from(weight));
            }
        }
        sum as f32 / (ONE * ONE) as f32
    }
}

#[cfg(test)]
mod tests {
    use mendel_board::sample::random_positions;

    use crate::mlp::layers::{Layers, Memory};
    use crate::mlp::{ONE, Shape};
    use crate::seen::Seen;
    use crate::{Function, Input, input};

    fn network(neurons: u32, size: u64) -> (Shape, Vec<i32>) {
        let shape = Shape::new(Input::Sides, &[neurons], Function::Clipped);
        let number = |at| (mendel_board::mix(at) % (2 * size + 1)) as i32 - size as i32;
        let numbers = (0..shape.numbers() as u64).map(number).collect();
        (shape, numbers)
    }

    #[test]
    fn small_numbers_give_what_the_network_says_whether_mended_or_not() {
        for neurons in [5, 40, 200] {
            let (shape, numbers) = network(neurons, 150);
            let layers = Layers::new(&shape, &numbers);
            assert!(layers.is_small());
            let (mut mended, mut anew) = (Memory::default(), Memory::default());
            for position in random_positions(3, 60) {
                let gives = layers.run(&position, &mut mended, false);
                let again = layers.run(&position, &mut anew, true);
                assert_eq!(gives.to_bits(), again.to_bits());
                let says = slowly(&shape, &numbers, &position);
                assert!((f64::from(gives) - says).abs() < 1e-6, "{gives} {says}");
            }
        }
    }

    #[test]
    fn numbers_that_might_not_fit_are_left_to_the_general_layers() {
        let (shape, mut numbers) = network(8, 500);
        assert!(Layers::new(&shape, &numbers).is_small());
        numbers[3] = 600;
        assert!(!Layers::new(&shape, &numbers).is_small());
        let (shape, numbers) = network(8, 500);
        let relu = Shape {
            hidden: Function::Relu,
            ..shape
        };
        assert!(!Layers::new(&relu, &numbers).is_small());
    }

    /// The output by the book.
    fn slowly(shape: &Shape, numbers: &[i32], position: &mendel_board::Position) -> f64 {
        let one = f64::from(ONE);
        let neurons = shape.neurons();
        let (output, hidden) = neurons.split_last().expect("there is an output");
        let pieces = Seen::new(position.board()).since(&Seen::default());
        let mut weights = numbers[output.numbers.clone()].iter();
        let mut sum = 0.0;
        for view in [position.turn(), !position.turn()] {
            for neuron in hidden {
                let numbers = &numbers[neuron.numbers.clone()];
                let bias = numbers[numbers.len() - 1];
                let rows = pieces
                    .come()
                    .iter()
                    .map(|it| numbers[input::sides(*it, view)]);
                let value = f64::from(rows.sum::<i32>() + bias) / one;
                let weight = f64::from(*weights.next().expect("a weight for each")) / one;
                sum += value.clamp(0.0, 1.0) * weight;
            }
        }
        sum
    }
}
