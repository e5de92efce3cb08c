//! First network layer as an incrementally updated accumulator.
//!
//! The sums are integers, so that an updated sum and a new one are the same. Rows are
//! padded with zeros to whole vectors.
//!
//! # Source
//!
//! Y. Nasu, "Efficiently Updatable Neural-Network-based Evaluation Functions for
//! Computer Shogi", 2018.
//!
//! # Where this differs
//!
//! The search does not carry accumulators along its moves: an [`AccumulatorCache`]
//! keeps those of the last boards and updates the nearest.

use mendel_board::{Board, Color};

use crate::input::{Input, PAPER_UNIT, paper_value};
use crate::neural::ONE;
use crate::snapshot::{BoardDiff, BoardSnapshot, PieceChange};

/// Numbers side by side: rows are padded to multiples of this.
pub(crate) const LANES: usize = 8;

/// Numbers that are kept in registers while one row after the other is added.
pub(crate) const BLOCK: usize = 32;

/// The next length that whole vectors fill.
pub(crate) fn padded(count: usize) -> usize {
    count.next_multiple_of(LANES)
}

/// Integers that a layer is added up in. All operations wrap.
pub(crate) trait AccumulatorInt: Copy + Default + std::fmt::Debug {
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn times(self, factor: i32) -> Self;
}

macro_rules! accumulator_int {
    ($($kind:ty),*) => {$(
        impl AccumulatorInt for $kind {
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }

            #[inline(always)]
            fn times(self, factor: i32) -> Self {
                self.wrapping_mul(factor as $kind)
            }
        }
    )*};
}
accumulator_int![i16, i32];

/// Which input of a layer a piece is, and the value of that input.
pub(crate) trait Encoding: Copy {
    fn input(self, change: PieceChange) -> (usize, i32);
}

/// The board as one side sees it, 768 inputs: its own pawns from a1 to h8, its knights …
/// its king, then the same of the other side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Perspective {
    color: Color,
    /// What a square is turned by: top to bottom for Black, left to right if mirrored.
    turned: usize,
}

impl Perspective {
    /// For Black the board is turned over.
    #[inline]
    pub(crate) fn of(color: Color) -> Self {
        let turned = color.fold_wb(0, 0o70);
        Self { color, turned }
    }

    /// As [`of`](Self::of), and mirrored where the king stands on the files a to d.
    #[inline]
    pub(crate) fn of_king(board: &Board, color: Color) -> Self {
        let king = (board.kings() & board.by_color(color)).first();
        let file = king.map_or(4, |king| king.to_usize() & 7);
        let mirrored = if file < 4 { 7 } else { 0 };
        Self {
            color,
            turned: color.fold_wb(0, 0o70) | mirrored,
        }
    }

    #[inline]
    pub(crate) fn is_mirrored(self) -> bool {
        self.turned & 7 != 0
    }

    /// The number of the input that a piece is.
    #[inline]
    pub(crate) fn index(self, change: PieceChange) -> usize {
        let (piece, square) = (usize::from(change.piece), usize::from(change.square));
        let piece = match self.color {
            Color::White => piece,
            Color::Black => (piece + 6) % 12,
        };
        piece * 64 + (square ^ self.turned)
    }
}

impl Encoding for Perspective {
    #[inline(always)]
    fn input(self, change: PieceChange) -> (usize, i32) {
        (self.index(change), 1)
    }
}

/// The squares with the values of the pieces, see [`Input::Paper`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paper;

impl Encoding for Paper {
    #[inline(always)]
    fn input(self, change: PieceChange) -> (usize, i32) {
        (usize::from(change.square), paper_value(change))
    }
}

/// The weights of such a layer without its biases; `N` sums are kept in registers while
/// one row after the other is added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FirstLayer<T = i32, const N: usize = BLOCK> {
    /// A row of `width` weights for each input.
    pub(crate) rows: Vec<T>,
    /// Neurons, padded.
    pub(crate) width: usize,
}

