//! Pure loops on threads, whose result does not depend on the number of threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Calls `work` with every number below `units` on up to `threads` threads, the calling
/// thread among them, and returns the results in order.
///
/// The assignment of units to threads is not defined; a result must not depend on it.
pub fn parallel<T: Send>(threads: usize, units: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    parallel_with(threads, units, || (), |(), unit| work(unit))
}

/// As [`parallel`], with a state that each thread creates once and uses for all its
/// units, such as buffers.
///
/// # Panics
///
/// If `work` panics on any thread.
pub fn parallel_with<S, T: Send>(
    threads: usize,
    units: usize,
    prepare: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) -> T + Sync,
) -> Vec<T> {
    let threads = threads.clamp(1, units.max(1));
    if threads == 1 {
        let mut state = prepare();
        return (0..units).map(|unit| work(&mut state, unit)).collect();
    }
    let next = AtomicUsize::new(0);
    let run = || {
        let mut state = prepare();
        let mut done = Vec::with_capacity(units / threads + 1);
        loop {
            let unit = next.fetch_add(1, Ordering::Relaxed);
            if unit >= units {
                return done;
            }
            done.push((unit, work(&mut state, unit)));
        }
    };
    let mut done = thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(run)).collect();
        let mut done = run();
        for other in others {
            match other.join() {
                Ok(results) => done.extend(results),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    });
    done.sort_unstable_by_key(|&(unit, _)| unit);
    done.into_iter().map(|(_, result)| result).collect()
}
