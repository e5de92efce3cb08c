use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mendel_store::InputHashes;
use mendel_store::frame::{
    Experiment as _, ExperimentEvent, Failure, Folder, Host, Kept, Manifest, repair, resume, start,
    status_of,
};

use super::fake::{
    Count, Counter, CounterPlan, Item, Options, Outer, Step, contents, run_outer, unbroken,
};
use crate::fresh_folder;

fn plan() -> CounterPlan {
    CounterPlan { steps: 4, items: 4 }
}

/// A host that stops when this number of steps is recorded, and of items after them.
fn stops_after(steps: u64, items: u64) -> Host {
    let host = Host::default();
    let stop = host.stop.clone();
    let recorded = std::sync::atomic::AtomicU64::new(0);
    Host {
        listener: Some(Arc::new(move |_, event| {
            use std::sync::atomic::Ordering::Relaxed;
            match event {
                ExperimentEvent::Record { .. } => {
                    recorded.fetch_add(1, Relaxed);
                }
                ExperimentEvent::Progress { part, done, .. }
                    if part == "items" && recorded.load(Relaxed) == steps && *done == items =>
                {
                    stop.store(true, Relaxed);
                }
                _ => {}
            }
        })),
        ..host
    }
}

/// A counter that was stopped in its third step.
fn stopped(name: &str) -> PathBuf {
    let folder = fresh_folder(name);
    let options = Options::default();
    let failure = start::<Counter>(&folder, plan(), 3, "count", &options, &stops_after(2, 2));
    assert!(failure.expect_err("stopped").is_stopped());
    folder
}

fn resumed(folder: &Path) -> Result<Count, Failure> {
    resume::<Counter>(folder, &Options::default(), &Host::default())
}

fn copy(from: &Path, to: &Path) {
    let _ = fs::remove_dir_all(to);
    fs::create_dir_all(to).expect("writable");
    for item in fs::read_dir(from).expect("a folder") {
        let path = item.expect("an entry").path();
        fs::copy(&path, to.join(path.file_name().expect("a name"))).expect("room");
    }
}

/// The files that carry checksums, at every byte, and the others, where a flipped bit is found by
/// the comparison of identities or has no meaning.
#[test]
fn a_flipped_bit_is_reported_and_never_counted() {
    let whole = stopped("damage-flip");
    let folder = fresh_folder("damage-flipped");
    copy(&whole, &folder);
    let outcome = resumed(&folder).expect("it is resumed");
    let files = contents(&folder);
    let finished = fresh_folder("damage-finished");
    copy(&folder, &finished);
    for (from, name, has_checksum) in [
        (&whole, "steps.jsonl", true),
        (&whole, "items.jsonl", true),
        (&whole, "items-pending.jsonl", true),
        (&whole, Folder::CHECKPOINT, true),
        (&finished, Folder::RESULT, true),
        (&whole, Manifest::FILE, false),
        (&whole, Counter::PLAN, false),
        (&whole, InputHashes::FILE, false),
    ] {
        let text = fs::read(from.join(name)).expect("it is there");
        let mut reported = 0;
        for position in 0..text.len() {
            // Every kind of byte with every bit somewhere.
            let mut damaged = text.clone();
            damaged[position] ^= 1 << (position % 8);
            copy(from, &folder);
            fs::write(folder.join(name), &damaged).expect("writable");
            match resumed(&folder) {
                Err(failure) => {
                    let said = failure.to_string();
                    assert!(!failure.is_stopped(), "{said}");
                    if has_checksum {
                        assert!(said.contains(name), "{said}");
                        assert!(said.contains("--repair"), "{said}");
                    }
                    if Path::new(name).extension().is_some_and(|it| it == "jsonl") {
                        let line = text[..position].split(|&it| it == b'\n').count();
                        assert!(
                            said.contains(&format!("line {line} of")),
                            "{position}: {said}"
                        );
                    }
                    assert_eq!(fs::read(folder.join(name)).expect("kept"), damaged);
                    reported += 1;
                }
                Ok(_) if has_checksum => panic!("bit of byte {position} of `{name}` is lost"),
                Ok(found) => {
                    assert_eq!(found, outcome, "byte {position} of `{name}`");
                    let mut left = contents(&folder);
                    left.insert(name.into(), files[Path::new(name)].clone());
                    assert_eq!(left, files, "byte {position} of `{name}`");
                }
            }
        }
        assert!(reported > text.len() / 4, "{reported} of `{name}`");
    }
}

