//! The numbers of a network, laid out to be added up quickly.

use mendel_board::{Color, Position, mix};

use super::MlpShape;
use super::dense::{Matrix, MlpLayer};
use super::quantised::QuantisedMlp;
use crate::accumulator::{AccumulatorCache, Paper, Perspective, SquareLayer, padded};
use crate::function::Function;
use crate::input::Input;
use crate::simd::with_simd;
use crate::snapshot::BoardSnapshot;

#[derive(Debug)]
pub(super) struct MlpLayers {
    first: AnyFirstLayer,
    rest: Vec<MlpLayer>,
    hidden: Function,
    /// Keeps what one network added up from being used with another.
    fingerprint: u64,
}

#[derive(Debug)]
enum AnyFirstLayer {
    Quantised(QuantisedMlp),
    Squares(SquareLayer),
    /// Counts of the position.
    Features(Input, MlpLayer),
}

/// The caches of one thread: accumulators as White and as Black sees the board, and
/// buffers for the layers behind.
#[derive(Clone, Debug, Default)]
pub struct MlpCache {
    boards: AccumulatorCache,
    quantised: AccumulatorCache<i16>,
    values: LayerBuffers,
}

/// The inputs of a layer and its outputs.
#[derive(Clone, Debug, Default)]
struct LayerBuffers {
    before: Vec<f32>,
    after: Vec<f32>,
}

impl MlpLayers {
    pub(super) fn new(shape: &MlpShape, numbers: &[i32]) -> Self {
        let mut left = numbers;
        let mut take = |inputs: usize, outputs: usize, biased: bool| {
            let each = inputs + usize::from(biased);
            let (numbers, others) = left.split_at(each * outputs);
            left = others;
            Matrix {
                numbers,
                inputs,
                outputs,
                biased,
            }
        };
        let sizes: Vec<usize> = shape.layers.iter().map(|&size| size as usize).collect();

        // 1. The numbers of each layer; the second sees the first as often as there
        //    are views.
        let matrix = take(sizes[0], sizes[1], shape.biases);
        let views = |layer: usize| if layer == 2 { shape.views() } else { 1 };
        let others: Vec<Matrix<'_>> = (2..sizes.len())
            .map(|at| {
                let is_last = at + 1 == sizes.len();
                take(
                    views(at) * sizes[at - 1],
                    sizes[at],
                    shape.biases && !is_last,
                )
            })
            .collect();

        // 2. The first layer, or all in one.
        let quantised = QuantisedMlp::new(shape, &matrix, &others[0]);
        let is_quantised = quantised.is_some();
        let first = match (quantised, shape.input) {
            (Some(quantised), _) => AnyFirstLayer::Quantised(quantised),
            (None, input) if input.is_counted() => {
                AnyFirstLayer::Features(input, MlpLayer::new(&matrix, 1))
            }
            (None, input) => AnyFirstLayer::Squares(SquareLayer::new(
                input,
                matrix.columns(|number| number),
                matrix.biases(),
            )),
        };

        // 3. The layers behind it.
        let behind = if is_quantised { &[][..] } else { &others };
        let rest = (2..).zip(behind);
        let rest = rest.map(|(at, it)| MlpLayer::new(it, views(at))).collect();

        let name = [shape.input as i32, sizes[1] as i32];
        let fingerprint = numbers
            .iter()
            .chain(&name)
            .fold(0, |mixed, &number| mix(mixed ^ number as u64));
        Self {
            first,
            rest,
            hidden: shape.hidden,
            fingerprint,
        }
    }

    /// Whether it is added up in sixteen bits.
    #[cfg(test)]
    pub(super) fn is_quantised(&self) -> bool {
        matches!(self.first, AnyFirstLayer::Quantised(_))
    }

    /// The sum that the last neuron gets. With `refresh`, the accumulators are
    /// recomputed; the result is the same.
    #[inline]
    pub(super) fn run(&self, position: &Position, cache: &mut MlpCache, refresh: bool) -> f32 {
        let MlpCache {
            boards,
            quantised,
            values,
        } = cache;
        match &self.first {
            AnyFirstLayer::Quantised(network) => {
                let now = BoardSnapshot::new(position.board());
                let views = Color::ALL.map(Perspective::of);
                let first = &network.0.first;
                with_simd(|| {
                    let sums = quantised.sums(first, self.fingerprint, now, &views, refresh);
                    network.output(sums, position.turn())
                })
            }
            AnyFirstLayer::Features(input, first) => {
                let count = input.count();
                values.before.clear();
                values.before.resize(padded(count), 0.0);
                input.count_into(position, &mut values.before[..count]);
                with_simd(|| {
                    first.run(values);
                    self.behind(values)
                })
            }
            AnyFirstLayer::Squares(first) => {
                let now = BoardSnapshot::new(position.board());
                let layer = &first.layer;
                let width = layer.width;
                let is_paper = first.input == Input::Paper;
                let views = Color::ALL.map(Perspective::of);
                let turned = usize::from(!is_paper && position.turn().is_black());
                let buffer = if is_paper { width } else { 2 * width };
                values.before.resize(buffer, 0.0);
                with_simd(|| {
                    let sums = if is_paper {
                        boards.sums(layer, self.fingerprint, now, &[Paper], refresh)
                    } else {
                        boards.sums(layer, self.fingerprint, now, &views, refresh)
                    };
                    for (at, values) in values.before.chunks_exact_mut(width).enumerate() {
                        first.values(&sums[(at ^ turned) * width..][..width], values);
                    }
                    self.behind(values)
                })
            }
        }
    }

    /// From the sums of the first layer to the last.
    #[inline(always)]
    fn behind(&self, values: &mut LayerBuffers) -> f32 {
        for layer in &self.rest {
            self.hidden.apply(&mut values.before);
            layer.run(values);
        }
        values.before[0]
    }
}

impl MlpLayer {
    /// Puts its outputs where its inputs were.
    #[inline(always)]
    fn run(&self, values: &mut LayerBuffers) {
        values.after.resize(self.width(), 0.0);
        self.sums(&values.before, &mut values.after);
        std::mem::swap(&mut values.before, &mut values.after);
    }
}
