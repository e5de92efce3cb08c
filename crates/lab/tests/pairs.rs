//! The memo of the finished pairs of a run.

use std::path::Path;

use mendel_arena::{EndReason, FirstMoves, PairGame};
use mendel_lab::trial::games::{Phase, PlayedPair};
use mendel_store::Journal;
use mendel_store::frame::{Folder, Memo};

use crate::made_data::scratch;

const PENDING: &str = "pairs-pending.jsonl";

fn pair(generation: u32, pair: u64) -> PlayedPair {
    let game = PairGame {
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

/// The memo of a run whose checkpoint includes so many generations.
fn memo(path: &Path, done: u32) -> Memo<PlayedPair> {
    let folder = Folder::at(path);
    let memo = folder.memo_until(
        PlayedPair::MEMO,
        PlayedPair::SYNC,
        |key: &(u32, Phase, u64)| key.0 < done,
    );
    memo.expect("it can be read")
}

#[test]
fn a_finished_pair_is_found_again_whatever_the_checkpoint_knows() {
    let path = &scratch("pairs");
    for name in [PENDING, PlayedPair::FILE] {
        let _ = std::fs::remove_file(path.join(name));
    }
    // Two generations in an order of their own, and death after the first checkpoint.
    let mut pairs = memo(path, 0);
    for (generation, number) in [(0, 2), (0, 0), (0, 1), (1, 3), (1, 0)] {
        pairs.append(pair(generation, number)).expect("room");
        if (generation, number) == (0, 1) {
            pairs.flush_until(|key| key.0 < 1).expect("room");
        }
    }
    drop(pairs);
    assert_eq!(lines(path, PlayedPair::FILE), [(0, 0), (0, 1), (0, 2)]);
    assert_eq!(lines(path, PENDING), [(1, 3), (1, 0)]);

    // Resumed: what was finished is found, and nobody else's is.
    let mut pairs = memo(path, 1);
    assert_eq!(pairs.find(&pair(1, 3)), Some(&pair(1, 3)));
    assert_eq!(pairs.find(&pair(1, 1)), None);
    let other = PlayedPair {
        first: "member 8".to_owned(),
        ..pair(1, 3)
    };
    assert_eq!(pairs.find(&other), None);
    pairs.append(pair(1, 1)).expect("room");
    pairs.append(pair(1, 2)).expect("room");
    pairs.flush_until(|_| true).expect("room");
    let all: Vec<(u32, u64)> = (0..3)
        .map(|it| (0, it))
        .chain((0..4).map(|it| (1, it)))
        .collect();
    assert_eq!(lines(path, PlayedPair::FILE), all);
    assert!(!path.join(PENDING).exists());
    drop(pairs);

    // An older checkpoint: nothing is lost, and nothing is there twice.
    let mut pairs = memo(path, 1);
    assert_eq!(lines(path, PlayedPair::FILE).len(), 3);
    assert!(pairs.find(&pair(1, 2)).is_some());
    pairs.flush_until(|_| true).expect("room");
    assert_eq!(lines(path, PlayedPair::FILE), all);
}
