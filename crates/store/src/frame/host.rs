//! What the process supplies to its experiments.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::event::ExperimentEvent;
use super::failure::Failure;

/// Ends an experiment early when it is set; it is never cleared.
pub type StopFlag = Arc<AtomicBool>;

/// Hears the events of an experiment and of those inside it, with their folders.
pub type ExperimentListener = Arc<dyn Fn(&Path, &ExperimentEvent) + Send + Sync>;

#[derive(Clone, Default)]
pub struct Host {
    pub stop: StopFlag,
    pub listener: Option<ExperimentListener>,
}

impl Host {
    pub fn tell(&self, folder: &Path, event: &ExperimentEvent) {
        if let Some(listener) = &self.listener {
            listener(folder, event);
        }
    }

    /// # Errors
    ///
    /// [`Failure::Stopped`] if the stop flag is set.
    pub fn check_stop(&self) -> Result<(), Failure> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(Failure::Stopped);
        }
        Ok(())
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host")
            .field("stop", &self.stop)
            .finish_non_exhaustive()
    }
}

/// What [`Experiment::prepare`](super::Experiment::prepare) may use. The folder may not exist yet, so that events reach the
/// listener alone.
#[derive(Debug)]
pub struct Preparation {
    folder: PathBuf,
    host: Host,
    pub(super) resumed: bool,
}

impl Preparation {
    /// Of an experiment that is to be started in this folder.
    pub fn new(folder: impl Into<PathBuf>, host: &Host) -> Self {
        Self {
            folder: folder.into(),
            host: host.clone(),
            resumed: false,
        }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn is_resumed(&self) -> bool {
        self.resumed
    }

    pub fn stop(&self) -> &StopFlag {
        &self.host.stop
    }

    /// # Errors
    ///
    /// [`Failure::Stopped`] if the stop flag is set.
    pub fn check_stop(&self) -> Result<(), Failure> {
        self.host.check_stop()
    }

    /// How far a part of the preparation is.
    pub fn progress(&self, part: &str, done: u64, total: Option<u64>) {
        self.emit(&ExperimentEvent::Progress {
            part: part.to_owned(),
            done,
            total,
        });
    }

    pub fn note(&self, text: impl Into<String>) {
        self.emit(&ExperimentEvent::Note { text: text.into() });
    }

    pub fn emit(&self, event: &ExperimentEvent) {
        self.host.tell(&self.folder, event);
    }
}
