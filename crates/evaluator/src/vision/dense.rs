//! Layers in which each output sees all inputs, and 1×1 convolutions, which are such
//! layers square by square.

#![allow(
    clippy::inline_always,
    reason = "only what is inlined is compiled for the processor that its caller is compiled for"
)]
#![allow(
    clippy::needless_range_loop,
    reason = "counted loops over arrays are unrolled and kept in registers, iterators not always"
)]

use half::f16;

use super::convolution::{activate, sixteens};
use super::lanes::{LANES, Lanes, Sixteen, Work, blocks};
use super::shape::Activation;

/// Blocks of outputs that a single column keeps busy.
const OUTPUTS: usize = 4;

/// The numbers of a layer.
#[derive(Debug)]
pub(super) struct Dense {
    /// Blocks of inputs.
    inputs: usize,
    /// `[block of outputs][block of inputs]`: sixteen inputs, sixteen outputs each.
    weights: Vec<[Sixteen; LANES]>,
    bias: Vec<Sixteen>,
}

impl Dense {
    /// From weights `[outputs][inputs]`; `place` says which input of the layer (sixteen
    /// a block, out of `places` blocks) an input of the weights is.
    pub(super) fn new(
        weights: &[f16],
        bias: &[f16],
        places: usize,
        place: impl Fn(usize) -> usize,
    ) -> Self {
        let inputs = weights.len() / bias.len().max(1);
        let empty = [Sixteen::default(); LANES];
        let mut all = vec![empty; blocks(bias.len()) * places];
        for (at, weight) in weights.iter().enumerate() {
            let (output, input) = (at / inputs, place(at % inputs));
            let block = output / LANES * places + input / LANES;
            all[block][input % LANES].0[output % LANES] = weight.to_f32();
        }
        Self {
            inputs: places,
            weights: all,
            bias: sixteens(bias),
        }
    }

    /// Blocks of its outputs.
    pub(super) fn blocks(&self) -> usize {
        self.bias.len()
    }
}

/// One layer for some columns: `[block][column]` in and out.
#[derive(Debug)]
pub(super) struct Apply<'a> {
    pub(super) dense: &'a Dense,
    pub(super) columns: usize,
    pub(super) from: &'a [Sixteen],
    pub(super) into: &'a mut [Sixteen],
    pub(super) activation: Option<Activation>,
}

impl Work for Apply<'_> {
    #[inline(always)]
    fn run<L: Lanes>(mut self) {
        let mut column = 0;
        while column + 4 <= self.columns {
            for out in 0..self.dense.blocks() {
                self.columns::<L, 4>(out, column);
            }
            column += 4;
        }
        while column < self.columns {
            let mut out = 0;
            while out + OUTPUTS <= self.dense.blocks() {
                self.outputs::<L, OUTPUTS>(out, column);
                out += OUTPUTS;
            }
            while out < self.dense.blocks() {
                self.outputs::<L, 1>(out, column);
                out += 1;
            }
            column += 1;
        }
        if let Some(activation) = self.activation {
            activate(
                activation,
                &mut self.into[..self.dense.blocks() * self.columns],
            );
        }
    }
}

impl Apply<'_> {
    /// One block of outputs for `N` columns.
    #[inline(always)]
    fn columns<L: Lanes, const N: usize>(&mut self, out: usize, column: usize) {
        let dense = self.dense;
        let mut sums = [L::load(&dense.bias[out]); N];
        for block in 0..dense.inputs {
            let weights = &dense.weights[out * dense.inputs + block];
            let from = self.from[block * self.columns + column..].first_chunk::<N>();
            let from = from.expect("a multiple of the columns");
            for input in 0..LANES {
                let weight = L::load(&weights[input]);
                for at in 0..N {
                    sums[at] = L::splat(from[at].0[input]).mul_add(weight, sums[at]);
                }
            }
        }
        for at in 0..N {
            sums[at].store(&mut self.into[out * self.columns + column + at]);
        }
    }

    /// `N` blocks of outputs for one column.
    #[inline(always)]
    fn outputs<L: Lanes, const N: usize>(&mut self, out: usize, column: usize) {
        let dense = self.dense;
        let mut sums = [L::splat(0.0); N];
        for at in 0..N {
            sums[at] = L::load(&dense.bias[out + at]);
        }
        for block in 0..dense.inputs {
            let from = &self.from[block * self.columns + column];
            for at in 0..N {
                let weights = &dense.weights[(out + at) * dense.inputs + block];
                for input in 0..LANES {
                    let value = L::splat(from.0[input]);
                    sums[at] = value.mul_add(L::load(&weights[input]), sums[at]);
                }
            }
        }
        for at in 0..N {
            sums[at].store(&mut self.into[(out + at) * self.columns + column]);
        }
    }
}

/// The products of all pairs: the sum over the blocks of one column of `left` and one
/// of `right`, times `scale`, for 64 columns each.
#[derive(Debug)]
pub(super) struct Pair<'a> {
    pub(super) left: &'a [Sixteen],
    pub(super) right: &'a [Sixteen],
    pub(super) scale: f32,
    pub(super) into: &'a mut [f32],
}

impl Work for Pair<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let rows = self.left.len() / 64;
        for (from, into) in self.into.chunks_exact_mut(64).take(64).enumerate() {
            for (to, into) in into.iter_mut().enumerate() {
                let mut sum = L::splat(0.0);
                for block in 0..rows {
                    let left = L::load(&self.left[64 * block + from]);
                    sum = left.mul_add(L::load(&self.right[64 * block + to]), sum);
                }
                let mut all = Sixteen::default();
                sum.store(&mut all);
                *into = add_up(&all) * self.scale;
            }
        }
    }
}

/// Halves upon halves, in one order.
#[inline(always)]
fn add_up(all: &Sixteen) -> f32 {
    let eight: [f32; 8] = std::array::from_fn(|at| all.0[at] + all.0[at + 8]);
    let four: [f32; 4] = std::array::from_fn(|at| eight[at] + eight[at + 4]);
    (four[0] + four[2]) + (four[1] + four[3])
}
