//! What an advantage in the end game is worth at all.
//!
//! The scale depends on the position alone, never on the score: otherwise the
//! score would not be linear in the weights. Whose advantage is doubted is
//! therefore decided by counting pieces in the old way (3, 3, 5, 9 and 1 for a
//! pawn): the doubt is about the side that counts more, and with equal counts
//! about whichever side has the better chances.

use mendel_board::{Bitboard, Square};

use super::facts::{BISHOP, DARK, Facts, KNIGHT, PAWN, QUEEN, ROOK};
use crate::side::{Black, Side, White, distance};

/// Nothing is doubted.
pub(super) const FULL: i32 = 64;

const QUEEN_WING: Bitboard = Bitboard(0x0F0F_0F0F_0F0F_0F0F);

/// The officers of a side in the old count.
#[inline]
pub(super) fn officers<S: Side>(facts: &Facts) -> i32 {
    3 * (facts.count::<S>(KNIGHT) + facts.count::<S>(BISHOP))
        + 5 * facts.count::<S>(ROOK)
        + 9 * facts.count::<S>(QUEEN)
}

/// The share of [`FULL`] with which the end-game score counts.
#[inline]
pub(super) fn scale(facts: &Facts) -> i32 {
    let white = officers::<White>(facts) + facts.count::<White>(PAWN);
    let black = officers::<Black>(facts) + facts.count::<Black>(PAWN);
    match white.cmp(&black) {
        std::cmp::Ordering::Greater => of_stronger::<White>(facts),
        std::cmp::Ordering::Less => of_stronger::<Black>(facts),
        std::cmp::Ordering::Equal => of_stronger::<White>(facts).max(of_stronger::<Black>(facts)),
    }
}

/// The scale if `S` is the side that tries to win.
#[inline]
fn of_stronger<S: Side>(facts: &Facts) -> i32 {
    let pawns = facts.count::<S>(PAWN);
    // With many pawns and pieces left, nothing is known for sure.
    if pawns == 0 {
        return without_pawns::<S>(facts);
    }
    if opposite_bishops(facts) {
        return opposite::<S>(facts);
    }
    if pawns <= 3 {
        return few_pawns::<S>(facts, pawns);
    }
    if one_wing(facts) && pawns - facts.count::<S::Them>(PAWN) <= 1 {
        return 56;
    }
    FULL
}

fn without_pawns<S: Side>(facts: &Facts) -> i32 {
    let own = officers::<S>(facts);
    let enemy = officers::<S::Them>(facts);
    let enemy_pawns = facts.enemy::<S>(PAWN).any();
    // A minor piece or two knights do not mate.
    if own <= 3 {
        return 0;
    }
    if own == 6 && facts.count::<S>(KNIGHT) == 2 {
        return if enemy_pawns { 8 } else { 0 };
    }
    // Two bishops beat a knight, slowly.
    if own == 6 && facts.count::<S>(BISHOP) == 2 && enemy == 3 {
        return if facts.enemy::<S>(KNIGHT).any() {
            40
        } else {
            8
        };
    }
    match own - enemy {
        ..=3 if enemy <= 3 => 8,
        ..=3 => 14,
        _ if enemy_pawns && own == 5 => 40,
        _ => FULL,
    }
}

/// One bishop each, on squares of different colours.
fn opposite_bishops(facts: &Facts) -> bool {
    let white = facts.own::<White>(BISHOP);
    let black = facts.own::<Black>(BISHOP);
    white.count() == 1
        && black.count() == 1
        && (white & DARK).is_empty() != (black & DARK).is_empty()
}

fn opposite<S: Side>(facts: &Facts) -> i32 {
    let own = officers::<S>(facts);
    if own == 3 && officers::<S::Them>(facts) == 3 {
        let more = facts.count::<S>(PAWN) - facts.count::<S::Them>(PAWN);
        return (16 + 8 * more.max(0)).min(48);
    }
    48
}

fn few_pawns<S: Side>(facts: &Facts, pawns: i32) -> i32 {
    let own = officers::<S>(facts);
    let enemy = officers::<S::Them>(facts);
    if rook_pawn_draw::<S>(facts, own) {
        return 2;
    }
    // Pawn endings are decided by the pawns; a rook ahead always wins, and so
    // does a piece with a pawn against a bare king.
    if own == 0 || enemy == 0 || own - enemy > 3 {
        return FULL;
    }
    // The last pawn can be bought with a piece if the rest does not win.
    if pawns == 1 && enemy >= 3 && own <= enemy {
        return if own <= 3 { 24 } else { 36 };
    }
    let wings = if one_wing(facts) { 8 } else { 0 };
    (40 + 8 * pawns - wings).min(FULL)
}

/// Rook pawns with a bishop that does not attack their goal, or without a piece,
/// do not win against a king in the corner.
fn rook_pawn_draw<S: Side>(facts: &Facts, own: i32) -> bool {
    let bishops = facts.own::<S>(BISHOP);
    if own != 3 * bishops.count() as i32 {
        return false;
    }
    let pawns = facts.own::<S>(PAWN);
    let file_a = Bitboard(0x0101_0101_0101_0101);
    let goal = if pawns.is_subset(file_a) {
        Square::A8
    } else if pawns.is_subset(Bitboard(file_a.0 << 7)) {
        Square::H8
    } else {
        return false;
    };
    let goal = Square::new(S::index(goal) as u32);
    let colour = if DARK.contains(goal) { DARK } else { !DARK };
    (bishops & colour).is_empty() && distance(facts.king[S::Them::I], goal) <= 1
}

/// All pawns on the files a to d, or all on e to h.
fn one_wing(facts: &Facts) -> bool {
    let pawns = facts.own::<White>(PAWN) | facts.own::<Black>(PAWN);
    (pawns & QUEEN_WING).is_empty() || (pawns & !QUEEN_WING).is_empty()
}
