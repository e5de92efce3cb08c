//! Time controls, and the clock of one side under a time control.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::SideClock;

/// `moves/base+increment` in seconds, such as `8+0.08` or `40/60+0.5`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TimeControl {
    /// Moves after which the base time is added again; `None` for the whole game.
    pub moves: Option<u32>,
    pub base: Duration,
    pub increment: Duration,
}

/// A text that is not a time control.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not a time control: write seconds+increment or moves/seconds+increment, such as 8+0.08 or 40/60+0.5"
)]
pub struct TimeControlError {
    /// At most 60 characters of it.
    pub text: String,
}

impl FromStr for TimeControl {
    type Err = TimeControlError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fail = || TimeControlError {
            text: text.chars().take(60).collect(),
        };
        let (moves, rest) = match text.split_once('/') {
            None => (None, text),
            Some((moves, rest)) => {
                let moves: u32 = moves.trim().parse().map_err(|_| fail())?;
                (
                    Some(moves)
                        .filter(|&moves| moves > 0)
                        .ok_or_else(fail)?
                        .into(),
                    rest,
                )
            }
        };
        let (base, increment) = rest.split_once('+').unwrap_or((rest, "0"));
        let seconds = |text: &str| {
            let seconds: f64 = text.trim().parse().map_err(|_| fail())?;
            // At most one day: a longer game is a typing error.
            if (0.0..=86_400.0).contains(&seconds) {
                Ok(Duration::from_secs_f64(seconds))
            } else {
                Err(fail())
            }
        };
        let control = Self {
            moves,
            base: seconds(base)?,
            increment: seconds(increment)?,
        };
        if control.base.is_zero() && control.increment.is_zero() {
            return Err(fail());
        }
        Ok(control)
    }
}

impl TryFrom<String> for TimeControl {
    type Error = TimeControlError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<TimeControl> for String {
    fn from(control: TimeControl) -> Self {
        control.to_string()
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(moves) = self.moves {
            write!(f, "{moves}/")?;
        }
        write!(
            f,
            "{}+{}",
            self.base.as_secs_f64(),
            self.increment.as_secs_f64()
        )
    }
}

/// The clock of one side under a time control. It counts only when it is told the
/// time that a move used, so that it works without reading the system's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SideTimer {
    control: TimeControl,
    remaining: Duration,
    moves_to_go: Option<u32>,
}

impl SideTimer {
    /// The clock before the first move. Without a base time the first move already
    /// has its increment, otherwise it would be late at once.
    pub fn new(control: TimeControl) -> Self {
        Self {
            control,
            remaining: if control.base.is_zero() {
                control.increment
            } else {
                control.base
            },
            moves_to_go: control.moves,
        }
    }

    /// Time left for the next move and those after it.
    pub fn remaining(&self) -> Duration {
        self.remaining
    }

    /// Moves until the base time is added again; `None` for the whole game.
    pub fn moves_to_go(&self) -> Option<u32> {
        self.moves_to_go
    }

    /// The clock in the form that an engine receives.
    pub fn side_clock(&self) -> SideClock {
        SideClock {
            remaining: self.remaining,
            increment: self.control.increment,
        }
    }

    /// Takes away the time that a move used and adds what the move earned. The
    /// caller decides whether the move was too late.
    pub fn finish_move(&mut self, used: Duration) {
        let left = self.remaining.saturating_sub(used);
        self.remaining = left.saturating_add(self.control.increment);
        if let (Some(to_go), Some(moves)) = (&mut self.moves_to_go, self.control.moves) {
            *to_go = to_go.saturating_sub(1);
            if *to_go == 0 {
                *to_go = moves;
                self.remaining = self.remaining.saturating_add(self.control.base);
            }
        }
    }
}
