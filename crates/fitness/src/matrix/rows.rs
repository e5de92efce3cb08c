//! Positions as sparse rows of whole numbers.

use std::borrow::Borrow;
use std::sync::Arc;

use mendel_board::Position;
use mendel_crew::parallel;
use mendel_evaluator::{AnyEvaluator, Coefficients, Phase};

use super::{Batch, LIMIT};

/// Positions as rows: what each weight of an evaluator is multiplied by.
///
/// With middle-game sum m, end-game sum e, taper t and scale s an evaluator's
/// score is (m·t.part·s.of + e·(t.of − t.part)·s.part) / (t.of·s.of). Multiplied
/// into the counts once, this is one sum of products over one divisor, both made
/// as small as a common factor allows.
#[derive(Debug)]
pub struct Rows {
    columns: Columns,
    /// Where each row's entries begin, and the end of the last.
    starts: Vec<usize>,
    /// Which pair of slots an entry is for.
    pairs: Vec<u16>,
    /// The coefficients of the pair.
    coefficients: Vec<[i16; 2]>,
    divisors: Vec<i32>,
    /// Whether all divisors are one.
    is_whole: bool,
    /// The rows whose numbers are too large for the kernels, by rising row; among
    /// the others they are empty.
    wide: Vec<WideRow>,
    /// The largest coefficient of each slot, without sign.
    largest: Vec<i64>,
    /// The largest sum of coefficients of a row, without signs.
    largest_row: i64,
}

/// Why positions cannot be made rows, or weights not be multiplied with them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RowsError {
    #[error(
        "an evaluator of kind `{kind}` has no weights to breed; \
         choose a player with `classic` or one of the papers' evaluators"
    )]
    NotLinear {
        /// The kind of evaluator.
        kind: &'static str,
    },
    /// A member with too few or too many weights.
    #[error("member {member} has {found} weights where the evaluator has {needed}; give them all")]
    Length {
        /// Which member, from 0.
        member: usize,
        /// How many weights it has.
        found: usize,
        needed: usize,
    },
    #[error("there is no row {row}: there are {rows}, counted from 0")]
    NoRow {
        /// What was asked for.
        row: usize,
        rows: usize,
    },
}

/// Where each weight has its place. Two slots make a pair, which the kernels
/// multiply at once: the two phases of a term, or two terms without phases.
#[derive(Debug)]
pub(super) struct Columns {
    /// For each weight, in the evaluator's order, its slot.
    slots: Vec<usize>,
    /// For each term the slots of its weights.
    terms: Vec<Vec<(usize, Phase)>>,
    pairs: usize,
}

/// A row whose coefficients do not fit 16 bits.
#[derive(Debug)]
struct WideRow {
    row: usize,
    entries: Vec<(usize, i64)>,
    divisor: i64,
}

/// Positions that one thread turns into rows at a time.
const BLOCK: usize = 512;

impl Rows {
    /// Looks at every position with `evaluator`, whose weights do not matter.
    ///
    /// # Errors
    ///
    /// If the evaluator has no weights.
    pub fn new<P: Borrow<Position> + Sync>(
        evaluator: &AnyEvaluator,
        positions: &[P],
        threads: usize,
    ) -> Result<Self, RowsError> {
        Self::counted(evaluator, positions, threads, |position, count| {
            count(position.borrow(), false);
        })
    }

    /// Makes any number of rows of each of `sources`: `expand` calls what it is
    /// given with one position after the other, and with whether it is to be seen
    /// from the other side than the one to move.
    ///
    /// # Errors
    ///
    /// If the evaluator has no weights.
    pub fn counted<S: Sync>(
        evaluator: &AnyEvaluator,
        sources: &[S],
        threads: usize,
        expand: impl Fn(&S, &mut dyn FnMut(&Position, bool)) + Sync,
    ) -> Result<Self, RowsError> {
        let not_linear = || RowsError::NotLinear {
            kind: evaluator.kind(),
        };
        let blocks: Vec<&[S]> = sources.chunks(BLOCK).collect();
        let counted = parallel(threads, blocks.len(), |block| {
            let mut counting = evaluator.counting()?;
            let mut counted: Vec<Coefficients> = Vec::with_capacity(BLOCK);
            for source in blocks[block] {
                expand(source, &mut |position, turned| {
                    let mut row = counting.coefficients(position);
                    if turned {
                        row.counts
                            .iter_mut()
                            .for_each(|(_, count)| *count = -*count);
                    }
                    counted.push(row);
                });
            }
            Some(counted)
        });
        // Asked once more, for there may be no position.
        evaluator.counting().ok_or_else(not_linear)?;
        let mut rows = Self::empty(Columns::new(evaluator));
        for block in counted {
            for row in &block.ok_or_else(not_linear)? {
                rows.push(row);
            }
        }
        Ok(rows)
    }

