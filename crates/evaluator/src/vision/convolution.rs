//! 3×3 convolutions of boards.
//!
//! Boards are kept as `[position][block][square]` of sixteen channels each.

use half::f16;

use super::shape::{Activation, SQUARES};
use super::winograd;
use crate::function::exp;
use crate::simd::{Aligned16, LANES, Lanes, SimdKernel, blocks};

/// Products of a tile: 6×6.
pub(super) const SPOTS: usize = 36;
/// Tiles of a board: 2×2.
pub(super) const TILES: usize = 4;
const TAPS: usize = 9;

#[derive(Debug)]
pub(super) struct Convolution {
    inputs: usize,
    outputs: usize,
    /// By block of outputs and input: nine taps for sixteen outputs.
    taps: Vec<[[f16; LANES]; TAPS]>,
    bias: Vec<Aligned16>,
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

    pub(super) fn blocks(&self) -> usize {
        blocks(self.outputs)
    }
}

/// Numbers in blocks, the last one filled up with zeros.
pub(super) fn sixteens(numbers: &[f16]) -> Vec<Aligned16> {
    let mut all = vec![Aligned16::default(); blocks(numbers.len())];
    for (at, number) in numbers.iter().enumerate() {
        all[at / LANES].0[at % LANES] = number.to_f32();
    }
    all
}

/// Buffers of convolutions for a number of positions.
#[derive(Debug)]
pub(super) struct ConvScratch {
    /// Transformed inputs: `[block][spot][tile]`.
    seen: Vec<Aligned16>,
    /// Transformed taps of one block of outputs and one of inputs: `[input][spot]`.
    taps: Box<[[Aligned16; SPOTS]; LANES]>,
    /// Sums of one block of outputs: `[spot][tile]`.
    sums: Vec<Aligned16>,
}

impl ConvScratch {
    pub(super) fn new(positions: usize, most_blocks: usize) -> Self {
        let spots = SPOTS * stride(positions);
        let taps = vec![[Aligned16::default(); SPOTS]; LANES].into_boxed_slice();
        Self {
            seen: vec![Aligned16::default(); most_blocks * spots],
            taps: taps.try_into().expect("as many as there are lanes"),
            sums: vec![Aligned16::default(); spots],
        }
    }
}

/// How far the spots of a tile lie apart: as many tiles as there are, and one, for
/// powers of two would all want the same lines of a cache.
fn stride(positions: usize) -> usize {
    TILES * positions + 1
}

#[derive(Debug)]
pub(super) struct ConvKernel<'a> {
    pub(super) convolution: &'a Convolution,
    pub(super) positions: usize,
    pub(super) from: &'a [Aligned16],
    pub(super) into: &'a mut [Aligned16],
    /// Whether what is in `into` is added before the activation.
    pub(super) is_residual: bool,
    pub(super) activation: Option<Activation>,
    pub(super) scratch: &'a mut ConvScratch,
}

