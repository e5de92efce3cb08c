use std::fs;
use std::path::Path;
use std::thread;

use mendel_store::{Entry, Index, State};
use serde_json::json;

use crate::fresh_folder;

fn entry(folder: &Path, started: i64) -> Entry {
    Entry {
        folder: folder.to_owned(),
        kind: if started % 2 == 0 { "match" } else { "run" }.to_owned(),
        name: format!("number {started}"),
        state: State::Running,
        started,
        finished: None,
        summary: json!({ "games": started, "text": "é'\"" }),
    }
}

/// A folder describes itself by a file with its number.
fn describe(folder: &Path) -> Option<Entry> {
    let number = fs::read_to_string(folder.join("number")).ok()?;
    Some(entry(folder, number.parse().ok()?))
}

fn make_folders(root: &Path, count: i64) {
    for number in 0..count {
        let folder = root.join(format!("group{}/{number}", number % 3));
        fs::create_dir_all(&folder).expect("writable");
        fs::write(folder.join("number"), number.to_string()).expect("writable");
    }
}

fn numbers(entries: &[Entry]) -> Vec<i64> {
    entries.iter().map(|entry| entry.started).collect()
}

#[test]
fn what_was_put_is_listed_and_found() {
    let root = fresh_folder("index-put");
    let index = Index::open(&root.join("index.sqlite"), &[&root], &describe).expect("an index");
    assert_eq!(index.list(None).expect("readable"), []);
    make_folders(&root, 4);
    let mut entries: Vec<Entry> = (0..4)
        .map(|number| describe(&root.join(format!("group{}/{number}", number % 3))).expect("made"))
        .collect();
    for entry in &entries {
        index.put(entry).expect("writable");
    }
    entries[1].state = State::Finished;
    entries[1].finished = Some(77);
    index.put(&entries[1]).expect("writable");
    entries.reverse();
    assert_eq!(index.list(None).expect("readable"), entries);
    assert_eq!(numbers(&index.list(Some("run")).expect("readable")), [3, 1]);
    assert_eq!(numbers(&index.find("number 2").expect("readable")), [2]);
    let folder = entries[0].folder.to_str().expect("text");
    assert_eq!(numbers(&index.find(folder).expect("readable")), [3]);
    assert!(index.find("' OR 1=1 --").expect("readable").is_empty());

    fs::remove_dir_all(root.join("group0")).expect("writable");
    assert_eq!(numbers(&index.list(None).expect("readable")), [2, 1]);
}

#[test]
fn a_lost_index_is_built_from_the_folders() {
    let root = fresh_folder("index-lost");
    make_folders(&root, 5);
    let path = root.join("index.sqlite");
    for _ in 0..2 {
        let index = Index::open(&path, &[&root], &describe).expect("an index");
        assert_eq!(
            numbers(&index.list(None).expect("readable")),
            [4, 3, 2, 1, 0]
        );
        drop(index);
        fs::remove_file(&path).expect("writable");
    }
}

/// Garbage, torn files and holes: the index is whole again after the next opening.
#[test]
fn a_broken_index_is_built_from_the_folders() {
    let root = fresh_folder("index-broken");
    make_folders(&root, 5);
    let path = root.join("index.sqlite");
    drop(Index::open(&path, &[&root], &describe).expect("an index"));
    let whole = fs::read(&path).expect("bytes");
    let mut broken: Vec<Vec<u8>> = vec![b"nonsense".repeat(1000), Vec::new()];
    broken.extend((1..8).map(|eighth| whole[..whole.len() * eighth / 8].to_vec()));
    for page in 0..whole.len() / 4096 {
        let mut hole = whole.clone();
        hole[page * 4096..][..4096].fill(0x55);
        broken.push(hole);
    }
    for (case, bytes) in broken.iter().enumerate() {
        fs::write(&path, bytes).expect("writable");
        let index = Index::open(&path, &[&root], &describe).expect("an index");
        assert_eq!(
            numbers(&index.list(None).expect("readable")),
            [4, 3, 2, 1, 0],
            "case {case}"
        );
    }
}

#[test]
fn an_index_of_another_version_is_built_anew() {
    let root = fresh_folder("index-version");
    make_folders(&root, 2);
    let path = root.join("index.sqlite");
    drop(Index::open(&path, &[&root], &describe).expect("an index"));
    let mut bytes = fs::read(&path).expect("bytes");
    // The file format keeps `user_version` at offset 60, big-endian.
    assert_eq!(bytes[60..64], [0, 0, 0, 1]);
    bytes[63] = 99;
    fs::write(&path, bytes).expect("writable");
    let index = Index::open(&path, &[&root], &describe).expect("an index");
    assert_eq!(numbers(&index.list(None).expect("readable")), [1, 0]);
}

#[test]
fn many_may_write_at_once() {
    let root = fresh_folder("index-many");
    make_folders(&root, 12);
    let path = root.join("index.sqlite");
    thread::scope(|scope| {
        for start in 0..4 {
            let (root, path) = (&root, &path);
            scope.spawn(move || {
                // All of them find no index and want to build it.
                let index = Index::open(path, &[root], &describe).expect("an index");
                for number in (start..12).step_by(4) {
                    let folder = root.join(format!("group{}/{number}", number % 3));
                    index.put(&entry(&folder, number + 100)).expect("writable");
                }
            });
        }
    });
    let index = Index::open(&path, &[&root], &describe).expect("an index");
    let expected: Vec<i64> = (100..112).rev().collect();
    assert_eq!(numbers(&index.list(None).expect("readable")), expected);
}
