//! Who may keep a job: whoever gets on with it.

use std::time::{Duration, Instant};

/// The lease of a job, as its worker keeps it.
#[derive(Debug)]
pub(crate) struct Lease {
    length: Duration,
    units: u64,
    moved: Instant,
    extended: Instant,
}

/// What a look at the units of progress says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// Nothing is to be done.
    Wait,
    /// The server should be told that there was progress.
    Extend,
    /// The job is with another worker by now, or soon.
    Lost,
}

impl Lease {
    pub(crate) fn new(length: Duration, now: Instant) -> Self {
        Self {
            length,
            units: 0,
            moved: now,
            extended: now,
        }
    }

    /// Looks at the units made so far. Progress is passed on a few times in each
    /// lease and no more often.
    pub(crate) fn look(&mut self, units: u64, now: Instant) -> Look {
        if units != self.units {
            self.units = units;
            self.moved = now;
        }
        if self.moved > self.extended && now - self.extended >= self.length / 4 {
            self.extended = now;
            return Look::Extend;
        }
        if now - self.moved >= self.length {
            return Look::Lost;
        }
        Look::Wait
    }

    /// How often to look.
    pub(crate) fn pause(&self) -> Duration {
        (self.length / 16).clamp(Duration::from_millis(5), Duration::from_millis(500))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_and_nothing_else_extends() {
        let begun = Instant::now();
        let at = |seconds| begun + Duration::from_secs(seconds);
        let mut lease = Lease::new(Duration::from_secs(8), begun);
        assert_eq!(lease.look(0, at(1)), Look::Wait);
        assert_eq!(lease.look(1, at(1)), Look::Wait, "too soon to pass on");
        assert_eq!(lease.look(1, at(2)), Look::Extend);
        assert_eq!(lease.look(1, at(4)), Look::Wait);
        assert_eq!(lease.look(9, at(8)), Look::Extend);
        assert_eq!(lease.look(9, at(15)), Look::Wait);
        assert_eq!(lease.look(9, at(16)), Look::Lost);
        assert_eq!(
            lease.look(10, at(17)),
            Look::Extend,
            "late progress may still help"
        );
    }
}
