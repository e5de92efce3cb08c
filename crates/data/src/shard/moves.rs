//! A move in one byte: its place among the legal moves.
//!
//! Moves are sorted by the square they leave, the square they go to (a1, b1 … h8)
//! and what a pawn becomes (knight, bishop, rook, queen); castling goes to the
//! rook's square. That is the order in which bits stand in a board of squares, so
//! that the places of a piece's moves follow from where it may go, and neither a
//! list of moves nor sorting is needed: replaying games this way takes less than
//! half the time.

use mendel_board::{Bitboard, Color, Move, Position, Rank, Role, Square, attacks};

const PROMOTIONS: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

/// The place of `m` among the sorted legal moves of `position`; `None` if it is
/// not legal there.
pub fn place_of(position: &Position, m: Move) -> Option<u8> {
    let (from, to) = match m {
        Move::Normal { from, to, .. } | Move::EnPassant { from, to } => (from, to),
        Move::Castle { king, rook } => (king, rook),
        Move::Put { .. } => return None,
    };
    let legal = Legal::new(position);
    let mut place = 0;
    for piece in legal.ours {
        let targets = legal.targets(piece);
        if piece == from {
            // Those that go to lower squares, and of those that go to the same
            // one the kinds before it.
            if !targets.contains(to) {
                return None;
            }
            let kinds = legal.kinds(piece, targets);
            let lower = targets & Bitboard((1 << u32::from(to)) - 1);
            let kind = (0..kinds).find(|&kind| legal.build(piece, to, kind) == m)?;
            return u8::try_from(place + lower.count() * kinds + kind).ok();
        }
        place += targets.count() * legal.kinds(piece, targets);
    }
    None
}

/// The legal move of `position` at this place; `None` if there are fewer.
#[inline]
pub fn move_at(position: &Position, place: u8) -> Option<Move> {
    let legal = Legal::new(position);
    let mut left = usize::from(place);
    for piece in legal.ours {
        let targets = legal.targets(piece);
        let kinds = legal.kinds(piece, targets);
        let count = targets.count() * kinds;
        if left < count {
            let to = targets.into_iter().nth(left / kinds)?;
            return Some(legal.build(piece, to, left % kinds));
        }
        left -= count;
    }
    None
}

/// What decides where the pieces of the side to move may go.
struct Legal<'a> {
    position: &'a Position,
    us: Color,
    ours: Bitboard,
    occupied: Bitboard,
    king: Square,
    checkers: Bitboard,
    /// Where another piece than the king may go: anywhere, or where it ends a
    /// check.
    useful: Bitboard,
    pinned: Bitboard,
}

impl<'a> Legal<'a> {
    #[inline]
    fn new(position: &'a Position) -> Self {
        let us = position.turn();
        let board = position.board();
        let (ours, occupied) = (board.by_color(us), board.occupied());
        let king = board.king_of(us);
        let king = king.expect("both kings stand in a legal position");
        let checkers = position.checkers();
        let useful = match checkers.first() {
            None => !ours,
            Some(_) if checkers.more_than_one() => Bitboard::EMPTY,
            Some(checker) => attacks::between(king, checker) | checkers,
        };
        let theirs = board.by_color(!us);
        let snipers = theirs
            & ((attacks::rook_attacks(king, theirs) & board.rooks_and_queens())
                | (attacks::bishop_attacks(king, theirs) & board.bishops_and_queens()));
        let mut pinned = Bitboard::EMPTY;
        for sniper in snipers {
            let between = attacks::between(king, sniper) & ours;
            if !between.more_than_one() {
                pinned |= between;
            }
        }
        Self {
            position,
            us,
            ours,
            occupied,
            king,
            checkers,
            useful,
            pinned,
        }
    }

    /// Where the piece on `from` may go.
    #[inline]
    fn targets(&self, from: Square) -> Bitboard {
        let board = self.position.board();
        let free = !self.ours;
        let reached = if board.pawns().contains(from) {
            return self.pawn_targets(from);
        } else if board.knights().contains(from) {
            attacks::knight_attacks(from)
        } else if from == self.king {
            return self.king_targets();
        } else {
            let mut reached = Bitboard::EMPTY;
            if board.bishops_and_queens().contains(from) {
                reached |= attacks::bishop_attacks(from, self.occupied);
            }
            if board.rooks_and_queens().contains(from) {
                reached |= attacks::rook_attacks(from, self.occupied);
            }
            reached
        };
        reached & free & self.useful & self.line(from)
    }

    /// A pinned piece stays on the line to its king.
    #[inline]
    fn line(&self, from: Square) -> Bitboard {
        if self.pinned.contains(from) {
            attacks::ray(self.king, from)
        } else {
            Bitboard::FULL
        }
    }

    #[inline]
    fn pawn_targets(&self, from: Square) -> Bitboard {
        // 1. Forward.
        let up = self.us.fold_wb(8, -8);
        let first = from.offset(up).map_or(Bitboard::EMPTY, Bitboard::from) & !self.occupied;
        let mut reached = first;
        if first.any() && from.rank() == self.us.fold_wb(Rank::Second, Rank::Seventh) {
            let second = from.offset(2 * up).map_or(Bitboard::EMPTY, Bitboard::from);
            reached |= second & !self.occupied;
        }
        // 2. Captures.
        let sideways = attacks::pawn_attacks(self.us, from);
        reached |= sideways & self.occupied & !self.ours;
        let reached = reached & self.useful & self.line(from);
        // 3. En passant, where two pawns leave a line at once: the rules decide.
        match self.position.en_passant_square() {
            Some(to) if sideways.contains(to) => {
                let m = Move::EnPassant { from, to };
                let is_legal = self.position.is_legal(m);
                reached | if is_legal { to.into() } else { Bitboard::EMPTY }
            }
            _ => reached,
        }
    }

