//! What differs between two boards.
//!
//! A first layer is a sum over the pieces on the board. Neighbours in a search tree
//! differ by a few pieces, so it is cheaper to mend an earlier sum than to make a new
//! one; in whole numbers both are the same.

use mendel_board::{Bitboard, Board, Color, Role};

/// A piece that came or went.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Change {
    /// 0 to 5 for White's pawn to king, 6 to 11 for Black's.
    pub(crate) piece: u8,
    /// The square, a1 being 0.
    pub(crate) square: u8,
}

/// The pieces of a board that was looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    sides: [Bitboard; 2],
    pieces: [Bitboard; 12],
}

/// The most pieces that come or go: each square holds one at most.
const MOST: usize = 64;

/// What went and what came.
#[derive(Clone, Debug)]
pub(crate) struct Changes {
    gone: [Change; MOST],
    come: [Change; MOST],
    counts: [usize; 2],
}

impl Changes {
    pub(crate) fn gone(&self) -> &[Change] {
        &self.gone[..self.counts[0]]
    }

    pub(crate) fn come(&self) -> &[Change] {
        &self.come[..self.counts[1]]
    }
}

impl Seen {
    /// Looks at a board.
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

    /// How many pieces there are.
    #[inline]
    pub(crate) fn count(&self) -> usize {
        self.sides.iter().map(|side| side.count()).sum()
    }

    /// Nearly how many pieces came and went since `before`: one that became another
    /// of its side is overlooked.
    #[inline]
    pub(crate) fn distance(&self, before: &Self) -> usize {
        let sides = self.sides.iter().zip(&before.sides);
        sides.map(|(now, before)| (*now ^ *before).count()).sum()
    }

    /// What came and went since `before`.
    #[inline]
    pub(crate) fn since(&self, before: &Self) -> Changes {
        let mut changes = Changes {
            gone: [Change::default(); MOST],
            come: [Change::default(); MOST],
            counts: [0; 2],
        };
        let pieces = self.pieces.iter().zip(&before.pieces).enumerate();
        for (piece, (&now, &before)) in pieces {
            let differ = now ^ before;
            if differ.any() {
                let [gone, come] = &mut changes.counts;
                list(&mut changes.gone, gone, piece, differ & before);
                list(&mut changes.come, come, piece, differ & now);
            }
        }
        changes
    }
}

#[inline]
fn list(into: &mut [Change; MOST], count: &mut usize, piece: usize, squares: Bitboard) {
    for square in squares {
        into[*count] = Change {
            piece: piece as u8,
            square: square.to_usize() as u8,
        };
        *count += 1;
    }
}
