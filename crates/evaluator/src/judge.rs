//! Many positions, one after the other.

use mendel_board::Position;

use crate::{AnyEvaluator, Centipawns, Evaluator, Silent, classic};

/// Judges many positions, keeping what makes the next one quick: one for each
/// thread, not one for each position.
#[derive(Debug)]
pub struct Judge<'a> {
    evaluator: &'a AnyEvaluator,
    /// The classic evaluator's; the others keep nothing.
    scratch: Option<Box<classic::Scratch>>,
}

impl AnyEvaluator {
    /// A judge of many positions.
    pub fn judge(&self) -> Judge<'_> {
        Judge {
            evaluator: self,
            scratch: matches!(self, Self::Classic(_)).then(Box::default),
        }
    }
}

impl Judge<'_> {
    /// Judges one position, as the side to move sees it.
    pub fn evaluate(&mut self, position: &Position) -> Centipawns {
        match (self.evaluator, &mut self.scratch) {
            (AnyEvaluator::Classic(classic), Some(scratch)) => {
                classic.evaluate(position, scratch, &mut Silent)
            }
            (other, _) => other.evaluate(position),
        }
    }
}
