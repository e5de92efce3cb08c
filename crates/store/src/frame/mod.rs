//! The frame around long work: one folder, one lock, one way to start, stop and resume.
//!
//! An [`Experiment`] is a plan that was prepared and a function that does the work that its
//! folder lacks. [`start`] and [`resume`] call the same function. Expensive results go to a
//! [`Memo`] or a [`Journal`](crate::Journal) before they are counted, the current state to the
//! checkpoint, and what happens to [`Events`], which a resume never reads.
//!
//! | file | content |
//! |---|---|
//! | `manifest.toml` | what it is; the last file of a start |
//! | [`Experiment::PLAN`] | everything that decides the result |
//! | `inputs.toml` | hashes of the programs and files that it uses |
//! | `checkpoint` | the current state |
//! | `events.jsonl`, `timings.jsonl` | a log, and times |
//! | `result.json` | the outcome, at the end only |
//!
//! ```
//! use mendel_store::frame::{self, Experiment, Failure, Frame, Host, Identity, Preparation};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Serialize, Deserialize)]
//! struct SumPlan {
//!     numbers: u64,
//! }
//!
//! #[derive(Debug, PartialEq, Serialize, Deserialize)]
//! struct Sum {
//!     sum: u64,
//! }
//!
//! struct Adding(SumPlan);
//!
//! impl Experiment for Adding {
//!     const KIND: &'static str = "adding";
//!     const SCHEMA: u32 = 1;
//!     const PLAN: &'static str = "adding.toml";
//!     type Plan = SumPlan;
//!     type ExecOptions = ();
//!     type Outcome = Sum;
//!
//!     fn prepare(
//!         plan: SumPlan,
//!         _seed: u64,
//!         _options: &(),
//!         _context: &Preparation,
//!     ) -> Result<Self, Failure> {
//!         if plan.numbers == 0 {
//!             return Err(Failure::invalid("there are no numbers").with_hint("add one"));
//!         }
//!         Ok(Self(plan))
//!     }
//!
//!     fn identity(&self) -> Identity {
//!         Identity {
//!             id: format!("sum-{}", self.0.numbers),
//!             name: "sum".to_owned(),
//!             facts: toml::Table::new(),
//!         }
//!     }
//!
//!     fn run(self, frame: &mut Frame) -> Result<Sum, Failure> {
//!         let (mut next, mut sum) = frame.read_checkpoint()?.unwrap_or((1, 0));
//!         while next <= self.0.numbers {
//!             frame.check_stop()?;
//!             sum += next;
//!             next += 1;
//!             frame.write_checkpoint(&(next, sum), &mut [])?;
//!             frame.events().progress("numbers", next - 1, Some(self.0.numbers));
//!         }
//!         Ok(Sum { sum })
//!     }
//! }
//!
//! # let folder = std::env::temp_dir().join(format!("mendel-frame-doc-{}", std::process::id()));
//! # let run = || -> Result<(), Failure> {
//! let plan = SumPlan { numbers: 4 };
//! let outcome = frame::start::<Adding>(&folder, plan, 1, "add 4", &(), &Host::default())?;
//! assert_eq!(outcome, Sum { sum: 10 });
//! // A finished one is read.
//! assert_eq!(frame::resume::<Adding>(&folder, &(), &Host::default())?, outcome);
//! # Ok(())
//! # };
//! # run().expect("it adds");
//! # std::fs::remove_dir_all(&folder).expect("it is ours");
//! ```

mod checkpoint;
mod event;
mod failure;
mod folder;
mod host;
mod manifest;
mod memo;
mod repair;
mod running;

use std::fs;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use self::event::{EventLine, EventReader, Events, ExperimentEvent};
pub use self::failure::{Cause, Failure, OrInvalid, Stopped};
pub use self::folder::{Flush, Folder};
pub use self::host::{ExperimentListener, Host, Preparation, StopFlag};
pub use self::manifest::{Identity, Manifest};
pub use self::memo::{Memo, MemoRecord};
pub use self::repair::{Kept, Repair, repair};
pub use self::running::{Frame, Timing};
use crate::{FileError, FolderLock, InputHashes, RunStatus};

/// A kind of long work.
pub trait Experiment: Sized {
    const KIND: &'static str;
    /// The form of the files in the folder. Raise it when an old folder would be misunderstood.
    const SCHEMA: u32;
    const PLAN: &'static str;
    /// Everything that decides the result, besides the seed.
    type Plan: Serialize + DeserializeOwned;
    /// Everything else: threads, crew, whether a proof is played. It changes no result.
    type ExecOptions: Clone;
    /// `result.json`: a struct, as its file is a JSON object.
    type Outcome: Serialize + DeserializeOwned;

