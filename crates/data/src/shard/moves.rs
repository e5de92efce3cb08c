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
