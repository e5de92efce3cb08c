//! What the system refuses, as it is told.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use super::Inputs;
use crate::support::{MENDEL, Said, finish};

/// A request, the path that its error names, and why.
type Mistake = (&'static str, &'static str, &'static str);

/// `folder` is a folder, `plain` is a file, `missing` is nothing.
const MISTAKES: [Mistake; 32] = [
    (
        "eval startpos --player missing.toml",
        "missing.toml",
        MISSING,
    ),
    (
        "match missing.toml material --nodes 5",
        "missing.toml",
        MISSING,
    ),
    (
        "match material material --nodes 5 --openings missing.epd",
        "missing.epd",
        MISSING,
    ),
    (
        "match material material --nodes 5 --openings folder",
        "folder",
        "a directory",
    ),
    (
        "match material material --nodes 5 --names missing",
        "missing",
        MISSING,
    ),
    (
        "match material material --nodes 5 --syzygy missing",
        "missing",
        MISSING,
    ),
    (
        "match material material --nodes 5 --out plain",
        "plain",
        "exists",
    ),
    (
        "match material material --nodes 5 --out plain/x",
        "plain/x",
        BELOW,
    ),
    ("calibrate --table missing", "missing", MISSING),
    ("calibrate --table folder", "folder", "not a file"),
    (
        "calibrate --levels 2 --games 2 --out new.toml --folder plain --quiet",
        "plain",
        "exists",
    ),
    ("breed missing.toml", "missing.toml", MISSING),
    ("breed first-steps --data folder", "folder", "a directory"),
    ("breed first-steps --out plain --quiet", "plain", "exists"),
    ("breed first-steps --out plain/x --quiet", "plain/x", BELOW),
    ("tune mendel --nodes 5 --params missing", "missing", MISSING),
    (
        "tune mendel --nodes 5 --params folder",
        "folder",
        "a directory",
    ),
    (
        "tune mendel --nodes 5 --openings missing",
        "missing",
        MISSING,
    ),
    ("pedigree missing.toml", "missing.toml", MISSING),
    (
        "analyse --player neat network --out plain",
        "plain",
        "exists",
    ),
    (
        "analyse --player neat network --out plain/x",
        "plain/x",
        BELOW,
    ),
    ("data info missing.games", "missing.games", MISSING),
    ("data info folder", "folder", "a directory"),
    ("data import missing --out new.mds", "missing", MISSING),
    ("data import folder --out new.mds", "folder", "a directory"),
    ("data games missing --out new.games", "missing", MISSING),
    ("data games folder --out new.games", "folder", "a directory"),
    ("data draw missing --out new.mds", "missing", MISSING),
    ("data draw folder --out new.mds", "folder", "a directory"),
    (
        "data rows set.mds --player missing.toml --out new.csv",
        "missing.toml",
        MISSING,
    ),
    ("data scores folder --out new.csv", "folder", "a directory"),
    (
        "worker --crew nats://127.0.0.1:1 --crew-token-file missing",
        "missing",
        MISSING,
    ),
];

const MISSING: &str = "o such file or directory";
const BELOW: &str = "ot a directory";

/// Commands that read a file `locked`.
const READERS: [(&str, &str); 9] = [
    ("eval startpos --player locked.toml", "locked.toml"),
    (
        "match material material --nodes 5 --openings locked.epd",
        "locked.epd",
    ),
    ("calibrate --table locked.toml", "locked.toml"),
    ("breed locked.toml", "locked.toml"),
    ("tune mendel --nodes 5 --params locked.toml", "locked.toml"),
    ("data import locked.csv --out new.mds", "locked.csv"),
    ("data games locked.pgn --out new.games", "locked.pgn"),
    ("data info locked.mds", "locked.mds"),
    ("runs", "home/index.sqlite"),
];

fn names_once(said: &Said, words: &str, path: &str, reason: &str) {
    let code = said.code;
    assert!(code == Some(1) || code == Some(2), "{words}: {}", said.err);
    let error = said.err.lines().find(|line| line.starts_with("error: "));
    let error = error.unwrap_or_else(|| panic!("{words}: {}", said.err));
    assert_eq!(error.matches(path).count(), 1, "{words}: {error}");
    assert_eq!(error.matches(reason).count(), 1, "{words}: {error}");
    assert!(error.matches("os error").count() <= 1, "{words}: {error}");
}

#[test]
fn an_error_of_the_system_names_the_path_once() {
    let inputs = Inputs::new("mistakes");
    fs::create_dir(inputs.at("folder")).expect("writable");
    fs::write(inputs.at("plain"), "plain").expect("writable");
    for (words, path, reason) in MISTAKES {
        let said = inputs.run(words.split(' '));
        names_once(&said, words, path, reason);
    }
}

#[test]
fn a_home_that_cannot_be_used_is_named_once() {
    let inputs = Inputs::new("mistakes-home");
    fs::write(inputs.at("plain"), "plain").expect("writable");
    for (home, reason) in [
        ("plain", "exists"),
        ("plain/x", BELOW),
        ("/proc/missing", MISSING),
    ] {
        for words in ["runs", "report abc", "resume abc"] {
            let mut command = inputs.command(words.split(' '));
            let said = finish(command.env("MENDEL_HOME", home), b"");
            names_once(&said, words, home, reason);
        }
    }
}

#[test]
fn a_current_folder_that_is_gone_is_named() {
    let inputs = Inputs::new("mistakes-gone");
    let gone = inputs.scratch.at("gone");
    fs::create_dir(&gone).expect("writable");
    let mut command = Command::new("sh");
    let script = "cd \"$1\" && rmdir \"$1\" && exec \"$0\" match material material --nodes 5 --games 2 --out new";
    command.args(["-c", script, MENDEL, &gone]);
    let said = finish(command.env("MENDEL_HOME", inputs.at("home")), b"");
    assert_eq!(said.code, Some(2), "{}", said.err);
    names_once(&said, "match", "the current folder", MISSING);
}

#[test]
fn a_file_that_may_not_be_read_is_named_once() {
    let inputs = Inputs::new("mistakes-locked");
    fs::create_dir_all(inputs.at("home")).expect("writable");
    for (words, path) in READERS {
        fs::write(inputs.at(path), "").expect("writable");
        let nothing = fs::Permissions::from_mode(0o0);
        fs::set_permissions(inputs.at(path), nothing).expect("it is ours");
        let said = finish(&mut inputs.without_privileges(words.split(' ')), b"");
        let reason = if words == "runs" {
            "nable to open"
        } else {
            "ermission denied"
        };
        names_once(&said, words, path, reason);
    }
}
