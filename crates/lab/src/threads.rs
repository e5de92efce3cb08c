//! Work shared by threads, whose result does not depend on how many there are.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Does `units` pieces of work on up to `threads` threads, this one among them,
/// and returns what each gave, in their order.
///
/// Which thread does which piece is chance; a piece must not care.
pub(crate) fn map<T: Send>(
    threads: usize,
    units: usize,
    work: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    map_with(threads, units, || (), |(), unit| work(unit))
}

/// The same, with something each thread makes for itself and uses for all its
/// pieces, such as buffers.
pub(crate) fn map_with<S, T: Send>(
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
    let toil = || {
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
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(toil)).collect();
        let mut done = toil();
        for other in others {
            match other.join() {
                Ok(theirs) => done.extend(theirs),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    });
    done.sort_unstable_by_key(|&(unit, _)| unit);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::map;

    #[test]
    fn results_come_in_the_order_of_the_work_whoever_did_it() {
        let squares: Vec<usize> = (0..1000).map(|unit| unit * unit).collect();
        for threads in [0, 1, 2, 7] {
            assert_eq!(map(threads, 1000, |unit| unit * unit), squares, "{threads}");
        }
        assert!(map(3, 0, |unit| unit).is_empty());
    }
}
