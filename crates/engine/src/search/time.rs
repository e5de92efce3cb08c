//! How long to think.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use mendel_board::Color;

use crate::{Control, Limits, SearchParams, SideClock};

/// What is never planned to be used, as far as the clock allows: shared machines
/// have been seen to stand still for up to two hundred milliseconds.
const RESERVE: Duration = Duration::from_millis(300);

/// Watches the clock of one search.
#[derive(Debug)]
pub(crate) struct TimeKeeper {
    start: Instant,
    /// The search begins on the opponent's time.
    pondering: bool,
    ponderhit: OnceLock<Instant>,
    budget: Budget,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Budget {
    /// After this no new iteration is begun; stretched or shrunk as the search
    /// goes.
    pub(crate) planned: Option<Duration>,
    /// After this the search ends wherever it is.
    pub(crate) most: Option<Duration>,
}

impl Budget {
    /// What `limits` allow the side `us`.
    pub(crate) fn new(
        limits: &Limits,
        us: Color,
        overhead: Duration,
        params: &SearchParams,
    ) -> Self {
        if let Some(movetime) = limits.movetime {
            let most = movetime.saturating_sub(overhead.min(movetime / 2));
            return Self {
                planned: None,
                most: Some(most),
            };
        }
        let Some(clock) = &limits.clock else {
            return Self::default();
        };
        let SideClock {
            remaining,
            increment,
        } = clock.of(us);

        // 1. What is there, less what the way to the clock costs and a reserve for
        //    a machine that is busy elsewhere for a moment. However little is
        //    left, a tenth of it is for thinking: a move late is a game lost, a
        //    move without thought often too.
        let reserve = RESERVE.min(remaining * 3 / 4);
        let usable = remaining
            .saturating_sub(overhead + reserve)
            .max(remaining / 10);

        // 2. An even share of it, plus most of the increment.
        let moves = clock
            .moves_to_go
            .unwrap_or(u32::MAX)
            .clamp(1, params.clock_moves as u32);
        let gained = increment.mul_f64(f64::from(params.clock_increment) / 100.0);
        let share = usable / moves + gained;

        // 3. At most several shares, and so little of a short clock that several
        //    long thoughts on end leave enough for a moment's delay.
        let part = if moves == 1 { 0.9 } else { 0.3 };
        let mut largest = usable.mul_f64(part);

        // 4. Below the reserve, moves are made on less than each of them brings,
        //    until the reserve is whole again.
        if remaining < RESERVE && !increment.is_zero() {
            largest = largest.min(increment.mul_f64(0.6));
        }
        let most = share
            .mul_f64(f64::from(params.clock_most) / 100.0)
            .min(largest);
        Self {
            planned: Some(share.min(largest)),
            most: Some(most),
        }
    }
}

impl TimeKeeper {
    pub(crate) fn new(start: Instant, limits: &Limits, budget: Budget) -> Self {
        Self {
            start,
            pondering: limits.ponder,
            ponderhit: OnceLock::new(),
            budget,
        }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Time on our own clock; `None` while that does not run.
    fn used(&self, control: &Control) -> Option<Duration> {
        if !self.pondering {
            return Some(self.start.elapsed());
        }
        control
            .is_ponderhit()
            .then(|| self.ponderhit.get_or_init(Instant::now).elapsed())
    }

    /// Whether the search must end now.
    pub(crate) fn is_out(&self, control: &Control) -> bool {
        self.budget
            .most
            .is_some_and(|most| self.used(control).is_some_and(|used| used >= most))
    }

    /// Whether it is not worth beginning another iteration, if this search needs
    /// `stretch` times the planned time.
    pub(crate) fn is_enough(&self, control: &Control, stretch: f64) -> bool {
        self.budget.planned.is_some_and(|planned| {
            self.used(control)
                .is_some_and(|used| used >= planned.mul_f64(stretch))
        })
    }

    /// Whether the clock decides when this search ends.
    pub(crate) fn is_clocked(&self) -> bool {
        self.budget.planned.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Clock;

    fn budget(remaining: u64, increment: u64, moves_to_go: Option<u32>) -> Budget {
        let side = SideClock {
            remaining: Duration::from_millis(remaining),
            increment: Duration::from_millis(increment),
        };
        let clock = Clock {
            white: side,
            black: SideClock::default(),
            moves_to_go,
        };
        let limits = Limits {
            clock: Some(clock),
            ..Limits::default()
        };
        let overhead = Duration::from_millis(10);
        Budget::new(&limits, Color::White, overhead, &SearchParams::default())
    }

    #[test]
    fn no_budget_exceeds_the_clock() {
        for remaining in [0, 1, 5, 11, 20, 50, 500, 60_000, 3_600_000] {
            for increment in [0, 10, 1000, 100_000] {
                for moves_to_go in [None, Some(0), Some(1), Some(2), Some(40)] {
                    let budget = budget(remaining, increment, moves_to_go);
                    let most = budget.most.expect("a clock sets a limit");
                    assert!(most <= Duration::from_millis(remaining));
                    assert!(
                        budget.planned.expect("a clock makes a plan")
                            <= Duration::from_millis(remaining)
                    );
                    if remaining > 20 {
                        assert!(
                            most <= Duration::from_millis(remaining - 10),
                            "{remaining} {increment} {moves_to_go:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn a_clock_below_the_reserve_grows_with_each_move() {
        for remaining in [20, 100, 299] {
            let most = budget(remaining, 10, None)
                .most
                .expect("a clock sets a limit");
            assert!(most < Duration::from_millis(7), "{remaining}: {most:?}");
        }
        let most = budget(299, 0, None).most.expect("a clock sets a limit");
        assert!(
            most > Duration::from_millis(7),
            "nothing comes back: {most:?}"
        );
    }

    #[test]
    fn a_move_time_is_kept_with_its_overhead() {
        let limits = Limits {
            movetime: Some(Duration::from_millis(100)),
            ..Limits::default()
        };
        let overhead = Duration::from_millis(10);
        let budget = Budget::new(&limits, Color::White, overhead, &SearchParams::default());
        assert_eq!(
            budget,
            Budget {
                planned: None,
                most: Some(Duration::from_millis(90))
            }
        );
    }
}
