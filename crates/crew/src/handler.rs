//! What a worker can do, and how it shows that it gets on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::blob::Blobs;
use crate::job::{Job, Refusal};

/// Does the jobs of one kind.
pub trait Handler: Send + Sync {
    /// The kind, as in [`Job::kind`].
    fn kind(&self) -> &'static str;

    /// The version of the payload it reads; others are refused.
    fn version(&self) -> u32;

    /// Does a job. The job is untrusted: its payload may be anything.
    ///
    /// # Errors
    ///
    /// [`Refusal::Bad`] if the job makes no sense, [`Refusal::Cannot`] if this
    /// worker lacks something, [`Refusal::Stopped`] soon after
    /// [`Progress::stopped`] became true.
    fn work(&self, job: &Job, blobs: &dyn Blobs, progress: &Progress) -> Result<Vec<u8>, Refusal>;
}

/// The lease of a job, as its handler sees it.
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<State>);

#[derive(Debug, Default)]
struct State {
    made: AtomicU64,
    stop: Arc<AtomicBool>,
}

impl Progress {
    /// One unit (a game, some positions) is done. This, and nothing else, extends
    /// the lease; it costs next to nothing.
    pub fn made(&self) {
        self.0.made.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether the job is to be abandoned.
    pub fn stopped(&self) -> bool {
        self.0.stop.load(Ordering::Relaxed)
    }

    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The same fact as [`stopped`](Self::stopped), for who watches a flag.
    pub fn signal(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0.stop)
    }

    pub(crate) fn units(&self) -> u64 {
        self.0.made.load(Ordering::Relaxed)
    }

    pub(crate) fn stop(&self) {
        self.0.stop.store(true, Ordering::Relaxed);
    }
}
