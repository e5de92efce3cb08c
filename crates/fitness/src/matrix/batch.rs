//! The rows that are to be judged now, and the judging.

use mendel_crew::parallel_with;
use std::sync::Arc;

use super::dense::Dense;
use super::members::{Members, Packed};
use super::rows::{Rows, RowsError};
use super::{Kernel, LANES, sparse};

/// Rows ready to be judged, cut into pieces that fit a cache.
#[derive(Debug)]
pub struct Batch {
    rows: Arc<Rows>,
    /// The rows' numbers.
    chosen: Vec<u32>,
    pieces: Vec<Piece>,
    /// Which of the chosen are too large for the kernels; by rising index.
    wide: Vec<usize>,
    /// The rows side by side; `None` where most of each row is zero.
    dense: Option<Dense>,
    kernel: Kernel,
}

/// Adjoining chosen rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub(super) first: usize,
    pub(super) end: usize,
    /// Where the piece's rows begin in the dense layout, in blocks of lanes.
    pub(super) block: usize,
}

impl Piece {
    pub(super) fn blocks(self) -> usize {
        (self.end - self.first).div_ceil(LANES)
    }
}

/// What one member says of the rows of one piece.
#[derive(Clone, Copy, Debug)]
pub struct Scored<'a> {
    /// Which member, from 0.
    pub member: usize,
    /// Which piece of the batch, from 0.
    pub piece: usize,
    /// The index of the first row in the batch.
    pub first: usize,
    /// The scores in centipawns, as the side to move sees them, row by row.
    pub scores: &'a [i32],
}

/// Rows in a piece: with thirty pairs of coefficients they fill three quarters of
/// a first-level cache of 48 KiB.
const PIECE: usize = 256;

/// Members that one unit of work judges: enough that starting it costs nothing,
/// few enough that there are units for every thread.
const TEAM: usize = 64;

/// Evaluators with more pairs of weights than this have most of them zero in
/// most positions.
const MOST_DENSE_PAIRS: usize = 64;

impl Batch {
    /// `ends` are where groups end that must not be cut.
    pub(super) fn new(rows: &Arc<Rows>, chosen: Vec<u32>, ends: Option<&[usize]>) -> Self {
        let pieces = match ends {
            None => {
                let ends = (0..chosen.len().div_ceil(PIECE)).map(|piece| (piece + 1) * PIECE);
                cut(ends.map(|end| end.min(chosen.len())))
            }
            Some(ends) => cut(ends.iter().copied()),
        };
        let is_wide = |&index: &usize| rows.is_wide(chosen[index] as usize);
        let wide = if rows.has_wide() {
            (0..chosen.len()).filter(is_wide).collect()
        } else {
            Vec::new()
        };
        let is_dense = rows.pairs() <= MOST_DENSE_PAIRS;
        Self {
            dense: is_dense.then(|| Dense::new(rows, &chosen, &pieces)),
            rows: Arc::clone(rows),
            chosen,
            pieces,
            wide,
            kernel: Kernel::best(),
        }
    }

    /// The same batch judged by another kernel, for comparing them.
    #[must_use]
    pub fn with_kernel(mut self, kernel: Kernel) -> Self {
        self.kernel = kernel.or_portable();
        self
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.chosen.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.chosen.is_empty()
    }

    /// The rows' numbers in [`Rows`], in the order of the batch.
    pub fn chosen(&self) -> &[u32] {
        &self.chosen
    }

    pub(super) fn rows(&self) -> &Rows {
        &self.rows
    }

    /// The index of the first row of each piece in the batch.
    pub fn pieces(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.pieces.iter().map(|piece| piece.first)
    }

