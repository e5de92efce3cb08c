//! The output layers of networks.

use half::f16;

use super::convolution::Convolution;
use super::dense::{Dense, PairProducts};
use super::net::LayerRunner;
use super::shape::{Activation, Head, SQUARES, Shape, VALUE_PLANES};
use crate::simd::{Aligned16, LANES, blocks};

#[derive(Debug)]
pub(super) enum HeadLayers {
    FromTo(Convolution),
    Value(Dense),
    Teaching {
        second: Convolution,
        hidden: Dense,
        value: Dense,
    },
    Dense([Dense; 3]),
    Pairs {
        from: Dense,
        to: Dense,
        /// One over the root of the numbers of a square.
        scale: f32,
        promotions: [f32; 3],
        planes: Dense,
        hidden: Dense,
        result: Dense,
    },
}

/// The tensors of a file, from which layers are made one after the other.
#[derive(Debug)]
pub(super) struct TensorReader<'a> {
    rest: std::vec::IntoIter<&'a [f16]>,
}

impl<'a> TensorReader<'a> {
    pub(super) fn new(tensors: Vec<&'a [f16]>) -> Self {
        Self {
            rest: tensors.into_iter(),
        }
    }

    fn next(&mut self) -> &'a [f16] {
        self.rest
            .next()
            .expect("a shape lists all tensors of its layers")
    }

    pub(super) fn convolution(&mut self, inputs: usize) -> Convolution {
        let (weights, bias) = (self.next(), self.next());
        Convolution::new(weights, bias, inputs)
    }

    fn dense(&mut self, inputs: usize) -> Dense {
        let (weights, bias) = (self.next(), self.next());
        Dense::new(weights, bias, blocks(inputs), |input| input)
    }

    /// A layer over all squares of the channels, and scalars behind them.
    fn flat(&mut self, channels: usize, scalars: usize) -> Dense {
        let (weights, bias) = (self.next(), self.next());
        let boards = blocks(channels) * SQUARES;
        Dense::new(weights, bias, boards + blocks(scalars), |input| {
            let (channel, square) = (input / SQUARES, input % SQUARES);
            if channel < channels {
                (channel / LANES * SQUARES + square) * LANES + channel % LANES
            } else {
                boards * LANES + input - channels * SQUARES
            }
        })
    }
}

impl HeadLayers {
    pub(super) fn new(shape: &Shape, layers: &mut TensorReader) -> Self {
        let filters = shape.filters;
        match shape.head {
            Head::FromTo => Self::FromTo(layers.convolution(filters)),
            Head::Value => Self::Value(layers.flat(filters, 0)),
            Head::Teaching { channels, hidden } => Self::Teaching {
                second: layers.convolution(filters),
                hidden: layers.flat(channels, shape.view.scalars()),
                value: layers.dense(hidden),
            },
            Head::Dense { hidden } => Self::Dense([
                layers.dense(shape.view.scalars()),
                layers.dense(hidden),
                layers.dense(hidden),
            ]),
            Head::Pairs { width, value } => {
                let (from, to) = (layers.dense(filters), layers.dense(filters));
                let offsets = layers.next();
                Self::Pairs {
                    from,
                    to,
                    scale: 1.0 / (width as f32).sqrt(),
                    promotions: std::array::from_fn(|at| offsets[at].to_f32()),
                    planes: layers.dense(filters),
                    hidden: layers.flat(VALUE_PLANES, 0),
                    result: layers.dense(value),
                }
            }
        }
    }

    /// Blocks of columns that the layers see or answer, for one position.
    pub(super) fn columns(shape: &Shape) -> usize {
        let inside = match shape.head {
            Head::FromTo => 0,
            Head::Value => blocks(shape.filters) * SQUARES,
            Head::Teaching { channels, hidden } => {
                (blocks(channels) * SQUARES + 1).max(blocks(hidden))
            }
            Head::Dense { hidden } => blocks(shape.view.scalars()).max(blocks(hidden)),
            Head::Pairs { width, value } => (2 * blocks(width) * SQUARES)
                .max(SQUARES)
                .max(blocks(value)),
        };
        inside.max(1)
    }

    /// Blocks of channels that the convolutions answer.
    pub(super) fn channels(shape: &Shape) -> usize {
        match shape.head {
            Head::Teaching { channels, .. } => blocks(channels),
            _ => 1,
        }
    }