    /// Reads every file and starts every player once. Writes nothing: an invalid request is
    /// found here.
    ///
    /// # Errors
    ///
    /// If the plan cannot be carried out, or the stop flag was set.
    fn prepare(
        plan: Self::Plan,
        seed: u64,
        options: &Self::ExecOptions,
        context: &Preparation,
    ) -> Result<Self, Failure>;

    fn identity(&self) -> Identity;

    /// The external programs and files it uses; with these hashes alone it may be resumed.
    ///
    /// # Errors
    ///
    /// If one cannot be read.
    fn inputs(&self) -> Result<InputHashes, Failure> {
        Ok(InputHashes::of_this_build())
    }

    /// The text of the plan's file: TOML, unless the kind has a form of its own.
    ///
    /// # Errors
    ///
    /// If the plan has no such form.
    fn write_plan(plan: &Self::Plan) -> Result<String, Failure> {
        toml::to_string(plan).or_invalid()
    }

    /// Reads what [`write_plan`](Self::write_plan) wrote.
    ///
    /// # Errors
    ///
    /// If the text is no such plan.
    fn read_plan(text: &str, manifest: &Manifest) -> Result<Self::Plan, Failure> {
        let _ = manifest;
        toml::from_str(text).or_invalid()
    }

    /// Whether a stored outcome has all that is requested now. A run without its proof is not
    /// finished if a proof is requested.
    fn satisfies(outcome: &Self::Outcome, options: &Self::ExecOptions) -> bool {
        let _ = (outcome, options);
        true
    }

    /// Does the work that the folder lacks and returns the outcome.
    ///
    /// # Errors
    ///
    /// Any, or [`Failure::Stopped`] when the stop flag is set.
    fn run(self, frame: &mut Frame) -> Result<Self::Outcome, Failure>;
}

/// Starts an experiment in a folder that has none, and runs it.
///
/// # Errors
///
/// If the plan cannot be carried out; then nothing was written. If there is an experiment in
/// the folder, another process uses it, or the work fails.
pub fn start<E: Experiment>(
    folder: &Path,
    plan: E::Plan,
    seed: u64,
    command: &str,
    options: &E::ExecOptions,
    host: &Host,
) -> Result<E::Outcome, Failure> {
    // 1. The request.
    refuse_started(folder)?;
    let text = E::write_plan(&plan)?;
    let context = Preparation::new(folder, host);
    let experiment = E::prepare(plan, seed, options, &context)?;
    let Identity { id, name, facts } = experiment.identity();
    let manifest = Manifest {
        kind: E::KIND.to_owned(),
        schema: E::SCHEMA,
        id,
        name,
        seed,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        command: command.to_owned(),
        facts,
    };
    toml::to_string(&manifest).or_invalid()?;
    // A plan that could not be read again is found now and not on the first resume.
    E::read_plan(&text, &manifest)?;
    let inputs = experiment.inputs()?;
    host.check_stop()?;
    // 2. The folder; the manifest comes last, so that a folder with one has all it needs.
    fs::create_dir_all(folder).map_err(FileError::io(folder))?;
    let lock = FolderLock::take(folder)?;
    refuse_started(folder)?;
    let files = Folder::at(folder);
    Manifest::begin(&files)?;
    inputs.start(folder)?;
    files.write(E::PLAN, &text)?;
    manifest.write(&files)?;
    // 3. The work.
    execute(experiment, files, lock, manifest, host, false)
}

fn refuse_started(folder: &Path) -> Result<(), Failure> {
    if let Some(manifest) = Manifest::find(folder).or_invalid()? {
        let shown = folder.display();
        let what = format!(
            "`{shown}` has an experiment of the kind `{}` already",
            manifest.kind
        );
        let hint = format!("`mendel resume {shown}` continues it; or choose another folder");
        return Err(Failure::invalid(what).with_hint(hint));
    }
    Ok(())
}

