//! Finished pairs of games, each on the disk before it is counted.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use mendel_arena::{BoutGame, PairOutcome};
use mendel_store::{Journal, JournalError, Record, Sync};
use serde::{Deserialize, Serialize};

/// What a pair was played for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Purpose {
    /// The tuner asked for it.
    Duel,
    /// The proposal of the moment against the start, on openings of its own.
    Validation,
}

/// A line of `pairs.jsonl`: a pair of games. Nothing in it comes from a clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TunedPair {
    /// What for.
    pub purpose: Purpose,
    /// The round of the tuner, or the number of the validation, from 0.
    pub round: u32,
    /// Its number there.
    pub pair: u64,
    /// Whether it is the second try, after somebody failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub again: bool,
    /// The values of who had White in the first game, as `Name=Value&Name=Value`.
    pub first: String,
    /// Those of its opponent.
    pub second: String,
    /// Which of the openings.
    pub opening: usize,
    /// The game in which the first has White, and the one in which it has Black.
    pub games: [BoutGame; 2],
}

impl Record for TunedPair {
    const VERSION: u32 = 1;
}

type Key = (Purpose, u32, u64, bool);

impl TunedPair {
    fn key(&self) -> Key {
        (self.purpose, self.round, self.pair, self.again)
    }
}

/// `pairs.jsonl`: in the order the pairs were finished while it is written, in the
/// order they were asked for when all is done, so that the same tuning leaves the same
/// file.
#[derive(Debug)]
pub(super) struct Pairs {
    path: PathBuf,
    journal: Journal<TunedPair>,
    found: BTreeMap<Key, TunedPair>,
}

/// A line is with the system at once, which survives the death of the process; the
/// disk is waited for no more often than this.
const SYNC: Sync = Sync::Every(Duration::from_secs(2));

impl Pairs {
    /// The file's name in the folder of a tuning.
    pub(super) const FILE: &'static str = "pairs.jsonl";

    pub(super) fn open(folder: &Path) -> Result<Self, JournalError> {
        let path = folder.join(Self::FILE);
        let (journal, records) = Journal::<TunedPair>::open(&path, SYNC)?;
        let found = records.into_iter().map(|it| (it.key(), it)).collect();
        Ok(Self {
            path,
            journal,
            found,
        })
    }

    /// What came of a pair, if it was played before between the same.
    pub(super) fn find(&self, wanted: &TunedPair) -> Option<PairOutcome> {
        let found = self.found.get(&wanted.key())?;
        let same = (&found.first, &found.second, found.opening)
            == (&wanted.first, &wanted.second, wanted.opening);
        same.then_some(PairOutcome {
            id: found.pair,
            games: found.games,
        })
    }

    /// Writes a pair down; when this returns it may be counted.
    pub(super) fn keep(&mut self, pair: TunedPair) -> Result<(), JournalError> {
        self.journal.append(&pair)?;
        self.found.insert(pair.key(), pair);
        Ok(())
    }

    /// All is played: the file gets the order in which the pairs were asked for.
    pub(super) fn finish(&mut self) -> Result<(), JournalError> {
        self.journal.flush()?;
        Journal::rewrite(&self.path, self.found.values())
    }
}
