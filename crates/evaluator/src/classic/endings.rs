//! Won endings without pawns: where to drive the lone king.

use mendel_board::Square;

use super::facts::{BISHOP, DARK, Facts, KNIGHT, PAWN, QUEEN, ROOK};
use super::{Sum, terms};
use crate::Trace;
use crate::side::{Side, distance};

/// Counts how far `S` has come in mating the enemy king.
///
/// Applies where there are no pawns and `S` leads by more than a minor piece and
/// can mate: against a bare king, or queen against rook and the like. The weights
/// belong to `S`, so large ones mean that `S` likes the place of the enemy king.
#[inline]
pub(super) fn count<S: Side, T: Trace>(sum: &mut Sum<'_, T>, facts: &Facts) {
    let pawns = facts.own::<S>(PAWN) | facts.enemy::<S>(PAWN);
    if pawns.any() || !wins::<S>(facts) {
        return;
    }
    let king = facts.king[S::Them::I];
    let (file, rank) = (king.to_usize() & 7, king.to_usize() >> 3);
    sum.one::<S>(terms::mate_edge.at(file.min(7 - file)));
    sum.one::<S>(terms::mate_edge.at(rank.min(7 - rank)));
    sum.one::<S>(terms::mate_kings.at(distance(king, facts.king[S::I])));

    let bishops = facts.own::<S>(BISHOP);
    if officers::<S>(facts) == 2 && bishops.any() && facts.own::<S>(KNIGHT).any() {
        let corners = if (bishops & DARK).any() {
            [Square::A1, Square::H8]
        } else {
            [Square::A8, Square::H1]
        };
        let steps = corners.map(|corner| distance(king, corner));
        sum.one::<S>(terms::mate_corner.at(steps[0].min(steps[1])));
    }
}

fn officers<S: Side>(facts: &Facts) -> i32 {
    (KNIGHT..=QUEEN).map(|role| facts.count::<S>(role)).sum()
}

/// Enough to mate, and enough more than the enemy has.
fn wins<S: Side>(facts: &Facts) -> bool {
    let heavy = facts.own::<S>(ROOK) | facts.own::<S>(QUEEN);
    let bishops = facts.own::<S>(BISHOP);
    let knights = facts.own::<S>(KNIGHT);
    let mates = heavy.any()
        || ((bishops & DARK).any() && (bishops & !DARK).any())
        || (bishops.any() && knights.any())
        || knights.count() > 2;
    mates && super::scale::officers::<S>(facts) - super::scale::officers::<S::Them>(facts) > 3
}
