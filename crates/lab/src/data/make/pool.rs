//! Numbered jobs on threads.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::{MakeError, Means};

/// How often it is looked whether somebody wants to stop.
const LOOK: Duration = Duration::from_millis(100);

/// Does the jobs: `seat` makes what a thread works with, `work` does one job,
/// `None` if it was halted in the middle, and `take` gets what was done in the
/// order of finishing, on this thread, until it has enough.
pub(super) fn run<S, T: Send>(
    means: &Means,
    jobs: impl Iterator<Item = u64> + Send,
    seat: impl Fn() -> Result<S, MakeError> + Sync,
    work: impl Fn(&mut S, u64, &Arc<AtomicBool>) -> Result<Option<T>, MakeError> + Sync,
    mut take: impl FnMut(u64, T) -> Result<ControlFlow<()>, MakeError>,
) -> Result<(), MakeError> {
    let halt = Arc::new(AtomicBool::new(false));
    let jobs = Mutex::new(jobs);
    let next = || {
        let mut jobs = jobs.lock().unwrap_or_else(PoisonError::into_inner);
        jobs.next()
    };
    let (tell, hear) = mpsc::channel();
    thread::scope(|scope| {
        // 1. The threads; each tells until nobody listens.
        for _ in 0..means.threads.max(1) {
            let tell = tell.clone();
            let (seat, work, next, halt) = (&seat, &work, &next, &halt);
            scope.spawn(move || {
                let mut own = match seat() {
                    Ok(own) => own,
                    Err(error) => {
                        let _ = tell.send(Err(error));
                        return;
                    }
                };
                while let Some(job) = next() {
                    if halt.load(Ordering::Relaxed) {
                        return;
                    }
                    let told = match work(&mut own, job, halt) {
                        Ok(Some(done)) => tell.send(Ok((job, done))),
                        Ok(None) => return,
                        Err(error) => tell.send(Err(error)),
                    };
                    if told.is_err() {
                        return;
                    }
                }
            });
        }
        drop(tell);

        // 2. What they tell.
        let result = loop {
            if means.stop.load(Ordering::Relaxed) {
                break Err(MakeError::Stopped);
            }
            match hear.recv_timeout(LOOK) {
                Ok(Ok((job, done))) => match take(job, done) {
                    Ok(ControlFlow::Continue(())) => {}
                    Ok(ControlFlow::Break(())) => break Ok(()),
                    Err(error) => break Err(error),
                },
                Ok(Err(error)) => break Err(error),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break Ok(()),
            }
        };
        halt.store(true, Ordering::Relaxed);
        result
    })
}
