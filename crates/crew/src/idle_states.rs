//! States kept for the next job of the same kind, such as started programs.

use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use crate::lock::lock;

/// An unused state is dropped after this time.
const IDLE_TTL: Duration = Duration::from_secs(30);
const IDLE_CHECK_INTERVAL: Duration = Duration::from_secs(5);

/// States of one kind, found by a key that covers everything a state depends on.
pub(crate) struct IdleStates<T>(Arc<Mutex<IdlePoolState<T>>>);

struct IdlePoolState<T> {
    kept: Vec<IdleEntry<T>>,
    /// Jobs that run now, and the maximum so far: no more states are kept than jobs ran.
    busy: usize,
    max_busy: usize,
    /// Whether a thread checks for expired states.
    watched: bool,
}

struct IdleEntry<T> {
    key: String,
    state: T,
    since: Instant,
}

impl<T> Default for IdleStates<T> {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(IdlePoolState {
            kept: Vec::new(),
            busy: 0,
            max_busy: 0,
            watched: false,
        })))
    }
}

impl<T: Send + 'static> IdleStates<T> {
    /// Does a job with the state kept for `key`, or one from `make`, and keeps it for the
    /// next job if `work` returns that it is reusable. After an error the state is dropped.
    pub(crate) fn with<R, E>(
        &self,
        key: &str,
        make: impl FnOnce() -> Result<T, E>,
        work: impl FnOnce(&mut T) -> Result<(R, bool), E>,
    ) -> Result<R, E> {
        let _busy = BusyGuard::new(&self.0);
        let mut state = self.take(key).map_or_else(make, Ok)?;
        let (result, reusable) = work(&mut state)?;
        if reusable {
            self.put(key, state);
        }
        Ok(result)
    }

    /// The state kept for `key`; if there is none, the oldest states make room.
    fn take(&self, key: &str) -> Option<T> {
        let mut state = lock(&self.0);
        if let Some(found) = state.kept.iter().position(|it| it.key == key) {
            return Some(state.kept.remove(found).state);
        }
        let room = state.max_busy.saturating_sub(state.busy);
        let surplus = state.kept.len().saturating_sub(room);
        let dropped: Vec<_> = state.kept.drain(..surplus).collect();
        // A program takes time to end; the lock is released before.
        drop(state);
        drop(dropped);
        None
    }

    fn put(&self, key: &str, new: T) {
        let mut state = lock(&self.0);
        state.kept.push(IdleEntry {
            key: key.to_owned(),
            state: new,
            since: Instant::now(),
        });
        if std::mem::replace(&mut state.watched, true) {
            return;
        }
        drop(state);
        let states = Arc::downgrade(&self.0);
        let watch = move || {
            loop {
                thread::sleep(IDLE_CHECK_INTERVAL);
                if !states.upgrade().is_some_and(|it| drop_expired(&it)) {
                    return;
                }
            }
        };
        // Without a thread they stay until another job needs the room.
        let _ = thread::Builder::new().name("idle".to_owned()).spawn(watch);
    }
}

/// Drops expired states; whether any is left.
fn drop_expired<T>(states: &Mutex<IdlePoolState<T>>) -> bool {
    let mut state = lock(states);
    let expired = |it: &mut IdleEntry<T>| it.since.elapsed() >= IDLE_TTL;
    let dropped: Vec<_> = state.kept.extract_if(.., expired).collect();
    state.watched = !state.kept.is_empty();
    let watched = state.watched;
    drop(state);
    drop(dropped);
    watched
}

/// Counts a job as running until dropped.
struct BusyGuard<T>(Arc<Mutex<IdlePoolState<T>>>);

impl<T> BusyGuard<T> {
    fn new(states: &Arc<Mutex<IdlePoolState<T>>>) -> Self {
        let mut state = lock(states);
        state.busy += 1;
        state.max_busy = state.max_busy.max(state.busy);
        Self(Arc::clone(states))
    }
}

impl<T> Drop for BusyGuard<T> {
    fn drop(&mut self) {
        lock(&self.0).busy -= 1;
    }
}
