//! Job leases: a worker keeps a job as long as it reports progress.

use std::time::{Duration, Instant};

#[derive(Debug)]
pub(crate) struct Lease {
    length: Duration,
    units: u64,
    moved: Instant,
    extended: Instant,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LeaseCheck {
    Wait,
    /// Report progress to the server.
    Extend,
    /// The lease has expired: another worker has the job, or will have it soon.
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

    /// Checks the units done so far. Progress is reported a few times in each lease and no
    /// more often.
    pub(crate) fn check(&mut self, units: u64, now: Instant) -> LeaseCheck {
        if units != self.units {
            self.units = units;
            self.moved = now;
        }
        if self.moved > self.extended && now - self.extended >= self.length / 4 {
            self.extended = now;
            return LeaseCheck::Extend;
        }
        if now - self.moved >= self.length {
            return LeaseCheck::Lost;
        }
        LeaseCheck::Wait
    }

    pub(crate) fn check_interval(&self) -> Duration {
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
        assert_eq!(lease.check(0, at(1)), LeaseCheck::Wait);
        assert_eq!(
            lease.check(1, at(1)),
            LeaseCheck::Wait,
            "too soon to pass on"
        );
        assert_eq!(lease.check(1, at(2)), LeaseCheck::Extend);
        assert_eq!(lease.check(1, at(4)), LeaseCheck::Wait);
        assert_eq!(lease.check(9, at(8)), LeaseCheck::Extend);
        assert_eq!(lease.check(9, at(15)), LeaseCheck::Wait);
        assert_eq!(lease.check(9, at(16)), LeaseCheck::Lost);
        assert_eq!(
            lease.check(10, at(17)),
            LeaseCheck::Extend,
            "late progress may still help"
        );
    }
}
