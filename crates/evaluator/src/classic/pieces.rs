//! Knights, bishops, rooks and queens: where they stand and what they reach.
//!
//! # Source
//!
//! The area of mobility, looking through queens and rooks, pins, outposts and the
//! trapped rook follow Stockfish's classical evaluation (version 11,
//! `evaluate.cpp`).
//!
//! # Where this differs
//!
//! Own queens do not limit the area, an outpost need not be defended by a pawn,
//! and outposts in reach count once a side, not once a piece.

use mendel_board::{Bitboard, CastlingSide, Position, Square, attacks};

use super::facts::{BISHOP, CENTRE_FILES, DARK, Facts, KING, KNIGHT, PAWN, QUEEN, ROOK};
use super::table::Pawns;
use super::{Sum, king, terms};
use crate::Trace;
use crate::side::{Side, distance};
use crate::side_view::number;

/// Counts the pieces of one side and completes its attacks.
#[inline]
pub(super) fn count<S: Side, T: Trace>(
    sum: &mut Sum<'_, T>,
    facts: &mut Facts,
    pawns: &Pawns,
    position: &Position,
) {
    minors::<S, T>(sum, facts, pawns);
    majors::<S, T>(sum, facts, pawns, position);
    pins::<S, T>(sum, facts);
}

/// What all pieces have in common: the square, the attacks, the mobility and the
/// look at the enemy king. Returns how many safe squares the piece reaches.
#[inline(always)]
fn piece<S: Side, T: Trace>(
    sum: &mut Sum<'_, T>,
    facts: &mut Facts,
    role: usize,
    square: Square,
    reach: Bitboard,
) -> usize {
    sum.place::<S>(role, S::index(square));
    let mut reach = reach;
    if facts.pinned[S::I].contains(square) {
        reach &= attacks::ray(facts.king[S::I], square);
    }
    facts.attacks[S::I][role] |= reach;
    facts.attacked_twice[S::I] |= facts.attacked[S::I] & reach;
    facts.attacked[S::I] |= reach;
    // No branch: whether a piece looks at the king cannot be foretold.
    let looks = i32::from((reach & facts.ring[S::Them::I]).any());
    let beside = reach & facts.attacks[S::Them::I][KING];
    facts.attackers[S::I] += looks;
    facts.attacker_units[S::I] += looks * king::ATTACKER[role];
    facts.hits[S::I] += beside.count() as i32;
    (reach & facts.area[S::I]).count()
}

#[inline(always)]
fn minors<S: Side, T: Trace>(sum: &mut Sum<'_, T>, facts: &mut Facts, pawns: &Pawns) {
    let own_king = facts.king[S::I];
    let own_pawns = facts.own::<S>(PAWN);
    let (knights, bishops) = (facts.own::<S>(KNIGHT), facts.own::<S>(BISHOP));

    // 1. Each piece by itself.
    for square in knights {
        let reach = attacks::knight_attacks(square);
        let mobility = piece::<S, T>(sum, facts, KNIGHT, square, reach);
        sum.one::<S>(terms::mobility_knight.at(mobility));
        let steps = distance(square, own_king) as i32;
        sum.add::<S>(terms::minor_from_king.at(0), steps);
    }
    let looked_through = facts.occupied & !(facts.own::<S>(QUEEN) | facts.enemy::<S>(QUEEN));
    let blocked = own_pawns & S::Them::up(facts.occupied) & CENTRE_FILES;
    for square in bishops {
        let reach = attacks::bishop_attacks(square, looked_through);
        let mobility = piece::<S, T>(sum, facts, BISHOP, square, reach);
        sum.one::<S>(terms::mobility_bishop.at(mobility));
        let steps = distance(square, own_king) as i32;
        sum.add::<S>(terms::minor_from_king.at(1), steps);
        let colour = if DARK.contains(square) { DARK } else { !DARK };
        let (pawns, blocked) = (own_pawns & colour, blocked & colour);
        sum.add::<S>(terms::bishop_pawns.first, number(pawns));
        sum.add::<S>(terms::bishop_blocked_pawns.first, number(blocked));
    }

    // 2. All together, without asking each: a wrong guess costs the processor
    //    more than a few counts that turn out to be zero.
    let defended = facts.attacks[S::I][PAWN];
    let outposts = (S::rank_mask(3) | S::rank_mask(4) | S::rank_mask(5)) & !pawns.span[S::Them::I];
    let near = outposts & defended & !facts.all[S::I];
    let groups = [
        (KNIGHT, terms::knight_outpost, terms::knight_near_outpost),
        (BISHOP, terms::bishop_outpost, terms::bishop_near_outpost),
    ];
    for (role, outpost, near_outpost) in groups {
        let there = facts.own::<S>(role) & outposts;
        sum.add::<S>(outpost.at(0), number(there & !defended));
        sum.add::<S>(outpost.at(1), number(there & defended));
        let reached = (facts.attacks[S::I][role] & near).any();
        sum.add::<S>(near_outpost.first, i32::from(reached));
    }
    let pair = (bishops & DARK).any() & (bishops & !DARK).any();
    sum.add::<S>(terms::bishop_pair.first, i32::from(pair));
    let all_pawns = own_pawns | facts.enemy::<S>(PAWN);
    let behind = (knights | bishops) & S::Them::up(all_pawns);
    sum.add::<S>(terms::minor_behind_pawn.first, number(behind));
}

