//! Rows for other programs.

use super::Rows;

impl Rows {
    /// What each weight, in the evaluator's order, is multiplied by in a row;
    /// `None` if there is no such row.
    ///
    /// Taper, scale and divisor are in it: the sum of the products is the score
    /// before it is cut to whole centipawns and kept within the limit.
    pub fn dense(&self, row: usize) -> Option<Vec<f64>> {
        if row >= self.len() {
            return None;
        }
        let mut by_slot = vec![0.0; 2 * self.pairs()];
        let divisor = self.tell(row, |slot, coefficient| by_slot[slot] = coefficient);
        let slots = self.slots().iter();
        Some(slots.map(|&slot| by_slot[slot] / divisor).collect())
    }
}
