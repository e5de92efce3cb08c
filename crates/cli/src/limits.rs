//! Limits of a search; the same flags in every command.

use std::time::Duration;

use clap::Args;
use mendel_arena::Pace;
use mendel_engine::{Limits, TimeControl};

#[derive(Args, Clone, Debug, Default)]
pub(crate) struct LimitArgs {
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

impl LimitArgs {
    /// The limits of a player in a match.
    pub(crate) fn pace(&self) -> Pace {
        Pace {
            clock: self.tc,
            movetime: self.movetime.map(Duration::from_millis),
            nodes: self.nodes,
            depth: self.depth,
        }
    }

    /// The limits of one move, without clocks; `default` without any limit.
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
