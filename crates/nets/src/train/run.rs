//! The training itself: its folder, its loop, its end.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use mendel_store::{FolderLock, Journal, Sync, replace};
use serde::{Deserialize, Serialize};
use tch::{Cuda, Device, Kind, Tensor, no_grad};

use super::checkpoint::{Checkpoint, Place};
use super::compact::Batch;
use super::data::{Data, FeedOrder};
use super::error::TrainError;
use super::export::{Pawns, export};
use super::loss::Lesson;
use super::metrics::{Moves, Scores};
use super::model::Model;
use super::optimiser::Optimiser;
use super::recipe::{DataKind, Precision, Recipe};
use super::record::{End, Evaluation, Outcome, Timing};
use super::report;
use crate::stream::Part;

/// Every so many seconds the place is written down, also between evaluations.
const CHECKPOINT_SECONDS: f64 = 60.0;

/// Every so many seconds progress is told.
const TELL_SECONDS: f64 = 0.5;

const RECIPE: &str = "recipe.toml";
pub(crate) const MANIFEST: &str = "manifest.toml";
pub(crate) const EVALUATIONS: &str = "epochs.jsonl";
const TIMINGS: &str = "timings.jsonl";
const RESULT: &str = "result.json";
pub(crate) const REPORT: &str = "report.html";

/// Where a network learns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Machine {
    /// On the processor.
    #[default]
    Cpu,
    /// On a GPU.
    Cuda,
}

/// What is to be trained, and where it is kept.
#[derive(Clone, Debug)]
pub struct Order {
    /// The experiment, without a grid.
    pub recipe: Recipe,
    /// What it learns from; empty for the recipe's own files.
    pub files: Vec<PathBuf>,
    /// What chance begins from.
    pub seed: u64,
    /// Where it learns.
    pub machine: Machine,
    /// Threads that make batches, and on a processor those that learn.
    pub threads: usize,
    /// Where all of it is kept.
    pub folder: PathBuf,
}

/// What is told while a network learns.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// It begins, or goes on.
    Begun {
        /// Numbers that are learnt.
        numbers: usize,
        /// What it learns from.
        data: String,
        /// Steps that it will take at most, where that is known.
        steps: Option<u64>,
        /// Steps that were done before.
        done: u64,
    },
    /// So far.
    Step(Progress),
    /// The validation part was asked.
    Evaluated(&'a Evaluation),
}

/// How a training stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Steps done.
    pub step: u64,
    /// Rounds through the data.
    pub epoch: u64,
    /// The mean loss since the last evaluation.
    pub loss: f64,
    /// The learning rate.
    pub rate: f64,
    /// Positions learnt from in a second, lately.
    pub positions_per_second: f64,
    /// The share of the time spent waiting for data, lately.
    pub waiting: f64,
    /// Seconds so far.
    pub seconds: f64,
}

/// What must be known to go on, beside the recipe and the checkpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Manifest {
    name: String,
    version: String,
    seed: u64,
    machine: Machine,
    threads: usize,
    files: Vec<PathBuf>,
    /// A sentence about the data, and a fingerprint.
    data: String,
    fingerprint: String,
}

