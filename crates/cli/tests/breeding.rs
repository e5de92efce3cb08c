//! `mendel breed`, killed and resumed; what it proves and what it refuses.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::mendel::{Scratch, kill_when, mendel, size};

/// A recipe that takes some seconds, so that it can be killed in the middle.
const RECIPE: &str = r#"
name = "test"
parent = "gerald-base"
[genome]
coding = "gray"
chromosome = "gerald"
[breeder]
kind = "ga"
population = 150
selection = { tournament = { size = 3 } }
crossover = "two-point"
crossover-rate = 0.75
mutation = "bit-flip"
mutation-rate = 0.005
elites = 2
hall-of-fame = { size = 10, reintroduce = 2 }
[trial]
kind = "expert-distance"
data = "quiet"
sample = 5000
[stop]
generations = 200
[proof]
games = 6
nodes = 50
"#;

pub(crate) fn command(scratch: &Scratch, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mendel"));
    command
        .args(arguments)
        .env("MENDEL_HOME", scratch.at("home"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Runs `mendel` in the scratch folder's home, and returns what it printed.
pub(crate) fn run(scratch: &Scratch, arguments: &[&str]) -> String {
    let output = command(scratch, arguments).output().expect("it was built");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {said}");
    String::from_utf8(output.stdout).expect("the program speaks UTF-8")
}

pub(crate) fn read(folder: &str, name: &str) -> String {
    let text = fs::read_to_string(Path::new(folder).join(name));
    let text = text.unwrap_or_else(|_| panic!("{folder}/{name}"));
    if name != "manifest.toml" {
        return text;
    }
    // The command has the number of threads and the folder.
    let lines = text.lines().filter(|line| !line.starts_with("command = "));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_run_killed_five_times_equals_the_unbroken_one_on_one_thread_and_on_two() {
    let scratch = Scratch::new("breed-killed");
    let recipe = scratch.at("test.toml");
    fs::write(&recipe, RECIPE).expect("there is room");
    let folders = ["one", "two", "killed"].map(|name| scratch.at(name));
    for (folder, threads) in folders.iter().zip(["1", "2"]) {
        let arguments = ["--seed", "5", "--quiet", "--threads", threads];
        let mut all = vec!["breed", &recipe, "--out", folder];
        all.extend(arguments);
        run(&scratch, &all);
    }

    // Killed with SIGKILL when this part of the generations is there, then brought to its end.
    let killed = &folders[2];
    let first = [
        "breed",
        &recipe,
        "--out",
        killed,
        "--seed",
        "5",
        "--no-proof",
    ];
    let again = ["resume", killed];
    let written = |folder: &str| size(Path::new(folder).join("generations.jsonl"));
    for percent in [1, 10, 15, 30, 50] {
        let arguments: &[&str] = if Path::new(killed).join("manifest.toml").exists() {
            &again
        } else {
            &first
        };
        let child = command(&scratch, arguments).spawn().expect("it was built");
        let enough = written(&folders[0]) * percent / 100;
        let killed = kill_when(child, "it is bred on", || written(killed) > enough);
        assert!(killed, "it was over before {percent} % of its generations");
    }
    run(&scratch, &["resume", killed, "--quiet"]);

    for name in [
        "generations.jsonl",
        "lineage.jsonl",
        "champion.toml",
        "result.json",
        "manifest.toml",
    ] {
        let unbroken = read(&folders[0], name);
        assert_eq!(unbroken, read(&folders[1], name), "{name} on two threads");
        assert_eq!(unbroken, read(killed, name), "{name} after five deaths");
    }
    for word in ["second", "time", "date"] {
        assert!(
            !read(killed, "generations.jsonl").contains(word),
            "a clock's {word}"
        );
    }
}

#[test]
fn a_run_ends_with_a_champion_a_proof_and_a_page() {
    let scratch = Scratch::new("breed-whole");
    let recipe = scratch.at("test.toml");
    let text = RECIPE
        .replace("generations = 200", "generations = 15")
        .replace("sample = 5000", "sample = 500");
    fs::write(&recipe, text).expect("there is room");
    let folder = scratch.at("run");
    let printed = run(&scratch, &["breed", &recipe, "--out", &folder, "--json"]);
    let lines: Vec<Value> = printed
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line is JSON"))
        .collect();
    let generations = lines.iter().filter(|line| line["event"] == "generation");
    assert_eq!(generations.count(), 15, "a line a generation");
    let result = lines.last().expect("the result");
    assert_eq!(result["event"], "result");
    assert_eq!(result["matches"][0]["games"], 6);
    assert!(
        result["verdict"]
            .as_str()
            .is_some_and(|it| it.contains("proved"))
    );

    // The champion plays, and knows where it comes from.
    let champion = format!("{folder}/champion.toml");
    run(&scratch, &["eval", "startpos", "--player", &champion]);
    let pedigree = run(&scratch, &["pedigree", &champion]);
    for word in ["gerald-base", "test"] {
        assert!(pedigree.contains(word), "{word} is missing: {pedigree}");
    }

    // The run is found again, and has its page.
    let runs: Value = serde_json::from_str(&run(&scratch, &["runs", "--json"])).expect("JSON");
    assert_eq!(runs.as_array().map(Vec::len), Some(1));
    assert!(read(&folder, "report.html").contains("<svg"));
    assert!(read(&folder, "games.pgn").contains("[White "));
}

#[test]
fn a_file_that_is_called_like_a_player_is_not_taken_for_it() {
    let scratch = Scratch::new("breed-names");
    for name in ["gerald-base", "quiet"] {
        fs::write(scratch.at(name), [0xFF, 0xFE]).expect("there is room");
    }
    let arguments = [
        "breed",
        "first-steps",
        "--no-proof",
        "--quiet",
        "--out",
        "run",
    ];
    let short = [
        "--set",
        "stop.generations=2",
        "--set",
        "breeder.population=10",
    ];
    let output = command(&scratch, &[&arguments[..], &short[..]].concat())
        .current_dir(scratch.at(""))
        .output()
        .expect("it was built");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}

#[test]
fn a_wrong_request_is_refused_before_anything_is_written() {
    let scratch = Scratch::new("breed-wrong");
    let recipe = scratch.at("test.toml");
    fs::write(&recipe, RECIPE).expect("there is room");
    let wrong = scratch.at("wrong.toml");
    fs::write(&wrong, RECIPE.replace("0.75", "7.5")).expect("there is room");
    let out = scratch.at("out");
    let table: [(&[&str], &str); 8] = [
        (&["breed", "nothing"], "first-steps"),
        (&["breed", "nowhere/x.toml"], "x.toml"),
        (&["breed", &wrong], "line 12"),
        (
            &["breed", &recipe, "--set", "stop.generatons=3"],
            "generatons",
        ),
        (&["breed", &recipe, "--set", "stop"], "KEY=VALUE"),
        (&["breed", &recipe, "--data", "nothing"], "nothing"),
        (
            &["breed", &recipe, "--set", "trial.sample=10000000"],
            "sample",
        ),
        (&["resume", "nothing"], "mendel runs"),
    ];
    for (arguments, reason) in table {
        let mut arguments = arguments.to_vec();
        if arguments[0] == "breed" {
            arguments.extend(["--out", &out]);
        }
        let said = mendel(&arguments, b"");
        assert_eq!(said.code, Some(2), "{arguments:?}: {}", said.err);
        assert!(said.err.contains(reason), "{arguments:?}: {}", said.err);
        assert!(!Path::new(&out).exists(), "{arguments:?} wrote something");
    }
}
