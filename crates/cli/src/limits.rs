//! Limits on a search, written alike in every command.

use std::time::Duration;

use clap::Args;
use mendel_engine::Limits;

/// How long to think about a move.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct LimitArguments {
    /// Think this many milliseconds about each move
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=86_400_000))]
    pub(crate) movetime: Option<u64>,
    /// Think this many plies deep
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..=128))]
    pub(crate) depth: Option<u32>,
    /// Think this many nodes; the same game on every machine
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) nodes: Option<u64>,
    /// Play with clocks: seconds for the game, plus seconds for each move
    #[arg(long, value_name = "BASE+INC", conflicts_with = "movetime")]
    pub(crate) tc: Option<TimeControl>,
}

impl LimitArguments {
    /// The limits of one move, without clocks; `default` where nothing was said.
    pub(crate) fn for_a_move(&self, default: Duration) -> Limits {
        let limited = self.movetime.is_some() || self.depth.is_some() || self.nodes.is_some();
        Limits {
            movetime: match self.movetime {
                Some(milliseconds) => Some(Duration::from_millis(milliseconds)),
                None if limited || self.tc.is_some() => None,
                None => Some(default),
            },
            depth: self.depth,
            nodes: self.nodes,
            ..Limits::default()
        }
    }
}

/// A time control such as `8+0.08`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TimeControl {
    /// For the whole game.
    pub(crate) base: Duration,
    /// Added after each move.
    pub(crate) increment: Duration,
}

impl std::str::FromStr for TimeControl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const LONGEST: f64 = 86_400.0;
        let (base, increment) = text.split_once('+').unwrap_or((text, "0"));
        let seconds = |part: &str| {
            part.trim()
                .parse()
                .ok()
                .filter(|seconds: &f64| (0.0..=LONGEST).contains(seconds))
                .map(Duration::from_secs_f64)
        };
        match (seconds(base), seconds(increment)) {
            (Some(base), Some(increment)) if base > Duration::ZERO => Ok(Self { base, increment }),
            _ => Err("seconds and seconds a move are wanted, such as 8+0.08".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_controls_are_seconds_and_an_increment() {
        for (text, base, increment) in [("8+0.08", 8_000, 80), ("60", 60_000, 0), ("0.5+0", 500, 0)]
        {
            let control: TimeControl = text.parse().unwrap();
            assert_eq!(control.base, Duration::from_millis(base), "{text}");
            assert_eq!(
                control.increment,
                Duration::from_millis(increment),
                "{text}"
            );
        }
    }

    #[test]
    fn nonsense_is_no_time_control() {
        for text in [
            "", "+", "0+1", "-1+0", "8+-1", "nan", "inf+1", "1e300+0", "8+x",
        ] {
            assert!(text.parse::<TimeControl>().is_err(), "{text}");
        }
    }
}