#[test]
fn lost_records_and_files_are_noticed() {
    let whole = stopped("damage-lost");
    let folder = fresh_folder("damage-losing");
    for name in ["steps.jsonl", "items.jsonl"] {
        copy(&whole, &folder);
        fs::remove_file(folder.join(name)).expect("it is there");
        let said = resumed(&folder).expect_err("it is missing").to_string();
        assert!(said.contains(name) && said.contains("records"), "{said}");
        // Its last line alone.
        copy(&whole, &folder);
        let text = fs::read_to_string(folder.join(name)).expect("text");
        let end = text.trim_end().rfind('\n').expect("several lines") + 1;
        fs::write(folder.join(name), &text[..end]).expect("writable");
        let said = resumed(&folder).expect_err("it is shorter").to_string();
        // Items of the step under way do not make up for it.
        let expected =
            ["1 of the 2 records", "7 of the 8 records"][usize::from(name == "items.jsonl")];
        assert!(said.contains(name) && said.contains(expected), "{said}");
    }
}

#[test]
fn a_repaired_experiment_goes_on_as_if_nothing_had_happened() {
    let whole = stopped("damage-repair");
    let folder = fresh_folder("damage-repaired");
    copy(&whole, &folder);
    let outcome = resumed(&folder).expect("it is resumed");
    let files = contents(&folder);
    let finished = fresh_folder("damage-repair-finished");
    copy(&folder, &finished);
    for (from, name) in [
        (&whole, "steps.jsonl"),
        (&whole, "items.jsonl"),
        (&whole, "items-pending.jsonl"),
        (&whole, Folder::CHECKPOINT),
        (&finished, Folder::RESULT),
        (&finished, "steps.jsonl"),
        (&finished, "items.jsonl"),
        (&finished, Folder::CHECKPOINT),
    ] {
        let text = fs::read(from.join(name)).expect("it is there");
        for position in (0..text.len()).step_by(29).chain([text.len() - 1]) {
            copy(from, &folder);
            let mut damaged = text.clone();
            damaged[position] ^= 4;
            fs::write(folder.join(name), &damaged).expect("writable");
            let repairs = repair(&folder).expect("it can be repaired");
            assert_eq!(repairs[0].file, folder.join(name));
            assert_eq!(fs::read(&repairs[0].original).expect("kept"), damaged);
            assert_eq!(repairs[0].original, folder.join(format!("{name}.damaged")));
            assert!(repairs[0].to_string().contains(name));
            assert_eq!(repair(&folder).expect("nothing is left to do"), []);
            assert_eq!(resumed(&folder).expect("it is resumed"), outcome);
            assert_eq!(contents(&folder), files, "byte {position} of `{name}`");
        }
    }
}

#[test]
fn a_repair_keeps_what_is_intact() {
    let folder = stopped("damage-kept");
    // The second of two steps: the checkpoint before it is continued.
    let path = folder.join("steps.jsonl");
    let mut text = fs::read(&path).expect("it is there");
    let end = text.len() - 5;
    text[end] ^= 1;
    fs::write(&path, &text).expect("writable");
    let repairs = repair(&folder).expect("it can be repaired");
    assert_eq!(repairs[0].kept, Kept::Records { kept: 1, cut: 1 });
    assert_eq!(repairs[1].kept, Kept::Previous);
    assert_eq!(repairs.len(), 2);
    let files = Folder::at(&folder);
    let (_, steps) = files.journal::<Step>("steps.jsonl").expect("it is there");
    assert_eq!(steps.len(), 1);
    // Items of the second step are not done again.
    let items = files.memo_until::<Item>("items", mendel_store::Sync::Each, |key| key.0 < 1);
    assert_eq!(items.expect("both files").len(), 4 + 2);
}

