//! The other first ancestor: it throws dice.

use mendel_board::{Color, Position, Role, mix};

use crate::{Centipawns, Evaluator, Term, Trace};

/// Gives each position a score by chance, always the same one for the same seed.
///
/// The baseline of every plot: whoever does not beat it has learned nothing.
/// (With a search above it, it is not as bad as it sounds: the side with more
/// moves draws more lots and keeps the best.)
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Random {
    seed: u64,
}

impl Random {
    /// Scores lie within plus and minus this many centipawns.
    pub const RANGE: i32 = 100;

    /// The dice of this seed. Its highest bit is dropped, because the integers
    /// of a player file do not reach that far.
    pub fn new(seed: u64) -> Self {
        Self {
            seed: seed & (u64::MAX >> 1),
        }
    }

    /// The seed.
    pub fn seed(&self) -> u64 {
        self.seed
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
