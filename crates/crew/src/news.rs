//! What a coordinator should know of its crew while it waits.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::job::Refused;

/// Something worth telling whoever waits for a run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum News {
    /// A worker did not do a job.
    Refused(Refused),
    /// The server is gone; it is tried again and again.
    Away,
    /// The server is back.
    Back,
    /// Nobody is there to do the jobs that wait.
    Nobody {
        /// For so long.
        seconds: u64,
        /// So many wait.
        jobs: usize,
    },
    /// The server does not take jobs; it is tried again and again.
    NotTaken {
        /// What it said.
        why: String,
    },
}

impl fmt::Display for News {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refused) => refused.fmt(f),
            Self::Away => f.write_str("the server is away; trying again"),
            Self::Back => f.write_str("the server is back"),
            Self::Nobody { seconds, jobs } => {
                write!(f, "no worker for {seconds} s; {jobs} jobs wait for one")
            }
            Self::NotTaken { why } => {
                write!(f, "the server does not take jobs: {why}; trying again")
            }
        }
    }
}

/// How long nobody has been there: the longer it lasts the less often it is told.
pub(crate) struct Lonely {
    first: Duration,
    since: Option<Instant>,
    /// When to tell it next.
    next: Duration,
}

impl Lonely {
    /// It is told for the first time after so long.
    pub(crate) fn new(first: Duration) -> Self {
        Self {
            first,
            since: None,
            next: first,
        }
    }

    /// Nobody looks for now.
    pub(crate) fn interrupt(&mut self) {
        self.since = None;
    }

    /// Notes whether nobody is there. For how many seconds, if it is time to tell it.
    pub(crate) fn look(&mut self, lonely: bool) -> Option<u64> {
        if !lonely {
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

type Hear = Arc<dyn Fn(&News) + Send + Sync>;

/// Whoever wants to hear the news, if anybody does.
#[derive(Clone, Default)]
pub(crate) struct Listener(Arc<Mutex<Option<Hear>>>);

impl Listener {
    pub(crate) fn set(&self, hear: impl Fn(&News) + Send + Sync + 'static) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(hear));
    }

    pub(crate) fn tell(&self, news: &News) {
        let hear = self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        if let Some(hear) = hear {
            hear(news);
        }
    }
}
