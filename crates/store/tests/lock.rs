use std::fs;

use mendel_store::{ExperimentError, FolderLock};

use crate::children::Actor;
use crate::fresh_folder;

#[test]
fn two_locks_in_one_process_exclude_each_other() {
    let folder = fresh_folder("lock-one");
    let lock = FolderLock::take(&folder).expect("free");
    let error = FolderLock::take(&folder).expect_err("taken");
    let me = std::process::id();
    assert!(matches!(error, ExperimentError::InUse { pid: Some(pid), .. } if pid == me));
    assert_eq!(
        FolderLock::holder(&folder).expect("readable"),
        Some(Some(me))
    );
    drop(lock);
    assert_eq!(FolderLock::holder(&folder).expect("readable"), None);
    FolderLock::take(&folder).expect("free again");
}

#[test]
fn a_lock_excludes_other_processes_and_dies_with_its_holder() {
    let folder = fresh_folder("lock-other");
    for _ in 0..3 {
        let mut actor = Actor::start("hold", &folder);
        actor.hear("holding").expect("it takes the lock");
        let error = FolderLock::take(&folder).expect_err("taken").to_string();
        assert!(error.contains("lock-other"), "{error}");
        assert!(
            error.contains(&format!("process {}", actor.pid())),
            "{error}"
        );
        actor.kill();
        FolderLock::take(&folder).expect("free after kill -9");
    }
}

#[test]
fn a_lock_file_full_of_nonsense_locks_all_the_same() {
    let folder = fresh_folder("lock-nonsense");
    fs::write(folder.join(".lock"), [0xff; 1000]).expect("writable");
    assert_eq!(FolderLock::holder(&folder).expect("readable"), None);
    let _lock = FolderLock::take(&folder).expect("free");
    assert!(FolderLock::take(&folder).is_err());
}

#[test]
fn a_folder_that_is_not_there_cannot_be_locked() {
    let folder = fresh_folder("lock-none").join("missing");
    let error = FolderLock::take(&folder).expect_err("missing").to_string();
    assert!(error.contains("missing"), "{error}");
    assert_eq!(FolderLock::holder(&folder).expect("no holder"), None);
}
