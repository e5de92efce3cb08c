//! Blocks that a crew has searched for a generation that is not judged yet.

use std::time::Duration;

use mendel_store::frame::MemoRecord;
use mendel_store::{Record, Sync};
use serde::{Deserialize, Serialize};

use super::Solved;

/// A line of `searched-pending.jsonl`: a block of positions that a worker has searched. It is
/// discarded when the checkpoint includes its generation, which has the scores.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchedBlock {
    pub(super) generation: u32,
    /// Its index among the blocks of the generation.
    pub(super) block: u64,
    /// A hash of everything that it depends on.
    pub(super) key: String,
    pub(super) solved: Solved,
}

impl SearchedBlock {
    /// The file in the folder of a run.
    pub const FILE: &'static str = "searched-pending.jsonl";

    /// A written line survives the death of the process; the disk confirms it this often.
    pub const SYNC: Sync = Sync::Every(Duration::from_secs(2));
}

impl Record for SearchedBlock {}

impl MemoRecord for SearchedBlock {
    /// Generation and block.
    type Key = (u32, u64);

    fn key(&self) -> Self::Key {
        (self.generation, self.block)
    }

    fn same_inputs(&self, wanted: &Self) -> bool {
        self.key == wanted.key
    }
}
