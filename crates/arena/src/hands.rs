//! Who does the work of a match: threads that each take the next piece.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::Duration;

/// So often somebody looks whether all is to end: soon enough for Ctrl-C.
const GLANCE: Duration = Duration::from_millis(100);

/// Who does the work; it changes how long a match takes and nothing else.
#[derive(Clone, Copy, Debug)]
pub struct Hands {
    /// Games at once.
    pub concurrency: usize,
    /// Each at its own core.
    pub pin: bool,
}

/// What became of a piece of work.
pub(crate) enum Piece<T> {
    /// It is done.
    Done(T),
    /// It needs no doing.
    Skipped,
    /// It was abandoned, or there is no such piece; the hand can go.
    Nothing,
}

/// Whether there is any sense in going on.
#[derive(PartialEq, Eq)]
pub(crate) enum GoOn {
    Yes,
    No,
}

impl Hands {
    /// Does the pieces of work 0, 1, 2 … until there are none, `stop` is set, or
    /// `take` has enough. Each hand does them in its own workshop, made by
    /// `workshop`; `take` gets what is done on this thread, in any order.
    ///
    /// `work` is told of a signal that becomes true when it is to be abandoned;
    /// `stop` itself belongs to the caller.
    ///
    /// # Errors
    ///
    /// What `take` says; it is not asked again then.
    pub(crate) fn work<W, T: Send, E>(
        self,
        stop: &AtomicBool,
        workshop: impl Fn() -> W + Sync,
        work: impl Fn(&mut W, u64, &Arc<AtomicBool>) -> Piece<T> + Sync,
        mut take: impl FnMut(T) -> Result<GoOn, E>,
    ) -> Result<(), E> {
        let next = AtomicU64::new(0);
        let over = Arc::new(AtomicBool::new(stop.load(Ordering::Relaxed)));
        thread::scope(|scope| {
            // Hands that are faster than whoever takes wait for it.
            let (sender, receiver) = mpsc::sync_channel(self.concurrency.max(1));
            for hand in 0..self.concurrency.max(1) {
                let (sender, over) = (sender.clone(), Arc::clone(&over));
                let (next, workshop, work) = (&next, &workshop, &work);
                scope.spawn(move || {
                    if self.pin {
                        pin_to(hand);
                    }
                    let mut workshop = workshop();
                    one_hand(next, &over, &sender, |index| {
                        work(&mut workshop, index, &over)
                    });
                });
            }
            drop(sender);

            let mut result = Ok(());
            loop {
                match receiver.recv_timeout(GLANCE) {
                    // What was finished is kept, also while everything ends.
                    Ok(done) if result.is_ok() => match take(done) {
                        Ok(GoOn::Yes) => {}
                        Ok(GoOn::No) => over.store(true, Ordering::Relaxed),
                        Err(error) => {
                            result = Err(error);
                            over.store(true, Ordering::Relaxed);
                        }
                    },
                    Ok(_) | Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break,
                }
                if stop.load(Ordering::Relaxed) {
                    over.store(true, Ordering::Relaxed);
                }
            }
            result
        })
    }
}

/// One hand: takes the next piece, does it, hands it in.
fn one_hand<T>(
    next: &AtomicU64,
    over: &AtomicBool,
    sender: &SyncSender<T>,
    mut work: impl FnMut(u64) -> Piece<T>,
) {
    while !over.load(Ordering::Relaxed) {
        match work(next.fetch_add(1, Ordering::Relaxed)) {
            Piece::Done(done) => {
                if sender.send(done).is_err() {
                    return;
                }
            }
            Piece::Skipped => {}
            Piece::Nothing => return,
        }
    }
}

fn pin_to(core: usize) {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
    let Ok(allowed) = sched_getaffinity(None) else {
        return;
    };
    let cores: Vec<usize> = (0..CpuSet::MAX_CPU)
        .filter(|&core| allowed.is_set(core))
        .collect();
    let Some(&chosen) = cores.get(core % cores.len().max(1)) else {
        return;
    };
    let mut set = CpuSet::new();
    set.set(chosen);
    // Where it is not allowed, the match is slower and not wrong.
    let _ = sched_setaffinity(None, &set);
}
