use std::fs;
use std::path::Path;

use mendel_store::frame::{Folder, Memo, MemoRecord};
use mendel_store::{Journal, Record, Sync};
use serde::{Deserialize, Serialize};

use super::fake::Item;
use crate::fresh_folder;

fn item(step: u32, number: u32) -> Item {
    Item {
        step,
        number,
        value: u64::from(100 * step + number),
    }
}

fn lines(folder: &Path, name: &str) -> Vec<(u32, u32)> {
    let path = folder.join(name);
    if !path.exists() {
        return Vec::new();
    }
    let records: Vec<Item> = Journal::read(&path).expect("whole lines");
    records.iter().map(MemoRecord::key).collect()
}

#[test]
fn a_finished_item_is_found_again_whatever_the_checkpoint_includes() {
    let path = fresh_folder("memo-until");
    let folder = Folder::at(&path);
    let open = |done: u32| folder.memo_until::<Item>("items", Sync::Each, move |key| key.0 < done);
    // Two steps in an order of their own, and death after the first checkpoint.
    let mut memo = open(0).expect("a new one");
    assert!(!folder.has("items-pending.jsonl"));
    for (step, number) in [(0, 2), (0, 0), (0, 1), (1, 3), (1, 0)] {
        memo.append(item(step, number)).expect("room");
        if (step, number) == (0, 1) {
            memo.flush_until(|key| key.0 < 1).expect("room");
        }
    }
    drop(memo);
    assert_eq!(lines(&path, "items.jsonl"), [(0, 0), (0, 1), (0, 2)]);
    assert_eq!(lines(&path, "items-pending.jsonl"), [(1, 3), (1, 0)]);

    // Continued: what was finished is found.
    let mut memo = open(1).expect("it is there");
    assert_eq!(memo.find(&item(1, 3)), Some(&item(1, 3)));
    assert_eq!(memo.find(&item(1, 1)), None);
    memo.append(item(1, 1)).expect("room");
    memo.append(item(1, 2)).expect("room");
    memo.flush_until(|_| true).expect("room");
    let all: Vec<(u32, u32)> = (0..3)
        .map(|it| (0, it))
        .chain((0..4).map(|it| (1, it)))
        .collect();
    assert_eq!(lines(&path, "items.jsonl"), all);
    assert!(!folder.has("items-pending.jsonl"));
    drop(memo);

    // An older checkpoint: nothing is lost, and nothing is there twice.
    let mut memo = open(1).expect("it is there");
    assert_eq!(lines(&path, "items.jsonl").len(), 3);
    assert!(memo.find(&item(1, 2)).is_some());
    memo.flush_until(|_| true).expect("room");
    assert_eq!(lines(&path, "items.jsonl"), all);

    // Death between the two files: a record is in both.
    drop(memo);
    Journal::rewrite(&path.join("items-pending.jsonl"), &[item(1, 3), item(2, 0)]).expect("room");
    let memo = open(2).expect("it is there");
    assert_eq!(memo.len(), 1);
    assert_eq!(lines(&path, "items.jsonl"), all);
}

/// A record whose inputs are more than its key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Pair {
    number: u32,
    first: String,
    points: u32,
}

impl Record for Pair {}

impl MemoRecord for Pair {
    type Key = u32;

    fn key(&self) -> u32 {
        self.number
    }

    fn same_inputs(&self, wanted: &Self) -> bool {
        self.first == wanted.first
    }
}

fn pair(number: u32, first: &str) -> Pair {
    Pair {
        number,
        first: first.to_owned(),
        points: number,
    }
}

#[test]
fn an_item_of_other_inputs_is_not_found_and_is_replaced() {
    let path = fresh_folder("memo-inputs");
    let folder = Folder::at(&path);
    let mut memo = folder
        .memo::<Pair>("pairs.jsonl", Sync::Each)
        .expect("a new one");
    for (number, first) in [(2, "a"), (0, "a"), (1, "a"), (0, "b")] {
        memo.append(pair(number, first)).expect("room");
    }
    assert_eq!(memo.find(&pair(0, "a")), None);
    assert_eq!(memo.find(&pair(0, "b")), Some(&pair(0, "b")));
    drop(memo);
    let mut memo = folder
        .memo::<Pair>("pairs.jsonl", Sync::Each)
        .expect("it is there");
    assert_eq!(memo.find(&pair(0, "b")), Some(&pair(0, "b")));
    // At the end in the order of the keys, without those that do not count.
    memo.finish_with(|&key| key != 1).expect("room");
    assert_eq!(memo.len(), 2);
    let left: Vec<Pair> = Journal::read(&path.join("pairs.jsonl")).expect("whole");
    assert_eq!(left, [pair(0, "b"), pair(2, "a")]);
    // It can be resumed after that.
    memo.append(pair(3, "c")).expect("room");
    drop(memo);
    let memo = folder
        .memo::<Pair>("pairs.jsonl", Sync::Each)
        .expect("it is there");
    assert_eq!(
        memo.iter().map(MemoRecord::key).collect::<Vec<u32>>(),
        [0, 2, 3]
    );
    memo.discard();
    assert!(!folder.has("pairs.jsonl"));
}

#[test]
fn items_of_a_finished_step_are_discarded() {
    let path = fresh_folder("memo-discard");
    let folder = Folder::at(&path);
    let mut memo = folder
        .memo::<Item>("searched-pending.jsonl", Sync::Each)
        .expect("new");
    for (step, number) in [(0, 0), (0, 1), (1, 0)] {
        memo.append(item(step, number)).expect("room");
    }
    memo.discard_until(|key| key.0 < 1);
    assert!(folder.has("searched-pending.jsonl"));
    assert_eq!((memo.len(), memo.find(&item(0, 1))), (1, None));
    memo.discard_until(|key| key.0 < 2);
    assert!(memo.is_empty() && !folder.has("searched-pending.jsonl"));
    memo.append(item(2, 0)).expect("room");
    drop(memo);
    assert_eq!(lines(&path, "searched-pending.jsonl"), [(2, 0)]);
}

#[test]
fn a_memo_without_a_folder_keeps_nothing() {
    let mut memo = Memo::<Item>::default();
    memo.append(item(0, 0)).expect("there is nothing to write");
    assert!(memo.find(&item(0, 0)).is_none() && memo.is_empty());
    memo.flush_until(|_| true).expect("nothing to do");
    memo.finish_with(|_| true).expect("nothing to do");
    memo.discard();
    fs::metadata(fresh_folder("memo-none")).expect("nothing else happened");
}

#[test]
fn names_do_not_lead_out_of_the_folder() {
    let folder = Folder::at(fresh_folder("memo-names"));
    assert!(folder.subfolder("steps/03-compare").is_ok());
    for name in ["..", "a/../b", "/tmp", ""] {
        assert!(folder.subfolder(name).is_err(), "`{name}`");
    }
}
