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
pub enum Phase {
    /// The judging of a generation.
    Trial,
    /// The ladder.
    Ladder,
    /// The choice of the champion.
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
    /// The generation it was played in.
    pub generation: u32,
    /// What for.
    pub phase: Phase,
    /// Its number there.
    pub pair: u64,
    /// Who had White in the first game.
    pub first: String,
    /// Who had Black in the first game.
    pub second: String,
    /// Which of the generation's openings.
    pub opening: usize,
    /// The game in which the first has White, and the one in which it has Black.
    pub games: [BoutGame; 2],
}

impl Record for PlayedPair {
    const VERSION: u32 = 1;
}

impl PlayedPair {
    fn key(&self) -> Key {
        (self.generation, self.phase, self.pair)
    }

    /// What came of it.
    pub fn outcome(&self) -> PairOutcome {
        PairOutcome {
            id: self.pair,
            games: self.games,
        }
    }
}

type Key = (u32, Phase, u64);

/// `pairs.jsonl` of a run: every finished pair of games.
///
/// Pairs are finished in any order, and the record is to be the same on any number
/// of threads. So a pair first goes to the end of `pairs-now.jsonl`, and when its
/// generation is in the checkpoint, to its place in `pairs.jsonl`. Whatever dies in
/// between, each pair is in one of them.
#[derive(Debug, Default)]
pub struct GameJournal {
    files: Option<Files>,
    /// What was played since the last checkpoint.
    found: BTreeMap<Key, PlayedPair>,
}

#[derive(Debug)]
struct Files {
    folder: PathBuf,
    now: Option<Journal<PlayedPair>>,
    whole: Option<Journal<PlayedPair>>,
}

/// A line is with the system at once, which survives the death of the process; the
/// disk is waited for no more often than this.
const SYNC: Sync = Sync::Every(Duration::from_secs(2));

impl GameJournal {
    /// The record: whole generations, in order.
    pub const FILE: &'static str = "pairs.jsonl";
    /// What was played since the last checkpoint, in the order it was finished.
    pub const NOW: &'static str = "pairs-now.jsonl";

    /// The journal of a run whose checkpoint knows so many generations. Files are
    /// made when there is something to write.
    ///
    /// # Errors
    ///
    /// If one of its files cannot be read.
    pub fn open(folder: &Path, done: u32) -> Result<Self, JournalError> {
        let mut journal = Self {
            files: Some(Files {
                folder: folder.to_owned(),
                now: None,
                whole: None,
            }),
            found: BTreeMap::new(),
        };
        let (whole, now) = (folder.join(Self::FILE), folder.join(Self::NOW));
        if now.exists() {
            for pair in Journal::<PlayedPair>::read(&now)? {
                journal.found.insert(pair.key(), pair);
            }
        }
        if whole.exists() {
            let records: Vec<PlayedPair> = Journal::read(&whole)?;
            let (mut kept, beyond): (Vec<PlayedPair>, Vec<PlayedPair>) =
                records.into_iter().partition(|it| it.generation < done);
            // A line may be in both files, if death came while it moved.
            for pair in &kept {
                journal.found.remove(&pair.key());
            }
            if !beyond.is_empty() {
                // An older checkpoint is gone on with: nothing is played again.
                journal
                    .found
                    .extend(beyond.into_iter().map(|it| (it.key(), it)));
                Journal::rewrite(&now, journal.found.values())?;
                kept.sort_by_key(PlayedPair::key);
                Journal::rewrite(&whole, &kept)?;
            }
        }
        journal.settle(done)?;
        Ok(journal)
    }

    /// What came of a pair, if it was played before.
    pub(super) fn find(&self, wanted: &PlayedPair) -> Option<PairOutcome> {
        let found = self.found.get(&wanted.key())?;
        let same = (&found.first, &found.second, found.opening)
            == (&wanted.first, &wanted.second, wanted.opening);
        same.then(|| found.outcome())
    }

    /// Writes a pair down; when this returns it may be counted.
    pub(super) fn keep(&mut self, pair: PlayedPair) -> Result<(), JournalError> {
        if let Some(files) = &mut self.files {
            if files.now.is_none() {
                let path = files.folder.join(Self::NOW);
                files.now = Some(Journal::open(&path, SYNC)?.0);
            }
            if let Some(now) = &mut files.now {
                now.append(&pair)?;
            }
            self.found.insert(pair.key(), pair);
        }
        Ok(())
    }

