use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use mendel_store::frame::{Folder, Host, Manifest, start, start_or_resume};
use mendel_store::library::{Library, LibraryError, size_of};
use mendel_store::{FolderLock, IndexEntry, RunStatus};
use serde_json::{Value, json};

use super::fake::{Counter, CounterPlan, Options, run_outer};
use crate::fresh_folder;

fn describe(folder: &Folder, manifest: &Manifest) -> Value {
    json!({ "kind": manifest.kind, "has_result": folder.has(Folder::RESULT) })
}

fn library(name: &str) -> (Library, PathBuf) {
    let home = fresh_folder(name).join("home");
    fs::create_dir(&home).expect("writable");
    (Library::new(&home, describe), home)
}

fn count(folder: &Path, seed: u64) {
    let plan = CounterPlan {
        steps: seed as u32,
        items: 1,
    };
    let (options, host) = (Options::default(), Host::default());
    start_or_resume::<Counter>(folder, plan, seed, "", &options, &host).expect("it runs");
}

fn folders(entries: &[IndexEntry]) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = entries.iter().map(|it| it.folder.clone()).collect();
    folders.sort();
    folders
}

#[test]
fn experiments_are_listed_and_found() {
    let (library, home) = library("library-list");
    assert!(library.list(None).expect("an index").entries.is_empty());
    let outer = library
        .new_folder("runs", &["First Run!", "b"])
        .expect("a name");
    let name = outer
        .file_name()
        .expect("a name")
        .to_string_lossy()
        .into_owned();
    assert!(
        outer.starts_with(home.join("runs")) && name.ends_with("-first-run--b-1"),
        "{name}"
    );
    assert!(!outer.exists());
    run_outer(&outer, &Host::default()).expect("it runs");
    let second = library
        .new_folder("runs", &["First Run!", "b"])
        .expect("a name");
    assert!(second.to_string_lossy().ends_with("-2"));
    let counter = home.join("counters/1");
    count(&counter, 1);
    let elsewhere = home.with_file_name("elsewhere");
    count(&elsewhere, 2);
    // The index was made before them; each registers itself.
    for folder in [&outer, &counter, &elsewhere] {
        library.register(folder).expect("an index");
    }
    let listing = library.list(None).expect("an index");
    assert!(listing.notes.is_empty());
    let mut expected = vec![outer.clone(), counter.clone(), elsewhere.clone()];
    expected.sort();
    // Not those inside others.
    assert_eq!(folders(&listing.entries), expected);
    assert!(
        listing
            .entries
            .iter()
            .all(|it| it.state == RunStatus::Finished)
    );
    assert!(listing.entries.iter().all(|it| it.finished.is_some()));
    assert_eq!(listing.entries[0].summary["has_result"], true);
    let counters = library.list(Some("counter")).expect("an index").entries;
    assert_eq!(counters.len(), 2);
    // By name, by the beginning of an id, by path.
    assert_eq!(library.find("outer").expect("one"), outer);
    let id = Manifest::read(&counter).expect("it is there").id;
    assert_eq!(library.find(&id[..6]).expect("one"), counter);
    let path = elsewhere.to_str().expect("text");
    assert_eq!(library.find(path).expect("one"), elsewhere);
    let error = library.find("counter").expect_err("two");
    assert!(matches!(&error, LibraryError::Ambiguous { folders, .. } if folders.len() == 2));
    for text in ["", "nobody", home.to_str().expect("text")] {
        library.find(text).expect_err("there is none");
    }
}

#[test]
fn a_killed_experiment_is_not_listed_as_running() {
    let (library, home) = library("library-state");
    let folder = home.join("counters/1");
    count(&folder, 1);
    let lock = FolderLock::take(&folder).expect("free");
    library.register(&folder).expect("an index");
    let state = || library.list(None).expect("an index").entries[0].state;
    assert_eq!(state(), RunStatus::Running);
    drop(lock);
    assert_eq!(state(), RunStatus::Finished);
    fs::remove_file(folder.join(Folder::RESULT)).expect("it is there");
    assert_eq!(state(), RunStatus::Stopped);
}

