//! The first ancestor: it counts wood.

use mendel_board::{Color, Position, Role};

use crate::{Centipawns, Evaluator, Trace};

/// Counts material with the classical values and sees nothing else.
#[derive(Clone, Copy, Debug, Default)]
pub struct Material;

const VALUES: [(Role, i32); 5] = [
    (Role::Pawn, 100),
    (Role::Knight, 320),
    (Role::Bishop, 330),
    (Role::Rook, 500),
    (Role::Queen, 900),
];

impl Evaluator for Material {
    type Scratch = ();

    fn name(&self) -> String {
        "material".to_owned()
    }

    fn evaluate(
        &self,
        position: &Position,
        (): &mut Self::Scratch,
        trace: &mut impl Trace,
    ) -> Centipawns {
        let board = position.board();
        let mut score = 0;
        for (term, (role, value)) in VALUES.into_iter().enumerate() {
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
