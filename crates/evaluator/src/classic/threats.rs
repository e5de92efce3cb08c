//! Threats: pieces that are attacked by less, or not defended enough.
//!
//! # Source
//!
//! The kinds of threats, and what counts as firmly held, follow Stockfish's
//! classical evaluation (version 11, `evaluate.cpp`).
//!
//! # Where this differs
//!
//! Pawn threats are weighed by the kind of piece, and chasing the queen is one
//! term for all pieces.

use mendel_board::{Bitboard, attacks};

use super::facts::{BISHOP, Facts, KING, KNIGHT, PAWN, QUEEN, ROOK};
use super::{Sum, terms};
use crate::Trace;
use crate::side::Side;

#[inline]
pub(super) fn count<S: Side, T: Trace>(sum: &mut Sum<'_, T>, facts: &Facts) {
    let (us, them) = (S::I, S::Them::I);
    let enemy = facts.all[them];
    let officers = enemy & !facts.enemy::<S>(PAWN);
    let attacked = facts.attacked[us];

    // 1. Firmly held: defended by a pawn, or twice while we attack only once.
    let firm = facts.attacks[them][PAWN] | (facts.attacked_twice[them] & !facts.attacked_twice[us]);
    let weak = enemy & !firm & attacked;
    let targets = weak | (officers & firm);

    // 2. Officers attacked by minors and rooks.
    let minors = facts.attacks[us][KNIGHT] | facts.attacks[us][BISHOP];
    by_kind::<S, T>(sum, facts, terms::threat_by_minor.first, targets & minors);
    let rooks = facts.attacks[us][ROOK];
    by_kind::<S, T>(sum, facts, terms::threat_by_rook.first, weak & rooks);

    // 3. Whatever is weak.
    if weak.any() {
        if (weak & facts.attacks[us][KING]).any() {
            sum.one::<S>(terms::threat_by_king.first);
        }
        let hanging = weak & (!facts.attacked[them] | (officers & facts.attacked_twice[us]));
        sum.add::<S>(terms::threat_hanging.first, hanging.count() as i32);
    }
    let contested = facts.attacked[them] & !firm & attacked;
    sum.add::<S>(terms::threat_contested.first, contested.count() as i32);

    // 4. Pawns that attack officers now, or could after a safe step.
    let safe = !facts.attacked[them] | attacked;
    let pawns = facts.own::<S>(PAWN);
    let by_pawn = S::pawn_attacks(pawns & safe) & officers;
    if by_pawn.any() {
        for role in KNIGHT..=QUEEN {
            let count = (by_pawn & facts.enemy::<S>(role)).count() as i32;
            sum.add::<S>(terms::threat_by_pawn.at(role - KNIGHT), count);
        }
    }
    let empty = !facts.occupied;
    let step = S::up(pawns) & empty;
    let step = step | (S::up(step & S::rank_mask(2)) & empty);
    let step = step & safe & !facts.attacks[them][PAWN];
    let by_push = S::pawn_attacks(step) & officers & !facts.attacks[us][PAWN];
    sum.add::<S>(terms::threat_by_push.first, by_push.count() as i32);

    // 5. A lone enemy queen that can be chased.
    if let Some(queen) = facts.enemy::<S>(QUEEN).single_square() {
        let room = facts.area[us] & !firm & !facts.all[us];
        let straight = attacks::rook_attacks(queen, facts.occupied);
        let slanted = attacks::bishop_attacks(queen, facts.occupied);
        let chasers = (attacks::knight_attacks(queen) & facts.attacks[us][KNIGHT])
            | (slanted & facts.attacks[us][BISHOP] & facts.attacked_twice[us])
            | (straight & facts.attacks[us][ROOK] & facts.attacked_twice[us]);
        let count = (chasers & room).count() as i32;
        sum.add::<S>(terms::threat_on_queen.first, count);
    }
}

/// One term for each kind of target, pawns first.
#[inline(always)]
fn by_kind<S: Side, T: Trace>(
    sum: &mut Sum<'_, T>,
    facts: &Facts,
    first: usize,
    targets: Bitboard,
) {
    if targets.any() {
        for role in PAWN..=QUEEN {
            let count = (targets & facts.enemy::<S>(role)).count() as i32;
            sum.add::<S>(first + role, count);
        }
    }
}
