//! What has changed on the board since it was last looked at.
//!
//! A first layer is a sum over the pieces on the board. Neighbours in a search tree
//! differ by a few pieces, so it is cheaper to mend the last sum than to make a new
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

/// The last board that was looked at.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seen {
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
    /// Whether nothing is left of what was seen before, so that sums begin at zero.
    pub(crate) afresh: bool,
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
    /// Looks at a board and tells what has changed, or all that stands on it where
    /// that is less, or if `afresh`.
    #[inline]
    pub(crate) fn look(&mut self, board: &Board, afresh: bool) -> Changes {
        let now = pieces(board);
        let mut changes = Changes {
            gone: [Change::default(); MOST],
            come: [Change::default(); MOST],
            counts: [0; 2],
            afresh,
        };
        if !changes.afresh {
            let differ = |(now, before): (&Bitboard, &Bitboard)| (*now ^ *before).count();
            let differ: usize = now.iter().zip(&self.pieces).map(differ).sum();
            changes.afresh = differ >= board.occupied().count();
        }
        if changes.afresh {
            self.pieces = [Bitboard::EMPTY; 12];
        }
        for (piece, (now, before)) in now.iter().zip(&mut self.pieces).enumerate() {
            let differ = *now ^ *before;
            if differ.is_empty() {
                continue;
            }
            let [gone, come] = &mut changes.counts;
            list(&mut changes.gone, gone, piece, differ & *before);
            list(&mut changes.come, come, piece, differ & *now);
            *before = *now;
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

#[inline]
fn pieces(board: &Board) -> [Bitboard; 12] {
    let mut pieces = [Bitboard::EMPTY; 12];
    for (half, color) in [Color::White, Color::Black].into_iter().enumerate() {
        for role in Role::ALL {
            pieces[half * 6 + role as usize - 1] = board.by_color(color) & board.by_role(role);
        }
    }
    pieces
}
