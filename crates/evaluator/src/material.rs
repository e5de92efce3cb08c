//! The first ancestor: it counts wood.

use mendel_board::{Color, Position, Role};

use crate::{Centipawns, Evaluator, Term, Trace};

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

impl Evaluator for Material {
    type Scratch = ();

    fn name(&self) -> String {
        "material".to_owned()
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
                score += if side == position.turn() {
                    count * value
                } else {
                    -count * value
                };
            }
        }
        Centipawns(score)
    }
}
