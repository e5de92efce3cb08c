//! A network that learns.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use mendel_store::frame::{Failure, Folder, Frame};
use mendel_store::{FileError, Journal};
use tch::{Cuda, Device, Kind, Tensor, no_grad};

use super::checkpoint::{CheckpointMeta, TrainingCheckpoint};
use super::compact::Batch;
use super::data::{Data, FeedOrder};
use super::error::TrainError;
use super::loss::Lesson;
use super::model::Model;
use super::optimiser::Optimiser;
use super::plan::{TrainOptions, TrainingPlan};
use super::recipe::{Precision, Recipe};
use super::record::{
    ComputeDevice, EVALUATION, EVALUATIONS, End, Evaluation, START, STEP, TrainProgress,
    TrainedNetwork, TrainingStart,
};
use super::start::StartNetwork;
use crate::stream::Part;

/// Seconds between two checkpoints, also between evaluations.
const CHECKPOINT_SECONDS: f64 = 60.0;

/// Seconds between two reports of progress; their records are at most 25 MB in a day.
const PROGRESS_SECONDS: f64 = 1.0;

/// The part of the work that is all of it.
const STEPS: &str = "steps";

pub(crate) struct TrainingRun {
    pub(super) recipe: Recipe,
    pub(super) seed: u64,
    /// Threads that make batches.
    pub(super) threads: usize,
    pub(super) data: Data,
    pub(super) device: Device,
    pub(super) model: Model,
    optimiser: Optimiser,
    pub(super) meta: CheckpointMeta,
    pub(super) best: Vec<Vec<f32>>,
    validation: Vec<Batch>,
    /// Numbers that were taken from another network.
    taken: usize,
}

/// The time of a stretch of steps.
struct Stretch {
    since: Instant,
    steps: u64,
    /// Time spent waiting for data.
    waiting: Duration,
}

impl Stretch {
    fn new() -> Self {
        Self {
            since: Instant::now(),
            steps: 0,
            waiting: Duration::ZERO,
        }
    }

    /// Adds it to the timings: the time since the last evaluation, and the part of it spent
    /// waiting for data.
    fn record(&self, frame: &Frame, evaluation: u64) -> Result<(), FileError> {
        let index = u32::try_from(evaluation).ok();
        let waiting = Instant::now().checked_sub(self.waiting);
        frame.record_timing("learning", index, self.since)?;
        frame.record_timing("waiting", index, waiting.unwrap_or(self.since))
    }

    fn seconds(&self) -> f64 {
        self.since.elapsed().as_secs_f64().max(1e-9)
    }
}

impl TrainingRun {
    pub(crate) fn new(
        plan: TrainingPlan,
        seed: u64,
        options: TrainOptions,
        data: Data,
        start: Option<&StartNetwork>,
    ) -> Result<Self, TrainError> {
        // 1. The device.
        let device = match plan.device {
            ComputeDevice::Cpu => {
                // The order of sums depends on their number.
                tch::set_num_threads(plan.threads.min(1024) as i32);
                Device::Cpu
            }
            ComputeDevice::Cuda if Cuda::is_available() => {
                Cuda::cudnn_set_benchmark(true);
                Device::Cuda(0)
            }
            ComputeDevice::Cuda => return Err(TrainError::NoGpu),
        };
        let recipe = plan.recipe;
        let precision = match plan.device {
            ComputeDevice::Cpu => Precision::Full,
            ComputeDevice::Cuda => recipe.training.precision,
        };
        // 2. The network.
        let mut model = Model::new(&recipe.shape, seed, device, precision);
        let kernels = model.layout.counts().0;
        let taken = start.map_or(Ok(0), |start| start.copy_to(&mut model))?;
        // 3. What it is judged by.
        let threads = options.threads.unwrap_or(plan.threads);
        let validation = data.exam(
            recipe.shape.view,
            Part::Validation,
            recipe.training.validation_positions,
            threads,
        )?;
        Ok(Self {
            optimiser: Optimiser::new(recipe.optimiser, &model.parameters, kernels),
            recipe,
            seed,
            threads,
            data,
            device,
            model,
            meta: CheckpointMeta::default(),
            best: Vec::new(),
            validation,
            taken,
        })
    }

