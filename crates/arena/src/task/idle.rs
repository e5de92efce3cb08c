//! Who is ready for the next job: programs are not started anew for each.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Who was not needed for so long goes.
const KEPT: Duration = Duration::from_secs(30);

/// So often somebody looks who has to go.
const ROUND: Duration = Duration::from_secs(5);

/// What the jobs of one kind leave for those that need the same, found by a text that says
/// all that it depends on. Clones share it.
pub struct Idle<T>(Arc<Mutex<State<T>>>);

struct State<T> {
    kept: Vec<Kept<T>>,
    /// Jobs at work now, and the most there were: no more is kept than could be at work.
    busy: usize,
    most: usize,
    /// Whether somebody looks after what is kept.
    watched: bool,
}

struct Kept<T> {
    key: String,
    what: T,
    since: Instant,
}

impl<T> Clone for Idle<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Default for Idle<T> {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(State {
            kept: Vec::new(),
            busy: 0,
            most: 0,
            watched: false,
        })))
    }
}

impl<T> fmt::Debug for Idle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Idle").finish_non_exhaustive()
    }
}

fn lock<T>(state: &Mutex<State<T>>) -> MutexGuard<'_, State<T>> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T: Send + 'static> Idle<T> {
    /// Does a job with what is kept for `key`, or with what `make` makes, and keeps it for
    /// the next if `work` says that it is as good as new.
    ///
    /// # Errors
    ///
    /// What `make` and `work` say; after an error nothing is kept.
    pub fn with<R, E>(
        &self,
        key: &str,
        make: impl FnOnce() -> Result<T, E>,
        work: impl FnOnce(&mut T) -> Result<(R, bool), E>,
    ) -> Result<R, E> {
        let _busy = self.begin();
        let found = self.take(key);
        let mut what = found.map_or_else(make, Ok)?;
        let (result, as_new) = work(&mut what)?;
        if as_new {
            self.put(key, what);
        }
        Ok(result)
    }

    fn begin(&self) -> Busy<T> {
        let mut state = lock(&self.0);
        state.busy += 1;
        state.most = state.most.max(state.busy);
        Busy(Arc::clone(&self.0))
    }

    /// What is kept for `key`; where there is nothing, who waited longest makes room.
    fn take(&self, key: &str) -> Option<T> {
        let mut state = lock(&self.0);
        let place = state.kept.iter().position(|it| it.key == key);
        if let Some(place) = place {
            return Some(state.kept.remove(place).what);
        }
        let room = state.most.saturating_sub(state.busy);
        let over = state.kept.len().saturating_sub(room);
        let gone: Vec<_> = state.kept.drain(..over).collect();
        drop(state);
        // A program that ends takes its time; nobody else has to wait for it.
        drop(gone);
        None
    }

    fn put(&self, key: &str, what: T) {
        let mut state = lock(&self.0);
        state.kept.push(Kept {
            key: key.to_owned(),
            what,
            since: Instant::now(),
        });
        let watched = std::mem::replace(&mut state.watched, true);
        drop(state);
        if !watched {
            let state = Arc::downgrade(&self.0);
            let look = move || {
                loop {
                    thread::sleep(ROUND);
                    if !state.upgrade().is_some_and(|state| dismiss(&state)) {
                        return;
                    }
                }
            };
            // Without a thread they stay until somebody else needs the room.
            let _ = thread::Builder::new().name("idle".to_owned()).spawn(look);
        }
    }
}

/// Lets those go who wait too long, and says whether anybody is left.
fn dismiss<T>(state: &Mutex<State<T>>) -> bool {
    let mut state = lock(state);
    let (stay, go): (Vec<_>, Vec<_>) = std::mem::take(&mut state.kept)
        .into_iter()
        .partition(|it| it.since.elapsed() < KEPT);
    state.kept = stay;
    state.watched = !state.kept.is_empty();
    let watched = state.watched;
    drop(state);
    drop(go);
    watched
}

/// A job at work.
struct Busy<T>(Arc<Mutex<State<T>>>);

impl<T> Drop for Busy<T> {
    fn drop(&mut self) {
        lock(&self.0).busy -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_as_good_as_new_is_used_again_and_no_more_is_kept_than_can_be_used() {
        let idle = Idle::default();
        let count = Mutex::new(0);
        let ask = |key: &str, as_new: bool| {
            let make = || {
                let mut count = count.lock().expect("no panic");
                *count += 1;
                Ok::<_, ()>(*count)
            };
            idle.with(key, make, |it| Ok((*it, as_new))).expect("made")
        };
        assert_eq!((ask("a", true), ask("a", true)), (1, 1));
        assert_eq!((ask("a", false), ask("a", true)), (1, 2));
        // Another takes its place, since one is at work at a time.
        assert_eq!((ask("b", true), ask("a", true)), (3, 4));
        let failed: Result<(), &str> = idle.with("a", || Ok(0), |_| Err("broken"));
        assert_eq!((failed, ask("a", true)), (Err("broken"), 5));
    }
}
