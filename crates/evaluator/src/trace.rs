//! Records of the terms that an evaluator adds up.

use std::collections::BTreeMap;

use mendel_board::Color;

/// Receives the terms while an evaluator adds them up.
///
/// What an evaluator tells is enough to make its score again: the count of each
/// term for each side, how far the game has gone from the middle game to the
/// end game (the taper), and what an end game is worth at all (the scale).
pub trait Trace {
    /// Whether anything is recorded. An evaluator may use what it has stored
    /// (a pawn table) only where this is false; the score is the same either
    /// way.
    const LISTENS: bool;

    /// `side` has `count` of the term numbered `term` in the evaluator's table.
    /// Told more than once, the counts add up.
    fn term(&mut self, term: usize, side: Color, count: i32);

    /// Middle-game weights count with this share, end-game weights with the rest.
    fn taper(&mut self, middle_game: Share);

    /// The end-game part counts with this share.
    fn scale(&mut self, end_game: Share);
}

/// A part of a whole, as integers so that sums of shares stay exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Share {
    pub part: i32,
    pub of: i32,
}

impl Share {
    pub const WHOLE: Self = Self { part: 1, of: 1 };
}

/// Listens to nothing; the compiler removes it from the search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Trace for Silent {
    const LISTENS: bool = false;

    #[inline(always)]
    fn term(&mut self, _: usize, _: Color, _: i32) {}

    #[inline(always)]
    fn taper(&mut self, _: Share) {}

    #[inline(always)]
    fn scale(&mut self, _: Share) {}
}

/// Remembers what an evaluator counted in one position.
///
/// [`explain`](crate::explain) turns it into rows people can read; tuning
/// reads [`counts`](Self::counts) as the coefficients of the weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breakdown {
    counts: BTreeMap<usize, [i32; 2]>,
    taper: Share,
    scale: Share,
}

impl Default for Breakdown {
    fn default() -> Self {
        Self {
            counts: BTreeMap::new(),
            taper: Share::WHOLE,
            scale: Share::WHOLE,
        }
    }
}

impl Breakdown {
    /// The terms that were counted: number in the evaluator's table, White's
    /// count, Black's count; by rising number.
    pub fn counts(&self) -> impl Iterator<Item = (usize, i32, i32)> + '_ {
        self.counts
            .iter()
            .map(|(&term, &[white, black])| (term, white, black))
    }

    pub fn count(&self, term: usize, side: Color) -> i32 {
        self.counts
            .get(&term)
            .map_or(0, |counts| counts[side.fold_wb(0, 1)])
    }

    pub fn taper(&self) -> Share {
        self.taper
    }

    pub fn scale(&self) -> Share {
        self.scale
    }
}

impl Trace for Breakdown {
    const LISTENS: bool = true;

    fn term(&mut self, term: usize, side: Color, count: i32) {
        if count != 0 {
            let counts = self.counts.entry(term).or_default();
            counts[side.fold_wb(0, 1)] += count;
        }
    }

    fn taper(&mut self, middle_game: Share) {
        self.taper = middle_game;
    }

    fn scale(&mut self, end_game: Share) {
        self.scale = end_game;
    }
}
