//! Rows that are mostly zeros: members side by side.

use super::dense::product;
use super::rows::Rows;
use super::{Division, Kernel, LANES, LIMIT, Lanes, packed};

/// The scores of the chosen rows by a group of sixteen members. A member's scores
/// adjoin; the next member's begin where blocks of lanes for the rows end.
pub(super) fn multiply(
    rows: &Rows,
    chosen: &[u32],
    weights: &[Lanes<i32>],
    (division, kernel): (Division, Kernel),
    scores: &mut [i32],
) {
    let stride = chosen.len().next_multiple_of(LANES);
    for (index, &row) in chosen.iter().enumerate() {
        let row = row as usize;
        let (pairs, values) = rows.row(row);
        let entries = Entries {
            pairs,
            values,
            divisor: rows.divisor(row),
        };
        let by_member = match kernel {
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => super::avx2::sparse(entries, weights, division),
            _ => portable(entries, weights, division),
        };
        for (member, score) in by_member.0.into_iter().enumerate() {
            scores[member * stride + index] = score;
        }
    }
}

/// One row, as a kernel sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entries<'a> {
    /// The pairs of slots that are not zero.
    pub(super) pairs: &'a [u16],
    /// Their coefficients.
    pub(super) values: &'a [[i16; 2]],
    /// What the sum is divided by.
    pub(super) divisor: i32,
}

/// The kernel in plain Rust.
pub(super) fn portable(row: Entries<'_>, weights: &[Lanes<i32>], division: Division) -> Lanes<i32> {
    let mut sums = Lanes([0; LANES]);
    for (&pair, &value) in row.pairs.iter().zip(row.values) {
        let value = packed(value);
        for (sum, &weight) in sums.0.iter_mut().zip(&weights[usize::from(pair)].0) {
            *sum += product(value, weight);
        }
    }
    for sum in &mut sums.0 {
        *sum = division
            .divide(*sum, row.divisor as f32)
            .clamp(-LIMIT, LIMIT);
    }
    sums
}
