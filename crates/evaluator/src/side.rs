//! The two sides as types, so that one function serves both without asking.

use mendel_board::{Bitboard, Color, Square};

const NOT_A: u64 = 0xFEFE_FEFE_FEFE_FEFE;
const NOT_H: u64 = 0x7F7F_7F7F_7F7F_7F7F;

/// One of the two sides, known when the program is compiled.
pub(crate) trait Side {
    type Them: Side;
    const COLOR: Color;
    /// Index into arrays by side: White 0, Black 1.
    const I: usize;

    /// One rank towards the promotion squares.
    fn up(squares: Bitboard) -> Bitboard;

    /// The squares and all in front of them.
    fn fill_up(squares: Bitboard) -> Bitboard;

    /// The square as White would see it, as an index.
    #[inline]
    fn index(square: Square) -> usize {
        square.to_usize() ^ (Self::I * 56)
    }

    /// The rank counted from the own back rank, which is 0.
    #[inline]
    fn rank(square: Square) -> usize {
        Self::index(square) >> 3
    }

    /// The rank of that number counted from the own back rank.
    #[inline]
    fn rank_mask(rank: usize) -> Bitboard {
        Bitboard(0xFF << (8 * (rank ^ (Self::I * 7))))
    }

    /// The squares pawns on these squares attack.
    #[inline]
    fn pawn_attacks(pawns: Bitboard) -> Bitboard {
        sideways(Self::up(pawns))
    }
}

pub(crate) enum White {}
pub(crate) enum Black {}

impl Side for White {
    type Them = Black;
    const COLOR: Color = Color::White;
    const I: usize = 0;

    #[inline]
    fn up(squares: Bitboard) -> Bitboard {
        Bitboard(squares.0 << 8)
    }

    #[inline]
    fn fill_up(squares: Bitboard) -> Bitboard {
        let mut b = squares.0;
        b |= b << 8;
        b |= b << 16;
        b |= b << 32;
        Bitboard(b)
    }
}

impl Side for Black {
    type Them = White;
    const COLOR: Color = Color::Black;
    const I: usize = 1;

    #[inline]
    fn up(squares: Bitboard) -> Bitboard {
        Bitboard(squares.0 >> 8)
    }

    #[inline]
    fn fill_up(squares: Bitboard) -> Bitboard {
        let mut b = squares.0;
        b |= b >> 8;
        b |= b >> 16;
        b |= b >> 32;
        Bitboard(b)
    }
}

#[inline]
pub(crate) fn east(squares: Bitboard) -> Bitboard {
    Bitboard((squares.0 & NOT_H) << 1)
}

#[inline]
pub(crate) fn west(squares: Bitboard) -> Bitboard {
    Bitboard((squares.0 & NOT_A) >> 1)
}

#[inline]
pub(crate) fn sideways(squares: Bitboard) -> Bitboard {
    east(squares) | west(squares)
}

#[inline]
pub(crate) fn fill_files(squares: Bitboard) -> Bitboard {
    White::fill_up(squares) | Black::fill_up(squares)
}

/// All squares of the file, `a` being 0.
#[inline]
pub(crate) const fn file_mask(file: usize) -> Bitboard {
    Bitboard(0x0101_0101_0101_0101 << file)
}

/// King steps between two squares.
#[inline]
pub(crate) fn distance(a: Square, b: Square) -> usize {
    let (a, b) = (a.to_u32(), b.to_u32());
    (a & 7).abs_diff(b & 7).max((a >> 3).abs_diff(b >> 3)) as usize
}
