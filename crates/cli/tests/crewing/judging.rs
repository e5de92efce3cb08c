//! Members judged by positions that others search.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use super::place::{LIMIT, Place, Process};

/// Two small runs: how soon a suite is solved, and an expert's moves two plies deep.
const SUITE: &[&str] = &[
    "breed",
    "evol-star-search",
    "--set",
    "trial.nodes=150",
    "--set",
    "breeder.population=4",
    "--set",
    "stop.generations=2",
];
const MOVES: &[&str] = &[
    "breed",
    "evol-star-eval",
    "--set",
    "trial.depth=2",
    "--set",
    "trial.sample=24",
    "--set",
    "breeder.population=4",
    "--set",
    "stop.generations=2",
];
const BOTH: &[&str] = &["--seed", "3", "--no-proof", "--quiet", "--out"];

/// What is the same whoever searched.
fn records(folder: &str) -> Vec<String> {
    let read = |name: &str| {
        let path = Path::new(folder).join(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let names = ["generations.jsonl", "lineage.jsonl", "champion.toml"];
    names.map(read).to_vec()
}

fn bred_here(place: &Place, run: &[&str]) -> String {
    let folder = place.scratch.at("here");
    let here = [run, BOTH, &[&folder], &["--threads", "2"]].concat();
    let (code, _, err) = Process::start(&place.scratch, &here).end();
    assert_eq!(code, Some(0), "{err}");
    folder
}

#[test]
fn positions_are_judged_by_a_crew_as_at_home() {
    for (name, run) in [("suite", SUITE), ("moves", MOVES)] {
        let place = Place::new(name, &[]);
        let here = bred_here(&place, run);
        let _workers = [place.worker(&["--quiet"]), place.worker(&["--quiet"])];
        let there = place.scratch.at("there");
        // Told what the crew did, which `--quiet` keeps to itself.
        let told: Vec<&str> = BOTH.iter().copied().filter(|it| *it != "--quiet").collect();
        let crewed = [run, &told, &[&there]].concat();
        let (code, _, err) = place.coordinator(&crewed).end();
        assert_eq!(code, Some(0), "{err}");
        assert_eq!(records(&there), records(&here), "{name}");
        assert!(err.contains("jobs handed in"), "{name}: {err}");
        assert!(!err.contains("crew: 0 jobs"), "{name}: {err}");
        assert!(!Path::new(&there).join("judged-now.jsonl").exists());
    }
}

#[test]
fn what_was_judged_outlives_the_coordinator() {
    let place = Place::new("judged", &[]);
    let here = bred_here(&place, SUITE);
    let _worker = place.worker(&["--quiet"]);
    let there = place.scratch.at("there");
    let mut crewed = place.coordinator(&[SUITE, BOTH, &[&there]].concat());
    let now = Path::new(&there).join("judged-now.jsonl");
    let begun = Instant::now();
    while fs::read_to_string(&now).map_or(0, |text| text.lines().count()) < 3 {
        assert!(begun.elapsed() < LIMIT, "nothing is judged");
        assert!(!crewed.is_over(), "it was too quick to be killed");
        thread::sleep(Duration::from_millis(5));
    }
    crewed.kill();
    let known = fs::read_to_string(&now)
        .expect("it is there")
        .lines()
        .count();
    assert!(known >= 3);
    let (code, _, err) = place.coordinator(&["resume", &there, "--quiet"]).end();
    assert_eq!(code, Some(0), "{err}");
    assert_eq!(records(&there), records(&here));
    assert!(!now.exists(), "it is in the checkpoint");
}
