//! A legal position with its keys.

use shakmaty::zobrist::{Zobrist64, ZobristValue};
use shakmaty::{
    Bitboard, Board, CastlingMode, CastlingSide, Chess, Color, EnPassantMode, FromSetup, Move,
    MoveList, Piece, Position as Rules, Role, Square, attacks,
};

/// A legal chess position together with the keys that tables need.
///
/// The keys are kept by hand beside the library's position: its own update
/// costs 15 to 40 % more in an engine's loop.
///
/// The order of the fields is fixed because the library's position must come
/// first: a copy is then written in the same blocks in which playing a move reads
/// it, and the processor need not wait for the copy to reach the cache. Measured,
/// that saves a quarter of copy and play.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Position {
    chess: Chess,
    key: u64,
    pawn_key: u64,
}

/// From which squares each kind of piece would check the opponent's king, and
/// which of our pieces would uncover a check by stepping aside.
///
/// Made once a node; [`Position::gives_check`] then costs a few instructions a
/// move instead of a played move.
#[derive(Clone, Copy, Debug)]
pub struct CheckSquares {
    king: Square,
    pawn: Bitboard,
    knight: Bitboard,
    bishop: Bitboard,
    rook: Bitboard,
    uncoverers: Bitboard,
}

fn piece_key(square: Square, piece: Piece) -> u64 {
    Zobrist64::zobrist_for_piece(square, piece).0
}

#[inline(never)]
fn castling_key(chess: &Chess) -> u64 {
    let castles = chess.castles();
    let mut key = 0;
    for color in Color::ALL {
        for side in CastlingSide::ALL {
            if castles.has(color, side) {
                key ^= Zobrist64::zobrist_for_castling_right(color, side).0;
            }
        }
    }
    key
}

/// The en passant file counts only where a pawn stands ready to capture, so
/// that a double step without an answer does not hide a repetition.
fn en_passant_key(chess: &Chess) -> u64 {
    match chess.maybe_ep_square() {
        None => 0,
        Some(_) => chess.pseudo_legal_ep_square().map_or(0, |square| {
            Zobrist64::zobrist_for_en_passant_file(square.file()).0
        }),
    }
}

impl Position {
    /// The position every game of standard chess starts from.
    pub fn initial() -> Self {
        Self::from(Chess::default())
    }

    /// One of the 960 starting positions of Chess960, by Scharnagl number.
    ///
    /// `None` from 960 on.
    pub fn chess960(number: u32) -> Option<Self> {
        if number >= 960 {
            return None;
        }
        let mut setup = shakmaty::Setup::initial();
        setup.board = Board::chess960(number);
        setup.castling_rights = setup.board.rooks();
        Chess::from_setup(setup, CastlingMode::Chess960)
            .ok()
            .map(Self::from)
    }

    /// The position as the rules library knows it.
    #[inline]
    pub fn chess(&self) -> &Chess {
        &self.chess
    }

    #[inline]
    pub fn board(&self) -> &Board {
        self.chess.board()
    }

    #[inline]
    pub fn turn(&self) -> Color {
        self.chess.turn()
    }

    /// Half-moves since the last capture or pawn move.
    #[inline]
    pub fn halfmoves(&self) -> u32 {
        self.chess.halfmoves()
    }

    /// The number of the current full move, starting from 1.
    #[inline]
    pub fn fullmoves(&self) -> u32 {
        self.chess.fullmoves().get()
    }

    /// Whether castling is written and understood as in Chess960.
    #[inline]
    pub fn castling_mode(&self) -> CastlingMode {
        self.chess.castles().mode()
    }

    /// Whether `color` may still castle to `side` at some later time.
    #[inline]
    pub fn may_castle(&self, color: Color, side: CastlingSide) -> bool {
        self.chess.castles().has(color, side)
    }

    /// Whether either side may still castle.
    #[inline]
    pub fn has_castling_rights(&self) -> bool {
        self.chess.castles().any()
    }

    /// The square behind a pawn that has just made a double step, where a pawn
    /// stands ready to capture it.
    #[inline]
    pub fn en_passant_square(&self) -> Option<Square> {
        self.chess.pseudo_legal_ep_square()
    }

    /// The Zobrist key: pieces, side to move, castling rights, en passant file.
    #[inline]
    pub fn key(&self) -> u64 {
        self.key
    }

