//! Workers elsewhere, as all runs of a process share them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use mendel_crew::{Remote, Tally};

use super::book::Book;
use super::{AwayError, Desk};

/// Seconds of work that a job should be: long beside its way there and back, short
/// beside the patience of whoever waits for the last one.
const SECONDS: f64 = 2.0;

/// Whoever helps finds at least so many jobs of a part, so that nobody waits long for the
/// last one.
const JOBS_EACH: u64 = 8;

/// So many can help, where nobody is there yet.
const USUAL_HANDS: u64 = 8;

/// More than so many are not counted.
const MOST_HANDS: u64 = 65_536;

/// How many can help is asked for no more often.
const HANDS_KNOWN: Duration = Duration::from_secs(30);

/// No job takes so many seconds.
const LONGEST_JOB: f64 = 86_400.0;

/// Of the time of a number the last so many jobs count.
const REMEMBERED: u32 = 8;

/// No job has more numbers than this.
const MOST_NUMBERS: u64 = 256;

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
    /// Seconds that the pieces of a number took of late, by kind of job, and how many jobs
    /// say so.
    speed: Mutex<BTreeMap<&'static str, (f64, u32)>>,
    /// How many jobs the workers can do at once, and when that was asked.
    hands: Mutex<Option<(u64, Instant)>>,
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
        remote.on_news(move |news| told(&news.to_string()));
        Self(Arc::new(Shared {
            remote,
            when_dead,
            tell,
            speed: Mutex::default(),
            hands: Mutex::default(),
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

    /// A job of so many numbers took so long.
    pub(super) fn measure(&self, kind: &'static str, numbers: usize, seconds: f64) {
        // A worker says so, and may say anything.
        if !(0.0..=LONGEST_JOB).contains(&seconds) {
            return;
        }
        let one = seconds / numbers.max(1) as f64;
        let mut speed = held(&self.0.speed);
        let (known, jobs) = speed.entry(kind).or_insert((one, 0));
        *jobs = REMEMBERED.min(*jobs + 1);
        // The last few jobs count most: later generations may be quicker or slower.
        *known += (one - *known) / f64::from(*jobs);
    }

    /// How many numbers of `total` a job of this kind should have; nothing if none was
    /// done yet.
    pub(super) fn size(&self, kind: &'static str, total: u64) -> Result<Option<u64>, AwayError> {
        let one = held(&self.0.speed).get(kind).map(|(one, _)| *one);
        one.map(|one| Ok(size(one, total, self.hands()?)))
            .transpose()
    }

    /// How many numbers of `total` are done to find out how long they take: one or two for
    /// everybody, and a small part of all.
    pub(super) fn sample(&self, total: u64) -> Result<u64, AwayError> {
        Ok((2 * self.hands()?).min(total / JOBS_EACH).max(1))
    }

    /// How many jobs are done at once, as far as is known.
    fn hands(&self) -> Result<u64, AwayError> {
        let mut hands = held(&self.0.hands);
        if let Some((known, _)) = hands.filter(|(_, when)| when.elapsed() < HANDS_KNOWN) {
            return Ok(known);
        }
        // Workers say how many they have, and may say anything.
        let there = (self.0.remote.hands()? as u64).min(MOST_HANDS);
        if there == 0 {
            return Ok(USUAL_HANDS);
        }
        *hands = Some((there, Instant::now()));
        Ok(there)
    }

    pub(super) fn count(&self, more: &Tally) {
        let mut tally = held(&self.0.tally);
        tally.handed_in += more.handed_in;
        tally.found += more.found;
        tally.done += more.done;
        tally.duplicates += more.duplicates;
        tally.corrupt += more.corrupt;
        tally.other_build += more.other_build;
        tally.repeated += more.repeated;
        tally.dead += more.dead;
    }
}

fn size(seconds: f64, total: u64, hands: u64) -> u64 {
    // A float becomes the nearest integer that there is.
    let enough = ((SECONDS / seconds.max(1e-6)) as u64).min(MOST_NUMBERS);
    enough.min(total.div_ceil(JOBS_EACH * hands)).max(1)
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_some_seconds_long_and_leaves_work_for_others() {
        for (seconds, total, hands, wanted) in [
            (10.0, 1_000_000, 1, 1),
            (0.5, 1_000_000, 8, 4),
            (0.5, 128, 8, 2),
            (0.1, 60, 1, 8),
            (0.1, 60, 100, 1),
            (0.5, 3, 1, 1),
            (0.0, 1_000_000, 8, MOST_NUMBERS),
            (f64::NAN, 1_000_000, 8, MOST_NUMBERS),
        ] {
            assert_eq!(size(seconds, total, hands), wanted, "{seconds} {total}");
        }
    }
}
