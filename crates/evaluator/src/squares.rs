//! Piece-square tables of the published evaluators that need one and print none.
//!
//! Set by hand, in tenths of the size such tables usually have: a weight of ten
//! makes them what an engine author would expect. A row is a rank as its own side
//! counts it, the first one first; its four numbers are the files a/h, b/g, c/f
//! and d/e.

use mendel_board::{Bitboard, Square};

/// One table: eight ranks of four files.
pub(crate) type PieceSquareTable = [[i8; 4]; 8];

pub(crate) const PAWN: PieceSquareTable = [
    [0, 0, 0, 0],
    [0, 1, 0, -2],
    [0, 0, 0, 1],
    [0, 0, 1, 2],
    [1, 1, 2, 3],
    [2, 2, 3, 4],
    [5, 5, 5, 5],
    [0, 0, 0, 0],
];

pub(crate) const KNIGHT: PieceSquareTable = [
    [-5, -3, -3, -3],
    [-4, -2, 0, 0],
    [-3, 0, 1, 1],
    [-3, 0, 2, 2],
    [-2, 1, 2, 3],
    [-3, 0, 2, 2],
    [-4, -2, 0, 0],
    [-5, -4, -3, -3],
];

pub(crate) const BISHOP: PieceSquareTable = [
    [-2, -1, -1, -2],
    [-1, 1, 0, 0],
    [0, 1, 1, 1],
    [-1, 0, 1, 2],
    [-1, 1, 1, 2],
    [-1, 0, 1, 1],
    [-1, 0, 0, 0],
    [-2, -1, -1, -1],
];

pub(crate) const ROOK: PieceSquareTable = [
    [-1, 0, 1, 1],
    [-1, 0, 0, 0],
    [-1, 0, 0, 0],
    [-1, 0, 0, 0],
    [-1, 0, 0, 0],
    [-1, 0, 0, 0],
    [1, 1, 1, 1],
    [0, 0, 0, 0],
];

pub(crate) const QUEEN: PieceSquareTable = [
    [-2, -1, -1, 0],
    [-1, 0, 1, 0],
    [-1, 0, 1, 1],
    [-1, 0, 1, 1],
    [-1, 0, 1, 1],
    [-1, 0, 1, 1],
    [-1, 0, 0, 0],
    [-2, -1, -1, -1],
];

/// While there are pieces to fear.
pub(crate) const KING_MIDDLE_GAME: PieceSquareTable = [
    [2, 3, 1, -1],
    [1, 1, -1, -2],
    [-2, -2, -3, -3],
    [-3, -3, -4, -4],
    [-4, -4, -5, -5],
    [-4, -4, -5, -5],
    [-4, -4, -5, -5],
    [-4, -4, -5, -5],
];

/// Once there are few.
pub(crate) const KING_END_GAME: PieceSquareTable = [
    [-5, -3, -2, -2],
    [-3, -1, 0, 0],
    [-2, 0, 2, 3],
    [-2, 1, 3, 4],
    [-2, 1, 3, 4],
    [-2, 0, 2, 3],
    [-3, -1, 0, 1],
    [-5, -3, -2, -2],
];

pub(crate) fn at(table: &PieceSquareTable, square: Square) -> i32 {
    let (file, rank) = (square.to_usize() & 7, square.to_usize() >> 3);
    i32::from(table[rank][file.min(7 - file)])
}

/// The table's values of all the squares, added.
pub(crate) fn sum(table: &PieceSquareTable, squares: Bitboard) -> i32 {
    squares.into_iter().map(|square| at(table, square)).sum()
}
