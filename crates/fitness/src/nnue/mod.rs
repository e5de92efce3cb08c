//! Breeds the network beside an evaluator's terms: gradient descent on what the
//! terms leave unexplained.

mod step;

use mendel_crew::parallel;
use mendel_data::Sample;
use mendel_evaluator::network::{self, HIDDEN, INPUTS, PIECES, Parameters};
use mendel_evaluator::{AnyEvaluator, Network};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use self::step::Adam;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct TrainingSettings {
    /// How often every position is seen.
    pub epochs: u32,
    /// Positions for one step.
    pub batch: usize,
    /// How far a number moves in a step at first.
    pub learning_rate: f64,
    /// How far in the last epoch, as a share of the first; in between it falls by
    /// the same factor from epoch to epoch.
    pub last_rate: f64,
    /// The steepness of the sigmoid: a score of s centipawns is an expected result
    /// of 1 / (1 + 10^(−k·s/400)).
    pub k: f64,
}

impl Default for TrainingSettings {
    fn default() -> Self {
        Self {
            epochs: 30,
            batch: 4096,
            learning_rate: 0.002,
            last_rate: 0.02,
            k: 1.0,
        }
    }
}

impl TrainingSettings {
    /// What is wrong with the numbers: which, and what would be right.
    ///
    /// # Errors
    ///
    /// The key that is wrong, and the reason.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        let within = |key, fine: bool, allowed: &str| {
            let refused = || Err((key, format!("must be {allowed}")));
            if fine { Ok(()) } else { refused() }
        };
        let positive = |value: f64| value.is_finite() && value > 0.0;
        within(
            "training.epochs",
            (1..=10_000).contains(&self.epochs),
            "from 1 to 10000",
        )?;
        within(
            "training.batch",
            (1..=1 << 24).contains(&self.batch),
            "from 1 to 16777216",
        )?;
        let rate = positive(self.learning_rate) && self.learning_rate <= 1.0;
        within("training.learning-rate", rate, "above 0, at most 1")?;
        let last = positive(self.last_rate) && self.last_rate <= 1.0;
        within("training.last-rate", last, "above 0, at most 1")?;
        within("training.k", positive(self.k), "a number above 0")
    }
}

/// What an epoch came to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Epoch {
    /// Which, from 1.
    pub epoch: u32,
    /// Mean squared error of the expected result on the training positions, while
    /// they were learned.
    pub training: f64,
    /// The same on those held out, after the epoch.
    pub holdout: f64,
}

/// A position as training sees it.
#[derive(Clone, Debug)]
struct Example {
    inputs: [[u16; PIECES]; 2],
    count: u8,
    /// What the terms say, in centipawns.
    terms: f32,
    /// The expected result that the expert's score means.
    target: f32,
}

/// A training under way.
#[derive(Debug)]
pub struct Training {
    settings: TrainingSettings,
    seed: u64,
    threads: usize,
    taught: Vec<Example>,
    held: Vec<Example>,
    adam: Adam,
}

/// Positions whose gradients are added up by one thread at a time.
const BLOCK: usize = 1024;