/// Continues an experiment, or reads its outcome if it is finished.
///
/// # Errors
///
/// If there is none of this kind that this program reads, its inputs have changed, another
/// process uses it, a file is damaged, or the work fails.
pub fn resume<E: Experiment>(
    folder: &Path,
    options: &E::ExecOptions,
    host: &Host,
) -> Result<E::Outcome, Failure> {
    // 1. Is it finished?
    let manifest = Manifest::read(folder).or_invalid()?;
    manifest.check(folder, E::KIND, E::SCHEMA).or_invalid()?;
    let files = Folder::at(folder);
    if let Some(outcome) = finished::<E>(&files, options)? {
        return Ok(outcome);
    }
    // 2. No other process may use it, or have finished it in the meantime.
    let lock = FolderLock::take(folder)?;
    if let Some(outcome) = finished::<E>(&files, options)? {
        return Ok(outcome);
    }
    Manifest::tidy(&files);
    // 3. Everything it uses is what it was.
    InputHashes::check(folder).or_invalid()?;
    let plan = E::read_plan(&files.read(E::PLAN)?, &manifest)?;
    let mut context = Preparation::new(folder, host);
    context.resumed = true;
    let experiment = E::prepare(plan, manifest.seed, options, &context)?;
    if let Some(difference) = manifest.difference(&experiment.identity()) {
        let what = format!("`{}` cannot be resumed: {difference}", folder.display());
        let hint = "restore what it was started with, or start a new experiment in another folder";
        return Err(Failure::invalid(what).with_hint(hint));
    }
    host.check_stop()?;
    // 4. The work.
    execute(experiment, files, lock, manifest, host, true)
}

/// The stored outcome, if it has all that is requested.
fn finished<E: Experiment>(
    folder: &Folder,
    options: &E::ExecOptions,
) -> Result<Option<E::Outcome>, Failure> {
    let outcome: Option<E::Outcome> = folder.read_result()?;
    Ok(outcome.filter(|outcome| E::satisfies(outcome, options)))
}

/// Reads the outcome of a finished experiment, resumes one that was started with this plan and
/// seed, and otherwise starts it.
///
/// # Errors
///
/// As [`start`] and [`resume`], and if the folder has an experiment with another plan or seed.
pub fn start_or_resume<E: Experiment>(
    folder: &Path,
    plan: E::Plan,
    seed: u64,
    command: &str,
    options: &E::ExecOptions,
    host: &Host,
) -> Result<E::Outcome, Failure> {
    let Some(manifest) = Manifest::find(folder).or_invalid()? else {
        return start::<E>(folder, plan, seed, command, options, host);
    };
    manifest.check(folder, E::KIND, E::SCHEMA).or_invalid()?;
    let stored = Folder::at(folder).read(E::PLAN)?;
    let wanted = E::write_plan(&plan)?;
    // A text that was written in another way may still be the same plan.
    let is_same = manifest.seed == seed
        && (stored == wanted
            || E::write_plan(&E::read_plan(&stored, &manifest)?)?
                == E::write_plan(&E::read_plan(&wanted, &manifest)?)?);
    if !is_same {
        let what = format!(
            "`{}` has an experiment of the kind `{}` with another plan or seed",
            folder.display(),
            E::KIND
        );
        return Err(Failure::invalid(what).with_hint("choose another folder"));
    }
    resume::<E>(folder, options, host)
}

fn execute<E: Experiment>(
    experiment: E,
    folder: Folder,
    lock: FolderLock,
    manifest: Manifest,
    host: &Host,
    resumed: bool,
) -> Result<E::Outcome, Failure> {
    let mut frame = Frame::open(folder, lock, manifest, host, resumed)?;
    // 1. The work and its outcome.
    let result = experiment.run(&mut frame).and_then(|outcome| {
        frame.write_result(&outcome)?;
        let summary = serde_json::to_value(&outcome)?;
        Ok((outcome, summary))
    });
    // 2. How it ended, before the lock is given back.
    let (result, event) = match result {
        Ok((outcome, summary)) => (Ok(outcome), ExperimentEvent::Finished { summary }),
        Err(Failure::Stopped) => (Err(Failure::Stopped), ExperimentEvent::Stopped),
        Err(failure) => {
            let error = failure.to_string();
            (Err(failure), ExperimentEvent::Failed { error })
        }
    };
    frame.events().emit(event);
    result
}

/// The state of the experiment in a folder: a process holds its lock, it has a result, its last
/// event is a failure, or it was stopped.
pub fn status_of(folder: &Path) -> RunStatus {
    if matches!(FolderLock::holder(folder), Ok(Some(_))) {
        RunStatus::Running
    } else if folder.join(Folder::RESULT).is_file() {
        RunStatus::Finished
    } else if matches!(
        event::last_event(folder),
        Some(ExperimentEvent::Failed { .. })
    ) {
        RunStatus::Failed
    } else {
        RunStatus::Stopped
    }
}
