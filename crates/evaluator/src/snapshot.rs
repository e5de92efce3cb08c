//! The difference between two boards.
//!
//! A first layer is a sum over the pieces on the board. Neighbours in a search tree
//! differ by a few pieces, so updating an earlier sum is cheaper than a new one; with
//! integers both are the same.

use arrayvec::ArrayVec;
use mendel_board::{Bitboard, Board, Color, Role};

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PieceChange {
    /// 0 to 5 for White's pawn to king, 6 to 11 for Black's.
    pub(crate) piece: u8,
    /// a1 is 0.
    pub(crate) square: u8,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BoardSnapshot {
    sides: [Bitboard; 2],
    pieces: [Bitboard; 12],
}

/// Each square holds one piece at most.
const MAX_CHANGES: usize = 64;

#[derive(Clone, Debug, Default)]
pub(crate) struct BoardDiff {
    pub(crate) removed: ArrayVec<PieceChange, MAX_CHANGES>,
    pub(crate) added: ArrayVec<PieceChange, MAX_CHANGES>,
}

impl BoardSnapshot {
    #[inline]
    pub(crate) fn new(board: &Board) -> Self {
        let sides = [Color::White, Color::Black].map(|color| board.by_color(color));
        let mut pieces = [Bitboard::EMPTY; 12];
        for (pieces, side) in pieces.as_chunks_mut::<6>().0.iter_mut().zip(sides) {
            for (pieces, role) in pieces.iter_mut().zip(Role::ALL) {
                *pieces = side & board.by_role(role);
            }
        }
        Self { sides, pieces }
    }

    #[inline]
    pub(crate) fn count(&self) -> usize {
        self.sides.iter().map(|side| side.count()).sum()
    }

    /// Approximately how many pieces were added and removed since `before`: a
    /// promotion on a square that the side held before is overlooked.
    #[inline]
    pub(crate) fn distance(&self, before: &Self) -> usize {
        let sides = self.sides.iter().zip(&before.sides);
        sides.map(|(now, before)| (*now ^ *before).count()).sum()
    }

    #[inline]
    pub(crate) fn since(&self, before: &Self) -> BoardDiff {
        let mut diff = BoardDiff::default();
        let pieces = self.pieces.iter().zip(&before.pieces).enumerate();
        for (piece, (&now, &before)) in pieces {
            let differ = now ^ before;
            if differ.any() {
                diff.removed.extend(changes(piece, differ & before));
                diff.added.extend(changes(piece, differ & now));
            }
        }
        diff
    }
}

#[inline]
fn changes(piece: usize, squares: Bitboard) -> impl Iterator<Item = PieceChange> {
    squares.into_iter().map(move |square| PieceChange {
        piece: piece as u8,
        square: square.to_usize() as u8,
    })
}
