//! The attack on the king, the right to castle, and space.
//!
//! An attack is worth more than the sum of its parts, yet the score must stay
//! linear in its weights. So the parts are put together as whole units, with the
//! fixed numbers below, and the weight is looked up by the units: what the units
//! are is chess knowledge, what they are worth is bred.
//!
//! # Source
//!
//! Attack units looked up in a table are an old idea of computer chess; the ring,
//! the barely defended squares and the safe checks follow the king safety of
//! Stockfish's classical evaluation (version 11, `evaluate.cpp`), as does the idea
//! of space behind the pawns.
//!
//! # Where this differs
//!
//! Stockfish squares the danger and mixes the shelter into it; here whole units
//! with numbers of our own index a table of weights, and the shelter is apart.

use mendel_board::attacks;

use super::facts::{BISHOP, CENTRE_FILES, Facts, KING, KNIGHT, PAWN, QUEEN, ROOK};
use super::table::Pawns;
use super::{Sum, terms};
use crate::Trace;
use crate::side::Side;

/// Units of a piece that looks at the ring around the king; multiplied by the
/// number of such pieces, halved.
pub(super) const ATTACKER: [i32; 6] = [0, 4, 3, 3, 2, 0];
/// Units of a hit on a square beside the king.
const HIT: i32 = 3;
/// Units of a square of the ring that is not really defended.
const WEAK_SQUARE: i32 = 6;
/// Units of a safe check, by the checking piece.
const SAFE_CHECK: [i32; 6] = [0, 15, 10, 18, 15, 0];
/// Units of a square from which a check is possible but costs the piece.
const UNSAFE_CHECK: i32 = 2;
/// Units of a file at the king without a pawn of its own.
const HOLE: i32 = 3;
/// Units less if the attacker has no queen.
const NO_QUEEN: i32 = 24;
/// Units less if a knight defends the squares beside the king.
const KNIGHT_AT_HOME: i32 = 4;

/// Counts `S`'s attack on the other king and `S`'s space.
#[inline]
pub(super) fn count<S: Side, T: Trace>(sum: &mut Sum<'_, T>, facts: &Facts, pawns: &Pawns) {
    space::<S, T>(sum, facts);
    let queen = facts.own::<S>(QUEEN).any();
    // Without a queen, one piece alone does not mate.
    if !queen && facts.attackers[S::I] < 2 {
        return;
    }

    // 1. Squares of the ring that only king or queen defend, if anybody.
    let (us, them) = (S::I, S::Them::I);
    let barely = !facts.attacked[them] | facts.attacks[them][KING] | facts.attacks[them][QUEEN];
    let weak = facts.attacked[us] & !facts.attacked_twice[them] & barely;
    let weak_ring = (weak & facts.ring[them]).count() as i32;
    sum.add::<S>(terms::king_weak_square.first, weak_ring);

    // 2. Checks next move, from squares where the checking piece would live.
    let king = facts.king[them];
    let safe = !facts.attacked[them] | (weak & facts.attacked_twice[us]);
    let looked_through = facts.occupied & !facts.enemy::<S>(QUEEN);
    let straight = attacks::rook_attacks(king, looked_through);
    let slanted = attacks::bishop_attacks(king, looked_through);
    let lines = [
        attacks::knight_attacks(king),
        slanted,
        straight,
        straight | slanted,
    ];
    let mut units = 0;
    for (role, line) in (KNIGHT..=QUEEN).zip(lines) {
        let checks = line & facts.attacks[us][role] & !facts.all[us];
        let is_safe = i32::from((checks & safe).any());
        sum.add::<S>(terms::king_safe_check.at(role - KNIGHT), is_safe);
        units += SAFE_CHECK[role] * is_safe;
        if role != QUEEN {
            units += UNSAFE_CHECK * (checks & !safe).count() as i32;
        }
    }

    // 3. All of it as one number.
    units += facts.attacker_units[us] * facts.attackers[us] / 2;
    units += HIT * facts.hits[us];
    units += WEAK_SQUARE * weak_ring;
    units += HOLE * i32::from(pawns.holes[them]);
    if !queen {
        units -= NO_QUEEN;
    }
    if (facts.attacks[them][KNIGHT] & facts.attacks[them][KING]).any() {
        units -= KNIGHT_AT_HOME;
    }
    let units = units.clamp(0, 63) as usize;
    sum.one::<S>(terms::king_attack.at(units));
}

/// Safe room behind the own pawns, the more useful the more pieces there are.
#[inline(always)]
fn space<S: Side, T: Trace>(sum: &mut Sum<'_, T>, facts: &Facts) {
    let pawns = facts.own::<S>(PAWN);
    let room = CENTRE_FILES & (S::rank_mask(1) | S::rank_mask(2) | S::rank_mask(3));
    let safe = room & !pawns & !facts.attacks[S::Them::I][PAWN];
    // Up to three squares behind an own pawn count twice unless contested.
    let mut behind = S::Them::up(pawns);
    behind |= S::Them::up(behind);
    behind |= S::Them::up(behind);
    let held = safe & behind & !facts.attacked[S::Them::I];
    let squares = (safe.count() + held.count()) as i32;
    let officers = (facts.all[S::I] & !pawns).count() as i32 - 1;
    // Seven officers use all of it, two or fewer nothing.
    let count = squares * (officers - 2).max(0) / 5;
    sum.add::<S>(terms::space.first, count);
}

#[inline]
pub(super) fn castling<S: Side, T: Trace>(sum: &mut Sum<'_, T>, position: &mendel_board::Position) {
    use mendel_board::CastlingSide::{KingSide, QueenSide};
    for (index, side) in [KingSide, QueenSide].into_iter().enumerate() {
        if position.may_castle(S::COLOR, side) {
            sum.one::<S>(terms::castling.at(index));
        }
    }
}

const _: () = assert!(ROOK - KNIGHT == 2 && BISHOP - KNIGHT == 1);
