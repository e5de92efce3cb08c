//! A training at work.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use mendel_store::{FolderLock, Journal, Sync, replace};
use tch::{Cuda, Device, Kind, Tensor, no_grad};

use super::checkpoint::{Checkpoint, Place};
use super::compact::Batch;
use super::data::{Data, FeedOrder};
use super::error::TrainError;
use super::loss::Lesson;
use super::model::Model;
use super::optimiser::Optimiser;
use super::recipe::{Precision, Recipe};
use super::record::{EVALUATIONS, End, Evaluation, Outcome, Timing};
use super::run::{Event, Machine, Manifest, Progress, TIMINGS};
use super::start::start_from;
use crate::stream::Part;

/// Seconds between two checkpoints, also between evaluations.
const CHECKPOINT_SECONDS: f64 = 60.0;

/// Seconds between two reports of progress.
const TELL_SECONDS: f64 = 0.5;

pub(crate) struct Training {
    pub(super) recipe: Recipe,
    pub(super) manifest: Manifest,
    pub(super) data: Data,
    pub(super) folder: PathBuf,
    _lock: FolderLock,
    pub(super) device: Device,
    pub(super) model: Model,
    optimiser: Optimiser,
    pub(super) place: Place,
    pub(super) best: Vec<Vec<f32>>,
    validation: Vec<Batch>,
}

/// What the clock says of a stretch of steps.
struct Stretch {
    since: Instant,
    steps: u64,
    waiting: f64,
}

impl Stretch {
    fn new() -> Self {
        Self {
            since: Instant::now(),
            steps: 0,
            waiting: 0.0,
        }
    }

    fn seconds(&self) -> f64 {
        self.since.elapsed().as_secs_f64().max(1e-9)
    }
}

impl Training {
    pub(crate) fn new(
        recipe: Recipe,
        manifest: Manifest,
        data: Data,
        folder: &Path,
        lock: FolderLock,
    ) -> Result<Self, TrainError> {
        let device = match manifest.machine {
            Machine::Cpu => {
                // The order of sums depends on their number.
                tch::set_num_threads(manifest.threads.min(1024) as i32);
                Device::Cpu
            }
            Machine::Cuda if Cuda::is_available() => {
                Cuda::cudnn_set_benchmark(true);
                Device::Cuda(0)
            }
            Machine::Cuda => return Err(TrainError::NoGpu),
        };
        let precision = match manifest.machine {
            Machine::Cpu => Precision::Full,
            Machine::Cuda => recipe.training.precision,
        };
        let model = Model::new(&recipe.shape, manifest.seed, device, precision);
        let kernels = model.layout.counts().0;
        let validation = data.exam(
            recipe.shape.view,
            Part::Validation,
            recipe.training.validation_positions,
            manifest.threads,
        )?;
        Ok(Self {
            optimiser: Optimiser::new(recipe.optimiser, &model.parameters, kernels),
            recipe,
            manifest,
            data,
            folder: folder.to_owned(),
            _lock: lock,
            device,
            model,
            place: Place::default(),
            best: Vec::new(),
            validation,
        })
    }

