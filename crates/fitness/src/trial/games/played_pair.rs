//! Finished pairs of games, each on the disk before it is counted.

use std::time::Duration;

use mendel_arena::PairGame;
use mendel_store::frame::MemoRecord;
use mendel_store::{Record, Sync};
use serde::{Deserialize, Serialize};

/// What a pair was played for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// The judging of a generation.
    Trial,
    Ladder,
    Verify,
}

impl Phase {
    /// As records write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Trial => "trial",
            Self::Ladder => "ladder",
            Self::Verify => "verify",
        }
    }
}

/// A line of `pairs.jsonl`: a pair of games. Nothing in it comes from a clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayedPair {
    pub generation: u32,
    pub phase: Phase,
    pub pair: u64,
    pub first: String,
    /// Who had Black in the first game.
    pub second: String,
    /// Which of the generation's openings.
    pub opening: usize,
    /// The game in which the first has White, and the one in which it has Black.
    pub games: [PairGame; 2],
}

impl Record for PlayedPair {}

impl PlayedPair {
    /// The name of the memo in the folder of a run: `pairs.jsonl` and `pairs-pending.jsonl`.
    pub const MEMO: &'static str = "pairs";
    /// The pairs of all generations that the checkpoint includes, in order.
    pub const FILE: &'static str = "pairs.jsonl";
    /// A written line survives the death of the process; the disk confirms it this often.
    pub const SYNC: Sync = Sync::Every(Duration::from_secs(2));
}

/// Pairs are found again only between the same two players with the same opening.
impl MemoRecord for PlayedPair {
    type Key = (u32, Phase, u64);

    fn key(&self) -> Self::Key {
        (self.generation, self.phase, self.pair)
    }

    fn same_inputs(&self, wanted: &Self) -> bool {
        (&self.first, &self.second, self.opening) == (&wanted.first, &wanted.second, wanted.opening)
    }
}
