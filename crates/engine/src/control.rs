//! Signals to a running search.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Signals to a search, set from another thread.
#[derive(Clone, Debug, Default)]
pub struct Control(Arc<Signals>);

#[derive(Debug, Default)]
struct Signals {
    stop: AtomicBool,
    /// A stop flag of the caller.
    others: Option<Arc<AtomicBool>>,
    ponderhit: AtomicBool,
}

impl Control {
    /// A control that also stops when `signal` becomes true.
    pub fn watching(signal: Arc<AtomicBool>) -> Self {
        Self(Arc::new(Signals {
            others: Some(signal),
            ..Signals::default()
        }))
    }

    /// Ends the search at its next poll.
    pub fn stop(&self) {
        self.0.stop.store(true, Ordering::Release);
    }

    pub fn is_stopped(&self) -> bool {
        let others = self.0.others.as_ref();
        self.0.stop.load(Ordering::Acquire)
            || others.is_some_and(|signal| signal.load(Ordering::Acquire))
    }

    /// The opponent played the expected move: the clock counts from now.
    pub fn ponderhit(&self) {
        self.0.ponderhit.store(true, Ordering::Release);
    }

    pub fn is_ponderhit(&self) -> bool {
        self.0.ponderhit.load(Ordering::Acquire)
    }
}
