//! What is learnt, and what was learnt right.

use mendel_evaluator::vision::{SQUARES, View};
use tch::kind::Element;
use tch::{Device, Kind, Tensor};

use super::compact::Batch;
use super::metrics::Right;
use super::model::{Input, Output, as_board};

const ALL: i64 = SQUARES as i64;

/// No logit is as low.
const NEVER: f64 = -1e9;

#[derive(Debug)]
pub(crate) struct Lesson {
    pub(crate) input: Input,
    wanted: Wanted,
}

#[derive(Debug)]
enum Wanted {
    Move {
        /// `[batch, width]`: the pair of squares of each legal move.
        pairs: Tensor,
        /// `[batch, width]`: its promotion.
        promotions: Tensor,
        /// `[batch, width]`: where there is none.
        none: Tensor,
        /// `[batch, 1]`: which was played.
        played: Tensor,
        /// `[batch]`.
        result: Tensor,
    },
    Score(Tensor),
}

impl Lesson {
    pub(crate) fn new(view: View, batch: &Batch, device: Device) -> Self {
        let count = batch.len as i64;
        let input = Input {
            planes: as_board(&planes(view, batch, device)),
            scalars: (view.scalars() > 0).then(|| send(&batch.scalars, device).view([count, -1])),
        };
        let wanted = if batch.legal.is_empty() {
            Wanted::Score(send(&batch.score, device))
        } else {
            let legal = send(&batch.legal, device);
            let legal = legal.view([count, batch.width as i64]).to_kind(Kind::Int64);
            let none = legal.lt(0);
            let legal = legal.clamp_min(0);
            Wanted::Move {
                pairs: legal.remainder(ALL * ALL),
                promotions: legal.divide_scalar_mode(ALL * ALL, "floor"),
                none,
                played: send(&batch.played, device).unsqueeze(1),
                result: send(&batch.result, device),
            }
        };
        Self { input, wanted }
    }

    /// What is to become small; the mean over the batch.
    pub(crate) fn loss(&self, output: &Output, result_weight: f64) -> Tensor {
        match (output, &self.wanted) {
            (Output::Value(value), Wanted::Score(score)) => {
                value.mse_loss(score, tch::Reduction::Mean)
            }
            (Output::FromTo { from, to }, Wanted::Move { pairs, played, .. }) => {
                let [was_from, was_to] = ends(pairs, played);
                from.cross_entropy_for_logits(&was_from) + to.cross_entropy_for_logits(&was_to)
            }
            (
                Output::Pairs { result, .. },
                Wanted::Move {
                    played,
                    result: was,
                    ..
                },
            ) => {
                let moves = self
                    .logits(output)
                    .cross_entropy_for_logits(&played.squeeze_dim(1));
                moves + result.cross_entropy_for_logits(was) * result_weight
            }
            _ => unreachable!("a recipe's head and data fit each other"),
        }
    }

    /// A number for each legal move: the larger, the likelier.
    fn logits(&self, output: &Output) -> Tensor {
        let Wanted::Move {
            pairs,
            promotions,
            none,
            ..
        } = &self.wanted
        else {
            unreachable!("scores have no moves")
        };
        let logits = match output {
            Output::Pairs {
                pairs: all,
                offsets,
                ..
            } => {
                // Not `index_select`: its gradient adds up the moves of a batch one by
                // one, which took longer than the rest of the network together.
                (1..offsets.size()[0]).fold(all.gather(1, pairs, false), |sum, which| {
                    let is_it = promotions.eq(which).to_kind(Kind::Float);
                    sum + is_it * offsets.select(0, which)
                })
            }
            Output::FromTo { from, to } => {
                let [froms, tos] = squares(pairs);
                let from = from.log_softmax(1, Kind::Float).gather(1, &froms, false);
                let to = to.log_softmax(1, Kind::Float).gather(1, &tos, false);
                // This network knows no promotion; a queen is meant.
                from + to + promotions.gt(0).to_kind(Kind::Float) * NEVER / 2.0
            }
            Output::Value(_) => unreachable!("scores have no moves"),
        };
        logits.masked_fill(none, NEVER)
    }

