//! Layers in which each output sees all inputs, and 1×1 convolutions, which are such
//! layers square by square.

use half::f16;

use super::convolution::{activate, sixteens};
use super::shape::Activation;
use crate::simd::{Aligned16, LANES, Lanes, SimdKernel, blocks};

/// Blocks of outputs that a single column keeps busy, as registers allow.
const MANY: usize = 8;
/// See [`MANY`].
const SOME: usize = 4;

#[derive(Debug)]
pub(super) struct Dense {
    inputs: usize,
    /// `[input][block of outputs]`, so that an input that is zero, as most are behind a
    /// ReLU, is passed over with all its weights.
    weights: Vec<Aligned16>,
    bias: Vec<Aligned16>,
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
        let outputs = blocks(bias.len());
        let mut all = vec![Aligned16::default(); outputs * places * LANES];
        for (at, weight) in weights.iter().enumerate() {
            let (output, input) = (at / inputs, place(at % inputs));
            all[input * outputs + output / LANES].0[output % LANES] = weight.to_f32();
        }
        Self {
            inputs: places,
            weights: all,
            bias: sixteens(bias),
        }
    }

    pub(super) fn blocks(&self) -> usize {
        self.bias.len()
    }
}

/// One layer for some columns: `[block][column]` in and out.
#[derive(Debug)]
pub(super) struct DenseKernel<'a> {
    pub(super) dense: &'a Dense,
    pub(super) columns: usize,
    pub(super) from: &'a [Aligned16],
    pub(super) into: &'a mut [Aligned16],
    pub(super) activation: Option<Activation>,
}

impl SimdKernel for DenseKernel<'_> {
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
            while L::SUMS >= MANY && out + MANY <= self.dense.blocks() {
                self.outputs::<L, MANY>(out, column);
                out += MANY;
            }
            while out + SOME <= self.dense.blocks() {
                self.outputs::<L, SOME>(out, column);
                out += SOME;
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

impl DenseKernel<'_> {
    /// One block of outputs for `N` columns.
    #[inline(always)]
    fn columns<L: Lanes, const N: usize>(&mut self, out: usize, column: usize) {
        let dense = self.dense;
        let mut sums = [L::load(&dense.bias[out]); N];
        for block in 0..dense.inputs {
            let from = self.from[block * self.columns + column..].first_chunk::<N>();
            let from = from.expect("a multiple of the columns");
            for input in 0..LANES {
                let place = (block * LANES + input) * dense.blocks() + out;
                let weight = L::load(&dense.weights[place]);
                for at in 0..N {
                    sums[at] = L::splat(from[at].0[input]).mul_add(weight, sums[at]);
                }
            }
        }
        for at in 0..N {
            sums[at].store(&mut self.into[out * self.columns + column + at]);
        }
    }

    /// `N` blocks of outputs for one column. Adding zero changes no sum, so that zeros
    /// may be passed over here and not in [`columns`](Self::columns).
    #[inline(always)]
    fn outputs<L: Lanes, const N: usize>(&mut self, out: usize, column: usize) {
        let dense = self.dense;
        let mut sums = [L::splat(0.0); N];
        for at in 0..N {
            sums[at] = L::load(&dense.bias[out + at]);
        }
        for block in 0..dense.inputs {
            let from = &self.from[block * self.columns + column];
            let mut left = 0_u32;
            for input in 0..LANES {
                left |= u32::from(from.0[input] != 0.0) << input;
            }
            while left != 0 {
                let input = left.trailing_zeros() as usize % LANES;
                left &= left - 1;
                let value = L::splat(from.0[input]);
                let place = (block * LANES + input) * dense.blocks() + out;
                let weights = dense.weights[place..].first_chunk::<N>();
                let weights = weights.expect("a weight for each output");
                for at in 0..N {
                    sums[at] = value.mul_add(L::load(&weights[at]), sums[at]);
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
pub(super) struct PairProducts<'a> {
    pub(super) left: &'a [Aligned16],
    pub(super) right: &'a [Aligned16],
    pub(super) scale: f32,
    pub(super) into: &'a mut [f32],
}

impl SimdKernel for PairProducts<'_> {
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
                let mut all = Aligned16::default();
                sum.store(&mut all);
                *into = add_up(&all) * self.scale;
            }
        }
    }
}

/// Halves upon halves, in one order.
#[inline(always)]
fn add_up(all: &Aligned16) -> f32 {
    let eight: [f32; 8] = std::array::from_fn(|at| all.0[at] + all.0[at + 8]);
    let four: [f32; 4] = std::array::from_fn(|at| eight[at] + eight[at + 4]);
    (four[0] + four[2]) + (four[1] + four[3])
}
