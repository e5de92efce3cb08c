//! Whoever dies, the run is the same.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use std::{fs, thread};

use serde_json::Value;

use super::place::{Place, Process};
use crate::support::{MENDEL, read, read_record, wait_until};

/// Games of all kinds: a trial, a ladder, a choice of champions, a proof.
const RECIPE: &str = r#"
name = "crewed"
parent = "gerald-eval-tuned"
[genome]
coding = "gray"
chromosome = "gerald-search"
[breeder]
kind = "ga"
population = 5
selection = "roulette-shifted"
crossover = "single-point"
crossover-rate = 0.75
mutation = "bit-flip"
mutation-rate = 0.05
elites = 1
[trial]
kind = "king-of-the-hill"
games = 6
nodes = 60
max-plies = 80
rule = { likelihood = 0.7 }
verify = { candidates = 2, games = 4 }
ladder = { players = ["material"], anchor = "random", games = 2, every = 2 }
[stop]
generations = 8
[proof]
games = 6
nodes = 40
"#;

/// What is the same on every machine.
const RECORDS: [&str; 6] = [
    "generations.jsonl",
    "lineage.jsonl",
    "pairs.jsonl",
    "champion.toml",
    "result.json",
    "manifest.toml",
];

fn same_records(one: &str, other: &str) {
    for name in RECORDS {
        assert_eq!(read_record(one, name), read_record(other, name), "{name}");
    }
}

/// Bred on this machine, to compare with.
fn bred_here(place: &Place) -> (String, String) {
    let (recipe, folder) = (place.scratch.at("crewed.toml"), place.scratch.at("here"));
    fs::write(&recipe, RECIPE).expect("there is room");
    let arguments = ["breed", &recipe, "--seed", "3", "--quiet", "--out", &folder];
    let here = [&arguments[..], &["--threads", "2"]].concat();
    let (code, _, err) = Process::start(&place.scratch, &here).end();
    assert_eq!(code, Some(0), "{err}");
    (recipe, folder)
}

/// Chance with a seed, so that what went wrong can be gone through again.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// Lines of the journals: every pair is there once.
fn pairs_played(folder: &str) -> usize {
    let lines = read(folder, "pairs.jsonl");
    let key = |line: &str| {
        let line: Value = serde_json::from_str(line).expect("a line");
        format!("{} {} {}", line["generation"], line["phase"], line["pair"])
    };
    let keys: Vec<String> = lines.lines().map(key).collect();
    let unique: BTreeSet<&String> = keys.iter().collect();
    assert_eq!(unique.len(), keys.len(), "a pair counts twice");
    keys.len()
}

/// A coordinator that has found the server, so that from now on it waits for it.
fn at_work(place: &Place, arguments: &[&str]) -> Process {
    let mut coordinator = place.coordinator(arguments);
    wait_until("the coordinator is at work", || {
        let status = place.status();
        let there = status["coordinators"].as_array();
        coordinator.is_over() || there.is_some_and(|all| !all.is_empty())
    });
    coordinator
}