    /// The Zobrist key of pawns and kings alone.
    #[inline]
    pub fn pawn_key(&self) -> u64 {
        self.pawn_key
    }

    /// All legal moves, in an order that depends on the position alone.
    #[inline]
    pub fn legal_moves(&self) -> MoveList {
        self.chess.legal_moves()
    }

    #[inline]
    pub fn is_legal(&self, m: Move) -> bool {
        self.chess.is_legal(m)
    }

    #[inline]
    pub fn checkers(&self) -> Bitboard {
        self.chess.checkers()
    }

    #[inline]
    pub fn is_check(&self) -> bool {
        self.checkers().any()
    }

    /// Whether neither side has the material to mate.
    #[inline]
    pub fn is_insufficient_material(&self) -> bool {
        self.chess.is_insufficient_material()
    }

    /// Plays `m`, which must be legal here; see [`is_legal`](Self::is_legal).
    #[inline]
    pub fn play(&mut self, m: Move) {
        let Move::Normal {
            role,
            from,
            capture,
            to,
            promotion: None,
        } = m
        else {
            return self.play_rare(m);
        };
        let us = self.turn();

        // 1. The piece that leaves and arrives, and the one that is taken. The
        //    mask is there because the branch would often be guessed wrong.
        let moved = piece_key(from, role.of(us)) ^ piece_key(to, role.of(us));
        let is_in_both = matches!(role, Role::Pawn | Role::King);
        let mut change = moved ^ en_passant_key(&self.chess);
        let mut pawn_change = moved & u64::from(is_in_both).wrapping_neg();
        if let Some(victim) = capture {
            let taken = piece_key(to, victim.of(!us));
            change ^= taken;
            pawn_change ^= taken & u64::from(victim == Role::Pawn).wrapping_neg();
        }

        // 2. Castling rights go when the king moves or a rook's square is touched,
        //    which most moves do not.
        let rights = self.chess.castles().castling_rights();
        let touched = Bitboard::from(from) | Bitboard::from(to);
        let may_lose = rights.any() && (role == Role::King || (rights & touched).any());
        if may_lose {
            change ^= castling_key(&self.chess);
        }
        self.chess.play_unchecked(m);
        if may_lose {
            change ^= castling_key(&self.chess);
        }

        // 3. The chance to capture en passant that the move gives.
        change ^= en_passant_key(&self.chess);
        self.key ^= change ^ Zobrist64::zobrist_for_white_turn().0;
        self.pawn_key ^= pawn_change;
    }

    /// Castling, captures en passant and promotions.
    #[inline(never)]
    fn play_rare(&mut self, m: Move) {
        let us = self.turn();
        let mut change = en_passant_key(&self.chess) ^ castling_key(&self.chess);
        match m {
            Move::Normal {
                role,
                from,
                capture,
                to,
                promotion,
            } => {
                let lifted = piece_key(from, role.of(us));
                let put = piece_key(to, promotion.unwrap_or(role).of(us));
                let taken = capture.map_or(0, |victim| piece_key(to, victim.of(!us)));
                change ^= lifted ^ put ^ taken;
                // The pawn is gone, and no pawn stands where it promotes.
                self.pawn_key ^= lifted;
            }
            Move::EnPassant { from, to } => {
                let victim = Square::from_coords(to.file(), from.rank());
                let moved = piece_key(from, us.pawn())
                    ^ piece_key(to, us.pawn())
                    ^ piece_key(victim, (!us).pawn());
                change ^= moved;
                self.pawn_key ^= moved;
            }
            Move::Castle { king, rook } => {
                let side = CastlingSide::from_queen_side(rook < king);
                let kings = piece_key(king, us.king()) ^ piece_key(side.king_to(us), us.king());
                let rooks = piece_key(rook, us.rook()) ^ piece_key(side.rook_to(us), us.rook());
                change ^= kings ^ rooks;
                self.pawn_key ^= kings;
            }
            // Standard chess has no drops, so no legal move list contains one.
            Move::Put { .. } => {}
        }
        self.chess.play_unchecked(m);
        change ^= en_passant_key(&self.chess) ^ castling_key(&self.chess);
        self.key ^= change ^ Zobrist64::zobrist_for_white_turn().0;
    }

