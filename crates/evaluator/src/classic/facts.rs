//! What is known about a position before any term is counted.

use mendel_board::{Bitboard, Board, Role, Square, attacks};

use crate::side::{Black, Side, White};

/// The squares of a dark-squared bishop.
pub(super) const DARK: Bitboard = Bitboard(0xAA55_AA55_AA55_AA55);
/// The files c to f.
pub(super) const CENTRE_FILES: Bitboard = Bitboard(0x3C3C_3C3C_3C3C_3C3C);

/// Indices of the kinds of pieces in arrays.
pub(super) const PAWN: usize = 0;
pub(super) const KNIGHT: usize = 1;
pub(super) const BISHOP: usize = 2;
pub(super) const ROOK: usize = 3;
pub(super) const QUEEN: usize = 4;
pub(super) const KING: usize = 5;

/// Bitboards that several terms share. Arrays are indexed by side, then by kind
/// of piece; the attacks are complete once the pieces of both sides were counted.
#[derive(Debug)]
pub(super) struct Facts {
    pub(super) occupied: Bitboard,
    pub(super) pieces: [[Bitboard; 6]; 2],
    pub(super) all: [Bitboard; 2],
    pub(super) king: [Square; 2],
    /// Our pieces that shield our king from a slider.
    pub(super) pinned: [Bitboard; 2],
    /// The squares around the king, always nine, moved inwards at the edge, less
    /// those that two own pawns defend.
    pub(super) ring: [Bitboard; 2],
    /// Where a piece of ours counts as mobile.
    pub(super) area: [Bitboard; 2],
    pub(super) attacks: [[Bitboard; 6]; 2],
    pub(super) attacked: [Bitboard; 2],
    pub(super) attacked_twice: [Bitboard; 2],
    /// Our attack on their king: pieces that look at the ring, what they count
    /// for, and how often they hit a square beside the king.
    pub(super) attackers: [i32; 2],
    pub(super) attacker_units: [i32; 2],
    pub(super) hits: [i32; 2],
}

/// The nine squares around a king that has been moved off the edge.
static RING: [u64; 64] = {
    let mut rings = [0; 64];
    let mut square = 0;
    while square < 64 {
        let (file, rank) = (square & 7, square >> 3);
        let file = if file < 1 {
            1
        } else if file > 6 {
            6
        } else {
            file
        };
        let rank = if rank < 1 {
            1
        } else if rank > 6 {
            6
        } else {
            rank
        };
        rings[square] = 0x0007_0707 << (file - 1 + 8 * (rank - 1));
        square += 1;
    }
    rings
};

impl Facts {
    #[inline]
    pub(super) fn new(board: &Board) -> Self {
        let (white, black) = (board.white(), board.black());
        let king = |side: Bitboard| {
            let king = (board.kings() & side).first();
            king.expect("both kings stand in a legal position")
        };
        let by_role = |side: Bitboard| Role::ALL.map(|role| board.by_role(role) & side);
        let mut facts = Self {
            occupied: board.occupied(),
            pieces: [by_role(white), by_role(black)],
            all: [white, black],
            king: [king(white), king(black)],
            pinned: [Bitboard::EMPTY; 2],
            ring: [Bitboard::EMPTY; 2],
            area: [Bitboard::EMPTY; 2],
            attacks: [[Bitboard::EMPTY; 6]; 2],
            attacked: [Bitboard::EMPTY; 2],
            attacked_twice: [Bitboard::EMPTY; 2],
            attackers: [0; 2],
            attacker_units: [0; 2],
            hits: [0; 2],
        };
        // A king's area depends on the enemy's pawn attacks, so these come first.
        facts.begin::<White>();
        facts.begin::<Black>();
        facts.prepare::<White>();
        facts.prepare::<Black>();
        facts
    }

    #[inline]
    fn begin<S: Side>(&mut self) {
        use crate::side::{east, west};
        let forward = S::up(self.pieces[S::I][PAWN]);
        let (right, left) = (east(forward), west(forward));
        let king = attacks::king_attacks(self.king[S::I]);
        let pawns = right | left;
        self.attacks[S::I][PAWN] = pawns;
        self.attacks[S::I][KING] = king;
        self.attacked[S::I] = pawns | king;
        self.attacked_twice[S::I] = (right & left) | (pawns & king);
        self.ring[S::I] = Bitboard(RING[self.king[S::I].to_usize()]) & !(right & left);
    }

    #[inline]
    fn prepare<S: Side>(&mut self) {
        let them = S::Them::I;
        let own = &self.pieces[S::I];
        let stuck = own[PAWN] & (S::Them::up(self.occupied) | S::rank_mask(1) | S::rank_mask(2));
        self.area[S::I] = !(stuck | own[KING] | self.attacks[them][PAWN]);

        let enemy = &self.pieces[them];
        let king = self.king[S::I];
        let snipers = (attacks::rook_attacks(king, Bitboard::EMPTY) & (enemy[ROOK] | enemy[QUEEN]))
            | (attacks::bishop_attacks(king, Bitboard::EMPTY) & (enemy[BISHOP] | enemy[QUEEN]));
        for sniper in snipers {
            let between = attacks::between(king, sniper) & self.occupied;
            if !between.more_than_one() {
                self.pinned[S::I] |= between & self.all[S::I];
            }
        }
    }

    #[inline]
    pub(super) fn own<S: Side>(&self, role: usize) -> Bitboard {
        self.pieces[S::I][role]
    }

    #[inline]
    pub(super) fn enemy<S: Side>(&self, role: usize) -> Bitboard {
        self.pieces[S::Them::I][role]
    }

    #[inline]
    pub(super) fn count<S: Side>(&self, role: usize) -> i32 {
        self.pieces[S::I][role].count() as i32
    }
}
