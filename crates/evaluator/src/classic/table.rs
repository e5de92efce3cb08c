//! The pawn table: pawns and kings seldom move, so their terms are remembered.

use mendel_board::Bitboard;

use crate::packed::Packed;

/// What follows from pawns and kings alone.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pawns {
    /// White's terms less Black's.
    pub(super) score: Packed,
    pub(super) passed: Bitboard,
    /// By side: squares its pawns attack now or may attack after advancing.
    pub(super) span: [Bitboard; 2],
    /// By side: files without own pawns, a bit each.
    pub(super) half_open: [u8; 2],
    /// By side: files at the king without an own pawn in front of it.
    pub(super) holes: [u8; 2],
}

/// One row; its size is that of a cache line.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Entry {
    key: u64,
    pawns: Pawns,
}

/// Always replaces; one entry for each key modulo its size.
#[derive(Debug)]
pub(super) struct PawnTable(Box<[Entry; PawnTable::SIZE]>);

impl PawnTable {
    const SIZE: usize = 1 << 12;

    /// What is stored under `key`, or else what `judge` says, which is then stored.
    #[inline]
    pub(super) fn get(&mut self, key: u64, judge: impl FnOnce() -> Pawns) -> Pawns {
        let entry = &mut self.0[key as usize % Self::SIZE];
        if entry.key != key {
            entry.pawns = judge();
            entry.key = key;
        }
        entry.pawns
    }
}

impl Default for PawnTable {
    fn default() -> Self {
        let entries = vec![Entry::default(); Self::SIZE].into_boxed_slice();
        Self(entries.try_into().expect("a slice of that many entries"))
    }
}