    /// The position after `m`, which must be legal here.
    #[inline]
    #[must_use]
    pub fn after(&self, m: Move) -> Self {
        let mut next = self.clone();
        next.play(m);
        next
    }

    /// The position after passing the move; `None` in check, where that is no
    /// position.
    ///
    /// Passing counts as a half-move towards the fifty-move rule.
    #[inline]
    #[must_use]
    pub fn after_null_move(&self) -> Option<Self> {
        if self.is_check() {
            return None;
        }
        let us = self.turn();
        let king = self
            .board()
            .king_of(us)
            .expect("both kings stand in a legal position");
        let mut next = self.clone();
        next.key ^= en_passant_key(&self.chess) ^ Zobrist64::zobrist_for_white_turn().0;
        // The library has no cheap way to pass, but it plays what it is told: the
        // king is lifted as a knight, which touches no castling right, and comes
        // down on its square as a king.
        next.chess.play_unchecked(Move::Normal {
            role: Role::Knight,
            from: king,
            capture: None,
            to: king,
            promotion: Some(Role::King),
        });
        Some(next)
    }

    /// The same position with colours exchanged and the board turned over:
    /// ranks are flipped, files are not.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        let setup = self.chess.to_setup(EnPassantMode::Always).into_mirrored();
        let chess = Chess::from_setup(setup, self.castling_mode())
            .or_else(shakmaty::PositionError::ignore_too_much_material)
            .or_else(shakmaty::PositionError::ignore_impossible_check)
            .expect("the mirror of a legal position is legal");
        Self::from(chess)
    }

    /// What [`gives_check`](Self::gives_check) needs to know about this position.
    #[inline]
    pub fn check_squares(&self) -> CheckSquares {
        let us = self.turn();
        let board = self.board();
        let king = board
            .king_of(!us)
            .expect("both kings stand in a legal position");
        let occupied = board.occupied();
        let bishop = attacks::bishop_attacks(king, occupied);
        let rook = attacks::rook_attacks(king, occupied);

        let ours = board.by_color(us);
        let snipers = ours
            & ((attacks::rook_attacks(king, Bitboard::EMPTY) & board.rooks_and_queens())
                | (attacks::bishop_attacks(king, Bitboard::EMPTY) & board.bishops_and_queens()));
        let mut uncoverers = Bitboard::EMPTY;
        for sniper in snipers {
            let between = attacks::between(king, sniper) & occupied;
            if !between.more_than_one() {
                uncoverers |= between & ours;
            }
        }

        CheckSquares {
            king,
            pawn: attacks::pawn_attacks(!us, king),
            knight: attacks::knight_attacks(king),
            bishop,
            rook,
            uncoverers,
        }
    }

    /// Whether the legal move `m` gives check. Exact, except that castling, en
    /// passant and promotion are decided by playing the move.
    #[inline]
    pub fn gives_check(&self, m: Move, squares: &CheckSquares) -> bool {
        match m {
            Move::Normal {
                role,
                from,
                to,
                promotion: None,
                ..
            } => {
                let direct = match role {
                    Role::Pawn => squares.pawn,
                    Role::Knight => squares.knight,
                    Role::Bishop => squares.bishop,
                    Role::Rook => squares.rook,
                    Role::Queen => squares.bishop | squares.rook,
                    Role::King => Bitboard::EMPTY,
                };
                direct.contains(to)
                    || (squares.uncoverers.contains(from)
                        && !attacks::aligned(squares.king, from, to))
            }
            _ => self.after(m).is_check(),
        }
    }
}

impl From<Chess> for Position {
    fn from(chess: Chess) -> Self {
        let mut pawn_key = 0;
        for (square, piece) in chess.board() {
            if matches!(piece.role, Role::Pawn | Role::King) {
                pawn_key ^= piece_key(square, piece);
            }
        }
        let key = chess
            .zobrist_hash::<Zobrist64>(EnPassantMode::PseudoLegal)
            .0;
        Self {
            chess,
            key,
            pawn_key,
        }
    }
}

/// Equal as the rules on repetition see it: pieces, side to move, castling
/// rights and a really possible en passant capture.
impl PartialEq for Position {
    fn eq(&self, other: &Self) -> bool {
        self.chess == other.chess
    }
}

impl Eq for Position {}
