//! A network while it learns.

#[cfg(test)]
use std::collections::BTreeMap;

#[cfg(test)]
use mendel_evaluator::vision::File;
use mendel_evaluator::vision::{Activation, Head, SQUARES, Shape};
use tch::{Device, Kind, Tensor, no_grad};

use super::parameters::{Layout, Pieces, numbers};
use super::recipe::Precision;

const SIDE: i64 = 8;
const ALL: i64 = SQUARES as i64;

/// How much of a batch's mean and variance goes into the running ones, and what is
/// added to the variance: the framework's own values, which the papers kept.
const MOMENTUM: f64 = 0.1;
/// See [`MOMENTUM`].
pub(crate) const EPSILON: f64 = 1e-5;

#[derive(Debug)]
pub(crate) struct Input {
    /// `[batch, planes, 8, 8]`, channels last.
    pub(crate) planes: Tensor,
    /// `[batch, scalars]`, where the view has any.
    pub(crate) scalars: Option<Tensor>,
}

/// What the network answers, in full precision.
#[derive(Debug)]
pub(crate) enum Output {
    /// Logits of squares, `[batch, 64]` each.
    FromTo { from: Tensor, to: Tensor },
    /// One number a position, `[batch]`.
    Value(Tensor),
    /// Ours.
    Pairs {
        /// `[batch, 64 × 64]`.
        pairs: Tensor,
        /// What a promotion to queen, knight, bishop or rook adds: `[4]`, the first
        /// of them always 0.
        offsets: Tensor,
        /// Win, draw, loss: `[batch, 3]`.
        result: Tensor,
    },
}

/// Numbers and running statistics of a network.
#[derive(Debug)]
pub(crate) struct Model {
    shape: Shape,
    pub(crate) layout: Layout,
    /// All that is learnt, one vector.
    pub(crate) parameters: Tensor,
    /// Mean and variance of every normalisation, in the order of the layout.
    pub(crate) statistics: Vec<[Tensor; 2]>,
    precision: Kind,
}

impl Model {
    pub(crate) fn new(shape: &Shape, seed: u64, device: Device, precision: Precision) -> Self {
        let layout = Layout::of(shape);
        let start = Tensor::from_slice(&layout.start(seed)).to_device(device);
        let options = (Kind::Float, device);
        let statistics = layout.norms.iter().map(|&(_, channels)| {
            [
                Tensor::zeros([channels], options),
                Tensor::ones([channels], options),
            ]
        });
        Self {
            shape: shape.clone(),
            statistics: statistics.collect(),
            parameters: start.set_requires_grad(true),
            precision: match precision {
                Precision::Full => Kind::Float,
                Precision::Half => Kind::BFloat16,
            },
            layout,
        }
    }

    /// Takes over the numbers of a file. Normalisation is part of its weights, so that
    /// here each one does nothing but add its shift.
    #[cfg(test)]
    pub(crate) fn restore_file(&mut self, file: &File) {
        let tensors: BTreeMap<String, Vec<f32>> = file
            .tensors()
            .map(|(tensor, numbers)| {
                let numbers = numbers.iter().map(|number| number.to_f32());
                (tensor.name, numbers.collect())
            })
            .collect();
        no_grad(|| {
            for ((name, _), [mean, variance]) in self.layout.norms.iter().zip(&mut self.statistics)
            {
                let pieces = self.layout.cut(&self.parameters, Kind::Float);
                let _ = mean.zero_();
                let _ = variance.fill_(1.0 - EPSILON);
                let _ = pieces
                    .get(&format!("{name}.gain"))
                    .shallow_clone()
                    .fill_(1.0);
                let shift = &tensors[&format!("{name}.bias")];
                let mut piece = pieces.get(&format!("{name}.shift")).shallow_clone();
                piece.copy_(&Tensor::from_slice(shift));
            }
            let pieces = self.layout.cut(&self.parameters, Kind::Float);
            for (name, numbers) in &tensors {
                if let Some(piece) = pieces.find(name) {
                    let mut piece = piece.shallow_clone();
                    let sizes = piece.size();
                    piece.copy_(&Tensor::from_slice(numbers).view(&sizes[..]));
                }
            }
        });
    }

