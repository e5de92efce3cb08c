//! The ten inputs counted, for one side at a time.

use mendel_board::{Bitboard, Board, Color, Position, Role, Square, attacks};

use super::terms as term;
use super::{COUNT, FEATURES};
use crate::side::{Black, Side, White};
use crate::side_view::{CENTRE, isolated, number, passed};

pub(super) type Counts = [i32; COUNT];

pub(super) fn both(position: &Position) -> [Counts; 2] {
    let board = position.board();
    let reach = Color::ALL.map(|side| attacked(board, side));
    [
        counts::<White>(board, reach[Black::I]),
        counts::<Black>(board, reach[White::I]),
    ]
}

/// The values of the pieces in pawns, from the pawn to the queen.
const VALUES: [i32; 5] = [1, 3, 3, 5, 9];

/// What the difference of each input is divided by, so that it is mostly within ±1.
const BY: [f32; COUNT] = [1.0, 2.0, 8.0, 2.0, 8.0, 2.0, 16.0, 8.0, 4.0, 2.0];

/// The inputs as the side to move sees them, in small numbers, for networks with a
/// hidden layer. The numerical advantage is that of the pieces' values and not of
/// their number.
pub fn normalised(position: &Position) -> [f32; COUNT] {
    let [white, black] = both(position);
    let board = position.board();
    let sign = position.turn().fold_wb(1, -1);
    let mut numbers = [0.0; COUNT];
    for (input, number) in numbers.iter_mut().enumerate() {
        let more = if input == term::numerical_advantage {
            value(board, Color::White) - value(board, Color::Black)
        } else {
            white[input] - black[input]
        };
        *number = (sign * more) as f32 / BY[input];
    }
    numbers
}

pub(crate) fn label(index: usize) -> &'static str {
    FEATURES[index].name
}

fn value(board: &Board, side: Color) -> i32 {
    let pieces = Role::ALL.into_iter().zip(VALUES);
    let worth = |(role, value)| value * number(board.by_role(role) & board.by_color(side));
    pieces.map(worth).sum()
}

/// The squares that a piece attacks, its own side's included.
fn reach(board: &Board, side: Color, role: Role, from: Square) -> Bitboard {
    let occupied = board.occupied();
    match role {
        Role::Pawn => attacks::pawn_attacks(side, from),
        Role::Knight => attacks::knight_attacks(from),
        Role::Bishop => attacks::bishop_attacks(from, occupied),
        Role::Rook => attacks::rook_attacks(from, occupied),
        Role::Queen => attacks::queen_attacks(from, occupied),
        Role::King => attacks::king_attacks(from),
    }
}

fn attacked(board: &Board, side: Color) -> Bitboard {
    let mut all = Bitboard::EMPTY;
    for role in Role::ALL {
        for from in board.by_role(role) & board.by_color(side) {
            all |= reach(board, side, role, from);
        }
    }
    all
}

/// What a side has, where the other attacks the squares `dominated`.
fn counts<S: Side>(board: &Board, dominated: Bitboard) -> Counts {
    let (own, enemy) = (board.by_color(S::COLOR), board.by_color(!S::COLOR));
    let pieces = |role: Role| board.by_role(role) & own;
    let pawns = pieces(Role::Pawn);
    let enemy_pawns = board.by_role(Role::Pawn) & enemy;
    let empty = !board.occupied();
    let kings = board.by_role(Role::King);
    let king = (kings & enemy).first();
    let mut counts = [0; COUNT];

    // 1. Pieces and pawns.
    counts[term::bishop_pair] = i32::from(number(pieces(Role::Bishop)) >= 2);
    counts[term::numerical_advantage] = number(own);
    counts[term::doubled_pawns] = number(pawns & S::Them::fill_up(S::Them::up(pawns)));
    counts[term::isolated_pawns] = number(isolated(pawns));
    let ranks = pawns.into_iter().map(|pawn| S::rank(pawn) as i32 + 1);
    counts[term::pawn_advance] = ranks.sum();
    counts[term::passed_pawns] = number(passed::<S>(pawns, enemy_pawns));

    // 2. The squares that each piece attacks, and its moves.
    let mut targets = Bitboard::EMPTY;
    for role in Role::ALL {
        for from in pieces(role) {
            let reach = reach(board, S::COLOR, role, from);
            counts[term::defensive_coordination] += i32::from((reach & own & !kings).any());
            counts[term::centre_control] += i32::from((reach & CENTRE).any());
            let moves = if role == Role::Pawn {
                let step = S::up(Bitboard::from(from)) & empty;
                let leap = S::up(step & S::rank_mask(2)) & empty;
                step | leap | reach & enemy
            } else {
                reach & !own
            };
            targets |= moves;
            let checks = king.map_or(Bitboard::EMPTY, |king| {
                let left = board.occupied() ^ Bitboard::from(from);
                checking(S::COLOR, role, king, left)
            });
            counts[term::king_safety] += i32::from((moves & checks).any());
        }
    }
    counts[term::mobility] = number(targets & !dominated);
    counts
}

/// The squares from which a piece would attack the enemy king, on a board with these
/// other pieces.
fn checking(side: Color, role: Role, king: Square, others: Bitboard) -> Bitboard {
    match role {
        Role::Pawn => attacks::pawn_attacks(!side, king),
        Role::Knight => attacks::knight_attacks(king),
        Role::Bishop => attacks::bishop_attacks(king, others),
        Role::Rook => attacks::rook_attacks(king, others),
        Role::Queen => attacks::queen_attacks(king, others),
        Role::King => Bitboard::EMPTY,
    }
}
