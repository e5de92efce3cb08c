//! Layers all of whose inputs are there.

use crate::accumulator::{BLOCK, LANES, padded};
use crate::neural::ONE;

/// The numbers of one layer as a genome has them: neuron by neuron, the weights of
/// its inputs and then its bias.
#[derive(Debug)]
pub(super) struct Matrix<'a> {
    pub(super) numbers: &'a [i32],
    pub(super) inputs: usize,
    pub(super) outputs: usize,
    pub(super) biased: bool,
}

impl Matrix<'_> {
    fn neurons(&self) -> std::slice::ChunksExact<'_, i32> {
        let each = self.inputs + usize::from(self.biased);
        self.numbers.chunks_exact(each)
    }

    /// Input by input the weights of all neurons, padded.
    pub(super) fn columns<T: Copy + Default>(&self, number: impl Fn(i32) -> T) -> Vec<T> {
        let width = padded(self.outputs);
        let mut columns = vec![T::default(); width * self.inputs];
        for (at, neuron) in self.neurons().enumerate() {
            for (column, &weight) in columns.chunks_exact_mut(width).zip(neuron) {
                column[at] = number(weight);
            }
        }
        columns
    }

    pub(super) fn biases(&self) -> Vec<f32> {
        let mut biases = vec![0.0; padded(self.outputs)];
        if self.biased {
            for (bias, neuron) in biases.iter_mut().zip(self.neurons()) {
                *bias = real(neuron[self.inputs]);
            }
        }
        biases
    }
}

fn real(number: i32) -> f32 {
    number as f32 / ONE as f32
}

/// A layer of single-precision numbers.
#[derive(Debug)]
pub(super) enum MlpLayer {
    /// One neuron: a weight for each input, padded.
    One { weights: Vec<f32> },
    /// Several: for each input, padded, a row of the weights of all neurons.
    Many {
        /// Neurons, padded.
        width: usize,
        rows: Vec<f32>,
        bias: Vec<f32>,
    },
}

impl MlpLayer {
    /// The inputs come in `groups` of equal size, each padded.
    pub(super) fn new(matrix: &Matrix<'_>, groups: usize) -> Self {
        let each = matrix.inputs / groups;
        let width = padded(matrix.outputs);
        let mut rows = Vec::with_capacity(groups * padded(each) * width);
        for group in matrix.columns(real).chunks_exact(each * width) {
            rows.extend(group);
            rows.resize(rows.len() + (padded(each) - each) * width, 0.0);
        }
        if matrix.outputs == 1 && !matrix.biased {
            let weights = rows.iter().step_by(width).copied().collect();
            return Self::One { weights };
        }
        Self::Many {
            width,
            rows,
            bias: matrix.biases(),
        }
    }

    /// How many numbers come out.
    pub(super) fn width(&self) -> usize {
        match self {
            Self::One { .. } => 1,
            Self::Many { width, .. } => *width,
        }
    }

    /// What its neurons add up.
    #[inline(always)]
    pub(super) fn sums(&self, inputs: &[f32], sums: &mut [f32]) {
        match self {
            Self::One { weights } => sums[0] = product(weights, inputs),
            Self::Many { width, rows, bias } => {
                sums.copy_from_slice(bias);
                let (blocks, rest) = sums.as_chunks_mut::<BLOCK>();
                let done = blocks.len() * BLOCK;
                for (at, block) in blocks.iter_mut().enumerate() {
                    add(block, at * BLOCK, inputs, rows, *width);
                }
                for (at, block) in rest.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
                    add(block, done + at * LANES, inputs, rows, *width);
                }
            }
        }
    }
}

/// Adds input times weight to some sums, one input after the other.
#[inline(always)]
fn add<const N: usize>(
    sums: &mut [f32; N],
    start: usize,
    inputs: &[f32],
    rows: &[f32],
    width: usize,
) {
    let mut block = *sums;
    for (input, row) in inputs.iter().zip(rows.chunks_exact(width)) {
        for (sum, weight) in block.iter_mut().zip(&row[start..start + N]) {
            *sum += input * weight;
        }
    }
    *sums = block;
}

/// The sum of products: sixteen sums of every sixteenth, then those by halves.
#[inline(always)]
fn product(weights: &[f32], inputs: &[f32]) -> f32 {
    const WIDE: usize = 2 * LANES;
    let mut sums = [0.0_f32; WIDE];
    let (weights, last_weights) = weights.as_chunks::<WIDE>();
    let (inputs, last_inputs) = inputs.as_chunks::<WIDE>();
    for (weights, inputs) in weights.iter().zip(inputs) {
        for ((sum, weight), input) in sums.iter_mut().zip(weights).zip(inputs) {
            *sum += weight * input;
        }
    }
    for ((sum, weight), input) in sums.iter_mut().zip(last_weights).zip(last_inputs) {
        *sum += weight * input;
    }
    let mut half = WIDE / 2;
    while half > 0 {
        for at in 0..half {
            sums[at] += sums[at + half];
        }
        half /= 2;
    }
    sums[0]
}

#[cfg(test)]
mod tests {
    use super::{Matrix, MlpLayer};
    use crate::simd::with_simd;

    #[test]
    fn layers_are_the_same_with_and_without_vectors() {
        for (inputs, outputs, biased) in [(64, 1, false), (36, 1, true), (80, 43, true)] {
            let each = inputs + usize::from(biased);
            let number = |at: usize| (mendel_board::mix(at as u64) % 8001) as i32 - 4000;
            let numbers: Vec<i32> = (0..each * outputs).map(number).collect();
            let dense = MlpLayer::new(
                &Matrix {
                    numbers: &numbers,
                    inputs,
                    outputs,
                    biased,
                },
                2,
            );
            let values: Vec<f32> = (0..80).map(|at| number(at) as f32 / 3000.0).collect();
            let values = &values[..2 * (inputs / 2).next_multiple_of(8)];
            let mut sums = [vec![0.0; dense.width()], vec![0.0; dense.width()]];
            dense.sums(values, &mut sums[0]);
            with_simd(|| dense.sums(values, &mut sums[1]));
            assert_eq!(sums[0], sums[1]);
            assert!(sums[0].iter().any(|&sum| sum != 0.0));
        }
    }
}
