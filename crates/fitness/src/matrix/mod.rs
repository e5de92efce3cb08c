//! Linear evaluators as matrices: positions are rows, members of a population
//! are columns, scores are their product.
//!
//! A linear evaluator's score is a sum of counts times weights, and the counts
//! depend on the position alone. So a position is looked at once ([`Rows`]), and
//! judging a whole population is then arithmetic on small integers, for which a
//! processor has vector instructions. Nothing is rounded on the way: a score made
//! here is the score the evaluator itself would give with those weights, on every
//! machine, with every kernel and any number of threads.
//!
//! Three layers:
//!
//! * [`Rows`]: every position as a sparse row, taper and scale multiplied in;
//! * [`Batch`]: the rows that are to be judged now, laid out for the kernels and
//!   cut into pieces that fit a cache;
//! * the kernels: `dense` for evaluators of a few dozen terms (positions side by
//!   side in a register), `sparse` for those of many hundred of which a position
//!   shows few (members side by side in a register), each once portable and once
//!   for AVX2, chosen when the program runs.
//!
//! # Source
//!
//! Sparse rows of coefficients: A. Grant, "Evaluation & Tuning in Chess Engines",
//! 2020, which tunes floating-point weights by gradient.
//!
//! # Where this differs
//!
//! Whole populations, in integers, and exactly the evaluator's own score.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod batch;
mod dense;
mod export;
mod members;
mod rows;
mod slopes;
mod sparse;
#[cfg(test)]
mod tests;

pub use batch::{Batch, Scored};
pub use rows::{Rows, RowsError};
pub use slopes::Slopes;

use mendel_evaluator::{Classic, Evaluator};

/// The largest score, as the evaluators clamp it.
const LIMIT: i32 = <Classic as Evaluator>::LIMIT.0;

/// Which kernels multiply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// Plain Rust, for any processor.
    Portable,
    /// Vectors of eight; falls back to plain Rust where the processor has none.
    Avx2,
}

impl Kernel {
    /// The best for this processor.
    pub fn best() -> Self {
        if avx2_works() {
            Self::Avx2
        } else {
            Self::Portable
        }
    }

    /// The kernel itself where the processor has what it needs, or the portable
    /// one.
    #[must_use]
    fn or_portable(self) -> Self {
        match self {
            Self::Avx2 if avx2_works() => Self::Avx2,
            _ => Self::Portable,
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn avx2_works() -> bool {
    std::arch::is_x86_feature_detected!("avx2")
}

#[cfg(not(target_arch = "x86_64"))]
fn avx2_works() -> bool {
    false
}

/// How a numerator becomes a score. The way is chosen by what a member's
/// numerators can be at most, never by what they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Division {
    /// Every divisor is one.
    None,
    /// All numerators lie within ±2²⁴: dividing as `f32` and cutting off the
    /// fraction is exact.
    ///
    /// Numerator and divisor are `f32` numbers without rounding. If the quotient
    /// q = n/d is a whole number, the division gives just that. If not, the next
    /// whole number k further from zero is at least 1/d away, while the division
    /// errs by at most half a unit in the last place of q, which is at most
    /// |q|·2⁻²⁴ < 2²⁴/d·2⁻²⁴ = 1/d; so the result does not reach k, and cutting off
    /// its fraction gives what cutting off q's would.
    Single,
    /// All numerators fit an `i32`: the same with `f64`, where the same argument
    /// holds up to ±2⁵³.
    Double,
}

impl Division {
    /// One quotient, its fraction cut off. As real numbers here, too: eight of
    /// these divisions at once cost less than one of whole numbers.
    #[inline]
    fn divide(self, numerator: i32, divisor: f32) -> i32 {
        match self {
            Self::None => numerator,
            Self::Single => (numerator as f32 / divisor) as i32,
            Self::Double => (f64::from(numerator) / f64::from(divisor)) as i32,
        }
    }
}

/// Sixteen numbers side by side, as two registers hold them.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Lanes<T>([T; LANES]);

const LANES: usize = 16;

/// Two 16-bit numbers as one 32-bit lane, the first in the lower half.
fn packed(pair: [i16; 2]) -> i32 {
    i32::from(pair[0] as u16) | (i32::from(pair[1]) << 16)
}
