//! A move in two bytes, for tables.

use shakmaty::{Move, Role, Square};

use crate::Position;

/// A move in sixteen bits: from, to and promotion; castling is the king's square
/// and the rook's. Zero is no move.
///
/// Two bytes do not say what was captured, so a packed move means something only
/// beside a position; see [`unpack`](Self::unpack).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PackedMove(u16);

const PROMOTIONS: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

impl PackedMove {
    pub const NONE: Self = Self(0);

    /// The raw bits, for storage.
    #[inline]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// From raw bits; whatever they are, [`unpack`](Self::unpack) checks them.
    #[inline]
    pub const fn from_bits(bits: u16) -> Self {
        Self(bits)
    }

    #[inline]
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// The legal move this stands for in `position`, if it is one there.
    #[inline]
    pub fn unpack(self, position: &Position) -> Option<Move> {
        if self.is_none() {
            return None;
        }
        let board = position.board();
        let us = position.turn();
        let from = Square::new(u32::from(self.0 & 63));
        let to = Square::new(u32::from((self.0 >> 6) & 63));
        let promotion = match self.0 >> 12 {
            0 => None,
            n => Some(*PROMOTIONS.get(usize::from(n) - 1)?),
        };
        let piece = board.piece_at(from).filter(|piece| piece.color == us)?;
        let target = board.piece_at(to);
        let castling = piece.role == Role::King && target == Some(us.rook());
        let en_passant = piece.role == Role::Pawn && target.is_none() && from.file() != to.file();
        if promotion.is_some() && (castling || en_passant) {
            return None;
        }
        let m = if castling {
            Move::Castle {
                king: from,
                rook: to,
            }
        } else if en_passant {
            Move::EnPassant { from, to }
        } else {
            Move::Normal {
                role: piece.role,
                from,
                capture: target.map(|target| target.role),
                to,
                promotion,
            }
        };
        position.is_legal(m).then_some(m)
    }
}

impl From<Move> for PackedMove {
    #[inline]
    fn from(m: Move) -> Self {
        let (from, to, promotion) = match m {
            Move::Normal {
                from,
                to,
                promotion,
                ..
            } => (from, to, promotion),
            Move::EnPassant { from, to } => (from, to, None),
            Move::Castle { king, rook } => (king, rook, None),
            Move::Put { .. } => return Self::NONE,
        };
        let promotion = match promotion {
            None | Some(Role::Pawn | Role::King) => 0,
            Some(Role::Knight) => 1,
            Some(Role::Bishop) => 2,
            Some(Role::Rook) => 3,
            Some(Role::Queen) => 4,
        };
        Self(u32::from(from) as u16 | (u32::from(to) as u16) << 6 | promotion << 12)
    }
}