    /// Answers a batch. While it learns, the batch's own statistics are used and
    /// enter the running ones; otherwise the running ones are used.
    pub(crate) fn forward(&self, input: &Input, learns: bool) -> Output {
        let pieces = self.layout.cut(&self.parameters, self.precision);
        let body = if self.shape.has_planes() {
            self.body(&pieces, &input.planes.to_kind(self.precision), learns)
        } else {
            input.planes.shallow_clone()
        };
        match self.shape.head {
            Head::FromTo => {
                let planes = convolution(&body, &pieces, "squares", 1).to_kind(Kind::Float);
                let plane = |index| planes.select(1, index).reshape([-1, ALL]);
                Output::FromTo {
                    from: plane(0),
                    to: plane(1),
                }
            }
            Head::Value => {
                let value = dense(&flat(&body), &pieces, "value");
                Output::Value(value.to_kind(Kind::Float).squeeze_dim(1))
            }
            Head::Teaching { .. } => {
                let seen = flat(&convolution(&body, &pieces, "second", 1).relu());
                let scalars = input.scalars.as_ref().map(|it| it.to_kind(self.precision));
                let seen = Tensor::cat(
                    &[Some(seen), scalars]
                        .into_iter()
                        .flatten()
                        .collect::<Vec<_>>(),
                    1,
                );
                let hidden = dense(&seen, &pieces, "hidden").relu();
                let value = dense(&hidden, &pieces, "value");
                Output::Value(value.to_kind(Kind::Float).squeeze_dim(1))
            }
            Head::Dense { .. } => {
                let row = input.scalars.as_ref().expect("the view is a row");
                let hidden = dense(&row.to_kind(self.precision), &pieces, "hidden").relu();
                let second = dense(&hidden, &pieces, "second").relu();
                let value = dense(&second, &pieces, "value");
                Output::Value(value.to_kind(Kind::Float).squeeze_dim(1))
            }
            Head::Pairs { width, .. } => {
                let ends = ["from", "to"].map(|name| {
                    let numbers = convolution(&body, &pieces, name, 0).to_kind(Kind::Float);
                    numbers.reshape([-1, width as i64, ALL])
                });
                let scale = 1.0 / (width as f64).sqrt();
                let pairs = ends[0].transpose(1, 2).matmul(&ends[1]) * scale;
                let offsets = pieces.get("promotion.offset");
                let planes = convolution(&body, &pieces, "value.planes", 0).relu();
                let hidden = dense(&flat(&planes), &pieces, "value.hidden").relu();
                Output::Pairs {
                    pairs: pairs.reshape([-1, ALL * ALL]),
                    offsets: Tensor::cat(&[&offsets.zeros_like().narrow(0, 0, 1), offsets], 0),
                    result: dense(&hidden, &pieces, "value.out").to_kind(Kind::Float),
                }
            }
        }
    }

    /// Everything before the head.
    fn body(&self, pieces: &Pieces<'_>, planes: &Tensor, learns: bool) -> Tensor {
        let act = |x: &Tensor| match self.shape.activation {
            Activation::Relu => x.relu(),
            Activation::Selu => x.selu(),
        };
        let mut x = convolution(planes, pieces, "input", 1).relu();
        for block in 0..self.shape.blocks {
            let half = |x: &Tensor, which: usize| {
                let name = ["first", "second"][which];
                let name = format!("block.{block}.{name}");
                let kernel = pieces.get(&format!("{name}.weight"));
                let [mean, variance] = &self.statistics[2 * block + which];
                x.conv2d(kernel, None::<&Tensor>, [1, 1], [1, 1], [1, 1], 1)
                    .batch_norm(
                        Some(pieces.get(&format!("{name}.gain"))),
                        Some(pieces.get(&format!("{name}.shift"))),
                        Some(mean),
                        Some(variance),
                        learns,
                        MOMENTUM,
                        EPSILON,
                        true,
                    )
            };
            let first = act(&half(&x, 0));
            x = act(&(half(&first, 1) + &x));
        }
        x
    }

    /// All numbers that a checkpoint must hold beside the optimiser's: the
    /// parameters, then mean and variance of each normalisation.
    pub(crate) fn state(&self) -> Vec<Vec<f32>> {
        let statistics = self.statistics.iter().flatten();
        std::iter::once(&self.parameters)
            .chain(statistics)
            .map(numbers)
            .collect()
    }

    /// Takes over what [`state`](Self::state) gave; `false` if the sizes differ.
    pub(crate) fn restore(&mut self, state: &[Vec<f32>]) -> bool {
        let statistics = self.statistics.iter_mut().flatten();
        let mut own: Vec<&mut Tensor> = std::iter::once(&mut self.parameters)
            .chain(statistics)
            .collect();
        let fits = own.len() == state.len()
            && own
                .iter()
                .zip(state)
                .all(|(it, now)| it.numel() == now.len());
        if fits {
            no_grad(|| {
                for (tensor, numbers) in own.iter_mut().zip(state) {
                    tensor.copy_(&Tensor::from_slice(numbers));
                }
            });
        }
        fits
    }
}

/// A convolution with its bias; `padding` 1 means 3×3, 0 means 1×1.
fn convolution(x: &Tensor, pieces: &Pieces<'_>, name: &str, padding: i64) -> Tensor {
    let (weight, bias) = pieces.layer(name);
    let weight = match padding {
        0 => weight.unsqueeze(-1).unsqueeze(-1),
        _ => weight.shallow_clone(),
    };
    let bias = bias.to_kind(x.kind());
    x.conv2d(&weight, Some(&bias), [1, 1], [padding; 2], [1, 1], 1)
}

fn dense(x: &Tensor, pieces: &Pieces<'_>, name: &str) -> Tensor {
    let (weight, bias) = pieces.layer(name);
    x.linear(weight, Some(&bias.to_kind(x.kind())))
}

/// All channels of all squares in a row, channel by channel.
fn flat(x: &Tensor) -> Tensor {
    x.flatten(1, -1)
}

/// Planes as they come, `[batch, 64, planes]`, as a network's input: channels last
/// without a copy.
pub(crate) fn as_board(planes: &Tensor) -> Tensor {
    let (batch, _, count) = planes.size3().expect("three dimensions");
    planes
        .view([batch, SIDE, SIDE, count])
        .permute([0, 3, 1, 2])
}
