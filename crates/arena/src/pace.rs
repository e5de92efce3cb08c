//! What a player may use for its moves.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What a player may use: a clock for the game, or a fixed measure for each move.
/// Several may be given; the first that is reached ends the thought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pace {
    /// A clock over the game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<TimeControl>,
    /// Time for each move.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "crate::seconds::optional"
    )]
    pub movetime: Option<Duration>,
    /// Nodes for each move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Plies for each move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
}

impl Pace {
    /// Whether the same position always gets the same thought, on any machine.
    pub fn is_repeatable(&self) -> bool {
        self.clock.is_none()
            && self.movetime.is_none()
            && (self.nodes.is_some() || self.depth.is_some())
    }
}

/// `moves/base+increment` in seconds, such as `8+0.08` or `40/60+0.5`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TimeControl {
    /// After so many moves the base is added again; `None` for the whole game.
    pub moves: Option<u32>,
    /// The time to begin with.
    pub base: Duration,
    /// What each move adds.
    pub increment: Duration,
}

/// Why a text is no time control.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not a time control: write seconds+increment or moves/seconds+increment, such as 8+0.08 or 40/60+0.5"
)]
pub struct PaceError {
    /// What was read.
    pub text: String,
}

impl FromStr for TimeControl {
    type Err = PaceError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fail = || PaceError {
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
            // A day for a game is more than anybody waits for a match.
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
    type Error = PaceError;

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

impl fmt::Display for Pace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if let Some(clock) = self.clock {
            parts.push(clock.to_string());
        }
        if let Some(time) = self.movetime {
            parts.push(format!("{} ms a move", time.as_millis()));
        }
        if let Some(nodes) = self.nodes {
            parts.push(format!("{nodes} nodes a move"));
        }
        if let Some(depth) = self.depth {
            parts.push(format!("depth {depth}"));
        }
        f.write_str(&if parts.is_empty() {
            "no limit".to_owned()
        } else {
            parts.join(", ")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_controls_read_as_they_are_written() {
        for text in ["8+0.08", "40/60+0.5", "2+0", "0+1"] {
            let control: TimeControl = text.parse().expect(text);
            assert_eq!(control.to_string(), text);
        }
        assert_eq!(
            "60".parse::<TimeControl>().map(|tc| tc.to_string()),
            Ok("60+0".to_owned())
        );
    }

    #[test]
    fn nonsense_is_no_time_control() {
        for text in [
            "", "x", "-1+1", "1+-1", "0/5+1", "inf", "NaN+1", "0+0", "1e30", "4/", "1+1+1",
        ] {
            assert!(text.parse::<TimeControl>().is_err(), "{text}");
        }
    }
}