    /// The king's own moves, and the rooks it may castle with.
    #[inline]
    fn king_targets(&self) -> Bitboard {
        let board = self.position.board();
        // A king that runs from a slider does not hide behind itself.
        let without_king = self.occupied ^ Bitboard::from(self.king);
        let mut reached = Bitboard::EMPTY;
        for to in attacks::king_attacks(self.king) & !self.ours {
            if board.attacks_to(to, !self.us, without_king).is_empty() {
                reached |= Bitboard::from(to);
            }
        }
        if self.checkers.is_empty() && self.position.has_castling_rights() {
            reached |= self.castling_rooks();
        }
        reached
    }

    #[inline]
    fn castling_rooks(&self) -> Bitboard {
        // Nothing stands between the king and a rook it castles with.
        let seen = attacks::rook_attacks(self.king, self.occupied);
        let back = Bitboard::from(self.us.fold_wb(Rank::First, Rank::Eighth));
        let mut rooks = Bitboard::EMPTY;
        for rook in seen & back & self.ours & self.position.board().rooks() {
            let king = self.king;
            if self.position.is_legal(Move::Castle { king, rook }) {
                rooks |= Bitboard::from(rook);
            }
        }
        rooks
    }

    /// How many moves there are to each target: four for a pawn that promotes.
    #[inline]
    fn kinds(&self, from: Square, targets: Bitboard) -> usize {
        let last = Bitboard::from(self.us.fold_wb(Rank::Eighth, Rank::First));
        let promotes = self.position.board().pawns().contains(from) && (targets & last).any();
        if promotes { PROMOTIONS.len() } else { 1 }
    }

    #[inline]
    fn build(&self, from: Square, to: Square, kind: usize) -> Move {
        let board = self.position.board();
        let role = board.role_at(from).expect("a piece of ours stands there");
        if self.ours.contains(to) {
            return Move::Castle {
                king: from,
                rook: to,
            };
        }
        let capture = board.role_at(to);
        let is_pawn = role == Role::Pawn;
        if is_pawn && capture.is_none() && from.file() != to.file() {
            return Move::EnPassant { from, to };
        }
        let promotes = is_pawn && matches!(to.rank(), Rank::First | Rank::Eighth);
        Move::Normal {
            role,
            from,
            capture,
            to,
            promotion: promotes.then(|| PROMOTIONS[kind]),
        }
    }
}

#[cfg(test)]
mod tests {
    use mendel_board::sample::random_positions;
    use mendel_board::{MoveList, PackedMove};

    use super::*;

    /// Pins, checks, double checks, promotions, both ways to castle, en passant
    /// with and without a pin, the most moves there can be; and random ones.
    fn positions() -> impl Iterator<Item = Position> {
        let special = [
            "1n1n1n2/P1P1P1P1/8/8/8/8/7k/K7 w - - 0 1",
            "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
            "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq d6 0 2",
            "r3k2r/8/8/8/3Pp3/8/8/R3K2R b KQkq d3 0 2",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "8/8/8/K2pP2r/8/8/8/7k w - d6 0 1",
            "8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1",
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
            "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1",
            "4k3/8/8/8/7b/8/3r1P2/4K3 w - - 0 1",
            "k3r3/8/8/8/1b6/8/8/4K2R w K - 0 1",
            "3rk3/8/8/8/8/8/8/R3K2R w KQ - 0 1",
        ];
        special
            .into_iter()
            .map(|fen| Position::from_fen(fen).expect("it is a position"))
            .chain(random_positions(3, 2000))
    }

    /// The legal moves, sorted by from, to and promotion.
    fn sorted(position: &Position) -> MoveList {
        let mut moves = position.legal_moves();
        moves.sort_by_key(|&m| {
            let bits = PackedMove::from(m).bits();
            (bits & 63, bits >> 6 & 63, bits >> 12)
        });
        moves
    }

    #[test]
    fn places_are_those_of_the_sorted_legal_moves() {
        for position in positions() {
            let moves = sorted(&position);
            for place in 0..=255_u8 {
                let wanted = moves.get(usize::from(place)).copied();
                let fen = position.fen();
                assert_eq!(move_at(&position, place), wanted, "{place} in {fen}");
                if let Some(m) = wanted {
                    assert_eq!(place_of(&position, m), Some(place), "{m:?} in {fen}");
                }
            }
        }
    }

    #[test]
    fn a_move_of_another_position_has_no_place() {
        let before = Position::initial();
        let m = before.parse_uci("e2e4").expect("it is legal");
        assert_eq!(place_of(&before.after(m), m), None);
        let promotion = Move::Normal {
            role: Role::Pawn,
            from: Square::E2,
            capture: None,
            to: Square::E4,
            promotion: Some(Role::Queen),
        };
        assert_eq!(place_of(&before, promotion), None);
    }
}