    /// Begins with another training's network. It is written down at once, so that the
    /// other one is not needed again.
    pub(crate) fn start_from(
        &mut self,
        folder: &Path,
        hear: &mut dyn FnMut(Event<'_>),
    ) -> Result<(), TrainError> {
        let taken = start_from(folder, &mut self.model)?;
        hear(Event::Started { taken });
        self.save()
    }

    pub(crate) fn restore(&mut self, checkpoint: Checkpoint) -> Result<(), TrainError> {
        let mut fits = self.model.restore(&checkpoint.model);
        let mut state = checkpoint.optimiser.iter();
        for tensor in self.optimiser.state_mut() {
            match state.next().filter(|it| it.len() == tensor.numel()) {
                Some(numbers) => tensor.copy_(&Tensor::from_slice(numbers)),
                None => fits = false,
            }
        }
        if !fits {
            return Err(TrainError::NoTraining {
                folder: self.folder.clone(),
                reason: "its checkpoint is of another network".to_owned(),
            });
        }
        self.place = checkpoint.place;
        self.best = checkpoint.best;
        Ok(())
    }

    pub(crate) fn run(
        &mut self,
        stop: &AtomicBool,
        hear: &mut dyn FnMut(Event<'_>),
    ) -> Result<Option<Outcome>, TrainError> {
        self.forget_later_evaluations()?;
        hear(Event::Begun {
            numbers: self.recipe.shape.count(),
            data: self.data.about(),
            steps: self.steps(),
            done: self.place.step,
        });
        match self.learn(stop, hear)? {
            None => Ok(None),
            Some(end) => self.finish(end).map(Some),
        }
    }

    /// A kill may have come between a line of the journal and its checkpoint.
    fn forget_later_evaluations(&self) -> Result<(), TrainError> {
        let path = self.folder.join(EVALUATIONS);
        let text = fs::read_to_string(&path).unwrap_or_default();
        let kept = text
            .split_inclusive('\n')
            .take(self.place.evaluations as usize);
        let kept: String = kept.collect();
        if kept.len() < text.len() {
            replace(&path, kept.as_bytes())?;
        }
        Ok(())
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
        if reached(training.steps, self.place.step)
            || reached(training.epochs, self.place.cursor.epoch)
        {
            Some(End::Done)
        } else if training
            .patience
            .is_some_and(|most| self.place.in_vain >= most)
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
                .map_or(0.0, |steps| self.place.step as f64 / steps.max(1) as f64),
        };
        schedule.rate(self.recipe.optimiser.rate, done.clamp(0.0, 1.0))
    }

    /// Learns until it is over, and says why; `None` if it was asked to stop.
    fn learn(
        &mut self,
        stop: &AtomicBool,
        hear: &mut dyn FnMut(Event<'_>),
    ) -> Result<Option<End>, TrainError> {
        // 1. What is needed all the time.
        let view = self.recipe.shape.view;
        let training = self.recipe.training;
        let mut feed = self.data.feed(FeedOrder {
            view,
            batch: training.batch,
            seed: self.manifest.seed,
            start: self.place.cursor,
            threads: self.manifest.threads,
        })?;
        let journal = self.folder.join(EVALUATIONS);
        let (mut journal, _) = Journal::<Evaluation>::open(&journal, Sync::Each)?;
        let timings = self.folder.join(TIMINGS);
        let (mut timings, _) = Journal::<Timing>::open(&timings, Sync::Each)?;
        let begun = Instant::now();
        let before = self.place.seconds;
        let mut sum = Tensor::from(self.place.losses.0).to_device(self.device);
        let (mut told, mut saved) = (Stretch::new(), Instant::now());
        let mut timed = Stretch::new();

        loop {
            // 2. Whether to go on.
            let seconds = before + begun.elapsed().as_secs_f64();
            self.place.seconds = seconds;
            let end = self.end(seconds);
            let asked = stop.load(Ordering::Relaxed);
            let rate = self.rate(seconds);
            let positions = self.place.step * training.batch as u64;
            let due = self.place.losses.1 > 0
                && positions / training.evaluate_every
                    != (positions - training.batch as u64) / training.evaluate_every;
            if due || (end.is_some() && self.place.losses.1 > 0) {
                self.place.losses.0 = sum.double_value(&[]);
                let spent = timed.seconds();
                let evaluation = self.evaluate(rate)?;
                journal.append(&evaluation)?;
                timings.append(&Timing {
                    step: self.place.step,
                    seconds,
                    positions_per_second: (timed.steps * training.batch as u64) as f64 / spent,
                    waiting: timed.waiting / spent,
                })?;
                hear(Event::Evaluated(&evaluation));
                sum = sum.zeros_like();
                (timed, told) = (Stretch::new(), Stretch::new());
                self.save()?;
                saved = Instant::now();
                if end.is_none() && !asked {
                    // Patience may just have run out.
                    continue;
                }
            }
            if end.is_some() {
                return Ok(end);
            }
            let save_now = saved.elapsed().as_secs_f64() > CHECKPOINT_SECONDS;
            if asked || save_now {
                self.place.losses.0 = sum.double_value(&[]);
                self.save()?;
                saved = Instant::now();
            }
            if asked {
                return Ok(None);
            }

            // 3. A step.
            let waited = Instant::now();
            let (batch, cursor) = feed.next()?;
            let waited = waited.elapsed().as_secs_f64();
            let lesson = Lesson::new(view, &batch, self.device);
            let output = self.model.forward(&lesson.input, true);
            let loss = lesson.loss(&output, training.result_weight);
            loss.backward();
            self.optimiser
                .step(&mut self.model.parameters, self.place.step, rate);
            sum = no_grad(|| sum + loss.detach().to_kind(Kind::Double));
            self.place.step += 1;
            self.place.cursor = cursor;
            self.place.losses.1 += 1;
            for stretch in [&mut told, &mut timed] {
                stretch.steps += 1;
                stretch.waiting += waited;
            }

            // 4. A word about it.
            let spent = told.seconds();
            if spent > TELL_SECONDS {
                hear(Event::Step(Progress {
                    step: self.place.step,
                    epoch: self.place.cursor.epoch,
                    loss: sum.double_value(&[]) / self.place.losses.1 as f64,
                    rate,
                    positions_per_second: (told.steps * training.batch as u64) as f64 / spent,
                    waiting: told.waiting / spent,
                    seconds,
                }));
                told = Stretch::new();
            }
        }
    }

    pub(super) fn save(&self) -> Result<(), TrainError> {
        if self.place.is_over {
            // This training is over; others may start from the best network.
            let checkpoint = Checkpoint {
                place: self.place.clone(),
                model: self.best.clone(),
                ..Checkpoint::default()
            };
            return checkpoint.write(&self.folder);
        }
        let checkpoint = Checkpoint {
            place: self.place.clone(),
            model: self.model.state(),
            optimiser: self
                .optimiser
                .state()
                .map(super::parameters::numbers)
                .to_vec(),
            best: self.best.clone(),
        };
        checkpoint.write(&self.folder)
    }

    /// Asks the validation part, and keeps the network if it is the best so far.
    fn evaluate(&mut self, rate: f64) -> Result<Evaluation, TrainError> {
        let (sum, count) = self.place.losses;
        let loss = sum / count.max(1) as f64;
        let (validation_loss, figures) = self.ask(&self.validation);
        if !loss.is_finite() || !validation_loss.is_finite() {
            return Err(TrainError::Diverged {
                step: self.place.step,
            });
        }
        let best = self
            .place
            .best
            .is_none_or(|(least, _)| validation_loss < least);
        if best {
            self.place.best = Some((validation_loss, self.place.step));
            self.place.in_vain = 0;
            self.best = self.model.state();
        } else {
            self.place.in_vain += 1;
        }
        self.place.losses = (0.0, 0);
        self.place.evaluations += 1;
        let positions = self.place.step * self.recipe.training.batch as u64;
        Ok(Evaluation {
            step: self.place.step,
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
