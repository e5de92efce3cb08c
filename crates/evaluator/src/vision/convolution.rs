//! 3×3 convolutions of boards.
//!
//! Boards are kept as `[position][block][square]` of sixteen channels each.

#![allow(
    clippy::inline_always,
    reason = "only what is inlined is compiled for the processor that its caller is compiled for"
)]

use half::f16;

use super::lanes::{LANES, Lanes, Sixteen, Work, blocks};
use super::shape::{Activation, SQUARES};
use super::winograd;
use crate::function::exp;

/// Products of a tile: 6×6.
pub(super) const SPOTS: usize = 36;
/// Tiles of a board: 2×2.
pub(super) const TILES: usize = 4;
/// Taps of a convolution.
const TAPS: usize = 9;

/// The numbers of a convolution.
#[derive(Debug)]
pub(super) struct Convolution {
    inputs: usize,
    outputs: usize,
    /// By block of outputs and input: nine taps for sixteen outputs.
    taps: Vec<[[f16; LANES]; TAPS]>,
    bias: Vec<Sixteen>,
}

impl Convolution {
    /// From weights `[outputs][inputs][3][3]`.
    pub(super) fn new(weights: &[f16], bias: &[f16], inputs: usize) -> Self {
        let outputs = bias.len();
        let mut taps = vec![[[f16::ZERO; LANES]; TAPS]; blocks(outputs) * inputs];
        for (at, weight) in weights.iter().enumerate() {
            let (output, input, tap) = (at / TAPS / inputs, at / TAPS % inputs, at % TAPS);
            taps[output / LANES * inputs + input][tap][output % LANES] = *weight;
        }
        Self {
            inputs,
            outputs,
            taps,
            bias: sixteens(bias),
        }
    }

    /// Blocks of its outputs.
    pub(super) fn blocks(&self) -> usize {
        blocks(self.outputs)
    }
}

/// Numbers in blocks, the last one filled up with zeros.
pub(super) fn sixteens(numbers: &[f16]) -> Vec<Sixteen> {
    let mut all = vec![Sixteen::default(); blocks(numbers.len())];
    for (at, number) in numbers.iter().enumerate() {
        all[at / LANES].0[at % LANES] = number.to_f32();
    }
    all
}

/// What convolutions need besides, for so many positions.
#[derive(Debug)]
pub(super) struct Scratch {
    /// Transformed inputs: `[block][spot][tile]`.
    seen: Vec<Sixteen>,
    /// Transformed taps of one block of outputs and one of inputs: `[spot][input]`.
    taps: Vec<[Sixteen; LANES]>,
    /// Sums of one block of outputs: `[spot][tile]`.
    sums: Vec<Sixteen>,
}

impl Scratch {
    pub(super) fn new(positions: usize, most_blocks: usize) -> Self {
        let spots = SPOTS * TILES * positions;
        Self {
            seen: vec![Sixteen::default(); most_blocks * spots],
            taps: vec![[Sixteen::default(); LANES]; SPOTS],
            sums: vec![Sixteen::default(); spots],
        }
    }
}

/// One convolution of some boards.
#[derive(Debug)]
pub(super) struct Convolve<'a> {
    pub(super) convolution: &'a Convolution,
    pub(super) positions: usize,
    pub(super) from: &'a [Sixteen],
    pub(super) into: &'a mut [Sixteen],
    /// Whether what is in `into` is added before the activation.
    pub(super) is_residual: bool,
    pub(super) activation: Option<Activation>,
    pub(super) scratch: &'a mut Scratch,
}

impl Work for Convolve<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self {
            convolution,
            positions,
            from,
            into,
            ..
        } = self;
        let Scratch { seen, taps, sums } = self.scratch;
        let tiles = TILES * positions;
        let (ins, outs) = (blocks(convolution.inputs), convolution.blocks());
        let sums = &mut sums[..SPOTS * tiles];

        // 1. All inputs are transformed once.
        for position in 0..positions {
            for block in 0..ins {
                let (board, _) = from[(position * ins + block) * SQUARES..].as_chunks();
                let seen = &mut seen[block * SPOTS * tiles..][..SPOTS * tiles];
                transform_board::<L>(&board[0], &mut seen[TILES * position..], tiles);
            }
        }
        for out in 0..outs {
            // 2. The products, block of inputs by block of inputs; the taps are
            //    transformed where they are used.
            for block in 0..ins {
                let inputs = (convolution.inputs - block * LANES).min(LANES);
                let first = out * convolution.inputs + block * LANES;
                transform_taps::<L>(&convolution.taps[first..][..inputs], taps);
                let seen = &seen[block * SPOTS * tiles..][..SPOTS * tiles];
                let rows = seen.chunks_exact(tiles).zip(sums.chunks_exact_mut(tiles));
                for (taps, (seen, sums)) in taps.iter().zip(rows) {
                    multiply::<L>(&taps[..inputs], seen, sums, block == 0);
                }
            }
            // 3. Back to squares, and the rest while they are near.
            for position in 0..positions {
                let (boards, _) = into[(position * outs + out) * SQUARES..].as_chunks_mut();
                let board: &mut [Sixteen; SQUARES] = &mut boards[0];
                let bias = L::load(&convolution.bias[out]);
                let sums = &sums[TILES * position..];
                if self.is_residual {
                    let old = *board;
                    transform_back::<L>(sums, tiles, bias, board);
                    for (sum, old) in board.iter_mut().zip(&old) {
                        L::load(sum).add(L::load(old)).store(sum);
                    }
                } else {
                    transform_back::<L>(sums, tiles, bias, board);
                }
                if let Some(activation) = self.activation {
                    activate(activation, board);
                }
            }
        }
    }
}

