//! Runs experiments of recipes in tests.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use mendel_lab::execution::RunOptions;
use mendel_lab::recipe::{Recipe, RecipePlan};
use mendel_store::frame::{self, Experiment, ExperimentEvent, Failure, Host};

/// What is to be run, and where.
#[derive(Clone)]
pub(crate) struct Request {
    pub(crate) recipe: Recipe,
    pub(crate) seed: u64,
    pub(crate) data: Option<String>,
    pub(crate) folder: PathBuf,
}

/// Who does it, and how it is stopped.
#[derive(Clone)]
pub(crate) struct Work {
    pub(crate) threads: usize,
    pub(crate) proof: bool,
    pub(crate) stop: Arc<AtomicBool>,
}

/// Hears events with their folders.
pub(crate) trait Listen: FnMut(&Path, &ExperimentEvent) + Send + 'static {}

impl<F: FnMut(&Path, &ExperimentEvent) + Send + 'static> Listen for F {}

impl Work {
    pub(crate) fn threads(threads: usize) -> Self {
        Self {
            threads,
            proof: true,
            stop: Arc::default(),
        }
    }

    pub(crate) fn options(&self) -> RunOptions {
        RunOptions {
            proof: self.proof,
            ..RunOptions::on_threads(self.threads)
        }
    }

    pub(crate) fn host(&self, listen: impl Listen) -> Host {
        let listen = Mutex::new(listen);
        Host {
            stop: Arc::clone(&self.stop),
            listener: Some(Arc::new(move |folder, event| {
                let mut listen = listen.lock().unwrap_or_else(PoisonError::into_inner);
                listen(folder, event);
            })),
        }
    }
}

pub(crate) fn start<E>(
    request: &Request,
    work: &Work,
    listen: impl Listen,
) -> Result<E::Outcome, Failure>
where
    E: Experiment<Plan = RecipePlan, ExecOptions = RunOptions>,
{
    let plan = RecipePlan {
        recipe: request.recipe.clone(),
        data: request.data.clone(),
    };
    let (folder, options) = (&request.folder, work.options());
    frame::start::<E>(
        folder,
        plan,
        request.seed,
        "test",
        &options,
        &work.host(listen),
    )
}

pub(crate) fn resume<E>(
    folder: &Path,
    work: &Work,
    listen: impl Listen,
) -> Result<E::Outcome, Failure>
where
    E: Experiment<Plan = RecipePlan, ExecOptions = RunOptions>,
{
    frame::resume::<E>(folder, &work.options(), &work.host(listen))
}

/// Hears nothing.
pub(crate) fn silent(_: &Path, _: &ExperimentEvent) {}

/// The data of a record of this name.
pub(crate) fn record<'a>(
    event: &'a ExperimentEvent,
    wanted: &str,
) -> Option<&'a serde_json::Value> {
    match event {
        ExperimentEvent::Record { name, data } if name == wanted => Some(data),
        _ => None,
    }
}

/// How much of a part is done, and of how much.
pub(crate) fn progress(event: &ExperimentEvent, wanted: &str) -> Option<(u64, Option<u64>)> {
    match event {
        ExperimentEvent::Progress { part, done, total } if part == wanted => Some((*done, *total)),
        _ => None,
    }
}
