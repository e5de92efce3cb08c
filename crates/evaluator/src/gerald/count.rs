//! How often a side has each term.

use mendel_board::{Bitboard, Color, Rank, Square, attacks};

use super::facts::{Facts, behind};
use super::features as term;
use crate::side::{Side, distance, fill_files, sideways};
use crate::side_view::{CENTRE, number};

#[inline]
pub(super) fn side<S: Side>(facts: &Facts, turn: Color, tell: &mut impl FnMut(usize, Color, i32)) {
    let mut tell = |term, count| tell(term, S::COLOR, count);
    material::<S>(facts, &mut tell);
    pawns::<S>(facts, turn, &mut tell);
    let rooks = rooks::<S>(facts, &mut tell);
    pieces::<S>(facts, rooks, &mut tell);
    king::<S>(facts, &mut tell);
}

#[inline]
fn material<S: Side>(facts: &Facts, tell: &mut impl FnMut(usize, i32)) {
    let bishops = facts.bishops[S::I];
    tell(term::pawn, number(facts.pawns[S::I]));
    tell(term::knight, number(facts.knights[S::I]));
    tell(term::bishop, number(bishops));
    tell(term::rook, number(facts.rooks[S::I]));
    tell(term::queen, number(facts.queens[S::I]));
    tell(term::bishop_pair, i32::from(bishops.more_than_one()));
}

/// Pawns by themselves, and passed pawns against the enemy king.
#[inline]
fn pawns<S: Side>(facts: &Facts, turn: Color, tell: &mut impl FnMut(usize, i32)) {
    let pawns = facts.pawns[S::I];
    let passed = facts.passed[S::I];
    tell(term::passed_pawn, number(passed));
    tell(term::doubled_pawn, -number(pawns & behind::<S>(pawns)));
    tell(term::isolated_pawn, -number(facts.isolated[S::I]));
    tell(term::weak_pawn, -number(facts.backward[S::I]));
    tell(term::central_pawn, number(pawns & CENTRE));
    tell(term::weak_square, -number(facts.weak_squares::<S>()));

    // The rule of the square: a pawn on its first rank may step twice, and the
    // king has a step more if it is its move.
    let head_start = usize::from(turn != S::COLOR);
    let mut ahead = 0;
    for pawn in passed {
        let steps = (7 - S::rank(pawn)).min(5);
        let goal = Square::from_coords(pawn.file(), S::COLOR.fold_wb(Rank::Eighth, Rank::First));
        ahead += i32::from(distance(facts.king[S::Them::I], goal) > steps + head_start);
    }
    tell(term::passed_pawn_enemy_king_square, ahead);
}

/// Rooks on files and ranks; returns the squares they attack.
#[inline]
fn rooks<S: Side>(facts: &Facts, tell: &mut impl FnMut(usize, i32)) -> Bitboard {
    let rooks = facts.rooks[S::I];
    let them = S::Them::I;

    // 1. By files and ranks.
    let king_file = fill_files(Bitboard::from_square(facts.king[them]));
    let own_files = fill_files(facts.pawns[S::I]);
    let their_files = fill_files(facts.pawns[them]);
    let open = rooks & !own_files;
    tell(term::rook_attack_king_file, number(rooks & king_file));
    tell(
        term::rook_attack_king_adjacent_file,
        number(rooks & sideways(king_file)),
    );
    tell(term::rook_seventh_rank, number(rooks & S::rank_mask(6)));
    tell(term::rook_open_file, number(open & !their_files));
    tell(term::rook_semi_open_file, number(open & their_files));
    tell(
        term::rook_behind_passed_pawn,
        number(rooks & behind::<S>(facts.passed[S::I])),
    );

    // 2. By what each of them sees.
    let (mut reached, mut targets) = (Bitboard::EMPTY, 0);
    for rook in rooks {
        let seen = attacks::rook_attacks(rook, facts.occupied);
        let file = fill_files(Bitboard::from_square(rook));
        targets += i32::from(!(seen & file & facts.backward[them]).is_empty());
        reached |= seen;
    }
    tell(term::rook_attack_weak_pawn, targets);
    tell(
        term::rook_connected,
        i32::from(!(reached & rooks).is_empty()),
    );
    reached
}

/// Where the pieces can go, and the pressure on the enemy king that follows.
#[inline]
fn pieces<S: Side>(facts: &Facts, rooks: Bitboard, tell: &mut impl FnMut(usize, i32)) {
    let them = S::Them::I;
    let free = !facts.all[S::I];
    let occupied = facts.occupied;

    // 1. Mobility. A bishop does not move to a pawn or a minor piece, nor a rook
    //    to a rook: such a capture wins nothing dearer than itself.
    let above_bishop = facts.rooks[them] | facts.queens[them];
    let quiet = !occupied;
    let knights = free & seen_by(facts.knights[S::I], attacks::knight_attacks);
    let bishops = (quiet | above_bishop)
        & seen_by(facts.bishops[S::I], |from| {
            attacks::bishop_attacks(from, occupied)
        });
    let rooks = (quiet | facts.queens[them]) & rooks;
    let queens = free
        & seen_by(facts.queens[S::I], |from| {
            attacks::queen_attacks(from, occupied)
        });
    tell(term::knight_mobility, number(knights));
    tell(term::bishop_mobility, number(bishops));
    tell(term::rook_mobility, number(rooks));
    tell(term::queen_mobility, number(queens));

    // 2. Pressure.
    let zone = facts.king_zone::<S::Them>();
    let minors = number(zone & knights) + number(zone & bishops);
    let pressure = minors + 3 * number(zone & rooks) + 5 * number(zone & queens);
    tell(term::king_pressure, pressure);

    // 3. Knights that no pawn can drive away.
    let holes = facts.weak_squares::<S::Them>() & facts.pawn_attacks[S::I];
    tell(term::knight_outpost, number(facts.knights[S::I] & holes));
}

#[inline]
fn seen_by(pieces: Bitboard, attacks: impl Fn(Square) -> Bitboard) -> Bitboard {
    let mut squares = Bitboard::EMPTY;
    for piece in pieces {
        squares |= attacks(piece);
    }
    squares
}

/// Pawns of both sides near the king.
#[inline]
fn king<S: Side>(facts: &Facts, tell: &mut impl FnMut(usize, i32)) {
    let king = facts.king[S::I];
    let file = fill_files(Bitboard::from_square(king));
    let files = file | sideways(file);
    let near = |pawns: Bitboard, reach: i32| {
        let mut sum = 0;
        for pawn in pawns & files {
            let steps = king.file().distance(pawn.file()) + king.rank().distance(pawn.rank());
            sum += (reach - steps as i32).max(0);
        }
        sum
    };
    tell(term::king_friendly_pawn, near(facts.pawns[S::I], 5));
    tell(term::king_no_enemy_pawn, -near(facts.pawns[S::Them::I], 3));
}
