//! A king of the hill, killed and resumed: bit for bit the same run, and no pair of
//! games is played twice.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{Scratch, kill_when, mendel, read_record};

/// Everything a trial by games remembers: king, hall, earlier games, ladder.
const RECIPE: &str = r#"
name = "hill"
parent = "gerald-eval-tuned"
[genome]
coding = "gray"
chromosome = "gerald-search"
[breeder]
kind = "ga"
population = 6
selection = "roulette-shifted"
crossover = "single-point"
crossover-rate = 0.75
mutation = "bit-flip"
mutation-rate = 0.05
elites = 1
hall-of-fame = { size = 4, reintroduce = 1 }
[trial]
kind = "king-of-the-hill"
games = 8
nodes = 60
max-plies = 100
rule = { likelihood = 0.7 }
hall = { size = 3, share = 0.2 }
remember = true
verify = { candidates = 2, games = 8 }
ladder = { players = ["material"], anchor = "random", games = 4, every = 2 }
[stop]
generations = 6
[proof]
games = 6
nodes = 40
[full]
"stop.generations" = 9
"#;

/// The pairs in a journal, each by generation, phase and number.
fn pairs(folder: &str, name: &str) -> Vec<(u64, String, u64)> {
    let text = fs::read_to_string(Path::new(folder).join(name)).unwrap_or_default();
    // A line that was being written when its writer died is no line.
    let lines = text
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let key = |line: Value| {
        let number = |key: &str| line[key].as_u64().expect("a number");
        let phase = line["phase"].as_str().expect("a word").to_owned();
        (number("generation"), phase, number("pair"))
    };
    lines.map(key).collect()
}

/// All finished pairs of a run under way.
fn finished(folder: &str) -> BTreeSet<(u64, String, u64)> {
    let now = pairs(folder, "pairs-pending.jsonl");
    let unique: BTreeSet<_> = now.iter().cloned().collect();
    assert_eq!(unique.len(), now.len(), "a pair was played twice");
    unique
        .into_iter()
        .chain(pairs(folder, "pairs.jsonl"))
        .collect()
}

#[test]
fn a_hill_killed_five_times_equals_the_unbroken_one_and_no_pair_is_played_twice() {
    let scratch = Scratch::new("hill-killed");
    let recipe = scratch.put("hill.toml", RECIPE);
    let folders = ["one", "two", "killed"].map(|name| scratch.at(name));
    for (folder, threads) in folders.iter().zip(["1", "2"]) {
        let work = ["--seed", "3", "--quiet", "--threads", threads];
        let all = [&["breed", recipe.as_str(), "--out", folder][..], &work].concat();
        scratch.printed(&all);
    }
    let all: BTreeSet<_> = pairs(&folders[0], "pairs.jsonl").into_iter().collect();
    assert!(all.len() > 150, "{}", all.len());

    // Killed with SIGKILL each time some more pairs are finished.
    let killed = folders[2].as_str();
    let first = [
        "breed",
        &recipe,
        "--out",
        killed,
        "--seed",
        "3",
        "--no-proof",
    ];
    let mut before = BTreeSet::new();
    for (turn, more) in [5, 21, 17, 20, 3].into_iter().enumerate() {
        let arguments: &[&str] = if turn == 0 {
            &first
        } else {
            &["resume", killed, "--no-proof"]
        };
        let child = scratch.start(arguments);
        let enough = || finished(killed).len() >= before.len() + more;
        let at_work = kill_when(child, "pairs are played", enough);
        assert!(at_work, "it was over before it was killed");
        let now = finished(killed);
        assert!(now.is_superset(&before), "a finished pair was lost");
        assert!(now.len() < all.len(), "it was over before it was killed");
        before = now;
    }
    scratch.printed(&["resume", killed, "--quiet"]);

    for name in [
        "generations.jsonl",
        "lineage.jsonl",
        "pairs.jsonl",
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
    assert!(!Path::new(killed).join("pairs-pending.jsonl").exists());
    // The page shows the ladder, and the champion's search is not the parent's.
    assert!(read_record(killed, "report.html").contains("Elo above the ladder"));
    let champion = read_record(killed, "champion.toml");
    let kings = read_record(killed, "generations.jsonl")
        .matches("\"new\":true")
        .count();
    assert!(kings > 0 && champion.contains("[search]"), "{champion}");
    assert!(champion.contains("generation = "), "{champion}");
}

#[test]
fn a_hill_that_nobody_takes_proves_nothing_and_says_so() {
    let scratch = Scratch::new("hill-kept");
    let recipe = scratch.at("hill.toml");
    let text = RECIPE
        .replace("likelihood = 0.7", "net-score = 8")
        .replace("nodes = 60", "nodes = 20")
        .replace("generations = 6", "generations = 20\nno-new-king = 2");
    fs::write(&recipe, text).expect("there is room");
    let folder = scratch.at("run");
    let printed = scratch.printed(&["breed", &recipe, "--out", &folder, "--json"]);
    let lines: Vec<Value> = printed
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line is JSON"))
        .collect();
    let generations = lines.iter().filter(|line| line["event"] == "generation");
    assert_eq!(generations.count(), 2, "two without a new king");
    let result = lines.last().expect("the result");
    assert_eq!(result["event"], "result");
    let verdict = result["verdict"].as_str().expect("a sentence");
    assert!(verdict.contains("nobody dethroned the parent"), "{verdict}");
    assert_eq!(result["matches"].as_array().map(Vec::len), Some(0));
    assert!(read_record(&folder, "report.html").contains("nobody dethroned the parent"));
}

#[test]
fn a_wrong_trial_by_games_is_refused_with_its_line_before_anything_is_written() {
    let scratch = Scratch::new("hill-wrong");
    let recipe = scratch.put("hill.toml", RECIPE);
    let out = scratch.at("out");
    let table = [
        ("trial.depth=3", "one pace"),
        ("trial.games=7", "odd"),
        ("trial.rule.likelihood=1.5", "between 0.5 and 1"),
        ("trial.hall.share=1.5", "share"),
        ("trial.ladder.anchor=nobody", "nobody"),
        ("trial.kind=queen-of-the-hill", "king-of-the-hill"),
        ("trial.data=quiet", "games judge"),
        ("trial.openings=nowhere.epd", "nowhere.epd"),
        ("breeder.selection=roulette", "roulette-shifted"),
        ("founders=[\"material\"]", "numbers"),
        ("proof.founders=true", "founders"),
    ];
    for (set, reason) in table {
        let said = mendel(&["breed", &recipe, "--out", &out, "--set", set], b"");
        assert_eq!(said.code, Some(2), "{set}: {}", said.err);
        assert!(said.err.contains(reason), "{set}: {}", said.err);
        assert!(!Path::new(&out).exists(), "{set} wrote something");
    }
    let data = mendel(&["breed", &recipe, "--out", &out, "--data", "quiet"], b"");
    assert!(data.err.contains("no data set"), "{}", data.err);
    let text = RECIPE.replace("\"stop.generations\" = 9", "\"stop.generatons\" = 9");
    fs::write(&recipe, text).expect("there is room");
    let full = mendel(&["breed", &recipe, "--out", &out], b"");
    assert!(
        full.err.contains("[full]") && full.err.contains("generatons"),
        "{}",
        full.err
    );
    let none = mendel(&["breed", "first-steps", "--full", "--out", &out], b"");
    assert!(none.err.contains("leave out `--full`"), "{}", none.err);
}
