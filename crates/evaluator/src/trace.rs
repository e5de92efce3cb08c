//! Who listens while an evaluator adds up its terms.

use mendel_board::Color;

/// Listens while an evaluator adds up its terms.
pub trait Trace {
    /// Whether anything is remembered. An evaluator may skip what it has stored
    /// (a pawn table) only for a listener; the score is the same either way.
    const LISTENS: bool;

    /// `side` has `count` of the term numbered `term` in the evaluator's table.
    fn term(&mut self, term: usize, side: Color, count: i32);
}

/// Listens to nothing; the compiler removes it from the search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Trace for Silent {
    const LISTENS: bool = false;

    #[inline(always)]
    fn term(&mut self, _: usize, _: Color, _: i32) {}
}
