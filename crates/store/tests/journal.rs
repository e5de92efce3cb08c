use std::fs;

use mendel_store::{FileError, Journal, Record, Sync};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

use crate::children::Actor;
use crate::{Note, fresh_folder};

#[test]
fn what_was_appended_is_found() {
    let path = fresh_folder("found").join("notes.jsonl");
    for round in 0..3 {
        let (mut journal, earlier) = Journal::<Note>::open(&path, Sync::Each).expect("a journal");
        let expected: Vec<Note> = (0..round * 5).map(Note::numbered).collect();
        assert_eq!(earlier, expected);
        assert_eq!(Journal::<Note>::read(&path).expect("readable"), expected);
        for number in round * 5..(round + 1) * 5 {
            journal.append(&Note::numbered(number)).expect("room");
        }
    }
}

#[test]
fn many_records_are_there_together_or_not_at_all() {
    let path = fresh_folder("many").join("notes.jsonl");
    let (mut journal, _) = Journal::<Note>::open(&path, Sync::Each).expect("a journal");
    let notes: Vec<Note> = (0..600).map(Note::numbered).collect();
    journal.append_all(&notes[..500]).expect("room");
    journal.append_all(&[]).expect("nothing to do");
    journal.append_all(&notes[500..]).expect("room");
    assert_eq!(Journal::<Note>::read(&path).expect("readable"), notes);
}

#[test]
fn lines_are_json_with_their_version_first_and_a_checksum_last() {
    let path = fresh_folder("lines").join("notes.jsonl");
    let (mut journal, _) = Journal::<Note>::open(&path, Sync::Each).expect("a journal");
    journal.append(&Note::numbered(2)).expect("room");
    assert_eq!(
        fs::read_to_string(&path).expect("text"),
        "{\"v\":3,\"number\":2,\"text\":\"é\\n\\\"xx\\\"\",\"crc\":\"2fe46e9a\"}\n"
    );
}

#[test]
fn a_journal_written_anew_has_just_those_records_and_goes_on() {
    let folder = fresh_folder("anew");
    let path = folder.join("notes.jsonl");
    let notes =
        |numbers: &[u64]| -> Vec<Note> { numbers.iter().copied().map(Note::numbered).collect() };
    Journal::rewrite(&path, &notes(&[0, 1, 2, 3])).expect("also where there is none");
    // A torn line does not survive either.
    let mut bytes = fs::read(&path).expect("bytes");
    bytes.extend(b"{\"v\":3,");
    fs::write(&path, bytes).expect("writable");
    Journal::rewrite(&path, &notes(&[1, 3])).expect("room");
    let (mut journal, kept) = Journal::<Note>::open(&path, Sync::Each).expect("a journal");
    assert_eq!(kept, notes(&[1, 3]));
    journal.append(&Note::numbered(4)).expect("room");
    assert_eq!(
        Journal::<Note>::read(&path).expect("readable"),
        notes(&[1, 3, 4])
    );
    let names = fs::read_dir(&folder).expect("a folder").count();
    assert_eq!(names, 1, "nothing is left beside it");
}

/// A writer can die after any byte. Whole lines stay, also the one that lacks only
/// its end; the rest goes, and appending continues.
#[test]
fn a_torn_tail_is_cut_at_every_byte() {
    let path = fresh_folder("torn").join("notes.jsonl");
    let (mut journal, _) = Journal::<Note>::open(&path, Sync::Each).expect("a journal");
    for number in 0..4 {
        journal.append(&Note::numbered(number)).expect("room");
    }
    drop(journal);
    let whole = fs::read(&path).expect("bytes");
    let ends: Vec<usize> = (0..whole.len()).filter(|&i| whole[i] == b'\n').collect();
    for length in 0..=whole.len() {
        fs::write(&path, &whole[..length]).expect("writable");
        let expected = ends.iter().filter(|&&end| length >= end).count();
        let seen = Journal::<Note>::read(&path).expect("readable");
        assert_eq!(seen.len(), expected, "read of {length} bytes");
        assert_eq!(fs::read(&path).expect("bytes"), &whole[..length]);

        let (mut journal, earlier) =
            Journal::<Note>::open(&path, Sync::Each).expect("a torn tail is no error");
        assert_eq!(earlier.len(), expected, "open of {length} bytes");
        for number in expected..4 {
            journal
                .append(&Note::numbered(number as u64))
                .expect("room");
        }
        assert_eq!(fs::read(&path).expect("bytes"), whole, "cut at {length}");
    }
}

#[test]
fn zeros_after_the_last_line_are_a_torn_tail() {
    let path = fresh_folder("zeros").join("notes.jsonl");
    let (mut journal, _) = Journal::<Note>::open(&path, Sync::Each).expect("a journal");
    journal.append(&Note::numbered(0)).expect("room");
    drop(journal);
    let mut bytes = fs::read(&path).expect("bytes");
    bytes.extend([0; 5000]);
    fs::write(&path, bytes).expect("writable");
    let (_, earlier) = Journal::<Note>::open(&path, Sync::Each).expect("a journal");
    assert_eq!(earlier, [Note::numbered(0)]);
}

/// A line with its checksum.
fn line(object: &str) -> String {
    let mut line = object.as_bytes().to_vec();
    mendel_store::add_checksum(&mut line);
    String::from_utf8(line).expect("text stays text")
}

