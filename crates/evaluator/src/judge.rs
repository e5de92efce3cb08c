//! Many positions, one after the other.

use mendel_board::Position;

use crate::{AnyEvaluator, Centipawns, Evaluator, Silent, classic, graph, mlp, vision};

/// Judges many positions, keeping what makes the next one quick: one for each
/// thread, not one for each position.
#[derive(Debug)]
pub struct Judge<'a> {
    evaluator: &'a AnyEvaluator,
    scratch: Scratch,
}

/// What there is to keep.
#[derive(Debug)]
enum Scratch {
    Classic(Box<classic::Scratch>),
    Graph(Box<graph::Memory>),
    Mlp(Box<mlp::Memory>),
    Vision(Box<vision::Memory>),
    Nothing,
}

impl AnyEvaluator {
    /// A judge of many positions.
    pub fn judge(&self) -> Judge<'_> {
        Judge {
            evaluator: self,
            scratch: match self {
                Self::Classic(_) => Scratch::Classic(Box::default()),
                Self::Graph(_) => Scratch::Graph(Box::default()),
                Self::Mlp(_) => Scratch::Mlp(Box::default()),
                Self::Vision(_) => Scratch::Vision(Box::default()),
                _ => Scratch::Nothing,
            },
        }
    }
}

impl Judge<'_> {
    /// Judges one position, as the side to move sees it.
    pub fn evaluate(&mut self, position: &Position) -> Centipawns {
        match (self.evaluator, &mut self.scratch) {
            (AnyEvaluator::Classic(classic), Scratch::Classic(scratch)) => {
                classic.evaluate(position, scratch, &mut Silent)
            }
            (AnyEvaluator::Graph(graph), Scratch::Graph(memory)) => {
                graph.evaluate(position, memory, &mut Silent)
            }
            (AnyEvaluator::Mlp(mlp), Scratch::Mlp(memory)) => {
                mlp.evaluate(position, memory, &mut Silent)
            }
            (AnyEvaluator::Vision(vision), Scratch::Vision(memory)) => {
                vision.evaluate(position, memory, &mut Silent)
            }
            (other, _) => other.evaluate(position),
        }
    }
}
