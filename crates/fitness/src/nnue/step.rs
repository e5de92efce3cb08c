//! One step downhill.

use mendel_evaluator::network::{CENTIPAWNS, HIDDEN, INPUTS, Parameters};

use super::Example;

/// The expected result of a score.
pub(super) fn sigmoid(k: f64, centipawns: f64) -> f64 {
    let steepness = k * std::f64::consts::LN_10 / 400.0;
    1.0 / (1.0 + libm::exp(-steepness * centipawns))
}

/// How the summed error of some positions changes with each number.
pub(super) struct Slopes {
    parameters: Parameters,
    /// The summed error itself.
    error: f64,
}

/// The hidden layer of one side, before it is cut.
fn layer(parameters: &Parameters, inputs: &[u16]) -> [f32; HIDDEN] {
    let mut sums = parameters.bias;
    for &input in inputs {
        let row = &parameters.first[usize::from(input)];
        for (sum, weight) in sums.iter_mut().zip(row) {
            *sum += *weight;
        }
    }
    sums
}

fn layers(parameters: &Parameters, example: &Example) -> [[f32; HIDDEN]; 2] {
    let count = usize::from(example.count);
    [0, 1].map(|side| layer(parameters, &example.inputs[side][..count]))
}

/// What the network says, in units of [`CENTIPAWNS`].
fn output(parameters: &Parameters, layers: &[[f32; HIDDEN]; 2]) -> f32 {
    let mut sums = [0.0; HIDDEN];
    for (layer, weights) in layers.iter().zip(&parameters.out) {
        for ((sum, value), weight) in sums.iter_mut().zip(layer).zip(weights) {
            let cut = value.clamp(0.0, 1.0);
            *sum += cut * cut * weight;
        }
    }
    sums.iter().sum::<f32>() + parameters.out_bias
}

/// The squared error of one position.
pub(super) fn error(parameters: &Parameters, example: &Example, k: f64) -> f64 {
    let said = output(parameters, &layers(parameters, example));
    let score = f64::from(example.terms) + f64::from(said * CENTIPAWNS);
    let error = sigmoid(k, score) - f64::from(example.target);
    error * error
}

/// The slopes of some positions.
pub(super) fn slopes<'a>(
    parameters: &Parameters,
    examples: impl Iterator<Item = &'a Example>,
    k: f64,
) -> Slopes {
    let mut sum = Slopes {
        parameters: Parameters {
            first: vec![[0.0; HIDDEN]; INPUTS],
            bias: [0.0; HIDDEN],
            out: [[0.0; HIDDEN]; 2],
            out_bias: 0.0,
        },
        error: 0.0,
    };
    for example in examples {
        sum.add(parameters, example, k);
    }
    sum
}

impl Slopes {
    fn add(&mut self, parameters: &Parameters, example: &Example, k: f64) {
        // 1. Forwards.
        let layers = layers(parameters, example);
        let said = output(parameters, &layers);
        let score = f64::from(example.terms) + f64::from(said * CENTIPAWNS);
        let expected = sigmoid(k, score);
        let error = expected - f64::from(example.target);
        self.error += error * error;

        // 2. Backwards.
        let steepness = k * std::f64::consts::LN_10 / 400.0 * f64::from(CENTIPAWNS);
        let slope = (2.0 * error * expected * (1.0 - expected) * steepness) as f32;
        self.parameters.out_bias += slope;
        let count = usize::from(example.count);
        let sides = layers.iter().zip(&parameters.out).zip(&example.inputs);
        for (((layer, out), inputs), told) in sides.zip(&mut self.parameters.out) {
            let mut below = [0.0; HIDDEN];
            for at in 0..HIDDEN {
                let cut = layer[at].clamp(0.0, 1.0);
                told[at] += slope * cut * cut;
                let open = layer[at] > 0.0 && layer[at] < 1.0;
                let steepness = if open { 2.0 * cut } else { 0.0 };
                below[at] = slope * out[at] * steepness;
            }
            for (sum, value) in self.parameters.bias.iter_mut().zip(&below) {
                *sum += *value;
            }
            for &input in &inputs[..count] {
                let row = &mut self.parameters.first[usize::from(input)];
                for (sum, value) in row.iter_mut().zip(&below) {
                    *sum += *value;
                }
            }
        }
    }
}