#[test]
fn a_broken_line_is_refused_by_its_number_and_left_alone() {
    let path = fresh_folder("broken").join("notes.jsonl");
    let good = line("{\"v\":3,\"number\":0,\"text\":\"\"}");
    // Each of them with the right checksum, too.
    let wrong = [
        "{\"v\":3}",
        "{\"v\":-1}",
        "{\"number\":0,\"text\":\"\"}",
        "[1}",
    ];
    let wrong = wrong.map(line);
    for bad in wrong.iter().map(String::as_str).chain([
        "",
        "{",
        "7",
        "{\"v\":3}",
        "{\"v\":-1}",
        "{\"number\":0,\"text\":\"\"}",
        "\0\0",
        "{\"v\":3,\"number\":0,\"text\":\"\"}",
        "{\"v\":3,\"number\":0,\"text\":\"\",\"crc\":\"00000000\"}",
        "{\"v\":3,\"number\":0,\"text\":\"\",\"crc\":0}",
    ]) {
        let text = format!("{good}\n{bad}\n{good}\n");
        fs::write(&path, &text).expect("writable");
        match Journal::<Note>::open(&path, Sync::Each) {
            Err(error @ FileError::Broken { line: 2, .. }) => {
                let message = error.to_string();
                assert!(message.contains("line 2") && message.contains("notes.jsonl"));
            }
            other => panic!("`{bad}` gives {other:?}"),
        }
        assert_eq!(fs::read_to_string(&path).expect("text"), text);
    }
}

#[test]
fn a_line_of_another_version_is_refused() {
    let path = fresh_folder("version").join("notes.jsonl");
    let text = line("{\"v\":4,\"number\":0,\"text\":\"\"}") + "\n";
    fs::write(&path, text).expect("writable");
    assert!(matches!(
        Journal::<Note>::open(&path, Sync::Each),
        Err(FileError::Version {
            line: 1,
            found: 4,
            known: 3,
            ..
        })
    ));
}

#[test]
fn a_device_is_no_journal() {
    for path in ["/dev/full", "/dev/zero", "/dev/null", "/"] {
        let error = Journal::<Note>::open(path.as_ref(), Sync::Each).expect_err(path);
        assert!(error.to_string().contains(path), "{error}");
        assert!(Journal::<Note>::read(path.as_ref()).is_err());
    }
}

/// JSON has no infinity; found out on the next start it would cost the journal.
#[test]
fn a_record_that_could_not_be_read_again_is_not_written() {
    #[derive(Debug, Serialize, Deserialize)]
    struct Number {
        x: f64,
    }
    impl Record for Number {
        const VERSION: u32 = 1;
    }
    #[derive(Debug, Serialize, Deserialize)]
    struct Bare(u8);
    impl Record for Bare {
        const VERSION: u32 = 1;
    }
    #[derive(Debug, Serialize, Deserialize)]
    struct Clash {
        v: u8,
    }
    impl Record for Clash {
        const VERSION: u32 = 1;
    }
    fn is_refused<T: Record>(folder: &str, record: &T) {
        let path = fresh_folder(folder).join("records.jsonl");
        let (mut journal, _) = Journal::<T>::open(&path, Sync::Each).expect("a journal");
        assert!(matches!(
            journal.append(record),
            Err(FileError::Value { .. })
        ));
        assert_eq!(fs::read(&path).expect("bytes"), b"");
    }
    is_refused("infinite", &Number { x: f64::INFINITY });
    is_refused("bare", &Bare(1));
    is_refused("clash", &Clash { v: 1 });
}

/// The child says each number after its note was acknowledged; whatever moment it
/// is killed at, these notes are there, in order, and at most one more.
#[test]
fn what_was_acknowledged_survives_kill_9() {
    for (part, name) in [("append", "killed"), ("append fast", "killed-fast")] {
        let folder = fresh_folder(name);
        let mut expected = 0;
        for life in 0..6 {
            let mut actor = Actor::start(part, &folder);
            for _ in 0..=life * 7 {
                let number = actor.hear("appended").expect("it is endless");
                assert_eq!(number, expected.to_string());
                expected += 1;
            }
            actor.kill();
            while let Some(number) = actor.hear("appended") {
                // The pipe holds what was said before the end, at most its last
                // line torn.
                if number == expected.to_string() {
                    expected += 1;
                }
            }
            let notes = Journal::<Note>::read(&folder.join("notes.jsonl")).expect("readable");
            let count = notes.len() as u64;
            assert!(
                count == expected || count == expected + 1,
                "{expected} acknowledged, {count} found"
            );
            assert!(notes.into_iter().eq((0..count).map(Note::numbered)));
            expected = count;
        }
    }
}

/// A real file that may not grow: the write is cut short by the system.
#[test]
fn a_full_disk_is_survived() {
    let folder = fresh_folder("full");
    let mut actor = Actor::start_with_little_room("fill", &folder);
    let refusal = actor.hear("refused").expect("the long note does not fit");
    assert!(refusal.contains("notes.jsonl"), "{refusal}");
    actor.hear("done").expect("the journal continues");
    let notes = Journal::<Note>::read(&folder.join("notes.jsonl")).expect("readable");
    assert_eq!(notes, [Note::numbered(0), Note::numbered(1)]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Any bytes are a journal, or an error that names the file.
    #[test]
    fn no_file_panics(bytes in prop::collection::vec(any::<u8>(), 0..200), cut in 0_usize..80) {
        let path = fresh_folder("any").join("notes.jsonl");
        let mut file = line("{\"v\":3,\"number\":0,\"text\":\"some\"}").into_bytes();
        file.push(b'\n');
        file.truncate(cut);
        file.extend(bytes);
        fs::write(&path, file).expect("writable");
        if let Err(error) = Journal::<Note>::open(&path, Sync::Each) {
            prop_assert!(error.to_string().contains("notes.jsonl"));
        }
    }
}
