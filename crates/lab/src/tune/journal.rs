//! Finished pairs of games, each on the disk before it is counted.

use std::time::Duration;

use mendel_arena::PairGame;
use mendel_store::frame::MemoRecord;
use mendel_store::{Record, Sync};
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PairPurpose {
    Duel,
    /// The proposal of the moment against the start, on openings of its own.
    Validation,
}

/// A line of `pairs.jsonl`: a pair of games. Nothing in it comes from a clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TunedPair {
    pub purpose: PairPurpose,
    /// The round of the tuner, or the number of the validation, from 0.
    pub round: u32,
    pub pair: u64,
    /// Whether it is the second try, after a player failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub again: bool,
    /// The values of the player with White in the first game, as `Name=Value&Name=Value`.
    pub first: String,
    pub second: String,
    pub opening: usize,
    /// The game in which the first has White, and the one in which it has Black.
    pub games: [PairGame; 2],
}

/// The memo of the pairs: in the order the pairs were finished while it is written, in the order
/// they were asked for when all is done.
pub(super) const PAIRS: &str = "pairs.jsonl";

/// A line is with the system at once, which survives the death of the process; the
/// disk is waited for no more often than this.
pub(super) const SYNC: Sync = Sync::Every(Duration::from_secs(2));

impl Record for TunedPair {}

impl MemoRecord for TunedPair {
    /// Purpose, round, pair and whether it is the second try.
    type Key = (PairPurpose, u32, u64, bool);

    fn key(&self) -> Self::Key {
        (self.purpose, self.round, self.pair, self.again)
    }

    fn same_inputs(&self, wanted: &Self) -> bool {
        (&self.first, &self.second, self.opening) == (&wanted.first, &wanted.second, wanted.opening)
    }
}