#[test]
fn damage_inside_reaches_the_outcome_outside() {
    let (outcome, files) = unbroken("damage-nested-unbroken");
    let folder = fresh_folder("damage-nested");
    run_outer(&folder, &Host::default()).expect("it runs");
    assert_eq!(repair(&folder).expect("nothing to do"), []);
    let path = folder.join("0001/items.jsonl");
    let mut text = fs::read(&path).expect("it is there");
    text[10] ^= 1;
    fs::write(&path, text).expect("writable");
    let repairs = repair(&folder).expect("it can be repaired");
    let results = repairs
        .iter()
        .filter(|it| it.file.ends_with(Folder::RESULT));
    assert_eq!(results.count(), 2, "{repairs:?}");
    let again = resume::<Outer>(&folder, &Options::default(), &Host::default());
    assert_eq!(again.expect("it is resumed"), outcome);
    assert_eq!(contents(&folder), files);
}

#[test]
fn folders_of_older_and_newer_versions_are_refused_and_left_alone() {
    let manifest =
        "kind = \"counter\"\nschema = 9\nid = \"x\"\nname = \"x\"\nseed = 1\nversion = \"7.0.0\"\n";
    for (name, file, text, expected) in [
        (
            "run",
            Manifest::FILE,
            "id = \"12\"\nrecipe = \"r\"\nseed = 1\nversion = \"0.1.0\"\n",
            "made by mendel 0.1.0",
        ),
        ("match", "match.toml", "games = 2\n", "made by mendel 0.1.0"),
        ("tune", "tune.toml", "games = 2\n", "made by mendel 0.1.0"),
        ("newer", Manifest::FILE, manifest, "mendel 7.0.0"),
        ("broken", Manifest::FILE, "kind = ", "is broken"),
        (
            "none",
            "notes.txt",
            "hello",
            "not the folder of an experiment",
        ),
    ] {
        let folder = fresh_folder("damage-old").join(name);
        fs::create_dir(&folder).expect("writable");
        fs::write(folder.join(file), text).expect("writable");
        let failure = resumed(&folder).expect_err("it is refused");
        assert!(
            matches!(failure, Failure::InvalidRequest { .. }),
            "{failure:?}"
        );
        assert!(failure.to_string().contains(expected), "{failure}");
        let failure = repair(&folder).err();
        assert_eq!(failure.is_none(), name == "newer", "{failure:?}");
        let options = Options::default();
        if name != "none" {
            start::<Counter>(&folder, plan(), 3, "", &options, &Host::default())
                .expect_err("it is taken");
        }
        let _ = status_of(&folder);
        let left: Vec<_> = fs::read_dir(&folder).expect("a folder").flatten().collect();
        let left: Vec<_> = left.iter().map(fs::DirEntry::file_name).collect();
        if name != "newer" {
            assert_eq!(left, [file]);
        }
        assert_eq!(fs::read_to_string(folder.join(file)).expect("text"), text);
    }
}

/// A start may be killed before its last file; then it starts again.
#[test]
fn a_start_that_was_killed_is_begun_again() {
    let whole = stopped("damage-start");
    let folder = fresh_folder("damage-starting");
    let outcome = {
        copy(&whole, &folder);
        resumed(&folder).expect("it is resumed")
    };
    for written in [0, 1, 2] {
        let folder = fresh_folder("damage-starting");
        fs::write(folder.join(".starting"), "").expect("writable");
        for name in [InputHashes::FILE, Counter::PLAN].iter().take(written) {
            fs::write(folder.join(name), "half a ").expect("writable");
        }
        let options = Options::default();
        let again = start::<Counter>(&folder, plan(), 3, "", &options, &Host::default());
        assert_eq!(again.expect("it starts"), outcome);
        assert!(!folder.join(".starting").exists());
    }
}

#[test]
fn a_checkpoint_of_bytes_is_read_as_it_was_written_or_not_at_all() {
    let folder = Folder::at(fresh_folder("damage-bytes"));
    let read = || folder.read_checkpoint_bytes();
    assert_eq!(read().expect("there is none"), None);
    let state = b"\n{}\0\n\xff\n".to_vec();
    let written = folder.write_checkpoint_bytes(state.clone(), &mut []);
    written.expect("there is room");
    assert_eq!(read().expect("it is whole"), Some(state));

    let path = folder.file(Folder::CHECKPOINT);
    let whole = fs::read(&path).expect("it was written");
    for place in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[place] ^= 1;
        fs::write(&path, bytes).expect("writable");
        assert!(read().is_err(), "byte {place}");
    }
}
