//! The numbers of a network, laid out to be added up quickly.

#![allow(
    clippy::inline_always,
    reason = "only what is inlined is compiled for the processor that its caller is compiled for"
)]

use mendel_board::{Color, Position, mix};

use super::Shape;
use super::dense::{Dense, Matrix};
use super::small::Small;
use crate::first::{Boards, First, padded};
use crate::function::Function;
use crate::input::Input;
use crate::seen::Seen;
use crate::wide::widely;

#[derive(Debug)]
pub(super) struct Layers {
    first: AnyFirst,
    /// The layers behind the first.
    rest: Vec<Dense>,
    hidden: Function,
    /// Keeps what one network added up from being used with another.
    fingerprint: u64,
}

#[derive(Debug)]
enum AnyFirst {
    /// The whole network.
    Small(Small),
    Squares(First),
    /// Counts of the position.
    Features(Input, Dense),
}

/// What one thread keeps between calls: the last boards, and what their squares added
/// up to.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// As White sees them, then as Black does.
    boards: Boards,
    /// Likewise, where sums are small.
    small: Boards<i16>,
    values: Values,
}

/// What goes into a layer, and what comes out.
#[derive(Clone, Debug, Default)]
struct Values {
    before: Vec<f32>,
    after: Vec<f32>,
}

impl Layers {
    pub(super) fn new(shape: &Shape, numbers: &[i32]) -> Self {
        let mut left = numbers;
        let mut take = |inputs: usize, outputs: usize, biased: bool| {
            let each = inputs + usize::from(biased);
            let (numbers, others) = left.split_at(each * outputs);
            left = others;
            Matrix {
                numbers,
                inputs,
                outputs,
                biased,
            }
        };
        let sizes: Vec<usize> = shape.layers.iter().map(|&size| size as usize).collect();

        // 1. The numbers of each layer; the second sees the first as often as there
        //    are views.
        let matrix = take(sizes[0], sizes[1], shape.biases);
        let views = |layer: usize| if layer == 2 { shape.views() } else { 1 };
        let others: Vec<Matrix<'_>> = (2..sizes.len())
            .map(|at| {
                let is_last = at + 1 == sizes.len();
                take(
                    views(at) * sizes[at - 1],
                    sizes[at],
                    shape.biases && !is_last,
                )
            })
            .collect();

        // 2. The first layer, or all in one.
        let small = Small::new(shape, &matrix, &others[0]);
        let is_small = small.is_some();
        let first = match (small, shape.input) {
            (Some(small), _) => AnyFirst::Small(small),
            (None, input) if input.is_counted() => {
                AnyFirst::Features(input, Dense::new(&matrix, 1))
            }
            (None, input) => AnyFirst::Squares(First {
                input,
                rows: matrix.columns(|number| number),
                bias: matrix.biases(),
            }),
        };

        // 3. The layers behind it.
        let behind = if is_small { &[][..] } else { &others };
        let rest = (2..).zip(behind);
        let rest = rest.map(|(at, it)| Dense::new(it, views(at))).collect();

        let name = [shape.input as i32, sizes[1] as i32];
        let fingerprint = numbers
            .iter()
            .chain(&name)
            .fold(0, |mixed, &number| mix(mixed ^ number as u64));
        Self {
            first,
            rest,
            hidden: shape.hidden,
            fingerprint,
        }
    }

    /// Whether it is added up in sixteen bits.
    #[cfg(test)]
    pub(super) fn is_small(&self) -> bool {
        matches!(self.first, AnyFirst::Small(_))
    }

    /// The sum that the last neuron gets. With `afresh`, nothing that was added up
    /// before is used; the result is the same.
    #[inline]
    pub(super) fn run(&self, position: &Position, memory: &mut Memory, afresh: bool) -> f32 {
        let Memory {
            boards,
            small,
            values,
        } = memory;
        match &self.first {
            AnyFirst::Small(network) => {
                let now = Seen::new(position.board());
                let first = &network.first;
                widely(|| {
                    let sums = small.sums(first, self.fingerprint, now, &Color::ALL, afresh);
                    let (white, black) = sums.split_at(first.width());
                    network.output(position.turn().fold_wb([white, black], [black, white]))
                })
            }
            AnyFirst::Features(input, first) => {
                let count = input.count();
                values.before.clear();
                values.before.resize(padded(count), 0.0);
                input.count_into(position, &mut values.before[..count]);
                widely(|| {
                    first.run(values);
                    self.behind(values)
                })
            }
            AnyFirst::Squares(first) => {
                let now = Seen::new(position.board());
                let (views, turned) = match (first.input, position.turn()) {
                    (Input::Paper, _) => (&[Color::White][..], 0),
                    (_, turn) => (&Color::ALL[..], usize::from(turn.is_black())),
                };
                let width = first.width();
                values.before.resize(views.len() * width, 0.0);
                widely(|| {
                    let sums = boards.sums(first, self.fingerprint, now, views, afresh);
                    for (at, values) in values.before.chunks_exact_mut(width).enumerate() {
                        first.values(&sums[(at ^ turned) * width..][..width], values);
                    }
                    self.behind(values)
                })
            }
        }
    }

    /// From the sums of the first layer to the last.
    #[inline(always)]
    fn behind(&self, values: &mut Values) -> f32 {
        for layer in &self.rest {
            self.hidden.apply(&mut values.before);
            layer.run(values);
        }
        values.before[0]
    }
}

impl Dense {
    /// Puts its outputs where its inputs were.
    #[inline(always)]
    fn run(&self, values: &mut Values) {
        values.after.resize(self.width(), 0.0);
        self.sums(&values.before, &mut values.after);
        std::mem::swap(&mut values.before, &mut values.after);
    }
}
