//! A first layer over the squares of the board, mended from one position to the next.
//!
//! It is added up in whole numbers, so that mending a sum and making it anew give the
//! same. Rows are padded with zeros to whole vectors.

#![allow(
    clippy::inline_always,
    reason = "only what is inlined is compiled for the processor that its caller is compiled for"
)]

use mendel_board::Color;

use crate::input::{self, Input, PAPER_UNIT};
use crate::mlp::ONE;
use crate::seen::{Change, Changes};

/// Numbers side by side: rows are padded to multiples of this.
pub(crate) const LANES: usize = 8;

/// Numbers that are kept in registers while one row after the other is added.
pub(crate) const BLOCK: usize = 32;

/// A length that whole vectors fill.
pub(crate) fn padded(count: usize) -> usize {
    count.next_multiple_of(LANES)
}

/// The numbers of such a layer.
#[derive(Debug)]
pub(crate) struct First {
    /// [`Input::Paper`] or [`Input::Sides`].
    pub(crate) input: Input,
    /// A row of weights for each input, as long as the biases.
    pub(crate) rows: Vec<i32>,
    /// A bias for each neuron, padded.
    pub(crate) bias: Vec<f32>,
}

impl First {
    /// How many neurons there are, padded.
    pub(crate) fn width(&self) -> usize {
        self.bias.len()
    }

    /// Brings sums up to the board as `view` sees it.
    #[inline(always)]
    pub(crate) fn mend(&self, changes: &Changes, view: Color, sums: &mut [i32]) {
        if changes.afresh {
            sums.fill(0);
        }
        if self.input == Input::Paper {
            let square = |it: &Change| (usize::from(it.square), input::paper(*it));
            let minus = |sum: i32, weight: i32, value| sum.wrapping_sub(weight.wrapping_mul(value));
            let plus = |sum: i32, weight: i32, value| sum.wrapping_add(weight.wrapping_mul(value));
            self.add(sums, &changes.gone().iter().map(square), minus);
            self.add(sums, &changes.come().iter().map(square), plus);
        } else {
            let row = |it: &Change| (input::sides(*it, view), 1);
            let minus = |sum: i32, weight: i32, _| sum.wrapping_sub(weight);
            let plus = |sum: i32, weight: i32, _| sum.wrapping_add(weight);
            self.add(sums, &changes.gone().iter().map(row), minus);
            self.add(sums, &changes.come().iter().map(row), plus);
        }
    }

    /// Adds rows to sums, block by block. Nothing overflows: the largest weight
    /// ([`MOST`](crate::mlp::MOST)) times all that a board can hold fits.
    #[inline(always)]
    fn add(
        &self,
        sums: &mut [i32],
        rows: &(impl Iterator<Item = (usize, i32)> + Clone),
        add: impl Fn(i32, i32, i32) -> i32 + Copy,
    ) {
        let (blocks, rest) = sums.as_chunks_mut::<BLOCK>();
        let done = blocks.len() * BLOCK;
        for (at, block) in blocks.iter_mut().enumerate() {
            self.add_block(block, at * BLOCK, rows.clone(), add);
        }
        for (at, block) in rest.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
            self.add_block(block, done + at * LANES, rows.clone(), add);
        }
    }

    #[inline(always)]
    fn add_block<const N: usize>(
        &self,
        sums: &mut [i32; N],
        start: usize,
        rows: impl Iterator<Item = (usize, i32)>,
        add: impl Fn(i32, i32, i32) -> i32,
    ) {
        let mut block = *sums;
        for (row, factor) in rows {
            let row = &self.rows[row * self.width() + start..][..N];
            for (sum, weight) in block.iter_mut().zip(row) {
                *sum = add(*sum, *weight, factor);
            }
        }
        *sums = block;
    }

    /// What the neurons get: their sums in ones, and their biases.
    #[inline(always)]
    pub(crate) fn values(&self, sums: &[i32], values: &mut [f32]) {
        let unit = match self.input {
            Input::Paper => PAPER_UNIT as f32 / ONE as f32,
            _ => 1.0 / ONE as f32,
        };
        for ((value, &sum), bias) in values.iter_mut().zip(sums).zip(&self.bias) {
            *value = sum as f32 * unit + bias;
        }
    }
}