    pub(super) fn run(mut self, frame: &Frame) -> Result<TrainedNetwork, Failure> {
        // 1. The state.
        let (mut journal, _) = frame.journal::<Evaluation>(EVALUATIONS)?;
        if let Some(bytes) = frame.read_checkpoint_bytes()? {
            self.restore(&bytes, frame)?;
        } else if self.taken > 0 {
            // The other training is not needed again.
            self.save(frame, &mut journal)?;
        }
        frame.events().record(
            START,
            &TrainingStart {
                numbers: self.recipe.shape.count(),
                data: self.data.about(),
                step: self.meta.step,
                taken: self.taken,
            },
        );
        // 2. The work.
        let end = if self.meta.is_over {
            self.end(self.meta.seconds).unwrap_or(End::Done)
        } else {
            self.learn(frame, &mut journal)?
        };
        self.finish(end, frame, &mut journal)
    }

    fn restore(&mut self, bytes: &[u8], folder: &Folder) -> Result<(), FileError> {
        let other = || FileError::Content {
            path: folder.file(Folder::CHECKPOINT),
            reason: "it is of another network".to_owned(),
        };
        let checkpoint = TrainingCheckpoint::parse(bytes).ok_or_else(other)?;
        let mut fits = self.model.restore(&checkpoint.model);
        self.meta = checkpoint.meta;
        if self.meta.is_over {
            self.best = checkpoint.model;
        } else {
            let mut state = checkpoint.optimiser.iter();
            for tensor in self.optimiser.state_mut() {
                match state.next().filter(|it| it.len() == tensor.numel()) {
                    Some(numbers) => tensor.copy_(&Tensor::from_slice(numbers)),
                    None => fits = false,
                }
            }
            self.best = checkpoint.best;
        }
        if fits { Ok(()) } else { Err(other()) }
    }

    /// How many steps there are, more or less, where that is known.
    fn steps(&self) -> Option<u64> {
        let training = &self.recipe.training;
        let an_epoch = self.data.positions().div_ceil(training.batch as u64);
        let by_epochs = training
            .epochs
            .map(|epochs| epochs.saturating_mul(an_epoch));
        [training.steps, by_epochs].into_iter().flatten().min()
    }

    /// Whether it is over, `seconds` after the beginning.
    fn end(&self, seconds: f64) -> Option<End> {
        let training = &self.recipe.training;
        let reached = |limit: Option<u64>, now: u64| limit.is_some_and(|limit| now >= limit);
        if reached(training.steps, self.meta.step)
            || reached(training.epochs, self.meta.cursor.epoch)
        {
            Some(End::Done)
        } else if training
            .patience
            .is_some_and(|most| self.meta.in_vain >= most)
        {
            Some(End::Patience)
        } else if reached(training.limit_seconds, seconds as u64) {
            Some(End::Time)
        } else {
            None
        }
    }

    fn rate(&self, seconds: f64) -> f64 {
        let schedule = &self.recipe.schedule;
        let done = match (schedule.by_clock, self.recipe.training.limit_seconds) {
            (true, Some(limit)) => seconds / limit.max(1) as f64,
            _ => self
                .steps()
                .map_or(0.0, |steps| self.meta.step as f64 / steps.max(1) as f64),
        };
        schedule.rate(self.recipe.optimiser.rate, done.clamp(0.0, 1.0))
    }

