//! Work that is stopped at random moments.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use crate::Random;

/// Stops that a test must see before it may end.
const MIN_STOPS: usize = 4;
/// Limit of a whole test, for slow and busy machines.
const DEADLINE: Duration = Duration::from_mins(2);

/// One attempt to do the work.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// Index, from 0.
    pub number: usize,
    /// Whether the results of earlier attempts must be forgotten first.
    pub starts_again: bool,
    /// Is set at a random moment.
    pub stop: Arc<AtomicBool>,
}

/// Stops work at random moments and continues it, until it is done in spite of at least
/// four stops. `attempt` returns whether the work is done.
///
/// No speed is assumed: the first moments lie within `typical`, the time of an unbroken run.
/// Work that is done before it was stopped often enough starts again with earlier moments.
/// After enough stops the last attempt is not stopped.
///
/// # Panics
///
/// If the work is not done and stopped often enough within two minutes.
pub fn stop_at_random_moments(
    seed: u64,
    typical: Duration,
    mut attempt: impl FnMut(&Attempt) -> bool,
) {
    let (mut random, mut stops, mut starts_again) = (Random::new(seed), 0, true);
    let mut latest = typical;
    let end = Instant::now() + DEADLINE;
    for number in 0.. {
        assert!(
            Instant::now() < end,
            "not done within {DEADLINE:?}: {stops} stops in {number} attempts"
        );
        let stop = Arc::new(AtomicBool::new(false));
        let this = Attempt {
            number,
            starts_again,
            stop: Arc::clone(&stop),
        };
        if stops >= MIN_STOPS {
            assert!(attempt(&this), "nothing stopped attempt {number}");
            return;
        }
        let done = stopped_after(moment(&mut random, latest), &stop, || attempt(&this));
        starts_again = done;
        if done {
            stops = 0;
            latest /= 2;
        } else {
            stops += 1;
        }
    }
}

fn moment(random: &mut Random, latest: Duration) -> Duration {
    let micros = u64::try_from(latest.as_micros()).unwrap_or(u64::MAX);
    Duration::from_micros(random.below(micros))
}

/// Does `work` and sets `stop` after a time. Does not wait for that time if the work ends
/// earlier.
fn stopped_after<T>(after: Duration, stop: &AtomicBool, work: impl FnOnce() -> T) -> T {
    thread::scope(|scope| {
        let (ended, end) = mpsc::channel::<()>();
        scope.spawn(move || {
            if end.recv_timeout(after) == Err(RecvTimeoutError::Timeout) {
                stop.store(true, Ordering::Relaxed);
            }
        });
        let result = work();
        drop(ended);
        result
    })
}
