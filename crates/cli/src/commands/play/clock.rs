//! Clocks for a game with people: the arena's, kept to the moment.

use std::time::Duration;

use mendel_arena::{Pace, Patience, TimeControl};
use mendel_board::Color;
use mendel_engine::{Clock, SideClock};

/// Both clocks of a game; without a time control they stand still.
#[derive(Clone, Debug)]
pub(super) struct Clocks(mendel_arena::Clocks);

impl Clocks {
    pub(super) fn new(control: Option<TimeControl>) -> Self {
        let pace = Pace {
            clock: control,
            ..Pace::default()
        };
        let patience = Patience {
            margin: Duration::ZERO,
            ..Patience::default()
        };
        Self(mendel_arena::Clocks::new(pace, pace, patience))
    }

    /// The clocks as an engine with `side` is told them.
    pub(super) fn for_engine(&self, side: Color) -> Option<Clock> {
        self.0.now(side)
    }

    /// `side` has moved after `used`. Returns false where its time was over.
    pub(super) fn press(&mut self, side: Color, used: Duration) -> bool {
        self.0.spend(side, used).is_ok()
    }

    /// Both times as people read them; nothing without a time control.
    pub(super) fn text(&self) -> Option<String> {
        let written = |side: SideClock| {
            let seconds = side.remaining.as_secs();
            format!("{}:{:02}", seconds / 60, seconds % 60)
        };
        let clock = self.0.now(Color::White)?;
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