    /// So many generations are in the checkpoint: what was played in them goes to
    /// its place.
    ///
    /// # Errors
    ///
    /// If a file cannot be written.
    pub(crate) fn settle(&mut self, done: u32) -> Result<(), JournalError> {
        self.move_if(|key| key.0 < done)
    }

    /// The run is over: everything goes to its place.
    ///
    /// # Errors
    ///
    /// If a file cannot be written.
    pub(crate) fn finish(&mut self) -> Result<(), JournalError> {
        self.move_if(|_| true)
    }

    fn move_if(&mut self, is_done: impl Fn(&Key) -> bool) -> Result<(), JournalError> {
        let Some(files) = &mut self.files else {
            return Ok(());
        };
        let now = files.folder.join(Self::NOW);
        let done: Vec<Key> = self.found.keys().copied().filter(is_done).collect();
        if !done.is_empty() {
            if files.whole.is_none() {
                let path = files.folder.join(Self::FILE);
                files.whole = Some(Journal::open(&path, SYNC)?.0);
            }
            if let Some(whole) = &mut files.whole {
                for key in &done {
                    whole.append(&self.found[key])?;
                }
                whole.flush()?;
            }
            for key in &done {
                self.found.remove(key);
            }
            files.now = None;
            Journal::rewrite(&now, self.found.values())?;
        }
        if self.found.is_empty() && now.exists() {
            files.now = None;
            // It is empty; that it is gone says that nothing is under way.
            let _ = std::fs::remove_file(&now);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use mendel_arena::{EndReason, FirstMoves};

    use super::*;

    fn pair(generation: u32, pair: u64) -> PlayedPair {
        let game = BoutGame {
            points: 1,
            plies: 60 + pair as u32,
            reason: EndReason::Checkmate,
            nodes: 7,
            first: FirstMoves::default(),
        };
        PlayedPair {
            generation,
            phase: Phase::Trial,
            pair,
            first: format!("member {pair}"),
            second: "king".to_owned(),
            opening: pair as usize,
            games: [game; 2],
        }
    }

    fn lines(folder: &Path, name: &str) -> Vec<(u32, u64)> {
        let path = folder.join(name);
        if !path.exists() {
            return Vec::new();
        }
        let records: Vec<PlayedPair> = Journal::read(&path).expect("whole lines");
        let key = |it: &PlayedPair| (it.generation, it.pair);
        records.iter().map(key).collect()
    }

    #[test]
    fn a_finished_pair_is_found_again_whatever_the_checkpoint_knows() {
        let path = std::env::temp_dir().join(format!("mendel-pairs-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("room for a folder");
        let path = path.as_path();
        // Two generations in an order of their own, and death after the first
        // checkpoint.
        let mut journal = GameJournal::open(path, 0).expect("a new one");
        for (generation, number) in [(0, 2), (0, 0), (0, 1), (1, 3), (1, 0)] {
            journal.keep(pair(generation, number)).expect("room");
            if (generation, number) == (0, 1) {
                journal.settle(1).expect("room");
            }
        }
        drop(journal);
        assert_eq!(lines(path, GameJournal::FILE), [(0, 0), (0, 1), (0, 2)]);
        assert_eq!(lines(path, GameJournal::NOW), [(1, 3), (1, 0)]);

        // Gone on with: what was finished is found, and nobody else's is.
        let mut journal = GameJournal::open(path, 1).expect("it is there");
        assert_eq!(journal.find(&pair(1, 3)), Some(pair(1, 3).outcome()));
        assert_eq!(journal.find(&pair(1, 1)), None);
        let other = PlayedPair {
            first: "member 8".to_owned(),
            ..pair(1, 3)
        };
        assert_eq!(journal.find(&other), None);
        journal.keep(pair(1, 1)).expect("room");
        journal.keep(pair(1, 2)).expect("room");
        journal.finish().expect("room");
        let all: Vec<(u32, u64)> = (0..3)
            .map(|it| (0, it))
            .chain((0..4).map(|it| (1, it)))
            .collect();
        assert_eq!(lines(path, GameJournal::FILE), all);
        assert!(!path.join(GameJournal::NOW).exists());
        drop(journal);

        // An older checkpoint: nothing is lost, and nothing is there twice.
        let mut journal = GameJournal::open(path, 1).expect("it is there");
        assert_eq!(lines(path, GameJournal::FILE).len(), 3);
        assert!(journal.find(&pair(1, 2)).is_some());
        journal.finish().expect("room");
        assert_eq!(lines(path, GameJournal::FILE), all);
        std::fs::remove_dir_all(path).expect("it is ours");
    }
}