    /// For each member the sum of what `judge` says of its scores, piece by piece.
    ///
    /// A member is given with all its weights in the order of
    /// [`weights`](mendel_evaluator::AnyEvaluator::weights). The sum is made in
    /// the order of the pieces and so is the same with any number of threads.
    ///
    /// # Errors
    ///
    /// If a member has too few or too many weights.
    pub fn sums(
        &self,
        members: &[impl AsRef<[i32]>],
        threads: usize,
        judge: impl Fn(Scored<'_>) -> f64 + Sync,
    ) -> Result<Vec<f64>, RowsError> {
        let mut sums = vec![0.0; members.len()];
        for (first, team) in self.visit(members, threads, judge)? {
            for (sum, part) in sums[first..].iter_mut().zip(team) {
                *sum += part;
            }
        }
        Ok(sums)
    }

    /// Every member's score of every row, as the side to move sees it.
    ///
    /// # Errors
    ///
    /// If a member has too few or too many weights.
    pub fn scores(
        &self,
        members: &[impl AsRef<[i32]>],
        threads: usize,
    ) -> Result<Vec<Vec<i32>>, RowsError> {
        let mut scores = vec![Vec::with_capacity(self.len()); members.len()];
        for (first, team) in self.visit(members, threads, |scored| scored.scores.to_vec())? {
            for (scores, part) in scores[first..].iter_mut().zip(team) {
                scores.extend(part);
            }
        }
        Ok(scores)
    }

    /// What `judge` says of each member and piece: by piece, then by team, the
    /// team's first member and its members' results.
    fn visit<T: Send>(
        &self,
        members: &[impl AsRef<[i32]>],
        threads: usize,
        judge: impl Fn(Scored<'_>) -> T + Sync,
    ) -> Result<Vec<(usize, Vec<T>)>, RowsError> {
        let members = Members::new(&self.rows, members, self.dense.is_some())?;
        let teams = members.count().div_ceil(TEAM);
        let work = |scores: &mut Vec<i32>, unit: usize| {
            let (number, first) = (unit / teams, unit % teams * TEAM);
            let end = (first + TEAM).min(members.count());
            let piece = self.pieces[number];
            let stride = piece.blocks() * LANES;
            scores.resize(members.group() * stride, 0);
            let mut results = Vec::with_capacity(end - first);
            for group in (first..end).step_by(members.group()) {
                self.multiply(piece, &members, group, scores);
                let scores = scores.chunks_exact_mut(stride);
                for (member, scores) in (group..end).zip(scores) {
                    let scores = &mut scores[..piece.end - piece.first];
                    self.make_good(piece, &members, member, scores);
                    results.push(judge(Scored {
                        member,
                        piece: number,
                        first: piece.first,
                        scores,
                    }));
                }
            }
            (first, results)
        };
        let units = teams * self.pieces.len();
        Ok(parallel_with(threads, units, Vec::new, work))
    }

    /// The scores of a piece by a group of members from `first` on: a member's
    /// scores adjoin, and the next member's begin where the piece's blocks end.
    fn multiply(&self, piece: Piece, members: &Members, first: usize, scores: &mut [i32]) {
        let division = members.division(first);
        match (&self.dense, members.packed(first)) {
            (Some(dense), Packed::Few(weights)) => {
                dense.multiply(piece, weights, (division, self.kernel), scores);
            }
            (None, Packed::Many(weights)) => {
                let chosen = &self.chosen[piece.first..piece.end];
                sparse::multiply(&self.rows, chosen, weights, (division, self.kernel), scores);
            }
            _ => unreachable!("the members were packed for this layout"),
        }
    }

    /// Judges what the kernels cannot hold.
    fn make_good(&self, piece: Piece, members: &Members, member: usize, scores: &mut [i32]) {
        let weights = members.of(member);
        let exact = |index: usize| self.rows.exact(self.chosen[index] as usize, weights);
        if !members.fits(member) {
            for (index, score) in (piece.first..).zip(scores) {
                *score = exact(index);
            }
            return;
        }
        let from = self.wide.partition_point(|&index| index < piece.first);
        for &index in self.wide[from..].iter().take_while(|&&it| it < piece.end) {
            scores[index - piece.first] = exact(index);
        }
    }
}

/// Pieces of about [`PIECE`] rows that end where a group does.
fn cut(ends: impl Iterator<Item = usize>) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let (mut first, mut last, mut block) = (0, 0, 0);
    let mut close = |first: &mut usize, end: usize| {
        if end > *first {
            let piece = Piece {
                first: *first,
                end,
                block,
            };
            block += piece.blocks();
            *first = end;
            pieces.push(piece);
        }
    };
    for end in ends {
        if end - first > PIECE {
            close(&mut first, last);
        }
        last = end;
    }
    close(&mut first, last);
    pieces
}
