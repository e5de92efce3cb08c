//! How a sum over rows changes with each weight, for breeders that climb.

use mendel_crew::parallel;

use super::Batch;
use super::rows::RowsError;

/// A sum over rows, and how it changes with each weight.
#[derive(Clone, Debug, PartialEq)]
pub struct Slopes {
    pub sum: f64,
    /// Its change with each weight, in the evaluator's order.
    pub slopes: Vec<f64>,
}

/// Rows whose slopes are added up before they are added to the others'. Fixed, so
/// that the sum does not depend on the number of threads.
const BLOCK: usize = 1024;

impl Batch {
    /// Every row's score with weights that are no whole numbers, neither cut to
    /// whole centipawns nor limited.
    ///
    /// # Errors
    ///
    /// If there are too few or too many weights.
    pub fn exact(&self, weights: &[f64], threads: usize) -> Result<Vec<f64>, RowsError> {
        let rows = self.rows();
        let by_slot = self.by_slot(weights)?;
        let blocks = self.len().div_ceil(BLOCK);
        let parts = parallel(threads, blocks, |block| {
            let end = ((block + 1) * BLOCK).min(self.len());
            let chosen = self.chosen()[block * BLOCK..end].iter();
            let scores = chosen.map(|&row| {
                let mut score = 0.0;
                let divisor = rows.tell(row as usize, |slot, coefficient| {
                    score += by_slot[slot] * coefficient;
                });
                score / divisor
            });
            scores.collect::<Vec<f64>>()
        });
        Ok(parts.concat())
    }

    /// The weights in the order of the rows' own slots.
    fn by_slot(&self, weights: &[f64]) -> Result<Vec<f64>, RowsError> {
        let rows = self.rows();
        if weights.len() != rows.weights() {
            return Err(RowsError::Length {
                member: 0,
                found: weights.len(),
                needed: rows.weights(),
            });
        }
        let mut by_slot = vec![0.0; 2 * rows.pairs()];
        for (&slot, &weight) in rows.slots().iter().zip(weights) {
            by_slot[slot] = weight;
        }
        Ok(by_slot)
    }

    /// The sum over the rows of what `judge` says of the row's index in the batch
    /// and its score, and how that sum changes with each weight.
    ///
    /// `judge` returns its value and how that changes with the score. The score is
    /// not cut to whole centipawns here and knows no limit: both would leave
    /// nothing to climb.
    ///
    /// # Errors
    ///
    /// If there are too few or too many weights.
    pub fn slopes(
        &self,
        weights: &[f64],
        threads: usize,
        judge: impl Fn(usize, f64) -> (f64, f64) + Sync,
    ) -> Result<Slopes, RowsError> {
        let rows = self.rows();
        let by_slot = self.by_slot(weights)?;
        let blocks = self.len().div_ceil(BLOCK);
        let parts = parallel(threads, blocks, |block| {
            let first = block * BLOCK;
            let end = (first + BLOCK).min(self.len());
            let mut sum = 0.0;
            let mut slopes = vec![0.0; by_slot.len()];
            for (index, &row) in (first..end).zip(&self.chosen()[first..end]) {
                let mut score = 0.0;
                let divisor = rows.tell(row as usize, |slot, coefficient| {
                    score += by_slot[slot] * coefficient;
                });
                let (value, slope) = judge(index, score / divisor);
                sum += value;
                let slope = slope / divisor;
                rows.tell(row as usize, |slot, coefficient| {
                    slopes[slot] += slope * coefficient;
                });
            }
            (sum, slopes)
        });
        let mut sum = 0.0;
        let mut added = vec![0.0; by_slot.len()];
        for (part, slopes) in parts {
            sum += part;
            for (total, slope) in added.iter_mut().zip(slopes) {
                *total += slope;
            }
        }
        let slopes = rows.slots().iter().map(|&slot| added[slot]).collect();
        Ok(Slopes { sum, slopes })
    }
}
