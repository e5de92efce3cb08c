//! Lines of the external test of generations.

use std::collections::BTreeMap;

use mendel_store::Record;
use serde::{Deserialize, Serialize};

/// A line of `external-test.jsonl`: a generation in one row. A clock decided: another time, or on
/// another machine, it is another line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExamLine {
    /// Generations that were bred, as papers count them: from 1.
    pub generation: u32,
    /// The row, from 0.
    pub row: usize,
    /// The opponent, as the recipe names it; `None` if none of the row could be started.
    pub opponent: Option<String>,
    pub losses: u64,
    pub draws: u64,
    pub wins: u64,
    /// Half-moves of the lost games: with White, with Black.
    pub lost: [Vec<u32>; 2],
    /// The members' own first moves, with White and with Black, and how often each was
    /// played, by name.
    #[serde(default)]
    pub opened: [BTreeMap<String, u64>; 2],
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Record for ExamLine {
    const VERSION: u32 = 1;
}