    /// Answers for what the body saw, which is `one` board a position; `other` is
    /// room for as many.
    pub(super) fn fill(
        &self,
        shape: &Shape,
        inputs: &[f32],
        [one, other]: [&mut [Aligned16]; 2],
        [wide, narrow]: [&mut [Aligned16]; 2],
        runner: &mut LayerRunner,
        answers: &mut [f32],
    ) {
        let relu = Some(Activation::Relu);
        let count = runner.positions;
        let seen = blocks(shape.filters) * SQUARES;
        match self {
            Self::FromTo(squares) => {
                runner.convolve(squares, one, other, false, None);
                let boards = other.chunks_exact(SQUARES);
                for (board, into) in boards.zip(answers.chunks_exact_mut(2 * SQUARES)) {
                    for (square, both) in board.iter().enumerate() {
                        (into[square], into[SQUARES + square]) = (both.0[0], both.0[1]);
                    }
                }
            }
            Self::Value(value) => {
                gather(one, count, seen, wide);
                runner.apply(value, count, wide, narrow, None);
                first_of_each(narrow, answers);
            }
            Self::Teaching {
                second,
                hidden,
                value,
            } => {
                runner.convolve(second, one, other, false, relu);
                let seen = second.blocks() * SQUARES;
                gather(other, count, seen, wide);
                let each = inputs.chunks_exact(shape.view.inputs());
                for (input, column) in each.zip(&mut wide[seen * count..]) {
                    let scalars = &input[shape.view.planes() * SQUARES..];
                    *column = Aligned16::default();
                    column.0[..scalars.len()].copy_from_slice(scalars);
                }
                runner.apply(hidden, count, wide, narrow, relu);
                runner.apply(value, count, narrow, wide, None);
                first_of_each(wide, answers);
            }
            Self::Dense([hidden, second, value]) => {
                for (position, input) in inputs.chunks_exact(shape.view.inputs()).enumerate() {
                    for (place, numbers) in input.chunks(LANES).enumerate() {
                        let column = &mut wide[place * count + position];
                        *column = Aligned16::default();
                        column.0[..numbers.len()].copy_from_slice(numbers);
                    }
                }
                runner.apply(hidden, count, wide, narrow, relu);
                runner.apply(second, count, narrow, wide, relu);
                runner.apply(value, count, wide, narrow, None);
                first_of_each(narrow, answers);
            }
            Self::Pairs {
                from,
                to,
                scale,
                promotions,
                planes,
                hidden,
                result,
            } => {
                // 1. The moves, board by board.
                let width = from.blocks() * SQUARES;
                let outputs = shape.head.outputs();
                let boards = one.chunks_exact(seen).zip(other.chunks_exact_mut(SQUARES));
                for ((board, other), into) in boards.zip(answers.chunks_exact_mut(outputs)) {
                    let (left, right) = wide.split_at_mut(width);
                    runner.apply(from, SQUARES, board, left, None);
                    runner.apply(to, SQUARES, board, right, None);
                    let (pairs, rest) = into.split_at_mut(SQUARES * SQUARES);
                    runner.level.run(PairProducts {
                        left,
                        right: &right[..width],
                        scale: *scale,
                        into: pairs,
                    });
                    rest[..3].copy_from_slice(promotions);
                    runner.apply(planes, SQUARES, board, other, relu);
                }
                // 2. The results, together.
                gather(other, count, SQUARES, wide);
                runner.apply(hidden, count, wide, narrow, relu);
                runner.apply(result, count, narrow, wide, None);
                for (column, into) in wide.iter().zip(answers.chunks_exact_mut(outputs)) {
                    into[outputs - 3..].copy_from_slice(&column.0[..3]);
                }
            }
        }
    }
}

fn first_of_each(columns: &[Aligned16], answers: &mut [f32]) {
    for (column, into) in columns.iter().zip(answers) {
        *into = column.0[0];
    }
}

/// Position by position to place by place.
fn gather(boards: &[Aligned16], positions: usize, places: usize, into: &mut [Aligned16]) {
    for (position, board) in boards.chunks_exact(places).take(positions).enumerate() {
        for (place, value) in board.iter().enumerate() {
            into[place * positions + position] = *value;
        }
    }
}
