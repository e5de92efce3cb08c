//! A small network over the squares of all pieces, judged from both sides.
//!
//! Each side sees the board with its own pieces first and its own king on the files e
//! to h; its pieces are added up in a hidden layer of [`HIDDEN`] numbers.
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
//! carry the hidden layers along its moves: an [`NnueCache`] keeps those of the last
//! boards and updates the nearest.

use mendel_board::{Bitboard, Color, Position, Role, mix};

use crate::accumulator::{AccumulatorCache, FirstLayer, Perspective, TwoSided};
use crate::simd::with_simd;
use crate::snapshot::{BoardSnapshot, PieceChange};

/// Numbers in the hidden layer of each side.
pub const HIDDEN: usize = 128;

/// Whose piece, which kind, which square.
pub const INPUTS: usize = 2 * 6 * 64;

// All that the output adds up fits thirty-two bits.
const _: () = assert!(2 * HIDDEN as i64 * (ONE * ONE * MOST_OUT as i32) as i64 <= i32::MAX as i64);

/// One in the hidden layer, as an integer.
const ONE: i32 = 255;

/// One among the weights of the output.
const OUT_ONE: i32 = 64;

/// The largest weight of the output: times a cut number it fits sixteen bits.
const MOST_OUT: i16 = 128;

/// Centipawns for an output of one.
pub const CENTIPAWNS: f32 = 400.0;

/// The output is cut to this many centipawns.
pub const LIMIT: i32 = 3000;

/// The most pieces of a board: set up by hand, it may hold more than a game begins with.
pub const PIECES: usize = 64;

/// A network of integers: the same result on every machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    layer: TwoSided,
    out_bias: i32,
    /// Keeps the sums of one network from being used with another.
    fingerprint: u64,
}

/// Accumulators of one thread, by whether White mirrors the board, then whether Black
/// does.
#[derive(Clone, Debug, Default)]
pub struct NnueCache([AccumulatorCache<i16>; 4]);

/// The numbers of a network for training.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    pub first: Vec<[f32; HIDDEN]>,
    pub bias: [f32; HIDDEN],
    /// The weights of the output: of the side to move, then of the other.
    pub out: [[f32; HIDDEN]; 2],
    pub out_bias: f32,
}

impl Network {
    /// Rounds trained numbers.
    pub fn round(parameters: &Parameters) -> Self {
        let integer = |value: f32, one: i32| {
            let value = libm::rintf(value * one as f32);
            value.clamp(-32_000.0, 32_000.0) as i16
        };
        let hidden = |values: &[f32]| values.iter().map(|&it| integer(it, ONE)).collect();
        // A cut number times a weight must fit sixteen bits.
        let out = |value: &f32| integer(*value, OUT_ONE).clamp(-MOST_OUT, MOST_OUT);
        let scale = (ONE * ONE * OUT_ONE) as f32;
        Self::new(
            hidden(parameters.first.as_flattened()),
            hidden(&parameters.bias),
            parameters.out.as_flattened().iter().map(out).collect(),
            libm::rintf(parameters.out_bias * scale) as i32,
        )
    }

    /// The numbers, to continue training.
    pub fn parameters(&self) -> Parameters {
        let rows = |numbers: &[i16], one: i32| -> Vec<[f32; HIDDEN]> {
            let rows = numbers.as_chunks().0.iter();
            rows.map(|row| row.map(|value| f32::from(value) / one as f32))
                .collect()
        };
        let out = rows(&self.layer.weights, OUT_ONE);
        let scale = (ONE * ONE * OUT_ONE) as f32;
        Parameters {
            first: rows(&self.layer.first.rows, ONE),
            bias: rows(&self.layer.biases, ONE)[0],
            out: out.try_into().expect("a row of weights for each side"),
            out_bias: self.out_bias as f32 / scale,
        }
    }

