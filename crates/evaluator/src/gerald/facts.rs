//! What several terms need to know about a position.

use mendel_board::{Bitboard, Board, Role, Square};

use crate::side::{Black, Side, White, east, fill_files, sideways, west};

/// The third to the sixth rank.
const MIDDLE_RANKS: Bitboard = Bitboard(0x0000_FFFF_FFFF_0000);

/// Bitboards by side, White first.
#[derive(Debug)]
pub(super) struct Facts {
    pub(super) occupied: Bitboard,
    pub(super) all: [Bitboard; 2],
    pub(super) pawns: [Bitboard; 2],
    pub(super) knights: [Bitboard; 2],
    pub(super) bishops: [Bitboard; 2],
    pub(super) rooks: [Bitboard; 2],
    pub(super) queens: [Bitboard; 2],
    pub(super) king: [Square; 2],
    /// Squares the pawns attack now.
    pub(super) pawn_attacks: [Bitboard; 2],
    /// Squares the pawns attack now or could attack after advancing.
    pawn_reach: [Bitboard; 2],
    pub(super) passed: [Bitboard; 2],
    pub(super) isolated: [Bitboard; 2],
    pub(super) backward: [Bitboard; 2],
}

impl Facts {
    #[inline]
    pub(super) fn new(board: &Board) -> Self {
        let sides = [board.white(), board.black()];
        let both = |role| sides.map(|side| board.by_role(role) & side);
        let king = |side: Bitboard| {
            let king = (board.kings() & side).first();
            king.expect("both kings stand in a legal position")
        };
        let mut facts = Self {
            occupied: board.occupied(),
            all: sides,
            pawns: both(Role::Pawn),
            knights: both(Role::Knight),
            bishops: both(Role::Bishop),
            rooks: both(Role::Rook),
            queens: both(Role::Queen),
            king: sides.map(king),
            pawn_attacks: [Bitboard::EMPTY; 2],
            pawn_reach: [Bitboard::EMPTY; 2],
            passed: [Bitboard::EMPTY; 2],
            isolated: [Bitboard::EMPTY; 2],
            backward: [Bitboard::EMPTY; 2],
        };
        // What pawns reach first: the structure of each side depends on both.
        facts.reach::<White>();
        facts.reach::<Black>();
        facts.structure::<White>();
        facts.structure::<Black>();
        facts
    }

    #[inline]
    fn reach<S: Side>(&mut self) {
        let attacked = S::pawn_attacks(self.pawns[S::I]);
        self.pawn_attacks[S::I] = attacked;
        self.pawn_reach[S::I] = S::fill_up(attacked);
    }

    #[inline]
    fn structure<S: Side>(&mut self) {
        let own = self.pawns[S::I];
        let enemy = self.pawns[S::Them::I];

        // What an enemy pawn can stop or take lies in front of it on three files.
        let guarded = S::Them::fill_up(S::Them::up(enemy)) | self.pawn_reach[S::Them::I];
        self.passed[S::I] = own & !guarded & !behind::<S>(own);

        self.isolated[S::I] = own & !sideways(fill_files(own));

        // A square in front that enemy pawns attack and that no own pawn can ever
        // guard, because every neighbour has gone past.
        let stops = S::up(own) & self.pawn_attacks[S::Them::I] & !self.pawn_reach[S::I];
        self.backward[S::I] = S::Them::up(stops) & !self.isolated[S::I] & !self.passed[S::I];
    }

    /// Squares in the middle of the board that the side's pawns can never guard.
    #[inline]
    pub(super) fn weak_squares<S: Side>(&self) -> Bitboard {
        MIDDLE_RANKS & !self.pawn_reach[S::I]
    }

    /// The king, the squares around it, and three more in front and behind.
    #[inline]
    pub(super) fn king_zone<S: Side>(&self) -> Bitboard {
        let king = Bitboard::from_square(self.king[S::I]);
        let row = king | east(king) | west(king);
        let near = row | White::up(row) | Black::up(row);
        near | White::up(near) | Black::up(near)
    }
}

/// The squares behind these on their files.
#[inline]
pub(super) fn behind<S: Side>(squares: Bitboard) -> Bitboard {
    S::Them::fill_up(S::Them::up(squares))
}
