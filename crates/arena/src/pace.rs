//! What a player may use for its moves.

use std::fmt;
use std::time::Duration;

use mendel_engine::TimeControl;
use serde::{Deserialize, Serialize};

/// What a player may use: a clock for the game, or a fixed measure for each move.
/// Several may be given; the first that is reached ends the thought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pace {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<TimeControl>,
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "crate::seconds::optional"
    )]
    pub movetime: Option<Duration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
}

impl Pace {
    /// So many nodes for each move.
    pub fn nodes(nodes: u64) -> Self {
        Self {
            nodes: Some(nodes),
            ..Self::default()
        }
    }

    /// So many plies for each move.
    pub fn depth(depth: u32) -> Self {
        Self {
            depth: Some(depth),
            ..Self::default()
        }
    }

    /// Whether the same position always gets the same thought, on any machine.
    pub fn is_repeatable(&self) -> bool {
        self.clock.is_none()
            && self.movetime.is_none()
            && (self.nodes.is_some() || self.depth.is_some())
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
