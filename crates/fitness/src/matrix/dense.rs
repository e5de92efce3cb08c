//! Rows without gaps: positions side by side.

use super::batch::Piece;
use super::members::FEW;
use super::rows::Rows;
use super::{Division, Kernel, LANES, LIMIT, Lanes, packed};

/// The rows of a batch, each sixteen of them side by side.
#[derive(Debug)]
pub(super) struct Dense {
    /// For each block of rows, for each pair of slots, the rows' coefficients.
    coefficients: Vec<Lanes<i32>>,
    /// For each block of rows what the sums are divided by.
    divisors: Vec<Lanes<f32>>,
    pairs: usize,
}

/// Sixteen rows, as a kernel sees them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block<'a> {
    /// The coefficients, for each pair of slots.
    pub(super) coefficients: &'a [Lanes<i32>],
    /// What the sums are divided by: whole numbers, exact as `f32`.
    pub(super) divisors: &'a Lanes<f32>,
}

impl Dense {
    /// Gathers the chosen rows. Where a piece does not fill its last block, zeros do.
    pub(super) fn new(rows: &Rows, chosen: &[u32], pieces: &[Piece]) -> Self {
        let pairs = rows.pairs();
        let blocks = pieces.last().map_or(0, |last| last.block + last.blocks());
        let mut coefficients = vec![Lanes([0; LANES]); blocks * pairs];
        let mut divisors = vec![Lanes([1.0; LANES]); blocks];
        for piece in pieces {
            for (index, &row) in chosen[piece.first..piece.end].iter().enumerate() {
                let (block, lane) = (piece.block + index / LANES, index % LANES);
                let (at, values) = rows.row(row as usize);
                let own = &mut coefficients[block * pairs..][..pairs];
                for (&pair, &value) in at.iter().zip(values) {
                    own[usize::from(pair)].0[lane] = packed(value);
                }
                divisors[block].0[lane] = rows.divisor(row as usize) as f32;
            }
        }
        Self {
            coefficients,
            divisors,
            pairs,
        }
    }

    /// The scores of a piece by a group of members.
    pub(super) fn multiply(
        &self,
        piece: Piece,
        weights: &[[i32; FEW]],
        (division, kernel): (Division, Kernel),
        scores: &mut [i32],
    ) {
        let stride = piece.blocks() * LANES;
        for index in 0..piece.blocks() {
            let block = piece.block + index;
            let block = Block {
                coefficients: &self.coefficients[block * self.pairs..][..self.pairs],
                divisors: &self.divisors[block],
            };
            let tile = match kernel {
                #[cfg(target_arch = "x86_64")]
                Kernel::Avx2 => super::avx2::dense(block, weights, division),
                _ => portable(block, weights, division),
            };
            for (member, tile) in tile.iter().enumerate() {
                scores[member * stride + index * LANES..][..LANES].copy_from_slice(&tile.0);
            }
        }
    }
}

/// The kernel in plain Rust.
pub(super) fn portable(
    block: Block<'_>,
    weights: &[[i32; FEW]],
    division: Division,
) -> [Lanes<i32>; FEW] {
    // Member by member, so that one member's sums stay in registers.
    std::array::from_fn(|member| {
        let mut sums = [0; LANES];
        for (lanes, weights) in block.coefficients.iter().zip(weights) {
            for (sum, &lane) in sums.iter_mut().zip(&lanes.0) {
                *sum += product(lane, weights[member]);
            }
        }
        for (sum, &divisor) in sums.iter_mut().zip(&block.divisors.0) {
            *sum = division.divide(*sum, divisor).clamp(-LIMIT, LIMIT);
        }
        Lanes(sums)
    })
}

/// The products of both halves, added.
#[inline]
pub(super) fn product(a: i32, b: i32) -> i32 {
    i32::from(a as i16) * i32::from(b as i16) + (a >> 16) * (b >> 16)
}
