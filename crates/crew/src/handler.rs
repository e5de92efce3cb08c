//! The worker's interface to a kind of job, and the progress of a job.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::job::{Blobs, HandlerError, Job};

/// Does the jobs of one kind: bytes in, bytes out. A [`Task`](crate::Task) gets its
/// handler from [`TaskHandler`](crate::TaskHandler).
pub trait Handler: Send + Sync {
    /// The kind, as in [`Job::kind`].
    fn kind(&self) -> &'static str;

    /// The version of the payload it reads; jobs of others are rejected.
    fn version(&self) -> u32;

    /// Does a job. The job is untrusted: its payload may be anything.
    ///
    /// # Errors
    ///
    /// [`HandlerError::InvalidJob`] if no worker can do the job,
    /// [`HandlerError::CannotRun`] if this worker lacks something,
    /// [`HandlerError::Stopped`] soon after [`JobProgress::is_stopped`] became true.
    fn work(
        &self,
        job: &Job,
        blobs: &dyn Blobs,
        progress: &JobProgress,
    ) -> Result<Vec<u8>, HandlerError>;
}

/// The progress and the stop flag of a job. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct JobProgress {
    units: Arc<AtomicU64>,
    /// Set once and never cleared.
    stop: Arc<AtomicBool>,
}

/// An output that was not cut short: only [`JobProgress`] makes one, and not after a stop,
/// unless the task states that the item ended by itself.
#[derive(Debug)]
pub struct CompletedOutput<O>(O);

impl<O> CompletedOutput<O> {
    pub fn into_inner(self) -> O {
        self.0
    }
}

impl JobProgress {
    /// Progress that is stopped by `stop`, which others may share.
    pub fn stopped_by(stop: Arc<AtomicBool>) -> Self {
        Self {
            stop,
            ..Self::default()
        }
    }

    /// Reports one unit (a game, some positions). This, and nothing else, extends
    /// the lease; it costs one atomic addition.
    pub fn unit_done(&self) {
        self.units.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether the handler must end soon.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The flag behind [`is_stopped`](Self::is_stopped), for code that polls a flag.
    pub fn stop_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    /// Marks an output as complete. The stop flag is never cleared, so an output that
    /// the flag cut short cannot pass.
    ///
    /// # Errors
    ///
    /// [`HandlerError::Stopped`] if the stop flag is set.
    pub fn complete<O>(&self, output: O) -> Result<CompletedOutput<O>, HandlerError> {
        if self.is_stopped() {
            Err(HandlerError::Stopped)
        } else {
            Ok(CompletedOutput(output))
        }
    }

    /// Marks an output as complete, also after a stop. The caller states that the item
    /// ended by itself: a game that is over, and nothing that a stop cuts short.
    pub fn complete_at_own_end<O>(&self, output: O) -> CompletedOutput<O> {
        CompletedOutput(output)
    }

    pub(crate) fn units(&self) -> u64 {
        self.units.load(Ordering::Relaxed)
    }

    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}
