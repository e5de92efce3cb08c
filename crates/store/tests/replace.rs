use std::fs;
use std::io::Read as _;
use std::os::unix::fs::{FileTypeExt as _, symlink};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use mendel_store::{FileError, check_replace, is_taken, replace};

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
        Err(FileError::NoName { .. })
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

#[test]
fn a_link_stays_and_its_target_is_replaced() {
    let folder = fresh_folder("replace-link");
    fs::create_dir(folder.join("elsewhere")).expect("writable");
    symlink("elsewhere/file", folder.join("second")).expect("writable");
    symlink("second", folder.join("first")).expect("writable");
    for contents in ["made", "made anew"] {
        replace(&folder.join("first"), contents.as_bytes()).expect("writable");
        let read = fs::read_to_string(folder.join("elsewhere/file"));
        assert_eq!(read.expect("it was made"), contents);
    }
    for link in ["first", "second"] {
        let found = fs::symlink_metadata(folder.join(link)).expect("it is there");
        assert!(found.is_symlink(), "{link} was replaced");
    }
    assert_eq!(names(&folder.join("elsewhere")), ["file"]);

    symlink("circle", folder.join("circle")).expect("writable");
    let error = replace(&folder.join("circle"), b"").expect_err("it leads nowhere");
    assert!(error.to_string().contains("symbolic links"), "{error}");
}

#[test]
fn a_pipe_stays_a_pipe_and_gets_the_contents() {
    let path = fresh_folder("replace-pipe").join("pipe");
    let made = Command::new("mkfifo").arg(&path).status();
    assert!(made.expect("every system has it").success());
    assert!(!is_taken(&path), "nothing is lost");
    check_replace(&path).expect("it is not waited for");
    let (send, receive) = mpsc::channel();
    let from = path.clone();
    thread::spawn(move || {
        let mut text = String::new();
        let read = fs::File::open(from).and_then(|mut file| file.read_to_string(&mut text));
        send.send(read.map(|_| text))
    });
    replace(&path, b"contents").expect("a reader is open");
    let kind = fs::symlink_metadata(&path)
        .expect("it is there")
        .file_type();
    assert!(kind.is_fifo(), "it was replaced");
    let text = receive.recv_timeout(Duration::from_mins(1));
    assert_eq!(text.expect("it was closed").expect("readable"), "contents");
}

#[test]
fn what_cannot_be_replaced_is_found_before_the_work() {
    let folder = fresh_folder("replace-check");
    fs::write(folder.join("file"), "old").expect("writable");
    check_replace(&folder.join("file")).expect("it can be replaced");
    check_replace(&folder.join("new")).expect("it can be made");
    assert!(is_taken(&folder.join("file")) && !is_taken(&folder.join("new")));
    for (path, reason) in [
        ("missing/file", "o such file"),
        ("file/file", "ot a directory"),
        ("", "is a folder"),
    ] {
        let error = check_replace(&folder.join(path)).expect_err("it cannot");
        let told = error.to_string();
        assert!(told.contains(reason), "{told}");
        let shown = folder.join(path).display().to_string();
        assert_eq!(told.matches(&shown).count(), 1, "{told}");
        let error = replace(&folder.join(path), b"").expect_err("it cannot");
        assert_eq!(error.to_string(), told);
    }
    assert_eq!(names(&folder), ["file"]);
    assert_eq!(fs::read(folder.join("file")).expect("kept"), b"old");
}
