//! Workers elsewhere, as all runs of a process share them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mendel_crew::{Remote, Tally};

use super::book::Book;
use super::{AwayError, Desk};

/// Seconds of work that a job should be: long beside its way there and back, short
/// beside the patience of whoever waits for the last one.
const SECONDS: f64 = 2.0;

/// A part of the work is cut into at least so many jobs, so that many can help.
const LEAST_JOBS: u64 = 64;

/// No job has more pieces than this.
const MOST_PIECES: u64 = 256;

/// What becomes of a run when nobody can do one of its jobs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WhenDead {
    /// It stops, and can go on later.
    #[default]
    Stop,
    /// It does without the games of that job; they count as not played.
    Skip,
}

/// Workers elsewhere, reached through a server. Clones are the same workers.
#[derive(Clone)]
pub struct Workers(Arc<Shared>);

type Tell = Arc<dyn Fn(&str) + Send + Sync>;

struct Shared {
    remote: Remote,
    when_dead: WhenDead,
    tell: Tell,
    /// Seconds that a piece took of late, by kind of job.
    speed: Mutex<BTreeMap<&'static str, f64>>,
    tally: Mutex<Tally>,
}

impl std::fmt::Debug for Workers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Workers")
            .field("when_dead", &self.0.when_dead)
            .finish_non_exhaustive()
    }
}

impl Workers {
    /// The workers behind `remote`; `tell` hears what somebody should know.
    pub fn new(
        remote: Remote,
        when_dead: WhenDead,
        tell: impl Fn(&str) + Send + Sync + 'static,
    ) -> Self {
        let tell: Tell = Arc::new(tell);
        let told = Arc::clone(&tell);
        remote.on_refusal(move |refused| told(&refused.to_string()));
        Self(Arc::new(Shared {
            remote,
            when_dead,
            tell,
            speed: Mutex::default(),
            tally: Mutex::default(),
        }))
    }

    /// The workers as they work for what is kept in `folder`.
    ///
    /// # Errors
    ///
    /// If the folder cannot be written, or what it says of the crew cannot be read.
    pub fn desk(&self, folder: &Path) -> Result<Desk, AwayError> {
        Ok(Desk::new(self.clone(), Book::open(folder)?))
    }

    /// All jobs of this process so far.
    pub fn tally(&self) -> Tally {
        *held(&self.0.tally)
    }

    pub(super) fn remote(&self) -> &Remote {
        &self.0.remote
    }

    pub(super) fn when_dead(&self) -> WhenDead {
        self.0.when_dead
    }

    pub(super) fn tell(&self, text: &str) {
        (self.0.tell)(text);
    }

    /// A job of so many pieces took so long.
    pub(super) fn measure(&self, kind: &'static str, pieces: usize, seconds: f64) {
        let one = seconds / pieces.max(1) as f64;
        let mut speed = held(&self.0.speed);
        let known = speed.entry(kind).or_insert(one);
        // The last few jobs count most: later generations may be quicker or slower.
        *known += (one - *known) / 8.0;
    }

    /// How many pieces of `total` a job of this kind should have.
    pub(super) fn size(&self, kind: &'static str, total: u64) -> u64 {
        let one = held(&self.0.speed).get(kind).copied();
        size(one, total)
    }

    pub(super) fn count(&self, more: &Tally) {
        let mut tally = held(&self.0.tally);
        tally.handed_in += more.handed_in;
        tally.found += more.found;
        tally.done += more.done;
        tally.duplicates += more.duplicates;
        tally.corrupt += more.corrupt;
        tally.repeated += more.repeated;
        tally.dead += more.dead;
    }
}

fn size(seconds: Option<f64>, total: u64) -> u64 {
    let enough = seconds.map_or(1.0, |one| SECONDS / one.max(1e-6));
    // A float becomes the nearest integer that there is.
    let enough = (enough as u64).min(MOST_PIECES);
    enough.min(total.div_ceil(LEAST_JOBS)).max(1)
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_some_seconds_long_and_leaves_work_for_others() {
        for (seconds, total, wanted) in [
            (None, 1_000_000, 1),
            (Some(10.0), 1_000_000, 1),
            (Some(0.5), 1_000_000, 4),
            (Some(0.5), 128, 2),
            (Some(0.5), 3, 1),
            (Some(0.0), 1_000_000, MOST_PIECES),
            (Some(f64::NAN), 1_000_000, MOST_PIECES),
        ] {
            assert_eq!(size(seconds, total), wanted, "{seconds:?} {total}");
        }
    }
}
