//! What a network sees of a position.

use mendel_board::{CastlingSide, Color, File, Move, Position, Role, Square};

use super::shape::{SQUARES, View};

#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    pub position: &'a Position,
    /// The moves that led to it, the newest last; may be fewer than a view shows.
    pub before: &'a [Move],
    /// The ratings of the side to move and of the other, if known.
    pub ratings: Option<[u16; 2]>,
    /// Whether the position has been on the board before in this game.
    pub repeated: bool,
}

impl<'a> Scene<'a> {
    pub fn new(position: &'a Position) -> Self {
        Self {
            position,
            before: &[],
            ratings: None,
            repeated: false,
        }
    }
}

/// Where the piece that moves comes from and goes to; castling is the king's move.
pub fn ends(m: Move) -> [Square; 2] {
    match m {
        Move::Normal { from, to, .. } | Move::EnPassant { from, to } => [from, to],
        Move::Castle { king, rook } => {
            let file = if rook < king { File::C } else { File::G };
            [king, Square::from_coords(file, king.rank())]
        }
        // Standard chess has no drops.
        Move::Put { to, .. } => [to, to],
    }
}

impl View {
    /// The place of a square in a plane while `turn` is to move: a1 = 0, h1 = 7,
    /// a8 = 56, upside down for Black where the board is turned.
    #[inline]
    pub fn place(self, square: Square, turn: Color) -> usize {
        let turned = matches!(self, Self::Sides { .. }) && turn.is_black();
        square.to_usize() ^ if turned { 56 } else { 0 }
    }
}

/// A rating of zero, as planes have it.
const MIDDLE_RATING: f32 = 1900.0;
/// A rating of one above [`MIDDLE_RATING`].
const RATING_STEP: f32 = 700.0;

/// Writes what a network sees, plane after plane of 64 squares, then the scalars.
///
/// * [`View::Signed`] and [`View::Absolute`]: pawns, knights, bishops, rooks, queens,
///   kings.
/// * [`View::Teaching`]: these for White, then for Black. Scalars: 1 for White to move,
///   1 where a capture en passant is possible, White may castle to the king's side, to
///   the queen's, Black likewise.
/// * [`View::Row`]: no plane; 64 numbers, what the piece on a square is worth in pawns,
///   ten for a king, less than zero for Black's; then the scalars of [`View::Teaching`].
/// * [`View::Sides`]: these for the side to move, then for the other (12 planes); may
///   castle: own king's side, own queen's side, the other's two (4); the square of a
///   possible capture en passant (1); half-moves since the last capture or pawn move
///   over 100 (1); repeated (1); own rating and the other's as (rating − 1900) / 700,
///   whether they are known (3); ones, so that a convolution sees the edge (1); then
///   for each of the last moves, the newest first, where it came from and went to.
///
/// # Panics
///
/// If there is not exactly room for [`View::inputs`] numbers.
pub fn encode(view: View, scene: &Scene, into: &mut [f32]) {
    assert_eq!(into.len(), view.inputs(), "room for what is seen");
    into.fill(0.0);
    let position = scene.position;
    match view {
        View::Signed => signed(position, position.turn(), into),
        View::Absolute => signed(position, Color::White, into),
        View::Teaching => teaching(position, into),
        View::Row => row(position, into),
        View::Sides { plies } => sides(view, plies, scene, into),
    }
}

fn signed(position: &Position, plus: Color, into: &mut [f32]) {
    for (square, piece) in position.board() {
        let value = if piece.color == plus { 1.0 } else { -1.0 };
        into[plane(piece.role) * SQUARES + square.to_usize()] = value;
    }
}

fn plane(role: Role) -> usize {
    role as usize - 1
}

fn pieces(view: View, position: &Position, first: Color, into: &mut [f32]) {
    let turn = position.turn();
    for (square, piece) in position.board() {
        let other = if piece.color == first { 0 } else { 6 };
        let at = (other + plane(piece.role)) * SQUARES + view.place(square, turn);
        into[at] = 1.0;
    }
}

/// Own king's side and queen's, the other's.
fn castling(position: &Position, first: Color) -> [bool; 4] {
    let [king, queen] = [CastlingSide::KingSide, CastlingSide::QueenSide];
    [
        (first, king),
        (first, queen),
        (!first, king),
        (!first, queen),
    ]
    .map(|(color, side)| position.may_castle(color, side))
}

fn teaching(position: &Position, into: &mut [f32]) {
    pieces(View::Teaching, position, Color::White, into);
    rules(position, &mut into[12 * SQUARES..]);
}

fn row(position: &Position, into: &mut [f32]) {
    const PAWNS: [f32; 6] = [1.0, 3.0, 3.0, 5.0, 9.0, 10.0];
    for (square, piece) in position.board() {
        let worth = PAWNS[plane(piece.role)];
        into[square.to_usize()] = if piece.color.is_white() {
            worth
        } else {
            -worth
        };
    }
    rules(position, &mut into[SQUARES..]);
}

/// Six scalars: who is to move, and what the rules still allow.
fn rules(position: &Position, scalars: &mut [f32]) {
    let one = |is: bool| f32::from(u8::from(is));
    scalars[0] = one(position.turn().is_white());
    scalars[1] = one(position.en_passant_square().is_some());
    for (scalar, may) in scalars[2..]
        .iter_mut()
        .zip(castling(position, Color::White))
    {
        *scalar = one(may);
    }
}

fn sides(view: View, plies: usize, scene: &Scene, into: &mut [f32]) {
    let position = scene.position;
    let turn = position.turn();
    pieces(view, position, turn, into);
    let (planes, _) = into[12 * SQUARES..].as_chunks_mut::<SQUARES>();
    for (plane, may) in planes.iter_mut().zip(castling(position, turn)) {
        if may {
            plane.fill(1.0);
        }
    }
    if let Some(square) = position.en_passant_square() {
        planes[4][view.place(square, turn)] = 1.0;
    }
    planes[5].fill(position.halfmoves().min(100) as f32 / 100.0);
    if scene.repeated {
        planes[6].fill(1.0);
    }
    if let Some(ratings) = scene.ratings {
        for (plane, rating) in planes[7..].iter_mut().zip(ratings) {
            plane.fill((f32::from(rating) - MIDDLE_RATING) / RATING_STEP);
        }
        planes[9].fill(1.0);
    }
    planes[10].fill(1.0);
    for (ply, m) in scene.before.iter().rev().take(plies).enumerate() {
        for (end, square) in ends(*m).into_iter().enumerate() {
            planes[11 + 2 * ply + end][view.place(square, turn)] = 1.0;
        }
    }
}
