//! Random evaluator: a score hashed from the position and a seed.

use mendel_board::{Color, Position, Role, mix};
use toml::{Table, Value};

use crate::player_file::{PlayerEvaluator, TableReader};
use crate::{Centipawns, Evaluator, EvaluatorError, Term, Trace};

/// Gives each position a random score, the same one for the same seed.
///
/// The baseline of every plot: what does not beat it has learned nothing. A search
/// makes it stronger than random moves, because the side with more moves has more
/// scores to choose the best from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Random {
    seed: u64,
}

impl Random {
    /// Scores lie within plus and minus this many centipawns.
    pub const RANGE: i32 = 100;

    /// The highest bit of the seed is dropped, because the integers of a player file
    /// do not reach that far.
    pub fn new(seed: u64) -> Self {
        Self {
            seed: seed & (u64::MAX >> 1),
        }
    }
}

impl PlayerEvaluator for Random {
    const KIND: &'static str = "random";

    fn read(table: &Table) -> Result<Self, EvaluatorError> {
        let table = TableReader::new(Self::KIND, table, &["seed"])?;
        let seed = |value: &Value| u64::try_from(value.as_integer()?).ok();
        let seed = table.setting("seed", None, seed, "a whole number from 0")?;
        Ok(Self::new(seed))
    }

    fn entries(&self) -> Vec<(&'static str, Value)> {
        vec![("seed", Value::Integer(self.seed as i64))]
    }
}

impl Evaluator for Random {
    type Scratch = ();

    fn name(&self) -> String {
        format!("random-{}", self.seed)
    }

    fn terms(&self) -> Vec<Term> {
        vec![Term {
            group: "chance",
            label: String::new(),
            about: "What the dice say.",
            middle_game: 1,
            end_game: 1,
        }]
    }

    fn evaluate(
        &self,
        position: &Position,
        (): &mut Self::Scratch,
        trace: &mut impl Trace,
    ) -> Centipawns {
        // The Zobrist key would see colour, so the pieces are hashed as the side
        // to move sees them: its own first, moving up the board.
        let us = position.turn();
        let mut hash = mix(self.seed);
        for side in [us, !us] {
            for role in Role::ALL {
                let pieces = position.board().by_piece(role.of(side));
                let pieces = match us {
                    Color::White => pieces,
                    Color::Black => pieces.flip_vertical(),
                };
                hash = mix(hash ^ pieces.0);
            }
        }
        let score = (hash % (2 * Self::RANGE as u64 + 1)) as i32 - Self::RANGE;
        trace.term(0, us, score);
        Centipawns(score)
    }
}
