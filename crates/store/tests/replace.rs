use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use mendel_store::{ReplaceError, replace};

use crate::fresh_folder;

fn names(folder: &Path) -> Vec<String> {
    fs::read_dir(folder)
        .expect("a folder")
        .map(|item| item.expect("an entry").file_name().to_string_lossy().into())
        .collect()
}

#[test]
fn a_file_is_made_and_made_anew() {
    let folder = fresh_folder("replace");
    for contents in ["one", "", "three"] {
        replace(&folder.join("file"), contents.as_bytes()).expect("writable");
        assert_eq!(
            fs::read_to_string(folder.join("file")).expect("text"),
            contents
        );
        assert_eq!(names(&folder), ["file"], "nothing else is left");
    }
}

#[test]
fn a_refusal_leaves_the_old_file_and_nothing_else() {
    let folder = fresh_folder("replace-refused");
    fs::create_dir(folder.join("taken")).expect("writable");
    fs::write(folder.join("taken/inside"), "old").expect("writable");
    // A folder cannot be replaced by a file.
    let error = replace(&folder.join("taken"), b"new").expect_err("a folder is there");
    assert!(error.to_string().contains("taken"), "{error}");
    assert_eq!(names(&folder), ["taken"]);
    assert_eq!(names(&folder.join("taken")), ["inside"]);
    assert!(matches!(
        replace(Path::new("/"), b""),
        Err(ReplaceError::NoName { .. })
    ));
    assert!(replace(&folder.join("missing/file"), b"").is_err());
}

/// Two writers and a reader at once: every reading is one of the two, whole.
#[test]
fn a_reader_sees_one_whole_file() {
    let path = fresh_folder("replace-race").join("file");
    let texts = ["a".repeat(100_000), "b".repeat(50_000)];
    replace(&path, texts[0].as_bytes()).expect("writable");
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let writers = texts.each_ref().map(|text| {
            let path = &path;
            scope.spawn(move || {
                for _ in 0..20 {
                    replace(path, text.as_bytes()).expect("writable");
                }
            })
        });
        let reader = scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                let text = fs::read_to_string(&path).expect("always there");
                assert!(texts.contains(&text), "{} bytes", text.len());
            }
        });
        for writer in writers {
            writer.join().expect("no panic");
        }
        is_over.store(true, Ordering::Relaxed);
        reader.join().expect("no panic");
    });
}