impl<T: AccumulatorInt, const N: usize> FirstLayer<T, N> {
    /// The sums of a board, from those of another, or from none; block by block.
    /// Nothing overflows: the largest weight ([`MOST`](crate::mlp::MOST)) times all that
    /// a board can hold fits.
    #[inline(always)]
    fn update(&self, diff: &BoardDiff, view: impl Encoding, before: Option<&[T]>, sums: &mut [T]) {
        let done = sums.len() / N * N;
        let (blocks, rest) = sums.as_chunks_mut::<N>();
        for (at, block) in blocks.iter_mut().enumerate() {
            self.update_block(diff, view, before, at * N, block);
        }
        for (at, block) in rest.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
            self.update_block(diff, view, before, done + at * LANES, block);
        }
    }

    #[inline(always)]
    fn update_block<const M: usize>(
        &self,
        diff: &BoardDiff,
        view: impl Encoding,
        before: Option<&[T]>,
        start: usize,
        sums: &mut [T; M],
    ) {
        match before {
            Some(before) => sums.copy_from_slice(&before[start..start + M]),
            None => *sums = [T::default(); M],
        }
        let removed = diff.removed.iter().map(|change| view.input(*change));
        self.add_rows(sums, start, removed, |sum, row, value| {
            sum.minus(row.times(value))
        });
        let added = diff.added.iter().map(|change| view.input(*change));
        self.add_rows(sums, start, added, |sum, row, value| {
            sum.plus(row.times(value))
        });
    }

    /// Applies rows to a block of sums. The copy of the block is a local array, which
    /// compilers keep in registers.
    #[inline(always)]
    fn add_rows<const M: usize>(
        &self,
        sums: &mut [T; M],
        start: usize,
        inputs: impl Iterator<Item = (usize, i32)>,
        add: impl Fn(T, T, i32) -> T,
    ) {
        let mut block = *sums;
        for (input, value) in inputs {
            let row = &self.rows[input * self.width + start..][..M];
            for (sum, weight) in block.iter_mut().zip(row) {
                *sum = add(*sum, *weight, value);
            }
        }
        *sums = block;
    }
}

/// A first layer over [`Input::Paper`] or [`Input::Sides`] with its biases.
#[derive(Debug)]
pub(crate) struct SquareLayer {
    pub(crate) input: Input,
    pub(crate) layer: FirstLayer,
    /// A bias for each neuron, padded.
    pub(crate) bias: Vec<f32>,
}

impl SquareLayer {
    pub(crate) fn new(input: Input, rows: Vec<i32>, bias: Vec<f32>) -> Self {
        let width = bias.len();
        Self {
            input,
            layer: FirstLayer { rows, width },
            bias,
        }
    }

    /// The inputs of the neurons: their sums in ones, and their biases.
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

/// A network of one hidden layer in sixteen bits that looks at the board as both sides
/// see it: each neuron is cut to 0…`one` and has a weight for the side to move and one
/// for the other side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TwoSided {
    /// Sixty-four sums take four registers.
    pub(crate) first: FirstLayer<i16, 64>,
    pub(crate) biases: Vec<i16>,
    /// Those of the side to move first.
    pub(crate) weights: Vec<i16>,
    pub(crate) one: i16,
}

impl TwoSided {
    /// The sum of `product(value, weight)` over all neurons, from the accumulators of
    /// White and Black. Integers may be added in any order, and compilers know the
    /// instruction for pairs of products.
    #[inline(always)]
    pub(crate) fn output(
        &self,
        sums: &[i16],
        turn: Color,
        product: impl Fn(i16, i16) -> i32,
    ) -> i32 {
        let (white, black) = sums.split_at(self.first.width);
        let views = turn.fold_wb([white, black], [black, white]);
        let mut sum = 0_i32;
        for (view, weights) in views
            .iter()
            .zip(self.weights.chunks_exact(self.first.width))
        {
            for ((&value, &bias), &weight) in view.iter().zip(&self.biases).zip(weights) {
                let value = value.wrapping_add(bias).clamp(0, self.one);
                sum = sum.wrapping_add(product(value, weight));
            }
        }
        sum
    }
}

