//! A standard output that takes nothing, and one that somebody closed.

use std::fs::File;
use std::process::{Command, Stdio};

use super::Inputs;
use crate::support::shell;

/// Every command that prints, with little work.
const PRINTERS: [&str; 36] = [
    "--help",
    "-h",
    "--version",
    "help",
    "breed --help",
    "help data import",
    "perft 1",
    "perft 1 --divide",
    "bench --depth 1",
    "eval startpos",
    "eval startpos --json",
    "players",
    "players --json",
    "pedigree material",
    "pedigree material --json",
    "runs run",
    "runs --json",
    "runs run --export csv",
    "runs run --export jsonl",
    "report run",
    "report run --json",
    "analyse run",
    "analyse run --json",
    "breed",
    "breed --json",
    "train",
    "train --json",
    "data list",
    "data info set.mds",
    "data info all.games --json",
    "data rows set.mds --player gerald-base --out new.csv",
    "data scores set.mds --out new.csv",
    "data draw all.games --recipe train.toml --part train --out draw.mds",
    "match material material --nodes 5 --games 2 --quiet --json --out match",
    "calibrate --table levels.toml --levels 2 --games 2 --nodes 30 --quiet --out new.toml",
    "tune mendel --options null_reduction --depth 6 --quiet --write params.toml",
];

/// A breeding that takes a moment.
const BREED: &str = "breed first-steps --set breeder.population=8 --set stop.generations=2 --set proof.games=2 --quiet";

fn to_full(inputs: &Inputs, words: &str) -> (Option<i32>, String) {
    let full = File::options().write(true).open("/dev/full");
    let mut command: Command = inputs.command(words.split(' '));
    let output = command
        .stdin(Stdio::null())
        .stdout(full.expect("every Linux has this device"))
        .stderr(Stdio::piped())
        .output()
        .expect("it was built");
    let err = String::from_utf8(output.stderr).expect("the program speaks UTF-8");
    (output.status.code(), err)
}

#[test]
fn a_full_stdout_is_an_error_that_names_it() {
    let inputs = Inputs::new("full");
    for words in PRINTERS {
        let (code, err) = to_full(&inputs, words);
        assert_eq!(code, Some(1), "{words}: {err}");
        let told = "error: cannot write to stdout: No space left on device (os error 28)\n";
        assert!(err.ends_with(told), "{words}: {err}");
        assert_eq!(err.matches("stdout").count(), 1, "{words}: {err}");
    }
}

#[test]
fn a_session_with_a_full_stdout_ends_with_an_error() {
    let inputs = Inputs::new("full-session");
    for (words, input) in [("uci", "uci\nquit\n"), ("play --movetime 10", "e4\nquit\n")] {
        let input_file = inputs.at("input");
        std::fs::write(&input_file, input).expect("writable");
        let full = File::options().write(true).open("/dev/full");
        let output = inputs
            .command(words.split(' '))
            .stdin(File::open(&input_file).expect("it was written"))
            .stdout(full.expect("every Linux has this device"))
            .output()
            .expect("it was built");
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{words}: {err}");
        assert_eq!(err.matches("stdout").count(), 1, "{words}: {err}");
    }
}

#[test]
fn a_run_with_a_full_stdout_is_kept_and_ends_with_an_error() {
    let inputs = Inputs::new("full-run");
    for more in ["--out words", "--json --out lines"] {
        let (code, err) = to_full(&inputs, &format!("{BREED} {more}"));
        assert_eq!(code, Some(1), "{more}: {err}");
        assert_eq!(err.matches("stdout").count(), 1, "{more}: {err}");
    }
    for folder in ["words", "lines"] {
        let champion = inputs.at(folder).join("champion.toml");
        assert!(champion.is_file(), "{folder}: the run did not end");
    }
}

#[test]
fn a_closed_stdout_stays_quiet() {
    let inputs = Inputs::new("closed");
    let folder = inputs.scratch.at("");
    for words in PRINTERS {
        let script = format!(
            "cd '{folder}' && MENDEL_HOME=home; export MENDEL_HOME; {{ \"$MENDEL\" {words} 2>errors; echo \"code $?\" >&2; }} | true"
        );
        let told = shell(&script);
        let err = String::from_utf8(told.stderr).expect("text");
        assert_eq!(err, "code 0\n", "{words}");
        let errors = std::fs::read_to_string(inputs.at("errors")).expect("it was made");
        assert!(
            !errors.contains("stdout") && !errors.contains("error"),
            "{words}: {errors}"
        );
        for made in ["match", "params.toml", "draw.mds"] {
            let _ = std::fs::remove_dir_all(inputs.at(made));
            let _ = std::fs::remove_file(inputs.at(made));
        }
    }
}
