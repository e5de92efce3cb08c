//! Paths whose bytes are not UTF-8.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

use super::Inputs;
use crate::support::{Said, finish};

/// "café" in Latin-1.
const NAME: &[u8] = b"caf\xe9";

/// Every command that takes a path; `@` stands for the name.
const COMMANDS: [&str; 42] = [
    "uci --player @",
    "bench --player @",
    "eval startpos --player @",
    "play --player @",
    "match @ material --nodes 5 --games 2",
    "match material material --nodes 5 --games 2 --out @",
    "match material material --nodes 5 --games 2 --openings @",
    "match material material --nodes 5 --games 2 --names @",
    "match material material --nodes 5 --games 2 --syzygy @",
    "calibrate --table @ --out strength.toml",
    "calibrate --table levels.toml --out @",
    "calibrate --table levels.toml --out strength.toml --folder @",
    "breed @",
    "breed first-steps --out @",
    "breed first-steps --data @ --out folder",
    "breed first-steps --set parent=@ --out folder",
    "tune @ --nodes 5",
    "tune mendel --nodes 5 --params @ --out folder",
    "tune mendel --nodes 5 --write @",
    "tune mendel --nodes 5 --openings @ --out folder",
    "tune mendel --nodes 5 --out @",
    "resume @",
    "runs @",
    "report @",
    "report run --out @",
    "analyse @",
    "analyse --player @",
    "analyse run --out @",
    "pedigree @",
    "data import @ --out new.mds",
    "data import scores.csv --unit centipawns --out @",
    "data games @ --out new.games",
    "data games some.pgn --min-moves 2 --out @",
    "data draw @ --out new.mds",
    "data draw all.games --recipe train.toml --part train --out @",
    "data info @",
    "data make quiet --from set.mds --expert mendel --out @",
    "data make quiet --from @ --expert mendel --out new.mds",
    "data rows set.mds --out @",
    "data scores @ --out new.csv",
    "train @",
    "worker --crew nats://127.0.0.1:1 --allow @",
];

fn refused(said: &Said, words: &str, named: &str) {
    assert_eq!(said.code, Some(2), "{words}: {}", said.err);
    assert!(said.err.starts_with("error: "), "{words}: {}", said.err);
    assert!(said.err.contains("UTF-8"), "{words}: {}", said.err);
    assert!(said.err.contains(named), "{words}: {}", said.err);
    assert!(said.err.contains("\n\nhint: "), "{words}: {}", said.err);
    assert_eq!(said.out, "", "{words}");
}

#[test]
fn an_argument_that_is_not_utf8_is_refused_before_any_work() {
    let inputs = Inputs::new("bytes");
    let before = inputs.names("");
    for words in COMMANDS {
        let arguments = words.split(' ').map(|word| {
            let parts: Vec<&[u8]> = word.as_bytes().split(|&byte| byte == b'@').collect();
            OsString::from_vec(parts.join(NAME))
        });
        let said = inputs.run(arguments);
        refused(&said, words, "caf\u{fffd}");
        assert_eq!(inputs.names(""), before, "{words}: something was made");
    }
}

#[test]
fn a_current_folder_that_is_not_utf8_is_refused_before_any_work() {
    let inputs = Inputs::new("bytes-here");
    let folder = inputs.at("").join(OsStr::from_bytes(NAME));
    fs::create_dir(&folder).expect("a name of any bytes is allowed");
    for words in [
        "match material material --nodes 5 --games 2",
        "breed first-steps --no-proof",
        "tune mendel --nodes 5 --write params.toml",
        "calibrate --levels 2 --games 2 --nodes 30",
        "data import ../scores.csv --unit centipawns --out new.mds",
    ] {
        let mut command = inputs.command(words.split(' '));
        let said = finish(command.current_dir(&folder), b"");
        refused(&said, words, "caf\u{fffd}");
        let left = fs::read_dir(&folder).expect("it was made").count();
        assert_eq!(left, 0, "{words}: something was made");
    }
}

#[test]
fn a_home_that_is_not_utf8_is_refused_before_any_work() {
    let inputs = Inputs::new("bytes-home");
    let folder = inputs.at("").join(OsStr::from_bytes(NAME));
    for name in ["MENDEL_HOME", "XDG_DATA_HOME", "HOME"] {
        for words in ["runs", "match material material --nodes 5 --games 2"] {
            let mut command = inputs.command(words.split(' '));
            for set in ["MENDEL_HOME", "XDG_DATA_HOME", "HOME"] {
                command.env_remove(set);
            }
            let said = finish(command.env(name, &folder), b"");
            refused(&said, words, "caf\u{fffd}");
            assert!(said.err.contains(name), "{words}: {}", said.err);
            assert!(!folder.exists(), "{words}: something was made");
        }
    }
}

/// Read as text they would count as not set.
#[test]
fn a_variable_that_is_not_utf8_is_refused_before_any_work() {
    let inputs = Inputs::new("bytes-variables");
    let before = inputs.names("");
    let value = OsStr::from_bytes(NAME);
    for (name, is_shown) in [
        ("MENDEL_PLAYER", true),
        ("MENDEL_CREW", true),
        ("MENDEL_CREW_TOKEN", false),
    ] {
        for words in ["eval startpos", "breed first-steps --quiet --out folder"] {
            let mut command = inputs.command(words.split(' '));
            let said = finish(command.env(name, value), b"");
            refused(&said, words, name);
            assert_eq!(said.err.contains("caf"), is_shown, "{name}: {}", said.err);
            assert_eq!(inputs.names(""), before, "{words}: something was made");
        }
    }
}
