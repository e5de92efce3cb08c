use std::fs;
use std::path::Path;
use std::thread;

use mendel_store::library::LibraryError;
use mendel_store::{Index, IndexEntry, RunStatus};
use serde_json::json;

use crate::fresh_folder;

fn entry(folder: &Path, started: i64) -> IndexEntry {
    IndexEntry {
        folder: folder.to_owned(),
        kind: if started % 2 == 0 { "match" } else { "run" }.to_owned(),
        id: format!("id-{started}"),
        name: format!("number {started}"),
        state: RunStatus::Running,
        started,
        finished: None,
        summary: json!({ "games": started, "text": "é'\"" }),
    }
}

/// A folder describes itself by a file with its number.
fn describe(folder: &Path) -> Option<IndexEntry> {
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

fn numbers(entries: &[IndexEntry]) -> Vec<i64> {
    entries.iter().map(|entry| entry.started).collect()
}

#[test]
fn what_was_put_is_listed_and_found() {
    let root = fresh_folder("index-put");
    let index = Index::open(&root.join("index.sqlite"), &[&root], &describe).expect("an index");
    assert_eq!(index.list(None).expect("readable"), []);
    make_folders(&root, 4);
    let mut entries: Vec<IndexEntry> = (0..4)
        .map(|number| describe(&root.join(format!("group{}/{number}", number % 3))).expect("made"))
        .collect();
    for entry in &entries {
        index.put(entry).expect("writable");
    }
    entries[1].state = RunStatus::Finished;
    entries[1].finished = Some(77);
    index.put(&entries[1]).expect("writable");
    entries.reverse();
    assert_eq!(index.list(None).expect("readable"), entries);
    assert_eq!(numbers(&index.list(Some("run")).expect("readable")), [3, 1]);
    let other = index.list(Some("' OR 1=1 --")).expect("readable");
    assert!(other.is_empty(), "a kind is a value, not SQL");

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
fn an_index_of_an_older_version_is_built_anew() {
    let root = fresh_folder("index-version");
    make_folders(&root, 2);
    let path = root.join("index.sqlite");
    drop(Index::open(&path, &[&root], &describe).expect("an index"));
    let mut bytes = fs::read(&path).expect("bytes");
    // The file format keeps `user_version` at offset 60, big-endian.
    assert_eq!(bytes[60..64], [0, 0, 0, 2]);
    bytes[63] = 1;
    fs::write(&path, bytes).expect("writable");
    let index = Index::open(&path, &[&root], &describe).expect("an index");
    assert_eq!(numbers(&index.list(None).expect("readable")), [1, 0]);
    assert!(index.damage().is_none(), "an older one is not damaged");
    let version = &fs::read(&path).expect("bytes")[60..64];
    assert_eq!(version, [0, 0, 0, 2]);
}

#[test]
fn an_index_of_a_newer_version_is_left_as_it_is() {
    let root = fresh_folder("index-newer");
    make_folders(&root, 2);
    let path = root.join("index.sqlite");
    drop(Index::open(&path, &[&root], &describe).expect("an index"));
    let mut bytes = fs::read(&path).expect("bytes");
    bytes[63] = 3;
    fs::write(&path, &bytes).expect("writable");
    let error = Index::open(&path, &[&root], &describe).expect_err("it is newer");
    assert!(
        matches!(error, LibraryError::NewerIndex { found: 3, .. }),
        "{error}"
    );
    assert_eq!(fs::read(&path).expect("bytes"), bytes);
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

/// What a whole database may hold that is no index of ours.
#[test]
fn an_index_with_other_contents_is_rebuilt_and_says_why() {
    let root = fresh_folder("index-contents");
    make_folders(&root, 3);
    let path = root.join("index.sqlite");
    for (change, reason) in [
        ("DROP TABLE folders", "no such table"),
        ("ALTER TABLE folders DROP COLUMN summary", "no such column"),
        (
            "UPDATE folders SET state = 'asleep' WHERE started = 1",
            "asleep",
        ),
        ("UPDATE folders SET summary = '{' WHERE started = 1", "EOF"),
        (
            "UPDATE folders SET folder = CAST(X'E9' AS TEXT) WHERE started = 1",
            "utf-8",
        ),
    ] {
        let index = Index::open(&path, &[&root], &describe).expect("an index");
        assert_eq!(index.damage(), None, "before {change}");
        drop(index);
        let connection = rusqlite::Connection::open(&path).expect("a database");
        connection.execute_batch(change).expect("a change");
        drop(connection);

        let index = Index::open(&path, &[&root], &describe).expect("an index");
        let damage = index.damage().expect(change);
        assert!(damage.contains(reason), "{change}: {damage}");
        assert!(!damage.contains('\n'), "{change}: {damage}");
        assert_eq!(numbers(&index.list(None).expect("readable")), [2, 1, 0]);
    }
}

/// A list that disagrees with the table answers one question right and another wrong.
#[test]
fn an_index_with_a_damaged_list_is_rebuilt() {
    let root = fresh_folder("index-list");
    make_folders(&root, 3);
    let path = root.join("index.sqlite");
    drop(Index::open(&path, &[&root], &describe).expect("an index"));
    let mut bytes = fs::read(&path).expect("bytes");
    // The name stands in the table and in the list of names; the latter is later.
    let name = b"number 2";
    let at = bytes.windows(name.len()).rposition(|it| it == name);
    let at = at.expect("it is in the list") + name.len() - 1;
    bytes[at] = b'7';
    fs::write(&path, bytes).expect("writable");
    let index = Index::open(&path, &[&root], &describe).expect("an index");
    assert!(index.damage().is_some(), "found by nothing");
    let names: Vec<String> = index
        .list(None)
        .expect("readable")
        .into_iter()
        .map(|entry| entry.name)
        .collect();
    assert!(names.iter().any(|name| name == "number 2"), "{names:?}");
}

#[test]
fn folders_elsewhere_outlive_a_damaged_index() {
    let (root, elsewhere) = (fresh_folder("index-home"), fresh_folder("index-elsewhere"));
    make_folders(&root, 2);
    make_folders(&elsewhere, 3);
    let path = root.join("index.sqlite");
    let index = Index::open(&path, &[&root], &describe).expect("an index");
    let folder = elsewhere.join("group2/2");
    index
        .put(&describe(&folder).expect("made"))
        .expect("writable");
    drop(index);
    let connection = rusqlite::Connection::open(&path).expect("a database");
    let change = "UPDATE folders SET state = 'asleep' WHERE started = 1";
    connection.execute_batch(change).expect("a change");
    drop(connection);
    let index = Index::open(&path, &[&root], &describe).expect("an index");
    assert_eq!(numbers(&index.list(None).expect("readable")), [2, 1, 0]);
}

#[test]
fn an_index_that_is_locked_is_not_damaged() {
    let root = fresh_folder("index-locked");
    make_folders(&root, 2);
    let path = root.join("index.sqlite");
    drop(Index::open(&path, &[&root], &describe).expect("an index"));
    let before = fs::read(&path).expect("bytes");
    let other = rusqlite::Connection::open(&path).expect("a database");
    other.execute_batch("BEGIN EXCLUSIVE").expect("a lock");
    let error = Index::open(&path, &[&root], &describe).expect_err("it is locked");
    let told = error.to_string();
    assert!(
        told.contains("locked") && told.contains("try again"),
        "{told}"
    );
    assert_eq!(told.matches("index.sqlite").count(), 1, "{told}");
    drop(other);
    assert!(fs::read(&path).expect("bytes") == before, "it was changed");
    assert!(!root.join("index.sqlite.broken").exists());
}
