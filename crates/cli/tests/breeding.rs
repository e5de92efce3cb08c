//! `mendel breed`, killed and resumed; what it proves and what it refuses.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{Scratch, finish, json, kill_when, mendel, read_record, size};

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

#[test]
fn a_run_killed_five_times_equals_the_unbroken_one_on_one_thread_and_on_two() {
    let scratch = Scratch::new("breed-killed");
    let recipe = scratch.put("test.toml", RECIPE);
    let folders = ["one", "two", "killed"].map(|name| scratch.at(name));
    for (folder, threads) in folders.iter().zip(["1", "2"]) {
        let arguments = ["--seed", "5", "--quiet", "--threads", threads];
        let mut all = vec!["breed", &recipe, "--out", folder];
        all.extend(arguments);
        scratch.printed(&all);
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
        let child = scratch.start(arguments);
        let enough = written(&folders[0]) * percent / 100;
        let killed = kill_when(child, "it is bred on", || written(killed) > enough);
        assert!(killed, "it was over before {percent} % of its generations");
    }
    scratch.printed(&["resume", killed, "--quiet"]);

    for name in [
        "generations.jsonl",
        "lineage.jsonl",
        "champion.toml",
        "result.json",
        "manifest.toml",
    ] {
        let unbroken = read_record(&folders[0], name);
        assert_eq!(
            unbroken,
            read_record(&folders[1], name),
            "{name} on two threads"
        );
        assert_eq!(
            unbroken,
            read_record(killed, name),
            "{name} after five deaths"
        );
    }
    for word in ["second", "time", "date"] {
        assert!(
            !read_record(killed, "generations.jsonl").contains(word),
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
    let printed = scratch.printed(&["breed", &recipe, "--out", &folder, "--json"]);
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
    scratch.printed(&["eval", "startpos", "--player", &champion]);
    let pedigree = scratch.printed(&["pedigree", &champion]);
    for word in ["gerald-base", "test"] {
        assert!(pedigree.contains(word), "{word} is missing: {pedigree}");
    }

    // The run is found again, and has its page.
    let runs: Value = json(&scratch.printed(&["runs", "--json"]));
    assert_eq!(runs.as_array().map(Vec::len), Some(1));
    assert!(read_record(&folder, "report.html").contains("<svg"));
    assert!(read_record(&folder, "games.pgn").contains("[White "));
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
    let arguments = [&arguments[..], &short[..]].concat();
    let mut command = scratch.command(&arguments);
    finish(command.current_dir(scratch.at("")), b"").success(&arguments);
}

#[test]
fn a_wrong_request_is_refused_before_anything_is_written() {
    let scratch = Scratch::new("breed-wrong");
    let recipe = scratch.put("test.toml", RECIPE);
    let wrong = scratch.put("wrong.toml", RECIPE.replace("0.75", "7.5"));
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