#[test]
fn a_newer_index_is_left_alone_and_the_folders_are_read() {
    let (library, home) = library("library-newer");
    for seed in [1, 2] {
        count(&home.join(format!("counters/{seed}")), seed);
    }
    let before = library.list(None).expect("an index");
    assert_eq!(before.entries.len(), 2);
    let index = home.join("index.sqlite");
    let mut bytes = fs::read(&index).expect("bytes");
    bytes[63] += 1;
    fs::write(&index, &bytes).expect("writable");
    count(&home.join("counters/3"), 3);
    library
        .register(&home.join("counters/3"))
        .expect("it is found without");
    let listing = library.list(Some("counter")).expect("without the index");
    assert_eq!(listing.entries.len(), 3);
    assert_eq!(listing.notes.len(), 1);
    assert!(listing.notes[0].contains("index.sqlite") && !listing.notes[0].contains('\n'));
    library
        .delete(&home.join("counters/3"))
        .expect("it is not in use");
    assert_eq!(fs::read(&index).expect("bytes"), bytes);
    // A damaged one is made again, with a note.
    fs::write(&index, b"nonsense".repeat(1000)).expect("writable");
    let listing = library.list(None).expect("made again");
    assert_eq!((listing.entries.len(), listing.notes.len()), (2, 1));
}

#[test]
fn only_experiments_of_the_library_that_nobody_uses_are_deleted() {
    let (library, home) = library("library-delete");
    let outer = home.join("runs/outer");
    run_outer(&outer, &Host::default()).expect("it runs");
    let elsewhere = home.with_file_name("elsewhere");
    count(&elsewhere, 2);
    fs::create_dir_all(home.join("runs/empty")).expect("writable");
    symlink(&elsewhere, home.join("runs/link")).expect("writable");
    for refused in [
        elsewhere.clone(),
        home.join("runs/link"),
        home.join("runs/../../elsewhere"),
        home.clone(),
        home.with_file_name(""),
        home.join("runs/empty"),
        home.join("runs"),
        outer.join("0000"),
        home.join("missing"),
    ] {
        library.delete(&refused).expect_err("it is refused");
    }
    assert!(elsewhere.join(Manifest::FILE).exists() && home.join("runs/empty").exists());
    // One that runs, or one in which something runs.
    for folder in [outer.clone(), outer.join("0001")] {
        let lock = FolderLock::take(&folder).expect("free");
        let error = library.delete(&outer).expect_err("it is in use");
        assert!(
            matches!(error, LibraryError::Experiment(ref cause) if cause.is_about_lock()),
            "{error}"
        );
        assert!(
            error
                .to_string()
                .contains(&format!("process {}", std::process::id()))
        );
        drop(lock);
    }
    library.register(&outer).expect("an index");
    let size = size_of(&outer);
    assert!(size > 1000);
    // The numbers of processes in the locks come and go.
    let deleted = library.delete(&outer).expect("it is not in use");
    assert!(deleted.abs_diff(size) < 100, "{deleted} and {size}");
    assert!(!outer.exists() && library.list(None).expect("an index").entries.is_empty());
    let left = fs::read_dir(home.join("runs")).expect("a folder").count();
    assert_eq!(left, 2, "nothing is left beside it");
}

#[test]
fn folders_of_older_versions_are_not_listed() {
    let (library, home) = library("library-old");
    let old = home.join("matches/old");
    fs::create_dir_all(&old).expect("writable");
    fs::write(old.join("match.toml"), "games = 2\n").expect("writable");
    let (options, host) = (Options::default(), Host::default());
    let plan = CounterPlan { steps: 1, items: 1 };
    start::<Counter>(&old, plan, 1, "", &options, &host).expect_err("it is taken");
    assert!(library.list(None).expect("an index").entries.is_empty());
    let error = library
        .find(old.to_str().expect("text"))
        .expect_err("it is old");
    assert!(
        error.to_string().contains("made by mendel 0.1.0"),
        "{error}"
    );
    library.delete(&old).expect_err("nothing in it is changed");
    assert!(old.join("match.toml").exists());
}