/// Adam (see `mendel_evolve::Adam`) on single precision.
#[derive(Debug)]
pub(super) struct Adam {
    pub(super) parameters: Parameters,
    mean: Vec<f32>,
    square: Vec<f32>,
    steps: i32,
}

/// Weights of the output must fit what play counts with.
const MOST_OUT: f32 = 1.98;

impl Adam {
    pub(super) fn new(parameters: Parameters) -> Self {
        let count = HIDDEN * (INPUTS + 3) + 1;
        Self {
            parameters,
            mean: vec![0.0; count],
            square: vec![0.0; count],
            steps: 0,
        }
    }

    /// Everything, as bytes.
    pub(super) fn save(&self) -> Vec<u8> {
        let mut parameters = self.parameters.clone();
        let numbers = numbers(&mut parameters).map(|number| *number);
        let all = numbers.chain(self.mean.iter().copied());
        let all = all.chain(self.square.iter().copied());
        let bytes = all.flat_map(f32::to_le_bytes);
        bytes.chain(self.steps.to_le_bytes()).collect()
    }

    /// The inverse of [`save`](Self::save); `None`, and nothing has changed, if these
    /// are not its bytes.
    pub(super) fn restore(&mut self, bytes: &[u8]) -> Option<()> {
        let count = self.mean.len();
        if bytes.len() != 4 * (3 * count + 1) {
            return None;
        }
        let (all, steps) = bytes.split_at(12 * count);
        let mut all = all
            .chunks_exact(4)
            .map(|it| f32::from_le_bytes([it[0], it[1], it[2], it[3]]));
        let places = numbers(&mut self.parameters)
            .chain(&mut self.mean)
            .chain(&mut self.square);
        for (place, number) in places.zip(&mut all) {
            *place = number;
        }
        self.steps = i32::from_le_bytes(steps.try_into().ok()?);
        Some(())
    }

    /// A step along the slopes of a batch of `count` positions; returns the summed
    /// error.
    pub(super) fn step(&mut self, slopes: Vec<Slopes>, count: usize, rate: f32) -> f64 {
        const KEEP: [f32; 2] = [0.9, 0.999];
        let mut slopes = slopes.into_iter();
        let Some(mut sum) = slopes.next() else {
            return 0.0;
        };
        for other in slopes {
            sum.error += other.error;
            let there = numbers(&mut sum.parameters);
            for (there, here) in there.zip(numbers(&mut { other.parameters })) {
                *there += *here;
            }
        }
        self.steps += 1;
        let fresh = 1.0 - libm::powf(KEEP[0], self.steps as f32);
        let fresh_square = 1.0 - libm::powf(KEEP[1], self.steps as f32);
        let share = 1.0 / count as f32;
        let state = self.mean.iter_mut().zip(&mut self.square);
        let both = numbers(&mut self.parameters).zip(numbers(&mut sum.parameters));
        for ((number, slope), (mean, square)) in both.zip(state) {
            let slope = *slope * share;
            *mean = KEEP[0] * *mean + (1.0 - KEEP[0]) * slope;
            *square = KEEP[1] * *square + (1.0 - KEEP[1]) * slope * slope;
            let step = (*mean / fresh) / (libm::sqrtf(*square / fresh_square) + 1e-8);
            *number -= rate * step;
        }
        for weight in self.parameters.out.iter_mut().flatten() {
            *weight = weight.clamp(-MOST_OUT, MOST_OUT);
        }
        sum.error
    }
}

/// All numbers, in a fixed order.
fn numbers(parameters: &mut Parameters) -> impl Iterator<Item = &mut f32> {
    let first = parameters.first.iter_mut().flatten();
    let out = parameters.out.iter_mut().flatten();
    first
        .chain(&mut parameters.bias)
        .chain(out)
        .chain(std::iter::once(&mut parameters.out_bias))
}