/// The last boards and their sums. A position's neighbours in the search tree are its
/// parent and the children before it, so that a few are enough to find one that differs
/// by a single move.
#[derive(Clone, Debug, Default)]
pub(crate) struct AccumulatorCache<T = i32> {
    fingerprint: Option<u64>,
    slots: [CachedAccumulator<T>; 4],
    time: u64,
}

#[derive(Clone, Debug, Default)]
struct CachedAccumulator<T> {
    board: BoardSnapshot,
    /// For each view a sum for each neuron, padded.
    sums: Vec<T>,
    used: u64,
}

impl<T: AccumulatorInt> AccumulatorCache<T> {
    /// The sums of a board, one view after the other: those of the nearest cached board,
    /// updated, or new ones if that is less work, or if `refresh`. `fingerprint` keeps the
    /// sums of one network from being used with another.
    #[inline(always)]
    pub(crate) fn sums<const N: usize>(
        &mut self,
        first: &FirstLayer<T, N>,
        fingerprint: u64,
        now: BoardSnapshot,
        views: &[impl Encoding],
        refresh: bool,
    ) -> &[T] {
        let width = first.width;
        self.time += 1;
        if self.fingerprint != Some(fingerprint) {
            self.fingerprint = Some(fingerprint);
            for slot in &mut self.slots {
                // An empty board adds up to nothing.
                slot.board = BoardSnapshot::default();
                slot.sums.clear();
                slot.sums.resize(views.len() * width, T::default());
            }
        }

        // 1. The nearest board, and the least recently used one, which is replaced.
        let distances = self.slots.each_ref().map(|slot| now.distance(&slot.board));
        let nearest = first_least(&distances);
        self.slots[nearest].used = self.time;
        let refresh = refresh || distances[nearest] >= now.count();
        if !refresh && self.slots[nearest].board == now {
            return &self.slots[nearest].sums;
        }
        let oldest = first_least(&self.slots.each_ref().map(|slot| slot.used));

        // 2. The sums of the one become those of the other.
        let pair = self.slots.get_disjoint_mut([nearest, oldest]);
        let [from, to] = pair.expect("what was just used is not the oldest of several");
        let empty = BoardSnapshot::default();
        let diff = now.since(if refresh { &empty } else { &from.board });
        for (at, &view) in views.iter().enumerate() {
            let part = at * width..(at + 1) * width;
            let before = (!refresh).then_some(&from.sums[part.clone()]);
            first.update(&diff, view, before, &mut to.sums[part]);
        }
        to.board = now;
        to.used = self.time;
        &to.sums
    }
}

/// The index of the first of the smallest numbers.
#[inline(always)]
fn first_least<T: PartialOrd, const N: usize>(numbers: &[T; N]) -> usize {
    (1..N).fold(0, |least, at| {
        if numbers[at] < numbers[least] {
            at
        } else {
            least
        }
    })
}

#[cfg(test)]
mod tests {
    use mendel_board::sample::random_positions;

    use super::*;
    use crate::simd::with_simd;

    fn numbers(count: usize) -> impl Iterator<Item = i32> {
        (0..count as u64).map(|at| (mendel_board::mix(at) % 16_001) as i32 - 8_000)
    }

    #[test]
    fn sums_over_squares_are_the_same_with_and_without_vectors() {
        fn check(input: Input, width: usize, view: impl Encoding) {
            let first = SquareLayer::new(
                input,
                numbers(input.count() * width).collect(),
                numbers(width).map(|it| it as f32).collect(),
            );
            let [mut plain, mut wide] = [AccumulatorCache::default(), AccumulatorCache::default()];
            let mut values = [vec![0.0; width], vec![0.0; width]];
            for position in random_positions(5, 60) {
                let now = BoardSnapshot::new(position.board());
                let plain = plain.sums(&first.layer, 1, now, &[view], false);
                let wide = with_simd(|| wide.sums(&first.layer, 1, now, &[view], false));
                first.values(plain, &mut values[0]);
                with_simd(|| first.values(wide, &mut values[1]));
                assert_eq!(plain, wide);
                assert_eq!(values[0], values[1]);
            }
        }
        check(Input::Paper, 72, Paper);
        check(Input::Sides, 40, Perspective::of(Color::Black));
    }
}
