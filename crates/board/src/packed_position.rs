//! A position in about twenty-six bytes, for data sets.

use std::io::{self, Read, Write};
use std::num::NonZeroU32;

use shakmaty::{
    Bitboard, Board, CastlingMode, Chess, Color, EnPassantMode, FromSetup, Piece,
    Position as Rules, PositionError, Role, Setup, Square,
};

use crate::Position;

/// A position as data sets keep it: which squares are occupied (eight bytes), half
/// a byte for each piece, and four bytes for the rest.
///
/// It is exact but for absurd counters: more than 255 half-moves without progress
/// or 65,535 moves are kept as that many.
///
/// # Source
///
/// Occupancy with four bits a piece is how the field's training tools keep their
/// data; that a rook which may still castle is a piece of its own kind is the idea
/// of `marlinformat` (Jeremy Wright's and Dan Kelsey's tools for Viridithas and
/// others).
///
/// # Where this differs
///
/// A pawn that has just made a double step is a kind of its own, too; the list is
/// as long as there are pieces, so that odd boards with more than 32 fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedPosition {
    occupied: u64,
    /// Two pieces a byte in the order of their squares, the lower half first.
    codes: [u8; 32],
    state: u8,
    halfmoves: u8,
    fullmoves: u16,
}

const DOUBLE_STEP: u8 = 12;
const CASTLING_ROOK: [u8; 2] = [13, 14];
const BLACK_TO_MOVE: u8 = 1;
const CHESS960: u8 = 2;

impl PackedPosition {
    /// The position; `None` if these bytes are no legal one.
    pub fn unpack(&self) -> Option<Position> {
        // 1. The rest first: what a code means may depend on it.
        if self.state & !(BLACK_TO_MOVE | CHESS960) != 0 {
            return None;
        }
        let mut setup = Setup::empty();
        setup.turn = Color::from_white(self.state & BLACK_TO_MOVE == 0);
        setup.halfmoves = self.halfmoves.into();
        setup.fullmoves = NonZeroU32::new(self.fullmoves.into())?;

        // 2. The pieces.
        let mut board = Board::empty();
        for (index, square) in Bitboard(self.occupied).into_iter().enumerate() {
            let piece = match self.code(index) {
                code @ 0..=11 => Piece {
                    color: Color::from_white(code < 6),
                    role: Role::ALL[usize::from(code % 6)],
                },
                DOUBLE_STEP => {
                    let color = !setup.turn;
                    let behind = square.offset(color.fold_wb(-8, 8))?;
                    if setup.ep_square.replace(behind).is_some() {
                        return None;
                    }
                    color.pawn()
                }
                code => {
                    let color = match CASTLING_ROOK.iter().position(|&known| known == code)? {
                        0 => Color::White,
                        _ => Color::Black,
                    };
                    setup.castling_rights |= Bitboard::from_square(square);
                    color.rook()
                }
            };
            board.set_piece_at(square, piece);
        }
        setup.board = board;

        // 3. Only what the rules allow; a FEN is read with the same indulgence.
        let mode = CastlingMode::from_standard(self.state & CHESS960 == 0);
        Chess::from_setup(setup, mode)
            .or_else(PositionError::ignore_too_much_material)
            .or_else(PositionError::ignore_impossible_check)
            .ok()
            .map(Position::from)
    }

    fn code(&self, index: usize) -> u8 {
        self.codes[index / 2] >> (4 * (index % 2)) & 15
    }

    fn code_bytes(&self) -> usize {
        (self.occupied.count_ones() as usize).div_ceil(2)
    }

    /// Writes its bytes: between 12 and 44, about 26 in the middle of a game.
    ///
    /// # Errors
    ///
    /// If `to` cannot be written to.
    pub fn write(&self, to: &mut impl Write) -> io::Result<()> {
        to.write_all(&self.occupied.to_le_bytes())?;
        to.write_all(&self.codes[..self.code_bytes()])?;
        to.write_all(&[self.state, self.halfmoves])?;
        to.write_all(&self.fullmoves.to_le_bytes())
    }

    /// Reads what [`write`](Self::write) wrote. Whether it is a position,
    /// [`unpack`](Self::unpack) says.
    ///
    /// # Errors
    ///
    /// If `from` ends too early or cannot be read.
    pub fn read(from: &mut impl Read) -> io::Result<Self> {
        let mut occupied = [0; 8];
        from.read_exact(&mut occupied)?;
        let mut packed = Self {
            occupied: u64::from_le_bytes(occupied),
            codes: [0; 32],
            state: 0,
            halfmoves: 0,
            fullmoves: 0,
        };
        let length = packed.code_bytes();
        from.read_exact(&mut packed.codes[..length])?;
        let mut rest = [0; 4];
        from.read_exact(&mut rest)?;
        [packed.state, packed.halfmoves] = [rest[0], rest[1]];
        packed.fullmoves = u16::from_le_bytes([rest[2], rest[3]]);
        Ok(packed)
    }
}

impl From<&Position> for PackedPosition {
    fn from(position: &Position) -> Self {
        let setup = position.chess().to_setup(EnPassantMode::Always);
        let stepped: Option<Square> = setup
            .ep_square
            .and_then(|behind| behind.offset(setup.turn.fold_wb(-8, 8)));
        let mut packed = Self {
            occupied: setup.board.occupied().0,
            codes: [0; 32],
            state: 0,
            halfmoves: setup.halfmoves.min(255) as u8,
            fullmoves: setup.fullmoves.get().min(65_535) as u16,
        };
        if setup.turn.is_black() {
            packed.state |= BLACK_TO_MOVE;
        }
        if position.castling_mode().is_chess960() {
            packed.state |= CHESS960;
        }
        for (index, square) in setup.board.occupied().into_iter().enumerate() {
            let piece = setup
                .board
                .piece_at(square)
                .expect("an occupied square holds a piece");
            let code = if stepped == Some(square) {
                DOUBLE_STEP
            } else if setup.castling_rights.contains(square) {
                piece.color.fold_wb(CASTLING_ROOK[0], CASTLING_ROOK[1])
            } else {
                piece.color.fold_wb(0, 6) + piece.role as u8 - Role::Pawn as u8
            };
            packed.codes[index / 2] |= code << (4 * (index % 2));
        }
        packed
    }
}