    /// What was right, position by position.
    pub(crate) fn right(&self, output: &Output) -> Vec<Right> {
        let Wanted::Move { pairs, played, .. } = &self.wanted else {
            return Vec::new();
        };
        let flags = |tensor: &Tensor| -> Vec<bool> {
            let numbers = super::parameters::numbers(&tensor.to_kind(Kind::Float));
            numbers.iter().map(|&it| it > 0.5).collect()
        };
        let logits = self.logits(output);
        let above = |logits: &Tensor| {
            let own = logits.gather(1, played, false);
            logits
                .gt_tensor(&own)
                .to_kind(Kind::Float)
                .sum_dim_intlist(1, false, Kind::Float)
        };
        let third = flags(&above(&logits).lt(3.0));
        let (from, to, first) = if let Output::FromTo { from, to } = output {
            let [was_from, was_to] = ends(pairs, played);
            let largest =
                |plane: &Tensor, was: &Tensor| flags(&plane.argmax(1, false).eq_tensor(was));
            // The paper's choice: the likeliest legal from square, then the likeliest
            // to square that can be reached from it.
            let [froms, tos] = squares(pairs);
            let impossible = logits.lt(NEVER / 4.0);
            let leave = from.gather(1, &froms, false);
            let leave = leave.masked_fill(&impossible, NEVER);
            let best = leave.amax(1, true);
            let goal = to.gather(1, &tos, false);
            let goal = goal.masked_fill(&leave.lt_tensor(&best), NEVER);
            let first = flags(&goal.argmax(1, true).eq_tensor(played).squeeze_dim(1));
            (largest(from, &was_from), largest(to, &was_to), first)
        } else {
            let first = flags(&above(&logits).lt(1.0));
            let nothing = vec![false; first.len()];
            (nothing.clone(), nothing, first)
        };
        (0..first.len())
            .map(|at| Right {
                from: from[at],
                to: to[at],
                first: first[at],
                third: third[at],
            })
            .collect()
    }

    /// Answers and what was wanted, position by position; none where moves are learnt.
    pub(crate) fn scores(&self, output: &Output) -> Vec<(f32, f32)> {
        match (output, &self.wanted) {
            (Output::Value(value), Wanted::Score(score)) => {
                let [value, score] = [value, score].map(super::parameters::numbers);
                value.into_iter().zip(score).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// Brings numbers to a device, without waiting for what it is doing.
fn send<T: Element>(numbers: &[T], device: Device) -> Tensor {
    let tensor = Tensor::from_slice(numbers);
    if device.is_cuda() {
        // Only from pinned memory does a copy not wait. The public `pin_memory` warns
        // about its own argument, at every call.
        tensor
            .internal_pin_memory(device)
            .to_device_(device, tensor.kind(), true, false)
    } else {
        tensor
    }
}

/// Both squares of every pair.
fn squares(pairs: &Tensor) -> [Tensor; 2] {
    [pairs.divide_scalar_mode(ALL, "floor"), pairs.remainder(ALL)]
}

/// Both squares of what was played.
fn ends(pairs: &Tensor, played: &Tensor) -> [Tensor; 2] {
    squares(&pairs.gather(1, played, false).squeeze_dim(1))
}

/// The planes of a batch, `[batch, 64, planes]`.
fn planes(view: View, batch: &Batch, device: Device) -> Tensor {
    let shape = [batch.len as i64, 1, view.planes() as i64];
    let shifts = Tensor::arange(ALL, (Kind::Int64, device)).view([1, ALL, 1]);
    let spread = |sets: &[i64]| {
        let sets = send(sets, device).view(shape);
        let bits = sets.bitwise_right_shift(&shifts);
        bits.bitwise_and(1).to_kind(Kind::Float)
    };
    let mut planes = spread(&batch.squares);
    if !batch.negative.is_empty() {
        planes -= spread(&batch.negative) * 2.0;
    }
    if !batch.sizes.is_empty() {
        planes *= send(&batch.sizes, device).view(shape);
    }
    planes
}