impl SimdKernel for ConvKernel<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self {
            convolution,
            positions,
            from,
            into,
            ..
        } = self;
        let ConvScratch { seen, taps, sums } = self.scratch;
        let (tiles, stride) = (TILES * positions, stride(positions));
        let (ins, outs) = (blocks(convolution.inputs), convolution.blocks());
        let sums = &mut sums[..SPOTS * stride];

        // 1. All inputs are transformed once.
        for position in 0..positions {
            for block in 0..ins {
                let (board, _) = from[(position * ins + block) * SQUARES..].as_chunks();
                let seen = &mut seen[block * SPOTS * stride..][..SPOTS * stride];
                transform_board::<L>(&board[0], &mut seen[TILES * position..], stride);
            }
        }
        for out in 0..outs {
            // 2. The products, block of inputs by block of inputs; the taps are
            //    transformed where they are used.
            for block in 0..ins {
                let inputs = (convolution.inputs - block * LANES).min(LANES);
                let first = out * convolution.inputs + block * LANES;
                let from = &convolution.taps[first..][..inputs];
                let seen = &seen[block * SPOTS * stride..][..SPOTS * stride];
                if positions == 1 && L::SUMS == 16 {
                    multiply_alone::<L>(from, taps, seen, sums, block == 0);
                    continue;
                }
                transform_taps::<L>(from, taps);
                let weights = Weights { taps, inputs };
                for spot in 0..SPOTS {
                    let seen = &seen[spot * stride..][..tiles];
                    let sums = &mut sums[spot * stride..][..tiles];
                    multiply::<L>(&weights, spot, seen, sums, block == 0);
                }
            }
            // 3. Back to squares, and the rest while they are near.
            for position in 0..positions {
                let (boards, _) = into[(position * outs + out) * SQUARES..].as_chunks_mut();
                let board: &mut [Aligned16; SQUARES] = &mut boards[0];
                let bias = L::load(&convolution.bias[out]);
                let sums = &sums[TILES * position..];
                if self.is_residual {
                    let old = *board;
                    transform_back::<L>(sums, stride, bias, board);
                    for (sum, old) in board.iter_mut().zip(&old) {
                        L::load(sum).add(L::load(old)).store(sum);
                    }
                } else {
                    transform_back::<L>(sums, stride, bias, board);
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
fn transform_board<L: Lanes>(board: &[Aligned16; SQUARES], into: &mut [Aligned16], stride: usize) {
    for tile in 0..TILES {
        let (rank, file) = (STARTS[tile / 2], STARTS[tile % 2]);
        let mut half = [[L::splat(0.0); 6]; 6];
        for x in 0..6 {
            let file = file + x as isize;
            if !(0..8).contains(&file) {
                continue;
            }
            let mut line = [L::splat(0.0); 6];
            for y in 0..6 {
                let rank = rank + y as isize;
                if (0..8).contains(&rank) {
                    line[y] = L::load(&board[(8 * rank + file) as usize]);
                }
            }
            half[x] = winograd::inputs(line);
        }
        for y in 0..6 {
            let mut line = [L::splat(0.0); 6];
            for x in 0..6 {
                line[x] = half[x][y];
            }
            let line = winograd::inputs(line);
            for x in 0..6 {
                line[x].store(&mut into[(6 * y + x) * stride + tile]);
            }
        }
    }
}

/// The taps of an input along the files.
#[inline(always)]
fn half_taps<L: Lanes>(from: &[[f16; LANES]; TAPS]) -> [[L; 6]; 3] {
    let mut half = [[L::splat(0.0); 6]; 3];
    for x in 0..3 {
        let [low, middle, high] = [&from[x], &from[3 + x], &from[6 + x]];
        half[x] = winograd::taps([L::widen(low), L::widen(middle), L::widen(high)]);
    }
    half
}

#[inline(always)]
fn transform_taps<L: Lanes>(from: &[[[f16; LANES]; TAPS]], into: &mut [[Aligned16; SPOTS]; LANES]) {
    for input in 0..from.len().min(LANES) {
        let half = half_taps::<L>(&from[input]);
        for y in 0..6 {
            let line = winograd::taps([half[0][y], half[1][y], half[2][y]]);
            for x in 0..6 {
                line[x].store(&mut into[input][6 * y + x]);
            }
        }
    }
}

/// What [`transform_taps`] and [`multiply`] do, for one position and many registers: the
/// taps are transformed along the ranks just before their products, which are few, and
/// need not be kept. The sums are the same, bit by bit.
#[inline(always)]
fn multiply_alone<L: Lanes>(
    from: &[[[f16; LANES]; TAPS]],
    halves: &mut [[Aligned16; SPOTS]; LANES],
    seen: &[Aligned16],
    into: &mut [Aligned16],
    is_first: bool,
) {
    const STRIDE: usize = TILES + 1;
    let inputs = from.len().min(LANES);
    for input in 0..inputs {
        let half = half_taps::<L>(&from[input]);
        for y in 0..6 {
            for x in 0..3 {
                half[x][y].store(&mut halves[input][3 * y + x]);
            }
        }
    }
    for y in 0..6 {
        let seen = seen[6 * STRIDE * y..].first_chunk::<{ 6 * STRIDE }>();
        let into = into[6 * STRIDE * y..].first_chunk_mut::<{ 6 * STRIDE }>();
        let (Some(seen), Some(into)) = (seen, into) else {
            return;
        };
        let mut sums = [[L::splat(0.0); TILES]; 6];
        if !is_first {
            for x in 0..6 {
                for tile in 0..TILES {
                    sums[x][tile] = L::load(&into[STRIDE * x + tile]);
                }
            }
        }
        for input in 0..inputs {
            let half = &halves[input];
            let [one, two, three] = [&half[3 * y], &half[3 * y + 1], &half[3 * y + 2]];
            let line = winograd::taps([L::load(one), L::load(two), L::load(three)]);
            for x in 0..6 {
                for tile in 0..TILES {
                    let value = L::splat(seen[STRIDE * x + tile].0[input]);
                    sums[x][tile] = value.mul_add(line[x], sums[x][tile]);
                }
            }
        }
        for x in 0..6 {
            for tile in 0..TILES {
                sums[x][tile].store(&mut into[STRIDE * x + tile]);
            }
        }
    }
}

/// From the sums of four tiles, whose spots lie `stride` apart, to a board.
#[inline(always)]
fn transform_back<L: Lanes>(
    from: &[Aligned16],
    stride: usize,
    bias: L,
    into: &mut [Aligned16; SQUARES],
) {
    for tile in 0..TILES {
        let first = 32 * (tile / 2) + 4 * (tile % 2);
        let mut half = [[L::splat(0.0); 4]; 6];
        for x in 0..6 {
            let mut line = [L::splat(0.0); 6];
            for y in 0..6 {
                line[y] = L::load(&from[(6 * y + x) * stride + tile]);
            }
            half[x] = winograd::outputs(line);
        }
        for y in 0..4 {
            let mut line = [L::splat(0.0); 6];
            for x in 0..6 {
                line[x] = half[x][y];
            }
            let line = winograd::outputs(line);
            for x in 0..4 {
                line[x].add(bias).store(&mut into[first + 8 * y + x]);
            }
        }
    }
}

/// Adds the products of the inputs of some tiles with the weights of one block of
/// outputs, which is the first of `weights` and then one in each [`SPOTS`]. The number
/// of tiles is a multiple of four.
#[inline(always)]
fn multiply<L: Lanes>(
    weights: &Weights,
    spot: usize,
    from: &[Aligned16],
    sums: &mut [Aligned16],
    is_first: bool,
) {
    let mut tile = 0;
    if L::SUMS == 16 {
        while let (Some(from), Some(sums)) = (
            from[tile..].first_chunk::<16>(),
            sums[tile..].first_chunk_mut(),
        ) {
            multiply_tiles::<L, 16>(weights, spot, from, sums, is_first);
            tile += 16;
        }
    }
    while let (Some(from), Some(sums)) = (
        from[tile..].first_chunk::<TILES>(),
        sums[tile..].first_chunk_mut(),
    ) {
        multiply_tiles::<L, TILES>(weights, spot, from, sums, is_first);
        tile += TILES;
    }
}

/// Transformed taps, and how many inputs have some.
struct Weights<'a> {
    taps: &'a [[Aligned16; SPOTS]; LANES],
    inputs: usize,
}

#[inline(always)]
fn multiply_tiles<L: Lanes, const N: usize>(
    weights: &Weights,
    spot: usize,
    from: &[Aligned16; N],
    into: &mut [Aligned16; N],
    is_first: bool,
) {
    let mut sums = [L::splat(0.0); N];
    if !is_first {
        for tile in 0..N {
            sums[tile] = L::load(&into[tile]);
        }
    }
    if weights.inputs == LANES {
        // The rule, and quicker if the number is known here.
        for input in 0..LANES {
            let weight = L::load(&weights.taps[input][spot]);
            for tile in 0..N {
                sums[tile] = L::splat(from[tile].0[input]).mul_add(weight, sums[tile]);
            }
        }
    } else {
        for input in 0..weights.inputs.min(LANES) {
            let weight = L::load(&weights.taps[input][spot]);
            for tile in 0..N {
                sums[tile] = L::splat(from[tile].0[input]).mul_add(weight, sums[tile]);
            }
        }
    }
    for tile in 0..N {
        sums[tile].store(&mut into[tile]);
    }
}

/// Replaces sums by what their neurons answer.
#[inline(always)]
pub(super) fn activate(activation: Activation, sums: &mut [Aligned16]) {
    match activation {
        Activation::Relu => each(sums, |x| if x > 0.0 { x } else { 0.0 }),
        Activation::Selu => each(sums, selu),
    }
}

#[inline(always)]
fn each(sums: &mut [Aligned16], function: impl Fn(f32) -> f32) {
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
