//! Encodings of a position as the input of a network.

use mendel_board::{Position, Square};
use serde::{Deserialize, Serialize};

use crate::snapshot::PieceChange;
use crate::{cwu, features};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Input {
    /// The 64 squares from a1 to h8, each with the value of the piece on it (100, 320,
    /// 330, 500, 900 and 10000), negative for Black's. The network sees colour, and
    /// not whose move it is.
    Paper,
    /// 768 ones and zeros, as the side to move sees the board: its own pawns from a1
    /// to h8, its knights … its king, then the same of the other side. It plays
    /// upwards: for Black the board is turned over.
    Sides,
    /// The numbers of [`features`], the side to move's less the other's.
    Features,
    /// The ten numbers of [`cwu`], the side to move's less the other's, in small numbers.
    Cwu,
}

/// Units of a sum over the squares: the values of all pieces are tens.
pub(crate) const PAPER_UNIT: i32 = 10;

/// The values of the pieces, by [`PAPER_UNIT`].
const PAPER_VALUES: [i32; 6] = [10, 32, 33, 50, 90, 1000];

impl Input {
    pub const ALL: [Self; 4] = [Self::Paper, Self::Sides, Self::Features, Self::Cwu];

    pub fn count(self) -> usize {
        match self {
            Self::Paper => 64,
            Self::Sides => 768,
            Self::Features => features::COUNT,
            Self::Cwu => cwu::COUNT,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Paper => "paper",
            Self::Sides => "sides",
            Self::Features => "features",
            Self::Cwu => "cwu",
        }
    }

    /// The inverse of [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }

    /// Whether it is counts and not squares.
    pub fn is_counted(self) -> bool {
        matches!(self, Self::Features | Self::Cwu)
    }

    /// Fills in the counts of a position; nothing where the input is squares.
    pub(crate) fn count_into(self, position: &Position, numbers: &mut [f32]) {
        match self {
            Self::Features => numbers.copy_from_slice(&features::of(position)),
            Self::Cwu => numbers.copy_from_slice(&cwu::normalised(position)),
            Self::Paper | Self::Sides => {}
        }
    }

    /// Whether swapping the colours of a position changes the input.
    pub fn sees_colour(self) -> bool {
        self == Self::Paper
    }

    /// What one input is called: `e4`, `own-knight-f3` or the name of a feature.
    pub fn label(self, index: usize) -> String {
        const PIECES: [&str; 6] = ["pawn", "knight", "bishop", "rook", "queen", "king"];
        let square = |index: usize| Square::new(index as u32 % 64);
        match self {
            Self::Paper => square(index).to_string(),
            Self::Sides => {
                let whose = if index < 6 * 64 { "own" } else { "other" };
                let piece = PIECES[index / 64 % 6];
                format!("{whose}-{piece}-{}", square(index))
            }
            Self::Features => features::ALL[index].name.to_owned(),
            Self::Cwu => cwu::label(index).to_owned(),
        }
    }
}

/// What a piece adds to its square of [`Input::Paper`], by [`PAPER_UNIT`].
#[inline]
pub(crate) fn paper_value(change: PieceChange) -> i32 {
    let value = PAPER_VALUES[usize::from(change.piece) % 6];
    if change.piece < 6 { value } else { -value }
}