#[inline(always)]
fn majors<S: Side, T: Trace>(
    sum: &mut Sum<'_, T>,
    facts: &mut Facts,
    pawns: &Pawns,
    position: &Position,
) {
    let (rooks, queens) = (facts.own::<S>(ROOK), facts.own::<S>(QUEEN));

    // 1. Each piece by itself.
    let looked_through = facts.occupied & !(queens | facts.enemy::<S>(QUEEN) | rooks);
    for square in rooks {
        let reach = attacks::rook_attacks(square, looked_through);
        let mobility = piece::<S, T>(sum, facts, ROOK, square, reach);
        sum.one::<S>(terms::mobility_rook.at(mobility));
        if mobility <= 3 {
            trapped::<S, T>(sum, facts, square, position);
        }
    }
    for square in queens {
        let reach = attacks::queen_attacks(square, facts.occupied);
        let mobility = piece::<S, T>(sum, facts, QUEEN, square, reach);
        sum.one::<S>(terms::mobility_queen.at(mobility));
    }

    // 2. All together.
    let half_open = files(pawns.half_open[S::I]);
    let open = half_open & files(pawns.half_open[S::Them::I]);
    let half_open = half_open & !open;
    sum.add::<S>(terms::rook_open_file.first, number(rooks & open));
    sum.add::<S>(terms::rook_half_open_file.first, number(rooks & half_open));
    let queens_open = queens & (open | half_open);
    sum.add::<S>(terms::queen_open_file.first, number(queens_open));
    let seventh = worthwhile_seventh::<S>(facts);
    sum.add::<S>(terms::rook_on_seventh.first, number(rooks & seventh));
    sum.add::<S>(terms::queen_on_seventh.first, number(queens & seventh));
    let own_passed = pawns.passed & facts.own::<S>(PAWN);
    let enemy_passed = pawns.passed & facts.enemy::<S>(PAWN);
    let behind_own = rooks & S::Them::fill_up(own_passed);
    let behind_enemy = rooks & S::fill_up(enemy_passed);
    sum.add::<S>(terms::rook_behind_passer.at(0), number(behind_own));
    sum.add::<S>(terms::rook_behind_passer.at(1), number(behind_enemy));
}

/// A rook between its king and the corner, on a file with an own pawn.
#[inline(always)]
fn trapped<S: Side, T: Trace>(
    sum: &mut Sum<'_, T>,
    facts: &Facts,
    rook: Square,
    position: &Position,
) {
    let own_pawns = facts.own::<S>(PAWN) & Bitboard::from(rook.file());
    let king = facts.king[S::I].file().to_u32();
    if own_pawns.any() && (king < 4) == (rook.file().to_u32() < king) {
        let may_castle = position.may_castle(S::COLOR, CastlingSide::KingSide)
            || position.may_castle(S::COLOR, CastlingSide::QueenSide);
        sum.one::<S>(terms::rook_trapped.at(usize::from(!may_castle)));
    }
}

/// The seventh rank where there is something to win on it or behind it.
#[inline(always)]
fn worthwhile_seventh<S: Side>(facts: &Facts) -> Bitboard {
    let seventh = S::rank_mask(6);
    let king_behind = S::rank_mask(7).contains(facts.king[S::Them::I]);
    let pawns_there = (facts.enemy::<S>(PAWN) & seventh).any();
    if king_behind | pawns_there {
        seventh
    } else {
        Bitboard::EMPTY
    }
}

#[inline(always)]
fn pins<S: Side, T: Trace>(sum: &mut Sum<'_, T>, facts: &Facts) {
    let pinned = facts.pinned[S::I];
    if pinned.any() {
        for role in PAWN..=QUEEN {
            let pinned = pinned & facts.own::<S>(role);
            sum.add::<S>(terms::pinned.at(role), number(pinned));
        }
    }
}

/// Whole files from a bit for each.
#[inline(always)]
fn files(bits: u8) -> Bitboard {
    Bitboard(u64::from(bits) * 0x0101_0101_0101_0101)
}
