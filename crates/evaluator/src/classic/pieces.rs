//! Knights, bishops, rooks and queens: where they stand and what they reach.

use mendel_board::{Bitboard, CastlingSide, Position, Square, attacks};

use super::facts::{BISHOP, Facts, KNIGHT, PAWN, QUEEN, ROOK};
use super::side::{Side, distance};
use super::table::Pawns;
use super::{Sum, king, terms};
use crate::Trace;

const DARK: Bitboard = Bitboard(0xAA55_AA55_AA55_AA55);
const CENTRE_FILES: Bitboard = Bitboard(0x3C3C_3C3C_3C3C_3C3C);

/// Counts the pieces of one side and completes its attacks.
#[inline]
pub(super) fn count<S: Side, T: Trace>(
    sum: &mut Sum<'_, T>,
    facts: &mut Facts,
    pawns: &Pawns,
    position: &Position,
) {
    minors::<S, T>(sum, facts, pawns);
    rooks::<S, T>(sum, facts, pawns, position);
    queens::<S, T>(sum, facts, pawns);
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
) -> (Bitboard, usize) {
    sum.place::<S>(role, S::index(square));
    let mut reach = reach;
    if facts.pinned[S::I].contains(square) {
        reach &= attacks::ray(facts.king[S::I], square);
    }
    facts.attacks[S::I][role] |= reach;
    facts.attacked_twice[S::I] |= facts.attacked[S::I] & reach;
    facts.attacked[S::I] |= reach;
    if (reach & facts.ring[S::Them::I]).any() {
        facts.attackers[S::I] += 1;
        facts.attacker_units[S::I] += king::ATTACKER[role];
        let beside = reach & facts.attacks[S::Them::I][super::facts::KING];
        facts.hits[S::I] += beside.count() as i32;
    }
    (reach, (reach & facts.area[S::I]).count())
}

#[inline(always)]
fn minors<S: Side, T: Trace>(sum: &mut Sum<'_, T>, facts: &mut Facts, pawns: &Pawns) {
    let own_king = facts.king[S::I];
    let own_pawns = facts.own::<S>(PAWN);
    let all_pawns = own_pawns | facts.enemy::<S>(PAWN);
    let defended = facts.attacks[S::I][PAWN];
    let outposts = (S::rank_mask(3) | S::rank_mask(4) | S::rank_mask(5)) & !pawns.span[S::Them::I];
    // The best outposts are those one can go to: defended and not taken.
    let near = outposts & defended & !facts.all[S::I];

    for square in facts.own::<S>(KNIGHT) {
        let reach = attacks::knight_attacks(square);
        let (reach, mobility) = piece::<S, T>(sum, facts, KNIGHT, square, reach);
        sum.one::<S>(terms::mobility_knight.at(mobility));
        if outposts.contains(square) {
            let with_pawn = usize::from(defended.contains(square));
            sum.one::<S>(terms::knight_outpost.at(with_pawn));
        } else if (reach & near).any() {
            sum.one::<S>(terms::knight_near_outpost.first);
        }
        sum.add::<S>(
            terms::minor_from_king.at(0),
            distance(square, own_king) as i32,
        );
    }

    let bishops = facts.own::<S>(BISHOP);
    let looked_through = facts.occupied & !(facts.own::<S>(QUEEN) | facts.enemy::<S>(QUEEN));
    let blocked = own_pawns & S::Them::up(facts.occupied) & CENTRE_FILES;
    for square in bishops {
        let reach = attacks::bishop_attacks(square, looked_through);
        let (reach, mobility) = piece::<S, T>(sum, facts, BISHOP, square, reach);
        sum.one::<S>(terms::mobility_bishop.at(mobility));
        if outposts.contains(square) {
            let with_pawn = usize::from(defended.contains(square));
            sum.one::<S>(terms::bishop_outpost.at(with_pawn));
        } else if (reach & near).any() {
            sum.one::<S>(terms::bishop_near_outpost.first);
        }
        let colour = if DARK.contains(square) { DARK } else { !DARK };
        sum.add::<S>(
            terms::bishop_pawns.first,
            (own_pawns & colour).count() as i32,
        );
        sum.add::<S>(
            terms::bishop_blocked_pawns.first,
            (blocked & colour).count() as i32,
        );
        sum.add::<S>(
            terms::minor_from_king.at(1),
            distance(square, own_king) as i32,
        );
    }
    if (bishops & DARK).any() && (bishops & !DARK).any() {
        sum.one::<S>(terms::bishop_pair.first);
    }
    let behind = (facts.own::<S>(KNIGHT) | bishops) & S::Them::up(all_pawns);
    sum.add::<S>(terms::minor_behind_pawn.first, behind.count() as i32);
}

