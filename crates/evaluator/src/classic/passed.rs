//! Passed pawns and the pieces around them.

use mendel_board::{Bitboard, Color, Square};

use super::facts::{Facts, KING, PAWN};
use super::table::Pawns;
use super::{Sum, terms};
use crate::Trace;
use crate::side::{Side, distance};

/// Counts what pieces mean for `S`'s passed pawns.
#[inline]
pub(super) fn count<S: Side, T: Trace>(
    sum: &mut Sum<'_, T>,
    facts: &Facts,
    pawns: &Pawns,
    turn: Color,
) {
    let passed = pawns.passed & facts.own::<S>(PAWN);
    let (us, them) = (S::I, S::Them::I);
    for square in passed {
        let pawn = Bitboard::from_square(square);
        let stop = S::up(pawn);
        let rank = S::rank(square);
        if (stop & facts.all[them]).any() {
            sum.one::<S>(terms::passed_blocked.at(rank));
        } else if (stop & (facts.occupied | facts.attacked[them])).is_empty() {
            sum.one::<S>(terms::passed_free.at(rank));
            let way = S::fill_up(stop) & Bitboard::from(square.file());
            if (way & (facts.occupied | facts.attacked[them])).is_empty() {
                sum.one::<S>(terms::passed_clear.at(rank));
            }
        }
        if (stop & facts.attacked[us]).any() {
            sum.one::<S>(terms::passed_supported.at(rank));
        }
    }

    let bare = facts.enemy::<S>(PAWN) | facts.enemy::<S>(KING);
    if passed.any() && facts.all[them] == bare {
        let king = facts.king[them];
        let to_move = turn == S::COLOR;
        let runs = |square: Square| {
            let way =
                S::fill_up(S::up(Bitboard::from_square(square))) & Bitboard::from(square.file());
            let goal = if S::I == 0 { way.last() } else { way.first() };
            let steps = 7 - S::rank(square).max(2);
            // The enemy king catches the pawn if it gets to the goal one move
            // after it; having the move, it may be a step further away.
            goal.is_some_and(|goal| distance(king, goal) > steps + usize::from(!to_move))
                && (way & facts.occupied).is_empty()
        };
        if passed.into_iter().any(runs) {
            sum.one::<S>(terms::passed_unstoppable.first);
        }
    }
}
