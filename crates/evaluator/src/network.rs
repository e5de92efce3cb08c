//! A small network over the squares of all pieces, judged from both sides.
//!
//! Each side looks at the board with its own pieces first and its own king on the
//! files e to h; what it sees is added up in a hidden layer of [`HIDDEN`] numbers.
//! The score is a weighted sum of the squares of both layers, cut to 0…1.
//!
//! # Source
//!
//! Y. Nasu, "Efficiently Updatable Neural-Network-based Evaluation Functions for
//! Computer Shogi", 2018, for a first layer that is a sum over pieces; the two points
//! of view, the mirrored king and the squared cut are usual in today's programs.
//!
//! # Where this differs
//!
//! It stands beside written terms: its output is one of them. The search does not
//! carry the hidden layers along its moves: a [`Memory`] knows the last board
//! that was looked at and adds what has changed since.

use arrayvec::ArrayVec;
use mendel_board::{Bitboard, Board, Color, Position, Role, Square, mix};

/// Numbers in the hidden layer of each side.
pub const HIDDEN: usize = 128;

/// What can be seen: whose piece, which kind, which square.
pub const INPUTS: usize = 2 * 6 * 64;

/// Numbers of the hidden layer that are brought up to date at once.
const BLOCK: usize = 64;

// All that the output adds up fits thirty-two bits.
const _: () = assert!(2 * HIDDEN as i64 * (ONE * ONE * MOST_OUT as i32) as i64 <= i32::MAX as i64);

/// One in the hidden layer, as whole numbers have it.
const ONE: i32 = 255;

/// One among the weights of the output.
const OUT_ONE: i32 = 64;

/// The largest weight of the output: times a cut number it fits sixteen bits.
const MOST_OUT: i16 = 128;

/// Centipawns for an output of one.
pub const CENTIPAWNS: f32 = 400.0;

/// The output is cut to this many centipawns.
pub const LIMIT: i32 = 3000;

/// The most pieces a board holds: set up by hand, more than a game begins with.
pub const PIECES: usize = 64;

/// A network in whole numbers: the same result on every machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    /// A row for each of the [`INPUTS`].
    first: Vec<[i16; HIDDEN]>,
    bias: [i16; HIDDEN],
    /// For the side to move, then for the other.
    out: [[i16; HIDDEN]; 2],
    out_bias: i32,
    /// Keeps what one network added up from being used with another.
    fingerprint: u64,
}

/// What one thread keeps between calls: for each way the two sides look at the board the
/// last one they saw, and what was added up for it.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    fingerprint: Option<u64>,
    /// By whether White mirrors the board, then whether Black does.
    seen: Vec<Seen>,
}

/// A board as both sides saw it.
#[derive(Clone, Debug)]
struct Seen {
    pieces: [[Bitboard; 6]; 2],
    /// White's, then Black's.
    layers: [[i16; HIDDEN]; 2],
}

/// A network as training sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// The first layer, input by input.
    pub first: Vec<[f32; HIDDEN]>,
    /// Its bias.
    pub bias: [f32; HIDDEN],
    /// The output's weights: of the side to move, then of the other.
    pub out: [[f32; HIDDEN]; 2],
    /// Its bias.
    pub out_bias: f32,
}

impl Network {
    /// Rounds what was trained.
    pub fn round(parameters: &Parameters) -> Self {
        let whole = |value: f32, one: i32| {
            let value = libm::rintf(value * one as f32);
            value.clamp(-32_000.0, 32_000.0) as i16
        };
        let mut first = vec![[0; HIDDEN]; INPUTS];
        for (row, values) in first.iter_mut().zip(&parameters.first) {
            *row = values.map(|value| whole(value, ONE));
        }
        // A cut number times a weight must fit sixteen bits.
        let out = |value: f32| whole(value, OUT_ONE).clamp(-MOST_OUT, MOST_OUT);
        let scale = (ONE * ONE * OUT_ONE) as f32;
        Self::new(
            first,
            &parameters.bias.map(|value| whole(value, ONE)),
            &parameters.out.map(|row| row.map(out)),
            libm::rintf(parameters.out_bias * scale) as i32,
        )
    }