#[test]
fn workers_server_and_coordinator_die_and_the_champion_is_the_same_bit_for_bit() {
    let mut place = Place::new("deaths", &[]);
    let (recipe, here) = bred_here(&place);
    let there = place.scratch.at("there");
    let mut chance = Chance(20_261_116);
    let first = ["breed", &recipe, "--seed", "3", "--quiet", "--out", &there];
    let mut coordinator = at_work(&place, &first);
    let mut workers: Vec<Process> = (0..4).map(|_| place.worker(&["--quiet"])).collect();
    let mut deaths = [0; 3];
    wait_until("the run ends", || {
        // The moments of the deaths; nothing is waited for.
        thread::sleep(Duration::from_millis(40 + chance.below(160)));
        // Whoever comes while the server is down does not wait for it.
        for worker in &mut workers {
            if worker.is_over() {
                *worker = place.worker(&["--quiet"]);
            }
        }
        // So many that the test shows something, so few that it ends.
        let who = if deaths.iter().sum::<u32>() < 14 {
            chance.below(5)
        } else {
            9
        };
        match who {
            0..=2 => {
                let which = chance.below(4) as usize;
                workers[which] = place.worker(&["--quiet"]);
                deaths[0] += 1;
            }
            3 => {
                place.restart();
                deaths[1] += 1;
            }
            4 if Path::new(&there).join("manifest.toml").exists() => {
                coordinator.kill();
                coordinator = at_work(&place, &["resume", &there, "--quiet"]);
                deaths[2] += 1;
            }
            _ => {}
        }
        coordinator.is_over()
    });
    let (code, _, err) = coordinator.end();
    assert_eq!(code, Some(0), "{err}");
    assert!(deaths.iter().sum::<u32>() > 3, "{deaths:?}");
    same_records(&here, &there);
    assert_eq!(pairs_played(&here), pairs_played(&there));
    // Nothing is left behind: no job, no result. What was given to a worker that died is with
    // nobody only when its lease is over.
    place.status_when("nothing is left", |status| {
        let runs = status["runs"].as_array();
        let results = |runs: &Vec<Value>| runs.iter().any(|run| run["results"] != 0);
        status["waiting"] == 0 && status["running"] == 0 && runs.is_some_and(|it| !results(it))
    });
}

#[test]
fn jobs_reconcile_and_a_coordinator_that_was_stopped_goes_on() {
    let place = Place::new("stopped", &[]);
    let (recipe, here) = bred_here(&place);
    let there = place.scratch.at("there");
    // A worker that the machine keeps from running for a whole lease does a job twice.
    let long = "600";
    // Stopped before anybody works: the jobs wait in the server.
    let first = ["breed", &recipe, "--seed", "3", "--out", &there];
    let first = place.coordinator_with_lease(long, &first);
    place.status_when("jobs are handed in", |status| {
        status["waiting"].as_u64() > Some(0)
    });
    first.interrupt();
    let (code, _, err) = first.end();
    assert_eq!(code, Some(1), "{err}");
    assert!(err.contains("mendel resume"), "{err}");
    let _workers = [place.worker(&["--quiet"]), place.worker(&["--quiet"])];
    let second = place.coordinator_with_lease(long, &["resume", &there]);
    let (code, _, err) = second.end();
    assert_eq!(code, Some(0), "{err}");
    same_records(&here, &there);
    // Every job handed in or found is done, once; each has a pair or more, of the run or of
    // its proof.
    let line = err
        .lines()
        .find(|line| line.contains("jobs handed in"))
        .expect("the account");
    let numbers: Vec<usize> = line
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|word| word.parse().ok())
        .collect();
    let [handed_in, found, done] = numbers[..] else {
        panic!("something was lost or came twice: {line}");
    };
    assert!(found > 0, "{line}");
    assert_eq!(handed_in + found, done, "{line}");
    assert!(done <= pairs_played(&there) + PROOF_PAIRS, "{line}");
}

/// Pairs of the proof of that run.
const PROOF_PAIRS: usize = 3;

#[test]
fn a_full_disk_stops_the_coordinator_and_loses_nothing() {
    let place = Place::new("full", &[]);
    let (recipe, here) = bred_here(&place);
    let there = place.scratch.at("there");
    let _workers = [place.worker(&["--quiet"]), place.worker(&["--quiet"])];
    // No file of the coordinator may grow beyond 16 KiB: the journal of pairs does.
    let script = "ulimit -f 16; trap '' XFSZ; exec \"$@\"";
    let mut limited = Command::new("bash");
    limited.args(["-c", script, "bash", MENDEL]);
    limited.args(["breed", &recipe, "--seed", "3", "--quiet", "--out", &there]);
    limited.args(["--crew", &place.url(), "--crew-lease", "2"]);
    let (code, _, err) = Process::of(&place.scratch, limited).end();
    assert_eq!(code, Some(1), "{err}");
    assert!(
        err.contains("cannot write") || err.contains("File too large"),
        "{err}"
    );
    let (code, _, err) = place.coordinator(&["resume", &there, "--quiet"]).end();
    assert_eq!(code, Some(0), "{err}");
    same_records(&here, &there);
}