    pub(super) fn empty(columns: Columns) -> Self {
        Self {
            starts: vec![0],
            pairs: Vec::new(),
            coefficients: Vec::new(),
            divisors: Vec::new(),
            is_whole: true,
            wide: Vec::new(),
            largest: vec![0; 2 * columns.pairs],
            largest_row: 0,
            columns,
        }
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.divisors.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many weights the evaluator has.
    pub fn weights(&self) -> usize {
        self.columns.slots.len()
    }

    /// All rows, ready to be judged.
    pub fn all(self: &Arc<Self>) -> Batch {
        Batch::new(self, (0..self.len() as u32).collect(), None)
    }

    /// Some rows in the given order, ready to be judged. A row may come twice.
    ///
    /// # Errors
    ///
    /// If there is no such row.
    pub fn select(self: &Arc<Self>, rows: &[usize]) -> Result<Batch, RowsError> {
        self.checked(rows.iter().copied(), None)
    }

    /// Groups of adjoining rows, such as the moves of one position. Each group is
    /// given as its first row and the row after its last; no group is cut in two
    /// where the batch is cut into pieces.
    ///
    /// # Errors
    ///
    /// If there is no such row.
    pub fn groups(
        self: &Arc<Self>,
        groups: impl IntoIterator<Item = (usize, usize)>,
    ) -> Result<Batch, RowsError> {
        let mut rows = Vec::new();
        let mut ends = Vec::new();
        for (first, end) in groups {
            rows.extend(first..end);
            ends.push(rows.len());
        }
        self.checked(rows.into_iter(), Some(&ends))
    }

    fn checked(
        self: &Arc<Self>,
        rows: impl Iterator<Item = usize>,
        ends: Option<&[usize]>,
    ) -> Result<Batch, RowsError> {
        let check = |row: usize| {
            (row < self.len())
                .then_some(row as u32)
                .ok_or(RowsError::NoRow {
                    row,
                    rows: self.len(),
                })
        };
        let rows = rows.map(check).collect::<Result<Vec<u32>, _>>()?;
        Ok(Batch::new(self, rows, ends))
    }

    /// Appends a position.
    pub(super) fn push(&mut self, counted: &Coefficients) {
        // 1. What the sums of both phases are multiplied by, and the divisor.
        let [part, of] = [counted.taper.part, counted.taper.of].map(i64::from);
        let [scale, scale_of] = [counted.scale.part, counted.scale.of].map(i64::from);
        let (middle, end, divisor) = (part * scale_of, (of - part) * scale, of * scale_of);
        let common = gcd(gcd(middle, end), divisor);
        let (middle, end, divisor) = (middle / common, end / common, divisor / common);

        // 2. The coefficient of each weight that counts here.
        let mut entries = Vec::with_capacity(2 * counted.counts.len());
        for &(term, count) in &counted.counts {
            for &(slot, phase) in &self.columns.terms[usize::from(term)] {
                let share = match phase {
                    Phase::Middle => middle,
                    Phase::End => end,
                    Phase::Both => middle + end,
                };
                if share != 0 {
                    entries.push((slot, share * i64::from(count)));
                }
            }
        }
        entries.sort_unstable_by_key(|&(slot, _)| slot);

        // 3. Those the kernels cannot hold are kept apart.
        let row = self.divisors.len();
        let fits = |&(_, coefficient): &(usize, i64)| coefficient.abs() <= i64::from(i16::MAX);
        if divisor <= 1 << 24 && entries.iter().all(fits) {
            self.push_entries(&entries);
            self.divisors.push(divisor as i32);
            self.is_whole &= divisor == 1;
        } else {
            self.divisors.push(1);
            self.wide.push(WideRow {
                row,
                entries,
                divisor,
            });
        }
        self.starts.push(self.pairs.len());
    }

    fn push_entries(&mut self, entries: &[(usize, i64)]) {
        let first = self.pairs.len();
        for &(slot, coefficient) in entries {
            let pair = (slot / 2) as u16;
            if self.pairs[first..].last() != Some(&pair) {
                self.pairs.push(pair);
                self.coefficients.push([0, 0]);
            }
            let last = self.coefficients.last_mut().expect("one was pushed");
            last[slot % 2] = coefficient as i16;
            self.largest[slot] = self.largest[slot].max(coefficient.abs());
        }
        let sum = entries.iter().map(|(_, coefficient)| coefficient.abs());
        self.largest_row = self.largest_row.max(sum.sum());
    }

    /// How many pairs of slots there are.
    pub(super) fn pairs(&self) -> usize {
        self.columns.pairs
    }

    /// For each weight, in the evaluator's order, its slot.
    pub(super) fn slots(&self) -> &[usize] {
        &self.columns.slots
    }

    /// A row's pairs and their coefficients.
    #[inline]
    pub(super) fn row(&self, row: usize) -> (&[u16], &[[i16; 2]]) {
        let range = self.starts[row]..self.starts[row + 1];
        (&self.pairs[range.clone()], &self.coefficients[range])
    }

    /// What a row's sum is divided by.
    #[inline]
    pub(super) fn divisor(&self, row: usize) -> i32 {
        self.divisors[row]
    }

    /// Whether a row's numbers are too large for the kernels.
    pub(super) fn is_wide(&self, row: usize) -> bool {
        self.wide_row(row).is_some()
    }

    /// Whether any row's numbers are too large for the kernels.
    pub(super) fn has_wide(&self) -> bool {
        !self.wide.is_empty()
    }

    /// Whether every row's divisor is one, those kept apart aside.
    pub(super) fn is_whole(&self) -> bool {
        self.is_whole
    }

    fn wide_row(&self, row: usize) -> Option<&WideRow> {
        let found = self.wide.binary_search_by_key(&row, |wide| wide.row);
        found.ok().map(|index| &self.wide[index])
    }

    /// The most that the numerator of any row can be with these weights, by slot,
    /// rows kept apart aside.
    pub(super) fn bound(&self, weights: &[i32]) -> i64 {
        let sized = |&weight: &i32| i64::from(weight).abs();
        let by_slot = weights.iter().map(sized).zip(&self.largest);
        let by_slot = by_slot.map(|(weight, largest)| weight.saturating_mul(*largest));
        let by_row = weights.iter().map(sized).max().unwrap_or(0);
        by_slot
            .fold(0, i64::saturating_add)
            .min(by_row.saturating_mul(self.largest_row))
    }

    /// The score of one row, in integers wide enough for anything.
    pub(super) fn exact(&self, row: usize, weights: &[i32]) -> i32 {
        let (sum, divisor) = if let Some(wide) = self.wide_row(row) {
            let product = |&(slot, coefficient): &(usize, i64)| {
                i128::from(weights[slot]) * i128::from(coefficient)
            };
            (wide.entries.iter().map(product).sum(), wide.divisor)
        } else {
            let (pairs, coefficients) = self.row(row);
            let mut sum = 0i128;
            for (&pair, coefficients) in pairs.iter().zip(coefficients) {
                for (half, &coefficient) in coefficients.iter().enumerate() {
                    let weight = weights[2 * usize::from(pair) + half];
                    sum += i128::from(weight) * i128::from(coefficient);
                }
            }
            (sum, i64::from(self.divisors[row]))
        };
        let limit = i128::from(LIMIT);
        (sum / i128::from(divisor)).clamp(-limit, limit) as i32
    }

    /// Tells a row's coefficients by slot, and returns what their sum is to be
    /// divided by.
    pub(super) fn tell(&self, row: usize, mut tell: impl FnMut(usize, f64)) -> f64 {
        if let Some(wide) = self.wide_row(row) {
            for &(slot, coefficient) in &wide.entries {
                tell(slot, coefficient as f64);
            }
            return wide.divisor as f64;
        }
        let (pairs, coefficients) = self.row(row);
        for (&pair, &[first, second]) in pairs.iter().zip(coefficients) {
            let slot = 2 * usize::from(pair);
            tell(slot, f64::from(first));
            tell(slot + 1, f64::from(second));
        }
        f64::from(self.divisors[row])
    }
}

impl Columns {
    fn new(evaluator: &AnyEvaluator) -> Self {
        let weights = evaluator.weights();
        let weights = weights.iter().map(|weight| (weight.term, weight.phase));
        Self::of(&weights.collect::<Vec<_>>())
    }

    /// From each weight's term and phase, in the evaluator's order.
    pub(super) fn of(weights: &[(usize, Phase)]) -> Self {
        let mut order: Vec<usize> = (0..weights.len()).collect();
        order.sort_by_key(|&index| (weights[index].0, weights[index].1 == Phase::End));
        let most = weights.iter().map(|&(term, _)| term + 1).max();
        let mut slots = vec![0; weights.len()];
        let mut terms = vec![Vec::new(); most.unwrap_or(0)];
        for (slot, &index) in order.iter().enumerate() {
            let (term, phase) = weights[index];
            slots[index] = slot;
            terms[term].push((slot, phase));
        }
        Self {
            slots,
            terms,
            pairs: weights.len().div_ceil(2),
        }
    }
}

/// The greatest common divisor; of 0 and 0 it is 0, but no divisor is.
fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}
