//! A position as a few dozen numbers, for small networks.
//!
//! Each is a count of the side to move less the same count of the other, divided so
//! that it is mostly within ±1. Let the other side move and every number changes its
//! sign, but for the race of a passed pawn, in which a move decides.
//! Most are the terms of [`gerald`]; the piece-square sums are those of the λ hybrid,
//! the king's in two parts that the stage of the game mixes.

use mendel_board::{Bitboard, Color, Position, Role};

use crate::squares::{self, PieceSquareTable};
use crate::{Gerald, LinearModel, Share, gerald};

pub const COUNT: usize = GERALD + TABLES;

const GERALD: usize = 29;
const TABLES: usize = 7;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About {
    pub name: &'static str,
    /// What is counted, in a sentence.
    pub about: &'static str,
    /// What the difference of the counts is divided by, a power of two.
    pub by: u32,
}

pub const ALL: [About; COUNT] = all();

/// What the counts of [`gerald::FEATURES`] are divided by.
const BY: [u32; GERALD] = [
    2, 1, 1, 1, 1, // pieces
    2, 2, 2, 2, 2, 8, 1, // pawns
    1, 8, 8, 1, // minor pieces
    1, 1, 1, 1, 8, 1, 1, 1, 1, // rooks
    16, 8, 4, 16, // queens and king
];

/// The tables: name, divisor.
const SUMS: [(&str, u32); TABLES] = [
    ("pawn_squares", 8),
    ("knight_squares", 8),
    ("bishop_squares", 4),
    ("rook_squares", 4),
    ("queen_squares", 4),
    ("king_squares_middle_game", 4),
    ("king_squares_end_game", 4),
];

const fn all() -> [About; COUNT] {
    let mut all = [About {
        name: "",
        about: "The values of the squares that these pieces stand on, added.",
        by: 1,
    }; COUNT];
    let mut index = 0;
    while index < COUNT {
        if index < GERALD {
            all[index].name = gerald::FEATURES[index].name;
            all[index].about = gerald::FEATURES[index].about;
            all[index].by = BY[index];
        } else {
            (all[index].name, all[index].by) = SUMS[index - GERALD];
        }
        index += 1;
    }
    all
}

/// The numbers of a position, as the side to move sees it.
pub fn of(position: &Position) -> [f32; COUNT] {
    // 1. White's counts less Black's.
    let mut counts = [0; COUNT];
    Gerald::count(position, &mut |term, side, count| {
        counts[term] += side.fold_wb(count, -count);
    });
    let board = position.board();
    let sum = |table: &PieceSquareTable, role: Role| {
        let pieces = |color| board.by_color(color) & board.by_role(role);
        let black: Bitboard = pieces(Color::Black).flip_vertical();
        squares::sum(table, pieces(Color::White)) - squares::sum(table, black)
    };
    let tables = [
        (&squares::PAWN, Role::Pawn),
        (&squares::KNIGHT, Role::Knight),
        (&squares::BISHOP, Role::Bishop),
        (&squares::ROOK, Role::Rook),
        (&squares::QUEEN, Role::Queen),
        (&squares::KING_MIDDLE_GAME, Role::King),
        (&squares::KING_END_GAME, Role::King),
    ];
    for (count, (table, role)) in counts[GERALD..].iter_mut().zip(tables) {
        *count = sum(table, role);
    }

    // 2. As the side to move sees them, in small numbers.
    let sign = position.turn().fold_wb(1, -1);
    let mut numbers = [0.0; COUNT];
    for ((number, count), about) in numbers.iter_mut().zip(counts).zip(&ALL) {
        *number = (sign * count) as f32 / about.by as f32;
    }
    let Share { part, of } = Gerald::taper(position);
    let middle_game = part as f32 / of as f32;
    numbers[COUNT - 2] *= middle_game;
    numbers[COUNT - 1] *= 1.0 - middle_game;
    numbers
}
