//! Events of a crew, for the coordinator.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::job::{JobId, JobRejection};
use crate::lock::lock;

/// Events while a coordinator waits for results; `Display` describes them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CrewEvent {
    Rejected(JobRejection),
    Disconnected,
    Reconnected,
    NoWorkers {
        seconds: u64,
        jobs: usize,
    },
    SubmitFailed {
        why: String,
    },
    Skipped {
        job: JobId,
        why: String,
    },
    InvalidResult {
        worker: String,
        job: JobId,
        reason: String,
    },
    Halved {
        why: String,
    },
}

impl fmt::Display for CrewEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rejected(refused) => refused.fmt(f),
            Self::Disconnected => f.write_str("the server is away; trying again"),
            Self::Reconnected => f.write_str("the server is back"),
            Self::NoWorkers { seconds, jobs } => {
                write!(f, "no worker for {seconds} s; {jobs} jobs wait for one")
            }
            Self::SubmitFailed { why } => {
                write!(f, "the server does not take jobs: {why}; trying again")
            }
            Self::Skipped { job, why } => write!(f, "job {job} is done without: {why}"),
            Self::InvalidResult {
                worker,
                job,
                reason,
            } => write!(
                f,
                "invalid result of worker {worker} for job {job}, which is done again: {reason}"
            ),
            Self::Halved { why } => write!(f, "jobs are half as large from now on: {why}"),
        }
    }
}

/// Time without any worker; the event is repeated with exponential back-off.
pub(crate) struct NoWorkersTimer {
    first: Duration,
    since: Option<Instant>,
    /// Time without workers at which the next event is due.
    next: Duration,
}

impl NoWorkersTimer {
    /// The first event is due after `first`.
    pub(crate) fn new(first: Duration) -> Self {
        Self {
            first,
            since: None,
            next: first,
        }
    }

    /// The presence of workers is unknown for now.
    pub(crate) fn interrupt(&mut self) {
        self.since = None;
    }

    /// Records whether workers are missing. Returns the seconds without them if an event is due.
    pub(crate) fn check(&mut self, no_workers: bool) -> Option<u64> {
        if !no_workers {
            (self.since, self.next) = (None, self.first);
            return None;
        }
        let waited = self.since.get_or_insert_with(Instant::now).elapsed();
        if waited < self.next {
            return None;
        }
        self.next = 2 * waited.max(self.first);
        Some(waited.as_secs())
    }
}

type EventCallback = Arc<dyn Fn(&CrewEvent) + Send + Sync>;

/// The callback of a client, if one was set.
#[derive(Clone, Default)]
pub(crate) struct EventListener(Arc<Mutex<Option<EventCallback>>>);

impl EventListener {
    pub(crate) fn set(&self, callback: impl Fn(&CrewEvent) + Send + Sync + 'static) {
        *lock(&self.0) = Some(Arc::new(callback));
    }

    pub(crate) fn emit(&self, event: &CrewEvent) {
        let callback = lock(&self.0).clone();
        if let Some(callback) = callback {
            callback(event);
        }
    }
}