#[inline(always)]
fn rooks<S: Side, T: Trace>(
    sum: &mut Sum<'_, T>,
    facts: &mut Facts,
    pawns: &Pawns,
    position: &Position,
) {
    let rooks = facts.own::<S>(ROOK);
    if rooks.is_empty() {
        return;
    }
    let queens = facts.own::<S>(QUEEN) | facts.enemy::<S>(QUEEN);
    let looked_through = facts.occupied & !(queens | rooks);
    let seventh = worthwhile_seventh::<S>(facts);
    let passed = pawns.passed;
    for square in rooks {
        let reach = attacks::rook_attacks(square, looked_through);
        let (_, mobility) = piece::<S, T>(sum, facts, ROOK, square, reach);
        sum.one::<S>(terms::mobility_rook.at(mobility));

        let file = 1 << square.file().to_u32();
        if pawns.half_open[S::I] & file != 0 {
            sum.one::<S>(if pawns.half_open[S::Them::I] & file != 0 {
                terms::rook_open_file.first
            } else {
                terms::rook_half_open_file.first
            });
        } else if mobility <= 3 {
            trapped::<S, T>(sum, facts.king[S::I], square, position);
        }
        if seventh.contains(square) {
            sum.one::<S>(terms::rook_on_seventh.first);
        }
        if passed.any() {
            behind_passers::<S, T>(sum, facts, passed, square);
        }
    }
}

/// A rook between its king and the corner.
#[inline(always)]
fn trapped<S: Side, T: Trace>(
    sum: &mut Sum<'_, T>,
    king: Square,
    rook: Square,
    position: &Position,
) {
    let (king, rook) = (king.file().to_u32(), rook.file().to_u32());
    if (king < 4) == (rook < king) {
        let may_castle = position.may_castle(S::COLOR, CastlingSide::KingSide)
            || position.may_castle(S::COLOR, CastlingSide::QueenSide);
        sum.one::<S>(terms::rook_trapped.at(usize::from(!may_castle)));
    }
}

#[inline(always)]
fn behind_passers<S: Side, T: Trace>(
    sum: &mut Sum<'_, T>,
    facts: &Facts,
    passed: Bitboard,
    rook: Square,
) {
    let file = Bitboard::from(rook.file());
    let above = S::fill_up(Bitboard::from_square(rook)) & file;
    if (above & passed & facts.own::<S>(PAWN)).any() {
        sum.one::<S>(terms::rook_behind_passer.at(0));
    }
    let below = S::Them::fill_up(Bitboard::from_square(rook)) & file;
    if (below & passed & facts.enemy::<S>(PAWN)).any() {
        sum.one::<S>(terms::rook_behind_passer.at(1));
    }
}

#[inline(always)]
fn queens<S: Side, T: Trace>(sum: &mut Sum<'_, T>, facts: &mut Facts, pawns: &Pawns) {
    let queens = facts.own::<S>(QUEEN);
    if queens.is_empty() {
        return;
    }
    let seventh = worthwhile_seventh::<S>(facts);
    for square in queens {
        let reach = attacks::queen_attacks(square, facts.occupied);
        let (_, mobility) = piece::<S, T>(sum, facts, QUEEN, square, reach);
        sum.one::<S>(terms::mobility_queen.at(mobility));
        if pawns.half_open[S::I] & (1 << square.file().to_u32()) != 0 {
            sum.one::<S>(terms::queen_open_file.first);
        }
        if seventh.contains(square) {
            sum.one::<S>(terms::queen_on_seventh.first);
        }
    }
}

/// The seventh rank where there is something to win on it or behind it.
#[inline]
fn worthwhile_seventh<S: Side>(facts: &Facts) -> Bitboard {
    let seventh = S::rank_mask(6);
    let king_behind = S::rank_mask(7).contains(facts.king[S::Them::I]);
    if king_behind || (facts.enemy::<S>(PAWN) & seventh).any() {
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
            let count = (pinned & facts.own::<S>(role)).count() as i32;
            sum.add::<S>(terms::pinned.at(role), count);
        }
    }
}
