//! What a network is but for its numbers.

use serde::{Deserialize, Serialize};

use super::NetFileError;

pub const SQUARES: usize = 64;

/// The longest history a view may show, in plies.
pub const MOST_PLIES: usize = 8;

/// The most channels of a layer, and the most neurons of one.
pub const MOST_WIDTH: usize = 1024;

pub const MOST_BLOCKS: usize = 64;

/// The most numbers of a network: 128 MiB on disk.
pub const MOST_NUMBERS: usize = 1 << 26;

/// Planes that the value head of [`Head::Pairs`] looks at.
pub const VALUE_PLANES: usize = 8;

/// What a network is but for its numbers.
///
/// The body is the same for all: a 3×3 convolution from what is seen to `filters`
/// channels and ReLU; then `blocks` times convolution, activation, convolution, the
/// block's input added, activation. All convolutions are padded by zeros to 8×8. Batch
/// normalisation, which training puts behind every convolution of a block, is part of
/// the weights and biases here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Shape {
    pub view: View,
    pub filters: usize,
    /// Blocks of two convolutions each.
    pub blocks: usize,
    pub activation: Activation,
    pub head: Head,
}

/// What a network sees; see [`encode`](super::encode) for the planes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum View {
    /// Six planes, one for each kind of piece: +1 for the side to move, −1 for the
    /// other. The board is not turned.
    Signed,
    /// Six planes: +1 for White, −1 for Black.
    Absolute,
    /// Twelve planes, White's pieces and Black's, and six scalars.
    Teaching,
    /// No planes: 64 squares as one number each and the six scalars of
    /// [`Teaching`](Self::Teaching), 70 in a row.
    Row,
    /// Ours: the side to move sits at the bottom and sees all that the rules know,
    /// the last moves, and both ratings.
    Sides {
        /// How many of the last moves it sees, up to [`MOST_PLIES`].
        plies: usize,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Activation {
    /// What is above zero.
    Relu,
    Selu,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Head {
    /// A 3×3 convolution to two planes of logits: from and to.
    FromTo,
    /// One number out of all channels of all squares.
    Value,
    /// A 3×3 convolution to `channels` and ReLU; these and the scalars of the view
    /// to `hidden` neurons with ReLU; one number out of them.
    Teaching {
        /// Channels of the second convolution.
        channels: usize,
        hidden: usize,
    },
    /// No convolution at all: the numbers of [`View::Row`] to `hidden` neurons with
    /// ReLU, to as many again, and one number out of them.
    Dense { hidden: usize },
    /// A logit for each pair of squares: `width` numbers for each square as a start,
    /// `width` for each as a goal, both by 1×1 convolutions; the logit is their product
    /// over √`width`. Under-promotions have it, too, plus an offset for each piece.
    /// Beside it the result: a 1×1 convolution to [`VALUE_PLANES`] planes and ReLU,
    /// `value` neurons with ReLU, and three logits: win, draw and loss of the side to
    /// move.
    Pairs {
        /// Numbers for each square.
        width: usize,
        /// Neurons of the layer before the result.
        value: usize,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    /// Such as `block.0.first.weight`.
    pub name: String,
    /// Its sizes, the last one contiguous: `[out, in, 3, 3]` of a 3×3 convolution with
    /// rows from the first rank up, `[out, in]` of a 1×1 one and of a dense layer,
    /// `[out]` of a bias.
    pub dims: Vec<usize>,
}

impl Tensor {
    pub fn count(&self) -> usize {
        self.dims.iter().product()
    }
}

impl View {
    /// Planes of 64 squares.
    pub fn planes(self) -> usize {
        match self {
            Self::Signed | Self::Absolute => 6,
            Self::Teaching => 12,
            Self::Row => 0,
            Self::Sides { plies } => 23 + 2 * plies,
        }
    }

    /// Whether the board is seen from White's side, also where Black is to move.
    pub fn is_whites(self) -> bool {
        matches!(self, Self::Absolute | Self::Teaching | Self::Row)
    }

    /// Numbers behind the planes.
    pub fn scalars(self) -> usize {
        match self {
            Self::Teaching => 6,
            Self::Row => SQUARES + 6,
            _ => 0,
        }
    }

    /// All numbers that a position gives.
    pub fn inputs(self) -> usize {
        self.planes() * SQUARES + self.scalars()
    }
}

impl Head {
    /// How many numbers a network answers for a position, see
    /// [`Net::run`](super::Net::run).
    pub fn outputs(self) -> usize {
        match self {
            Self::FromTo => 2 * SQUARES,
            Self::Value | Self::Teaching { .. } | Self::Dense { .. } => 1,
            Self::Pairs { .. } => SQUARES * SQUARES + 3 + 3,
        }
    }
}

impl Shape {
    /// ChessNet: 200 filters, four blocks, from and to.
    pub fn chessnet() -> Self {
        Self {
            view: View::Signed,
            filters: 200,
            blocks: 4,
            activation: Activation::Selu,
            head: Head::FromTo,
        }
    }

    /// ChessPosEvalNet: the same body, one number.
    pub fn chess_pos_eval_net() -> Self {
        Self {
            view: View::Absolute,
            head: Head::Value,
            ..Self::chessnet()
        }
    }

    /// The teaching engine's: two convolutions, 128 hidden neurons.
    pub fn teaching() -> Self {
        Self {
            view: View::Teaching,
            filters: 32,
            blocks: 0,
            activation: Activation::Relu,
            head: Head::Teaching {
                channels: 64,
                hidden: 128,
            },
        }
    }

    /// Whether there is a board to convolve, and not numbers in a row.
    pub fn has_planes(&self) -> bool {
        self.view.planes() > 0
    }

    pub fn tensors(&self) -> Vec<Tensor> {
        let filters = self.filters;
        let mut all = Tensors(Vec::new());
        if self.has_planes() {
            all.add("input", &[filters, self.view.planes(), 3, 3]);
        }
        for block in 0..self.blocks {
            for half in ["first", "second"] {
                all.add(&format!("block.{block}.{half}"), &[filters, filters, 3, 3]);
            }
        }
        match self.head {
            Head::FromTo => all.add("squares", &[2, filters, 3, 3]),
            Head::Value => all.add("value", &[1, filters * SQUARES]),
            Head::Teaching { channels, hidden } => {
                all.add("second", &[channels, filters, 3, 3]);
                let inputs = channels * SQUARES + self.view.scalars();
                all.add("hidden", &[hidden, inputs]);
                all.add("value", &[1, hidden]);
            }
            Head::Dense { hidden } => {
                all.add("hidden", &[hidden, self.view.scalars()]);
                all.add("second", &[hidden, hidden]);
                all.add("value", &[1, hidden]);
            }
            Head::Pairs { width, value } => {
                all.add("from", &[width, filters]);
                all.add("to", &[width, filters]);
                all.0.push(Tensor {
                    name: "promotion.offset".to_owned(),
                    dims: vec![3],
                });
                all.add("value.planes", &[VALUE_PLANES, filters]);
                all.add("value.hidden", &[value, VALUE_PLANES * SQUARES]);
                all.add("value.out", &[3, value]);
            }
        }
        all.0
    }

    pub fn count(&self) -> usize {
        self.tensors().iter().map(Tensor::count).sum()
    }

    /// Whether all sizes are within their bounds.
    ///
    /// # Errors
    ///
    /// Names the first size that is not.
    pub fn check(&self) -> Result<(), NetFileError> {
        let within = |what: &'static str, found: usize, least: usize, most: usize| {
            let error = NetFileError::Size {
                what,
                found,
                least,
                most,
            };
            (least..=most).contains(&found).then_some(()).ok_or(error)
        };
        within("filters", self.filters, 1, MOST_WIDTH)?;
        within("blocks", self.blocks, 0, MOST_BLOCKS)?;
        if let View::Sides { plies } = self.view {
            within("view.sides.plies", plies, 0, MOST_PLIES)?;
        }
        let is_dense = matches!(self.head, Head::Dense { .. });
        if is_dense == self.has_planes() {
            return Err(NetFileError::Unfit);
        }
        match self.head {
            Head::FromTo | Head::Value => {}
            Head::Dense { hidden } => {
                within("blocks", self.blocks, 0, 0)?;
                within("head.dense.hidden", hidden, 1, MOST_WIDTH)?;
            }
            Head::Teaching { channels, hidden } => {
                within("head.teaching.channels", channels, 1, MOST_WIDTH)?;
                within("head.teaching.hidden", hidden, 1, MOST_WIDTH)?;
            }
            Head::Pairs { width, value } => {
                within("head.pairs.width", width, 1, MOST_WIDTH)?;
                within("head.pairs.value", value, 1, MOST_WIDTH)?;
            }
        }
        within("all numbers together", self.count(), 1, MOST_NUMBERS)
    }
}

struct Tensors(Vec<Tensor>);

impl Tensors {
    fn add(&mut self, name: &str, dims: &[usize]) {
        let mut push = |part: &str, dims: &[usize]| {
            self.0.push(Tensor {
                name: format!("{name}.{part}"),
                dims: dims.to_vec(),
            });
        };
        push("weight", dims);
        push("bias", &dims[..1]);
    }
}