    fn new(rows: Vec<i16>, biases: Vec<i16>, weights: Vec<i16>, out_bias: i32) -> Self {
        let numbers = rows.iter().chain(&biases).chain(&weights);
        let numbers = numbers.map(|&number| i32::from(number)).chain([out_bias]);
        Self {
            fingerprint: numbers.fold(0, |mixed, number| mix(mixed ^ number as u64)),
            layer: TwoSided {
                first: FirstLayer {
                    rows,
                    width: HIDDEN,
                },
                biases,
                weights,
                one: ONE as i16,
            },
            out_bias,
        }
    }

    /// The advantage of the side to move in centipawns. The cache changes no score.
    #[inline]
    pub fn evaluate(&self, position: &Position, cache: &mut NnueCache) -> i32 {
        let board = position.board();
        let views = Color::ALL.map(|color| Perspective::of_king(board, color));
        let [white, black] = views.map(|view| usize::from(view.is_mirrored()));
        let cache = &mut cache.0[2 * white + black];
        let now = BoardSnapshot::new(board);
        let sum = with_simd(|| {
            let sums = cache.sums(&self.layer.first, self.fingerprint, now, &views, false);
            self.layer.output(sums, position.turn(), |value, weight| {
                i32::from(value.wrapping_mul(weight)) * i32::from(value)
            })
        });
        let scale = i64::from(ONE * ONE * OUT_ONE);
        let centipawns = (i64::from(sum) + i64::from(self.out_bias)) * CENTIPAWNS as i64 / scale;
        centipawns.clamp(-i64::from(LIMIT), i64::from(LIMIT)) as i32
    }

    /// All numbers, the low byte first.
    pub fn to_bytes(&self) -> Vec<u8> {
        let TwoSided {
            first,
            biases,
            weights,
            ..
        } = &self.layer;
        let numbers = first.rows.iter().chain(biases).chain(weights);
        let mut bytes: Vec<u8> = numbers.flat_map(|number| number.to_le_bytes()).collect();
        bytes.extend(self.out_bias.to_le_bytes());
        bytes
    }

    /// The length of [`to_bytes`](Self::to_bytes).
    pub const BYTES: usize = 2 * HIDDEN * (INPUTS + 3) + 4;

    /// The inverse of [`to_bytes`](Self::to_bytes); `None` if these are no network's.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        if bytes.len() != Self::BYTES {
            return None;
        }
        let (numbers, out_bias) = bytes.split_last_chunk()?;
        let numbers = numbers.as_chunks().0.iter();
        let mut rows: Vec<i16> = numbers.map(|pair| i16::from_le_bytes(*pair)).collect();
        let weights = rows.split_off((INPUTS + 1) * HIDDEN);
        let biases = rows.split_off(INPUTS * HIDDEN);
        // Larger weights would leave the sixteen bits of the products, and a larger bias
        // would outweigh them all.
        let most = MOST_OUT.unsigned_abs();
        let out_bias = i32::from_le_bytes(*out_bias);
        let fits = weights.iter().all(|weight| weight.unsigned_abs() <= most)
            && out_bias.unsigned_abs() < 1 << 29;
        fits.then(|| Self::new(rows, biases, weights, out_bias))
    }
}

/// The inputs of a position for the side to move and for the other, in the same
/// order of pieces; returns how many there are.
pub fn inputs(position: &Position, into: &mut [[u16; PIECES]; 2]) -> usize {
    let board = position.board();
    let turn = position.turn();
    let views = [turn, !turn].map(|color| Perspective::of_king(board, color));
    let mut count = 0;
    for color in Color::ALL {
        for role in Role::ALL {
            let pieces: Bitboard = board.by_color(color) & board.by_role(role);
            for square in pieces {
                let change = PieceChange {
                    piece: color.fold_wb(0, 6) + role as u8 - 1,
                    square: square.to_usize() as u8,
                };
                for (row, view) in into.iter_mut().zip(&views) {
                    row[count] = view.index(change) as u16;
                }
                count += 1;
            }
        }
    }
    count
}
