//! States kept for the next job of the same kind, such as started programs.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use std::{fmt, thread};

use crate::lock::lock;

/// An unused state is dropped after this time.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);

/// Interval between checks for expired states.
const CHECK_INTERVAL: Duration = Duration::from_secs(5);

/// States of one kind, found by a key that covers everything a state depends on. Clones
/// share them.
pub(crate) struct IdleStates<T>(Arc<Mutex<IdlePoolState<T>>>);

struct IdlePoolState<T> {
    kept: Vec<IdleEntry<T>>,
    /// Jobs that run now, and the maximum so far: no more states are kept than jobs ran.
    busy: usize,
    most: usize,
    /// Whether a thread checks for expired states.
    watched: bool,
}

struct IdleEntry<T> {
    key: String,
    state: T,
    since: Instant,
}

impl<T> Clone for IdleStates<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Default for IdleStates<T> {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(IdlePoolState {
            kept: Vec::new(),
            busy: 0,
            most: 0,
            watched: false,
        })))
    }
}

impl<T> fmt::Debug for IdleStates<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IdleStates").finish_non_exhaustive()
    }
}

impl<T: Send + 'static> IdleStates<T> {
    /// Does a job with the state kept for `key`, or one from `make`, and keeps it for the
    /// next job if `work` says that it is reusable.
    ///
    /// # Errors
    ///
    /// Those of `make` and `work`; after an error the state is dropped.
    pub(crate) fn with<R, E>(
        &self,
        key: &str,
        make: impl FnOnce() -> Result<T, E>,
        work: impl FnOnce(&mut T) -> Result<(R, bool), E>,
    ) -> Result<R, E> {
        let _busy = self.start();
        let found = self.take(key);
        let mut state = found.map_or_else(make, Ok)?;
        let (result, reusable) = work(&mut state)?;
        if reusable {
            self.put(key, state);
        }
        Ok(result)
    }

    fn start(&self) -> BusyGuard<T> {
        let mut state = lock(&self.0);
        state.busy += 1;
        state.most = state.most.max(state.busy);
        BusyGuard(Arc::clone(&self.0))
    }

    /// The state kept for `key`; if there is none, the oldest states make room.
    fn take(&self, key: &str) -> Option<T> {
        let mut state = lock(&self.0);
        let place = state.kept.iter().position(|it| it.key == key);
        if let Some(place) = place {
            return Some(state.kept.remove(place).state);
        }
        let room = state.most.saturating_sub(state.busy);
        let over = state.kept.len().saturating_sub(room);
        let gone: Vec<_> = state.kept.drain(..over).collect();
        drop(state);
        // A program takes time to end; the lock is released before.
        drop(gone);
        None
    }

    fn put(&self, key: &str, new: T) {
        let mut state = lock(&self.0);
        state.kept.push(IdleEntry {
            key: key.to_owned(),
            state: new,
            since: Instant::now(),
        });
        let watched = std::mem::replace(&mut state.watched, true);
        drop(state);
        if !watched {
            let state = Arc::downgrade(&self.0);
            let look = move || {
                loop {
                    thread::sleep(CHECK_INTERVAL);
                    if !state.upgrade().is_some_and(|state| drop_expired(&state)) {
                        return;
                    }
                }
            };
            // Without a thread they stay until another job needs the room.
            let _ = thread::Builder::new().name("idle".to_owned()).spawn(look);
        }
    }
}

/// Drops expired states; whether any is left.
fn drop_expired<T>(state: &Mutex<IdlePoolState<T>>) -> bool {
    let mut state = lock(state);
    let (stay, go): (Vec<_>, Vec<_>) = std::mem::take(&mut state.kept)
        .into_iter()
        .partition(|it| it.since.elapsed() < IDLE_TIMEOUT);
    state.kept = stay;
    state.watched = !state.kept.is_empty();
    let watched = state.watched;
    drop(state);
    drop(go);
    watched
}

/// Counts a job as running until dropped.
struct BusyGuard<T>(Arc<Mutex<IdlePoolState<T>>>);

impl<T> Drop for BusyGuard<T> {
    fn drop(&mut self) {
        lock(&self.0).busy -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_as_good_reusable_is_used_again_and_no_more_is_kept_than_can_be_used() {
        let idle = IdleStates::default();
        let count = Mutex::new(0);
        let ask = |key: &str, reusable: bool| {
            let make = || {
                let mut count = count.lock().expect("no panic");
                *count += 1;
                Ok::<_, ()>(*count)
            };
            idle.with(key, make, |it| Ok((*it, reusable)))
                .expect("made")
        };
        assert_eq!((ask("a", true), ask("a", true)), (1, 1));
        assert_eq!((ask("a", false), ask("a", true)), (1, 2));
        // One job runs at a time, so that the other state takes its place.
        assert_eq!((ask("b", true), ask("a", true)), (3, 4));
        let failed: Result<(), &str> = idle.with("a", || Ok(0), |_| Err("broken"));
        assert_eq!((failed, ask("a", true)), (Err("broken"), 5));
    }
}
