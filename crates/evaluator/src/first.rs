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
use crate::seen::{Change, Changes, Seen};

/// Numbers side by side: rows are padded to multiples of this.
pub(crate) const LANES: usize = 8;

/// Numbers that are kept in registers while one row after the other is added.
pub(crate) const BLOCK: usize = 32;

/// A length that whole vectors fill.
pub(crate) fn padded(count: usize) -> usize {
    count.next_multiple_of(LANES)
}

/// Whole numbers that a layer is added up in.
pub(crate) trait Whole: Copy + Default + std::fmt::Debug {
    /// Their sum.
    fn plus(self, other: Self) -> Self;
    /// Their difference.
    fn minus(self, other: Self) -> Self;
    /// So many times the number.
    fn times(self, factor: i32) -> Self;
}

macro_rules! whole {
    ($($kind:ty),*) => {$(
        impl Whole for $kind {
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
whole![i16, i32];

/// The numbers of such a layer; `N` of them are kept in registers while one row after
/// the other is added.
#[derive(Debug)]
pub(crate) struct First<T = i32, const N: usize = BLOCK> {
    /// [`Input::Paper`] or [`Input::Sides`].
    pub(crate) input: Input,
    /// A row of weights for each input, as long as the biases.
    pub(crate) rows: Vec<T>,
    /// A bias for each neuron, padded.
    pub(crate) bias: Vec<f32>,
}

impl<T: Whole, const N: usize> First<T, N> {
    /// How many neurons there are, padded.
    pub(crate) fn width(&self) -> usize {
        self.bias.len()
    }

    /// The sums of a board as `view` sees it, from those of another, or from none.
    #[inline(always)]
    fn mend(&self, changes: &Changes, view: Color, before: Option<&[T]>, sums: &mut [T]) {
        let (gone, come) = (changes.gone().iter(), changes.come().iter());
        if self.input == Input::Paper {
            let square = |it: &Change| (usize::from(it.square), input::paper(*it));
            let minus = |sum: T, weight: T, value| sum.minus(weight.times(value));
            let plus = |sum: T, weight: T, value| sum.plus(weight.times(value));
            let lists = (&gone.map(square), &come.map(square));
            self.add(before, sums, lists, minus, plus);
        } else {
            let row = |it: &Change| (input::sides(*it, view), 1);
            let minus = |sum: T, weight: T, _| sum.minus(weight);
            let plus = |sum: T, weight: T, _| sum.plus(weight);
            let lists = (&gone.map(row), &come.map(row));
            self.add(before, sums, lists, minus, plus);
        }
    }

    /// Takes rows from sums and adds others, block by block. Nothing overflows: the
    /// largest weight ([`MOST`](crate::mlp::MOST)) times all that a board can hold fits.
    #[inline(always)]
    fn add(
        &self,
        before: Option<&[T]>,
        sums: &mut [T],
        (gone, come): (
            &(impl Iterator<Item = (usize, i32)> + Clone),
            &(impl Iterator<Item = (usize, i32)> + Clone),
        ),
        minus: impl Fn(T, T, i32) -> T + Copy,
        plus: impl Fn(T, T, i32) -> T + Copy,
    ) {
        let done = sums.len() / N * N;
        let (blocks, rest) = sums.as_chunks_mut::<N>();
        for (at, block) in blocks.iter_mut().enumerate() {
            let start = at * N;
            *block = earlier(before, start);
            self.add_block(block, start, gone.clone(), minus);
            self.add_block(block, start, come.clone(), plus);
        }
        for (at, block) in rest.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
            let start = done + at * LANES;
            *block = earlier(before, start);
            self.add_block(block, start, gone.clone(), minus);
            self.add_block(block, start, come.clone(), plus);
        }
    }

    #[inline(always)]
    fn add_block<const M: usize>(
        &self,
        sums: &mut [T; M],
        start: usize,
        rows: impl Iterator<Item = (usize, i32)>,
        add: impl Fn(T, T, i32) -> T,
    ) {
        let mut block = *sums;
        for (row, factor) in rows {
            let row = &self.rows[row * self.width() + start..][..M];
            for (sum, weight) in block.iter_mut().zip(row) {
                *sum = add(*sum, *weight, factor);
            }
        }
        *sums = block;
    }
}

impl First {
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

/// Sums to begin with.
#[inline(always)]
fn earlier<T: Whole, const M: usize>(before: Option<&[T]>, start: usize) -> [T; M] {
    let mut sums = [T::default(); M];
    if let Some(before) = before {
        sums.copy_from_slice(&before[start..start + M]);
    }
    sums
}

/// The boards seen last, and what their squares added up to. A position's neighbours
/// in the search tree are its parent and the children before it, so that a few are
/// enough to find one that differs by a single move.
#[derive(Clone, Debug, Default)]
pub(crate) struct Boards<T = i32> {
    fingerprint: Option<u64>,
    slots: [Slot<T>; 4],
    /// How often was looked so far.
    time: u64,
}

#[derive(Clone, Debug, Default)]
struct Slot<T> {
    seen: Seen,
    /// For each view a sum for each neuron, padded.
    sums: Vec<T>,
    /// When it was last of use.
    used: u64,
}

impl<T: Whole> Boards<T> {
    /// The sums of a board, one view after the other; they are those of the nearest
    /// board seen before, mended, or made anew if that is less work, or if `afresh`.
    /// `fingerprint` keeps what one network added up from being used with another.
    #[inline(always)]
    pub(crate) fn sums<const N: usize>(
        &mut self,
        first: &First<T, N>,
        fingerprint: u64,
        now: Seen,
        views: &[Color],
        afresh: bool,
    ) -> &[T] {
        let width = first.width();
        self.time += 1;
        if self.fingerprint != Some(fingerprint) {
            self.fingerprint = Some(fingerprint);
            for slot in &mut self.slots {
                // An empty board adds up to nothing.
                slot.seen = Seen::default();
                slot.sums.clear();
                slot.sums.resize(views.len() * width, T::default());
            }
        }

        // 1. The nearest board, and one to be forgotten instead of it.
        let distances = self.slots.each_ref().map(|slot| now.distance(&slot.seen));
        let nearest = (1..distances.len()).fold(0, |best, at| {
            if distances[at] < distances[best] {
                at
            } else {
                best
            }
        });
        self.slots[nearest].used = self.time;
        let afresh = afresh || distances[nearest] >= now.count();
        if !afresh && self.slots[nearest].seen == now {
            return &self.slots[nearest].sums;
        }
        let oldest = (1..self.slots.len()).fold(0, |oldest, at| {
            if self.slots[at].used < self.slots[oldest].used {
                at
            } else {
                oldest
            }
        });

        // 2. The sums of the one become those of the other.
        let pair = self.slots.get_disjoint_mut([nearest, oldest]);
        let [from, to] = pair.expect("what was just used is not the oldest of several");
        let empty = Seen::default();
        let changes = now.since(if afresh { &empty } else { &from.seen });
        for (at, &view) in views.iter().enumerate() {
            let part = at * width..(at + 1) * width;
            let before = (!afresh).then_some(&from.sums[part.clone()]);
            first.mend(&changes, view, before, &mut to.sums[part]);
        }
        to.seen = now;
        to.used = self.time;
        &to.sums
    }
}
