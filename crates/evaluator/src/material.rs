//! Material-only evaluator, the starting point of evolution.

use mendel_board::{Color, Position, Role};
use toml::Table;

use crate::player_file::{PlayerEvaluator, TableReader};
use crate::{Centipawns, Evaluator, EvaluatorError, Term, Trace};

/// Counts material with the classical values and sees nothing else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Material;

const VALUES: [(Role, &str, i32); 5] = [
    (Role::Pawn, "pawn", 100),
    (Role::Knight, "knight", 320),
    (Role::Bishop, "bishop", 330),
    (Role::Rook, "rook", 500),
    (Role::Queen, "queen", 900),
];

impl PlayerEvaluator for Material {
    const KIND: &'static str = "material";

    fn read(table: &Table) -> Result<Self, EvaluatorError> {
        TableReader::new(Self::KIND, table, &[]).map(|_| Self)
    }
}

impl Evaluator for Material {
    type Scratch = ();

    fn name(&self) -> String {
        Self::KIND.to_owned()
    }

    fn terms(&self) -> Vec<Term> {
        VALUES
            .into_iter()
            .map(|(_, label, value)| Term {
                group: "material",
                label: label.to_owned(),
                about: "A piece on the board.",
                middle_game: value,
                end_game: value,
            })
            .collect()
    }

    fn evaluate(
        &self,
        position: &Position,
        (): &mut Self::Scratch,
        trace: &mut impl Trace,
    ) -> Centipawns {
        let board = position.board();
        let mut score = 0;
        for (term, (role, _, value)) in VALUES.into_iter().enumerate() {
            for side in Color::ALL {
                let count = board.by_piece(role.of(side)).count() as i32;
                trace.term(term, side, count);
                let own = side == position.turn();
                score += if own { count * value } else { -count * value };
            }
        }
        Centipawns(score)
    }
}
