//! Clocks for a game with people.

use std::time::Duration;

use mendel_board::Color;
use mendel_engine::{Clock, SideClock};

use crate::limits::TimeControl;

/// Both clocks of a game; without a time control they stand still.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clocks(Option<Clock>);

impl Clocks {
    pub(super) fn new(control: Option<TimeControl>) -> Self {
        Self(control.map(|TimeControl { base, increment }| {
            let side = SideClock {
                remaining: base,
                increment,
            };
            Clock {
                white: side,
                black: side,
                moves_to_go: None,
            }
        }))
    }

    /// The clocks as an engine is told them.
    pub(super) fn for_engine(&self) -> Option<Clock> {
        self.0
    }

    /// `side` has moved after `used`. Returns false where its time was over.
    pub(super) fn press(&mut self, side: Color, used: Duration) -> bool {
        let Some(clock) = &mut self.0 else {
            return true;
        };
        let clock = match side {
            Color::White => &mut clock.white,
            Color::Black => &mut clock.black,
        };
        let left = clock.remaining.checked_sub(used);
        clock.remaining = left.map_or(Duration::ZERO, |left| left + clock.increment);
        left.is_some()
    }

    /// Both times as people read them; nothing without a time control.
    pub(super) fn text(&self) -> Option<String> {
        let written = |side: SideClock| {
            let seconds = side.remaining.as_secs();
            format!("{}:{:02}", seconds / 60, seconds % 60)
        };
        let clock = self.0?;
        Some(format!(
            "White {}  Black {}",
            written(clock.white),
            written(clock.black)
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_oversteps_the_time_has_lost() {
        let mut clocks = Clocks::new(Some("60+2".parse().unwrap()));
        assert!(clocks.press(Color::White, Duration::from_secs(50)));
        assert_eq!(clocks.text().unwrap(), "White 0:12  Black 1:00");
        assert!(!clocks.press(Color::White, Duration::from_secs(13)));
        assert!(clocks.press(Color::Black, Duration::from_secs(59)));
    }

    #[test]
    fn without_a_time_control_nobody_loses_on_time() {
        let mut clocks = Clocks::new(None);
        assert!(clocks.press(Color::Black, Duration::from_secs(1 << 40)));
        assert_eq!(clocks.text(), None);
    }
}
