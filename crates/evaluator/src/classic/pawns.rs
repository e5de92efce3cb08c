//! Terms that follow from pawns and kings alone.

use mendel_board::Bitboard;

use super::facts::{Facts, KING, PAWN};
use super::table::Pawns;
use super::{Classic, Sum, terms};
use crate::Trace;
use crate::packed::Packed;
use crate::side::{Black, Side, White, distance, file_mask, fill_files, sideways};

const WINGS: [u64; 3] = [
    0x0F0F_0F0F_0F0F_0F0F, // a to d, for a king on a to c
    0x3C3C_3C3C_3C3C_3C3C, // c to f, for a king on d or e
    0xF0F0_F0F0_F0F0_F0F0, // e to h, for a king on f to h
];

/// Counts the terms of both sides.
///
/// Not inlined: in play this runs once in ten or twenty calls.
#[inline(never)]
pub(super) fn judge<T: Trace>(classic: &Classic, facts: &Facts, trace: &mut T) -> Pawns {
    let mut sum = Sum {
        classic,
        trace,
        score: Packed::default(),
    };
    let mut pawns = Pawns::default();
    structure::<White, T>(&mut sum, facts, &mut pawns);
    structure::<Black, T>(&mut sum, facts, &mut pawns);
    shelter::<White, T>(&mut sum, facts, &mut pawns);
    shelter::<Black, T>(&mut sum, facts, &mut pawns);
    pawns.score = sum.score;
    pawns
}

/// Each pawn by its square and its neighbours.
fn structure<S: Side, T: Trace>(sum: &mut Sum<'_, T>, facts: &Facts, entry: &mut Pawns) {
    let own = facts.own::<S>(PAWN);
    let enemy = facts.enemy::<S>(PAWN);
    let enemy_attacks = facts.attacks[S::Them::I][PAWN];

    let files = fill_files(own);
    let attacks = facts.attacks[S::I][PAWN];
    let span = S::fill_up(attacks);
    entry.span[S::I] = span;
    entry.half_open[S::I] = !(files.0 as u8);

    // Squares that an enemy pawn stands on or in front of, as it goes.
    let enemy_front = S::Them::fill_up(S::Them::up(enemy));
    let opposed = own & enemy_front;
    let behind_own = own & S::Them::fill_up(S::Them::up(own));
    let passed = own & !(enemy_front | sideways(enemy_front)) & !behind_own;
    entry.passed |= passed;

    let isolated = own & !sideways(files);
    let halted = S::Them::up(S::up(own) & enemy_attacks & !span);
    let backward = halted & !isolated;
    let connected = own & attacks;
    let phalanx = own & sideways(own);

    sum.add::<S>(terms::pawn_doubled.first, behind_own.count() as i32);
    split::<S, T>(sum, terms::pawn_isolated.first, isolated, opposed);
    split::<S, T>(sum, terms::pawn_backward.first, backward, opposed);

    for square in own {
        let rank = S::rank(square);
        sum.place::<S>(PAWN, S::index(square));
        if connected.contains(square) {
            sum.one::<S>(terms::pawn_connected.at(rank));
        }
        if phalanx.contains(square) {
            sum.one::<S>(terms::pawn_phalanx.at(rank));
        }
        if passed.contains(square) {
            sum.one::<S>(terms::passed.at(rank));
            passed_kings::<S, T>(sum, facts, Bitboard::from_square(square));
        } else if !(opposed | behind_own).contains(square) {
            // Helpers stand beside the pawn or behind; guards stand in front.
            let pawn = Bitboard::from_square(square);
            let beside = sideways(S::Them::fill_up(pawn));
            let ahead = sideways(S::fill_up(S::up(pawn)));
            if (beside & own).count() >= (ahead & enemy).count() {
                sum.one::<S>(terms::pawn_candidate.at(rank));
            }
        }
    }
}

/// One term for opposed pawns and the next for the others.
fn split<S: Side, T: Trace>(
    sum: &mut Sum<'_, T>,
    first: usize,
    pawns: Bitboard,
    opposed: Bitboard,
) {
    sum.add::<S>(first, (pawns & opposed).count() as i32);
    sum.add::<S>(first + 1, (pawns & !opposed).count() as i32);
}

/// How far the kings are from the square in front of a passed pawn.
fn passed_kings<S: Side, T: Trace>(sum: &mut Sum<'_, T>, facts: &Facts, pawn: Bitboard) {
    let Some(stop) = S::up(pawn).first() else {
        return;
    };
    let weight = S::rank(stop) as i32 - 3;
    if weight > 0 {
        let own = distance(facts.king[S::I], stop);
        let enemy = distance(facts.king[S::Them::I], stop);
        sum.add::<S>(terms::passed_own_king.at(own), weight);
        sum.add::<S>(terms::passed_enemy_king.at(enemy), weight);
    }
}

/// The king among pawns: those that shield it and those that come for it.
fn shelter<S: Side, T: Trace>(sum: &mut Sum<'_, T>, facts: &Facts, entry: &mut Pawns) {
    let king = facts.king[S::I];
    let own = facts.own::<S>(PAWN);
    let enemy = facts.enemy::<S>(PAWN);
    sum.place::<S>(KING, S::index(king));

    // On the king's rank or in front of it.
    let ahead = S::fill_up(Bitboard::from(king.rank()));
    let king_file = king.file().to_usize();
    let centre = king_file.clamp(1, 6);
    for file in centre - 1..=centre + 1 {
        let mask = file_mask(file) & ahead;
        let own_rank = nearest_rank::<S>(own & mask);
        let enemy_rank = nearest_rank::<S>(enemy & mask);
        let row = 8 * file.min(7 - file);
        sum.one::<S>(terms::shelter.at(row + own_rank));
        if own_rank != 0 && enemy_rank == own_rank + 1 {
            sum.one::<S>(terms::storm_blocked.at(enemy_rank));
        } else {
            sum.one::<S>(terms::storm.at(row + enemy_rank));
        }
        entry.holes[S::I] += u8::from(own_rank == 0);
    }

    let file = file_mask(king_file);
    if (own & file).is_empty() {
        let open = usize::from((enemy & file).is_empty());
        sum.one::<S>(terms::king_open_file.at(open));
    }
    let wing = WINGS[[0, 0, 0, 1, 1, 2, 2, 2][king_file]];
    if ((own | enemy) & Bitboard(wing)).is_empty() {
        sum.one::<S>(terms::king_pawnless_wing.first);
    }
    if let Some(steps) = own.into_iter().map(|pawn| distance(king, pawn)).min() {
        sum.one::<S>(terms::king_nearest_pawn.at(steps));
    }
}

/// The rank of the pawn nearest to `S`'s back rank; 0 without pawns.
fn nearest_rank<S: Side>(pawns: Bitboard) -> usize {
    let nearest = match S::I {
        0 => pawns.first(),
        _ => pawns.last(),
    };
    nearest.map_or(0, S::rank)
}