impl Training {
    /// Looks at every position once. `evaluator` judges without a network; `start` is
    /// the network that is trained further, else it begins with chance.
    pub fn new<'a>(
        evaluator: &AnyEvaluator,
        start: Option<&Network>,
        training: &[&'a Sample],
        holdout: &[&'a Sample],
        settings: TrainingSettings,
        seed: u64,
        threads: usize,
    ) -> Self {
        let look = |samples: &[&Sample]| examples(evaluator, samples, settings.k, threads);
        Self {
            taught: look(training),
            held: look(holdout),
            adam: Adam::new(start.map_or_else(|| first(seed), Network::parameters)),
            settings,
            seed,
            threads,
        }
    }

    /// One epoch; `number` counts from 1.
    pub fn epoch(&mut self, number: u32) -> Epoch {
        let mut order: Vec<u32> = (0..self.taught.len() as u32).collect();
        let mut chance = ChaCha8Rng::seed_from_u64(self.seed ^ (u64::from(number) << 32));
        order.shuffle(&mut chance);
        let last = f64::from(self.settings.epochs.saturating_sub(1).max(1));
        let gone = f64::from(number - 1) / last;
        let rate = self.settings.learning_rate * libm::pow(self.settings.last_rate, gone);
        let mut sum = 0.0;
        for batch in order.chunks(self.settings.batch) {
            let blocks: Vec<&[u32]> = batch.chunks(BLOCK).collect();
            let parameters = &self.adam.parameters;
            let slopes = parallel(self.threads, blocks.len(), |at| {
                let examples = blocks[at].iter().map(|&at| &self.taught[at as usize]);
                step::slopes(parameters, examples, self.settings.k)
            });
            sum += self.adam.step(slopes, batch.len(), rate as f32);
        }
        Epoch {
            epoch: number,
            training: sum / self.taught.len().max(1) as f64,
            holdout: self.error(&self.held),
        }
    }

    fn error(&self, examples: &[Example]) -> f64 {
        let blocks: Vec<&[Example]> = examples.chunks(BLOCK).collect();
        let errors = parallel(self.threads, blocks.len(), |at| {
            let error = |it: &Example| step::error(&self.adam.parameters, it, self.settings.k);
            blocks[at].iter().map(error).sum::<f64>()
        });
        errors.iter().sum::<f64>() / examples.len().max(1) as f64
    }

    /// Positions that are learned from.
    pub fn positions(&self) -> usize {
        self.taught.len()
    }

    /// The error on positions held out without any network.
    pub fn before(&self) -> f64 {
        let error = |it: &Example| {
            let error = step::sigmoid(self.settings.k, it.terms.into()) - f64::from(it.target);
            error * error
        };
        let sum: f64 = self.held.iter().map(error).sum();
        sum / self.held.len().max(1) as f64
    }

    /// Where it stands, with what the epochs so far came to.
    ///
    /// # Panics
    ///
    /// Never: plain numbers can be written.
    pub fn save(&self, epochs: &[Epoch]) -> Vec<u8> {
        let told = serde_json::to_string(epochs).expect("plain numbers can be written");
        let mut bytes = told.into_bytes();
        bytes.push(b'\n');
        bytes.extend(self.adam.save());
        bytes
    }

    /// Goes on from where [`save`](Self::save) was called; `None`, and nothing has
    /// changed, if the bytes are not its.
    pub fn restore(&mut self, bytes: &[u8]) -> Option<Vec<Epoch>> {
        let end = bytes.iter().position(|&byte| byte == b'\n')?;
        let epochs = serde_json::from_slice(&bytes[..end]).ok()?;
        self.adam.restore(&bytes[end + 1..])?;
        Some(epochs)
    }

    /// The network so far, in whole numbers.
    pub fn network(&self) -> Network {
        Network::round(&self.adam.parameters)
    }
}

/// Small numbers by chance; an output that says nothing yet.
fn first(seed: u64) -> Parameters {
    let mut chance = ChaCha8Rng::seed_from_u64(seed);
    let mut small = |size: f32| chance.random_range(-size..size);
    let mut row = |size: f32| {
        let mut row = [0.0; HIDDEN];
        for value in &mut row {
            *value = small(size);
        }
        row
    };
    Parameters {
        first: (0..INPUTS).map(|_| row(0.1)).collect(),
        bias: [0.3; HIDDEN],
        out: [row(0.1), row(0.1)],
        out_bias: 0.0,
    }
}

fn examples(evaluator: &AnyEvaluator, samples: &[&Sample], k: f64, threads: usize) -> Vec<Example> {
    let blocks: Vec<&[&Sample]> = samples.chunks(BLOCK).collect();
    let made = parallel(threads, blocks.len(), |at| {
        let mut judge = evaluator.judge();
        let example = |sample: &&Sample| {
            let mut inputs = [[0; PIECES]; 2];
            let count = network::inputs(&sample.position, &mut inputs) as u8;
            let score = f64::from(sample.score?);
            Some(Example {
                inputs,
                count,
                terms: judge.evaluate(&sample.position).0 as f32,
                target: step::sigmoid(k, score) as f32,
            })
        };
        blocks[at].iter().filter_map(example).collect::<Vec<_>>()
    });
    made.into_iter().flatten().collect()
}