    /// The numbers that training may go on from.
    pub fn parameters(&self) -> Parameters {
        let part = |value: i16, one: i32| f32::from(value) / one as f32;
        let row = |row: &[i16; HIDDEN]| row.map(|value| part(value, ONE));
        let scale = (ONE * ONE * OUT_ONE) as f32;
        Parameters {
            first: self.first.iter().map(row).collect(),
            bias: row(&self.bias),
            out: self.out.map(|row| row.map(|value| part(value, OUT_ONE))),
            out_bias: self.out_bias as f32 / scale,
        }
    }

    fn new(
        first: Vec<[i16; HIDDEN]>,
        bias: &[i16; HIDDEN],
        out: &[[i16; HIDDEN]; 2],
        out_bias: i32,
    ) -> Self {
        let rows = first.iter().chain([bias, &out[0], &out[1]]);
        let numbers = rows.flatten().map(|&number| i32::from(number));
        let fingerprint = numbers
            .chain([out_bias])
            .fold(0, |mixed, number| mix(mixed ^ number as u64));
        Self {
            first,
            bias: *bias,
            out: *out,
            out_bias,
            fingerprint,
        }
    }

    /// What the side to move is better by, in centipawns. The memory saves work and
    /// changes nothing.
    #[inline]
    pub fn evaluate(&self, position: &Position, memory: &mut Memory) -> i32 {
        if memory.fingerprint != Some(self.fingerprint) {
            let empty = Seen {
                pieces: [[Bitboard::EMPTY; 6]; 2],
                layers: [self.bias; 2],
            };
            memory.fingerprint = Some(self.fingerprint);
            memory.seen = vec![empty; 4];
        }
        let board = position.board();
        let views = [Color::White, Color::Black].map(|color| View::new(board, color));
        let [white, black] = views.map(|view| usize::from(view.is_mirrored()));
        let seen = &mut memory.seen[2 * white + black];
        self.look(board, views, seen);
        let turn = usize::from(position.turn().is_black());
        let sum =
            output(&seen.layers[turn], &self.out[0]) + output(&seen.layers[1 - turn], &self.out[1]);
        let scale = i64::from(ONE * ONE * OUT_ONE);
        let centipawns = (i64::from(sum) + i64::from(self.out_bias)) * CENTIPAWNS as i64 / scale;
        centipawns.clamp(-i64::from(LIMIT), i64::from(LIMIT)) as i32
    }

    /// Brings what was seen up to the board.
    #[inline]
    fn look(&self, board: &Board, views: [View; 2], seen: &mut Seen) {
        // 1. What has changed, which is the same for both sides.
        let (mut gone, mut come) = (Changes::new(), Changes::new());
        for whose in Color::ALL {
            for role in Role::ALL {
                let now = board.by_color(whose) & board.by_role(role);
                let before = &mut seen.pieces[usize::from(whose.is_black())][role as usize - 1];
                let changed = now ^ *before;
                if changed.any() {
                    let inputs = |square: Square| {
                        views.map(|view| view.input(whose, role, square.to_usize()) as u16)
                    };
                    gone.extend((changed & *before).into_iter().map(inputs));
                    come.extend((changed & now).into_iter().map(inputs));
                    *before = now;
                }
            }
        }

        // 2. What it does to their layers, in blocks that stay in registers.
        for (side, layer) in seen.layers.iter_mut().enumerate() {
            for (at, sums) in layer.as_chunks_mut::<BLOCK>().0.iter_mut().enumerate() {
                let row = |inputs: &[u16; 2]| {
                    &self.first[usize::from(inputs[side])].as_chunks::<BLOCK>().0[at]
                };
                let mut block = *sums;
                for inputs in &gone {
                    for (sum, weight) in block.iter_mut().zip(row(inputs)) {
                        *sum = sum.wrapping_sub(*weight);
                    }
                }
                for inputs in &come {
                    for (sum, weight) in block.iter_mut().zip(row(inputs)) {
                        *sum = sum.wrapping_add(*weight);
                    }
                }
                *sums = block;
            }
        }
    }