/// Trains a network from the beginning. `None` if it was asked to stop; `resume` goes
/// on then.
///
/// # Errors
///
/// If anything cannot be read or written, or the loss is no number any more.
pub fn train(
    order: &Order,
    stop: &Arc<AtomicBool>,
    hear: &mut dyn FnMut(Event<'_>),
) -> Result<Option<Outcome>, TrainError> {
    // 1. A folder of its own.
    let folder = &order.folder;
    make_folder(folder)?;
    let lock = FolderLock::take(folder)?;
    if folder.join(MANIFEST).exists() {
        return Err(TrainError::NotEmpty {
            folder: folder.clone(),
        });
    }

    // 2. What it is about, on the disk before anything else.
    let own = || order.recipe.data.files.iter().map(PathBuf::from).collect();
    let files: Vec<PathBuf> = if order.files.is_empty() {
        own()
    } else {
        order.files.clone()
    };
    let files: Vec<PathBuf> = files
        .into_iter()
        .map(|file| std::path::absolute(&file).unwrap_or(file))
        .collect();
    let data = Data::open(&order.recipe, &files)?;
    let manifest = Manifest {
        name: order.recipe.name.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        seed: order.seed,
        machine: order.machine,
        threads: order.threads.max(1),
        files,
        data: data.about(),
        fingerprint: data.fingerprint(),
    };
    replace(&folder.join(RECIPE), order.recipe.to_toml().as_bytes())?;
    let text = toml::to_string(&manifest).expect("plain data become TOML");
    replace(&folder.join(MANIFEST), text.as_bytes())?;

    // 3. The work.
    let mut training = Training::new(order.recipe.clone(), manifest, data, folder, lock)?;
    training.run(stop, hear)
}

/// Goes on with a training where its last checkpoint was written; to the bit, if it
/// is on a processor. What is over gives its outcome again.
///
/// # Errors
///
/// As [`train`]; or if the folder is no training's, or the data are others.
pub fn resume(
    folder: &Path,
    stop: &Arc<AtomicBool>,
    hear: &mut dyn FnMut(Event<'_>),
) -> Result<Option<Outcome>, TrainError> {
    let fail = |reason: String| TrainError::NoTraining {
        folder: folder.to_owned(),
        reason,
    };
    let read = |name: &str| {
        fs::read_to_string(folder.join(name)).map_err(|error| fail(format!("`{name}`: {error}")))
    };
    let manifest = read(MANIFEST)?;
    let recipe = Recipe::parse(&read(RECIPE)?, RECIPE, &[])?;
    let lock = FolderLock::take(folder)?;
    let manifest: Manifest =
        toml::from_str(&manifest).map_err(|error| fail(format!("`{MANIFEST}`: {error}")))?;
    let checkpoint = Checkpoint::read(folder)?;
    if checkpoint.as_ref().is_some_and(|it| it.place.is_over) {
        let result = serde_json::from_str(&read(RESULT)?);
        return Ok(Some(
            result.map_err(|error| fail(format!("`{RESULT}`: {error}")))?,
        ));
    }
    let data = Data::open(&recipe, &manifest.files)?;
    if data.fingerprint() != manifest.fingerprint {
        return Err(TrainError::OtherData {
            found: data.fingerprint(),
            wanted: manifest.fingerprint,
        });
    }
    let mut training = Training::new(recipe, manifest, data, folder, lock)?;
    if let Some(checkpoint) = checkpoint {
        training.restore(checkpoint)?;
    }
    training.run(stop, hear)
}

pub(crate) fn make_folder(folder: &Path) -> Result<(), TrainError> {
    fs::create_dir_all(folder).map_err(|source| TrainError::Write {
        path: folder.to_owned(),
        source,
    })
}

/// A training at work.
struct Training {
    recipe: Recipe,
    manifest: Manifest,
    data: Data,
    folder: PathBuf,
    _lock: FolderLock,
    device: Device,
    model: Model,
    optimiser: Optimiser,
    place: Place,
    best: Vec<Vec<f32>>,
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
    fn new(
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

    fn restore(&mut self, checkpoint: Checkpoint) -> Result<(), TrainError> {
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

    fn run(
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
        let kept = text.split_inclusive('\n').take(self.place.evaluations as usize);
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
        let by_epochs = training.epochs.map(|epochs| epochs.saturating_mul(an_epoch));
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
        } else if training.patience.is_some_and(|most| self.place.in_vain >= most) {
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

    fn save(&self) -> Result<(), TrainError> {
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

    /// The mean loss over an exam, and the figures.
    fn ask(&self, exam: &[Batch]) -> (f64, BTreeMap<String, f64>) {
        let (mut sum, mut count) = (0.0, 0);
        let (mut moves, mut scores) = (Moves::default(), Scores::default());
        no_grad(|| {
            for batch in exam {
                let lesson = Lesson::new(self.recipe.shape.view, batch, self.device);
                let output = self.model.forward(&lesson.input, false);
                let loss = lesson.loss(&output, self.recipe.training.result_weight);
                sum += loss.double_value(&[]) * batch.len as f64;
                count += batch.len;
                for (facts, right) in batch.facts.iter().zip(lesson.right(&output)) {
                    moves.add(facts, right);
                }
                for (facts, (answered, wanted)) in batch.facts.iter().zip(lesson.scores(&output)) {
                    scores.add(facts, f64::from(answered), f64::from(wanted));
                }
            }
        });
        let figures = match self.recipe.data.kind {
            DataKind::Scores => scores.figures(),
            DataKind::Games if self.recipe.shape.head == mendel_evaluator::vision::Head::FromTo => {
                moves.squares()
            }
            DataKind::Games => moves.agreement(),
        };
        (sum / count.max(1) as f64, figures.into_iter().collect())
    }

    /// Asks the test part once, writes the network, the result and the page.
    fn finish(&mut self, end: End) -> Result<Outcome, TrainError> {
        // 1. The best network, and the truth about it.
        let best = std::mem::take(&mut self.best);
        self.model.restore(&best);
        self.best = best;
        let training = &self.recipe.training;
        let exam = self.data.exam(
            self.recipe.shape.view,
            Part::Test,
            training.test_positions,
            self.manifest.threads,
        )?;
        let (test_loss, test) = self.ask(&exam);
        let (validation_loss, best_step) = self.place.best.unwrap_or((f64::NAN, 0));
        let paper = self.recipe.paper.iter();
        let paper = paper.filter_map(|(name, value)| {
            let value = value.as_float().or(value.as_integer().map(|it| it as f64));
            value.map(|value| (name.clone(), value))
        });
        let outcome = Outcome {
            name: self.recipe.name.clone(),
            steps: self.place.step,
            best_step,
            validation_loss,
            test_loss,
            test_positions: exam.iter().map(|batch| batch.len as u64).sum(),
            test,
            paper: paper.collect(),
            numbers: self.recipe.shape.count(),
            end,
            file: format!("{}.net", self.recipe.name),
        };

        // 2. The network.
        let mut file = export(&self.model, &self.recipe.shape, self.data.pawns())?;
        file.name.clone_from(&self.recipe.name);
        file.about.clone_from(&self.recipe.about);
        file.training = self.description(&outcome);
        replace(&self.folder.join(&outcome.file), &file.write()?)?;

        // 3. The result and the page.
        let mut text = serde_json::to_string_pretty(&outcome).expect("plain data become JSON");
        text.push('\n');
        replace(&self.folder.join(RESULT), text.as_bytes())?;
        let journal = self.folder.join(EVALUATIONS);
        let (_, evaluations) = Journal::<Evaluation>::open(&journal, Sync::Each)?;
        let page = report::page(&self.recipe, &outcome, &evaluations, &self.manifest.data);
        replace(&self.folder.join(REPORT), page.render().as_bytes())?;
        self.place.is_over = true;
        self.save()?;
        Ok(outcome)
    }

    /// What the file of the network says about its making.
    fn description(&self, outcome: &Outcome) -> toml::Table {
        let mut table = toml::Table::new();
        let mut put = |key: &str, value: toml::Value| {
            table.insert(key.to_owned(), value);
        };
        let recipe = toml::Table::try_from(&self.recipe).expect("a recipe is a table");
        put("recipe", toml::Value::Table(recipe));
        put("seed", toml::Value::String(self.manifest.seed.to_string()));
        put("data", self.manifest.data.clone().into());
        put("fingerprint", self.manifest.fingerprint.clone().into());
        put("version", self.manifest.version.clone().into());
        put("steps", toml::Value::Integer(outcome.steps as i64));
        put("test-positions", toml::Value::Integer(outcome.test_positions as i64));
        put("test-loss", toml::Value::Float(outcome.test_loss));
        let test = outcome.test.iter();
        let test: toml::Table = test
            .map(|(name, value)| (name.clone(), toml::Value::Float(*value)))
            .collect();
        put("test", toml::Value::Table(test));
        let pawns = self.data.pawns();
        if pawns != Pawns::SAME {
            put("pawns-a-unit", toml::Value::Float(pawns.scale));
            put("mean-pawns", toml::Value::Float(pawns.offset));
        }
        table
    }
}