/// Where the tiles of a board begin, one square outside.
const STARTS: [isize; 2] = [-1, 3];

/// The four tiles of a board; their spots lie `stride` apart.
#[inline(always)]
fn transform_board<L: Lanes>(board: &[Sixteen; SQUARES], into: &mut [Sixteen], stride: usize) {
    for tile in 0..TILES {
        let (rank, file) = (STARTS[tile / 2], STARTS[tile % 2]);
        let mut half = [[L::splat(0.0); 6]; 6];
        for (x, column) in half.iter_mut().enumerate() {
            let file = file + x as isize;
            if !(0..8).contains(&file) {
                continue;
            }
            let square = |y: usize| {
                let rank = rank + y as isize;
                if (0..8).contains(&rank) {
                    L::load(&board[(8 * rank + file) as usize])
                } else {
                    L::splat(0.0)
                }
            };
            *column = winograd::inputs(std::array::from_fn(square));
        }
        for y in 0..6 {
            let line = winograd::inputs(std::array::from_fn(|x| half[x][y]));
            for (x, value) in line.into_iter().enumerate() {
                value.store(&mut into[(6 * y + x) * stride + tile]);
            }
        }
    }
}

/// The taps of some inputs.
#[inline(always)]
fn transform_taps<L: Lanes>(from: &[[[f16; LANES]; TAPS]], into: &mut [[Sixteen; LANES]]) {
    let (into, _) = into.as_chunks_mut::<SPOTS>();
    let into = &mut into[0];
    for (input, from) in from.iter().take(LANES).enumerate() {
        let mut half = [[L::splat(0.0); 6]; 3];
        for (x, column) in half.iter_mut().enumerate() {
            *column = winograd::taps(std::array::from_fn(|y| L::widen(&from[3 * y + x])));
        }
        for y in 0..6 {
            let line = winograd::taps(std::array::from_fn(|x| half[x][y]));
            for (x, value) in line.into_iter().enumerate() {
                value.store(&mut into[6 * y + x][input]);
            }
        }
    }
}

/// From the sums of four tiles, whose spots lie `stride` apart, to a board.
#[inline(always)]
fn transform_back<L: Lanes>(
    from: &[Sixteen],
    stride: usize,
    bias: L,
    into: &mut [Sixteen; SQUARES],
) {
    for tile in 0..TILES {
        let first = 32 * (tile / 2) + 4 * (tile % 2);
        let mut half = [[L::splat(0.0); 4]; 6];
        for (x, column) in half.iter_mut().enumerate() {
            let spot = |y: usize| L::load(&from[(6 * y + x) * stride + tile]);
            *column = winograd::outputs(std::array::from_fn(spot));
        }
        for y in 0..4 {
            let line = winograd::outputs(std::array::from_fn(|x| half[x][y]));
            for (x, value) in line.into_iter().enumerate() {
                value.add(bias).store(&mut into[first + 8 * y + x]);
            }
        }
    }
}

/// Adds the products of the inputs of some tiles with the weights of one block of
/// outputs. The number of tiles is a multiple of four.
#[inline(always)]
fn multiply<L: Lanes>(weights: &[Sixteen], from: &[Sixteen], sums: &mut [Sixteen], is_first: bool) {
    let (mut from, mut sums) = (from, sums);
    if L::SUMS == 16 {
        let (tiles, rest) = from.as_chunks::<16>();
        let (into, rest_into) = sums.as_chunks_mut::<16>();
        for (from, sums) in tiles.iter().zip(into) {
            multiply_tiles::<L, 16>(weights, from, sums, is_first);
        }
        (from, sums) = (rest, rest_into);
    }
    let (tiles, _) = from.as_chunks::<TILES>();
    let (into, _) = sums.as_chunks_mut::<TILES>();
    for (from, sums) in tiles.iter().zip(into) {
        multiply_tiles::<L, TILES>(weights, from, sums, is_first);
    }
}

#[inline(always)]
fn multiply_tiles<L: Lanes, const N: usize>(
    weights: &[Sixteen],
    from: &[Sixteen; N],
    into: &mut [Sixteen; N],
    is_first: bool,
) {
    let mut sums = [L::splat(0.0); N];
    if !is_first {
        for (sum, old) in sums.iter_mut().zip(&*into) {
            *sum = L::load(old);
        }
    }
    for (input, weight) in weights.iter().take(LANES).enumerate() {
        let weight = L::load(weight);
        for (sum, from) in sums.iter_mut().zip(from) {
            *sum = L::splat(from.0[input]).mul_add(weight, *sum);
        }
    }
    for (sum, into) in sums.into_iter().zip(into) {
        sum.store(into);
    }
}

/// Replaces sums by what their neurons answer.
#[inline(always)]
pub(super) fn activate(activation: Activation, sums: &mut [Sixteen]) {
    match activation {
        Activation::Relu => each(sums, |x| if x > 0.0 { x } else { 0.0 }),
        Activation::Selu => each(sums, selu),
    }
}

#[inline(always)]
fn each(sums: &mut [Sixteen], function: impl Fn(f32) -> f32) {
    for sum in sums {
        for value in &mut sum.0 {
            *value = function(*value);
        }
    }
}

/// # Source
///
/// Klambauer et al., "Self-Normalizing Neural Networks", 2017, arXiv:1706.02515.
///
/// # Where this differs
///
/// Nowhere.
#[inline(always)]
fn selu(x: f32) -> f32 {
    const SCALE: f32 = 1.050_701;
    const ALPHA: f32 = 1.673_263_2;
    if x > 0.0 {
        SCALE * x
    } else {
        SCALE * ALPHA * (exp(x) - 1.0)
    }
}