    /// All numbers, as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let numbers = self.first.iter().flatten().chain(&self.bias);
        let numbers = numbers.chain(self.out.iter().flatten());
        let mut bytes: Vec<u8> = numbers.flat_map(|number| number.to_le_bytes()).collect();
        bytes.extend(self.out_bias.to_le_bytes());
        bytes
    }

    /// How many bytes a network has.
    pub const BYTES: usize = 2 * HIDDEN * (INPUTS + 3) + 4;

    /// The inverse of [`to_bytes`](Self::to_bytes); `None` if these are no network's.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        if bytes.len() != Self::BYTES {
            return None;
        }
        let (numbers, last) = bytes.split_at(bytes.len() - 4);
        let mut numbers = numbers
            .chunks_exact(2)
            .map(|pair| i16::from_le_bytes([pair[0], pair[1]]));
        let mut row = || {
            let mut row = [0; HIDDEN];
            for (place, number) in row.iter_mut().zip(&mut numbers) {
                *place = number;
            }
            row
        };
        let mut first = vec![[0; HIDDEN]; INPUTS];
        for place in &mut first {
            *place = row();
        }
        let bias = row();
        let out = [row(), row()];
        // Larger weights would leave the sixteen bits that play counts with.
        if out
            .iter()
            .flatten()
            .any(|weight| weight.unsigned_abs() > MOST_OUT.unsigned_abs())
        {
            return None;
        }
        let out_bias = i32::from_le_bytes(last.try_into().ok()?);
        // And such a bias says nothing but itself.
        (out_bias.unsigned_abs() < 1 << 29).then(|| Self::new(first, &bias, &out, out_bias))
    }
}

/// Inputs that come or go, as White and as Black number them.
type Changes = ArrayVec<[u16; 2], PIECES>;

/// What one side's layer adds to the output.
#[inline]
fn output(layer: &[i16; HIDDEN], weights: &[i16; HIDDEN]) -> i32 {
    let products = layer.iter().zip(weights).map(|(value, weight)| {
        let cut = (*value).clamp(0, ONE as i16);
        i32::from(cut.wrapping_mul(*weight)) * i32::from(cut)
    });
    products.sum()
}

/// How one side looks at the board.
#[derive(Clone, Copy, Debug)]
pub struct View {
    color: Color,
    /// What a square is turned by: top to bottom for Black, left to right where the
    /// king is on the files a to d.
    turned: usize,
}

impl View {
    /// How `color` looks at a board.
    #[inline]
    pub fn new(board: &Board, color: Color) -> Self {
        let king = (board.kings() & board.by_color(color)).first();
        let file = king.map_or(4, |king| king.to_usize() & 7);
        let upside = color.fold_wb(0, 56);
        let mirrored = if file < 4 { 7 } else { 0 };
        Self {
            color,
            turned: upside | mirrored,
        }
    }

    /// Whether left and right are changed.
    #[inline]
    fn is_mirrored(self) -> bool {
        self.turned & 7 != 0
    }

    /// The number of an input.
    #[inline]
    pub fn input(self, color: Color, role: Role, square: usize) -> usize {
        let theirs = usize::from(color != self.color);
        (theirs * 6 + role as usize - 1) * 64 + (square ^ self.turned)
    }
}

/// The inputs of a position for the side to move and for the other, in the same
/// order of pieces; returns how many there are.
pub fn inputs(position: &Position, into: &mut [[u16; PIECES]; 2]) -> usize {
    let board = position.board();
    let turn = position.turn();
    let views = [View::new(board, turn), View::new(board, !turn)];
    let mut count = 0;
    for color in Color::ALL {
        for role in Role::ALL {
            let pieces: Bitboard = board.by_color(color) & board.by_role(role);
            for square in pieces {
                for (row, view) in into.iter_mut().zip(&views) {
                    row[count] = view.input(color, role, square.to_usize()) as u16;
                }
                count += 1;
            }
        }
    }
    count
}