    /// Learns until it is over, and returns why.
    fn learn(&mut self, frame: &Frame, journal: &mut Journal<Evaluation>) -> Result<End, Failure> {
        // 1. What is needed all the time.
        let view = self.recipe.shape.view;
        let training = self.recipe.training;
        let mut feed = self.data.feed(FeedOrder {
            view,
            batch: training.batch,
            seed: self.seed,
            start: self.meta.cursor,
            threads: self.threads,
        })?;
        let begun = Instant::now();
        let before = self.meta.seconds;
        let mut sum = Tensor::from(self.meta.losses.0).to_device(self.device);
        let (mut told, mut saved) = (Stretch::new(), Instant::now());
        let mut timed = Stretch::new();
        let total = self.steps();
        let events = frame.events();
        events.progress(STEPS, self.meta.step, total);

        loop {
            // 2. An evaluation, if one is due.
            let seconds = before + begun.elapsed().as_secs_f64();
            self.meta.seconds = seconds;
            let end = self.end(seconds);
            let is_stopped = frame.stop().load(Ordering::Relaxed);
            let rate = self.rate(seconds);
            let positions = self.meta.step * training.batch as u64;
            let due = self.meta.losses.1 > 0
                && positions / training.evaluate_every
                    != (positions - training.batch as u64) / training.evaluate_every;
            if due || (end.is_some() && self.meta.losses.1 > 0) {
                self.meta.losses.0 = sum.double_value(&[]);
                timed.record(frame, journal.records())?;
                let evaluation = self.evaluate(rate)?;
                journal.append(&evaluation)?;
                events.record(EVALUATION, &evaluation);
                events.progress(STEPS, self.meta.step, total);
                sum = sum.zeros_like();
                (timed, told) = (Stretch::new(), Stretch::new());
                self.save(frame, journal)?;
                saved = Instant::now();
                if end.is_none() && !is_stopped {
                    // Patience may just have run out.
                    continue;
                }
            }
            // 3. The end, or a checkpoint.
            if let Some(end) = end {
                return Ok(end);
            }
            if is_stopped || saved.elapsed().as_secs_f64() > CHECKPOINT_SECONDS {
                self.meta.losses.0 = sum.double_value(&[]);
                self.save(frame, journal)?;
                saved = Instant::now();
            }
            if is_stopped {
                return Err(Failure::Stopped);
            }

            // 4. A step.
            let waited = Instant::now();
            let (batch, cursor) = feed.next()?;
            let waited = waited.elapsed();
            let lesson = Lesson::new(view, &batch, self.device);
            let output = self.model.forward(&lesson.input, true);
            let loss = lesson.loss(&output, training.result_weight);
            loss.backward();
            self.optimiser
                .step(&mut self.model.parameters, self.meta.step, rate);
            sum = no_grad(|| sum + loss.detach().to_kind(Kind::Double));
            self.meta.step += 1;
            self.meta.cursor = cursor;
            self.meta.losses.1 += 1;
            for stretch in [&mut told, &mut timed] {
                stretch.steps += 1;
                stretch.waiting += waited;
            }

            // 5. The progress.
            let spent = told.seconds();
            if spent > PROGRESS_SECONDS {
                let progress = TrainProgress {
                    step: self.meta.step,
                    epoch: self.meta.cursor.epoch,
                    loss: sum.double_value(&[]) / self.meta.losses.1 as f64,
                    rate,
                    positions_per_second: (told.steps * training.batch as u64) as f64 / spent,
                    waiting: told.waiting.as_secs_f64() / spent,
                    seconds,
                };
                events.record(STEP, &progress);
                events.progress(STEPS, self.meta.step, total);
                told = Stretch::new();
            }
        }
    }

    pub(super) fn save(
        &self,
        folder: &Folder,
        journal: &mut Journal<Evaluation>,
    ) -> Result<(), FileError> {
        let meta = self.meta.clone();
        let checkpoint = if meta.is_over {
            // Others may start from the best network.
            TrainingCheckpoint {
                meta,
                model: self.best.clone(),
                ..TrainingCheckpoint::default()
            }
        } else {
            let optimiser = self.optimiser.state();
            TrainingCheckpoint {
                meta,
                model: self.model.state(),
                optimiser: optimiser.map(super::parameters::numbers).to_vec(),
                best: self.best.clone(),
            }
        };
        folder.write_checkpoint_bytes(checkpoint.to_bytes(), &mut [journal])
    }

    /// Asks the validation part, and keeps the network if it is the best so far.
    fn evaluate(&mut self, rate: f64) -> Result<Evaluation, TrainError> {
        let (sum, count) = self.meta.losses;
        let loss = sum / count.max(1) as f64;
        let (validation_loss, figures) = self.ask(&self.validation);
        if !loss.is_finite() || !validation_loss.is_finite() {
            return Err(TrainError::Diverged {
                step: self.meta.step,
            });
        }
        let best = self
            .meta
            .best
            .is_none_or(|(least, _)| validation_loss < least);
        if best {
            self.meta.best = Some((validation_loss, self.meta.step));
            self.meta.in_vain = 0;
            self.best = self.model.state();
        } else {
            self.meta.in_vain += 1;
        }
        self.meta.losses = (0.0, 0);
        let positions = self.meta.step * self.recipe.training.batch as u64;
        Ok(Evaluation {
            step: self.meta.step,
            positions,
            epoch: positions as f64 / self.data.positions().max(1) as f64,
            rate,
            loss,
            validation_loss,
            best,
            figures,
        })
    }
}
