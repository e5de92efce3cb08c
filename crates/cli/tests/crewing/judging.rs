//! Members judged by positions that others search.

use std::fs;
use std::path::Path;

use super::place::{Place, Process};
use crate::support::wait_until;

/// Two small runs: how soon a suite is solved, and an expert's moves two plies deep.
const SUITE: &[&str] = &[
    "breed",
    "evol-star-search",
    "--set",
    "trial.nodes=1000",
    "--set",
    "breeder.population=4",
    "--set",
    "stop.generations=2",
];
const MOVES: &[&str] = &[
    "breed",
    "evol-star-eval",
    "--data",
    "tactics",
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
        assert!(!Path::new(&there).join("searched-pending.jsonl").exists());
    }
}

/// Killed, or stopped in good order and in a generation in which some members are known
/// from the one before, which who goes on knows, too.
#[test]
fn what_was_judged_outlives_the_coordinator() {
    for (name, generation) in [("killed", 0), ("stopped", 1)] {
        let place = Place::new(name, &[]);
        let here = bred_here(&place, SUITE);
        let _worker = place.worker(&["--quiet"]);
        let there = place.scratch.at("there");
        let mut crewed = place.coordinator(&[SUITE, BOTH, &[&there]].concat());
        let now = Path::new(&there).join("searched-pending.jsonl");
        let known = || {
            let text = fs::read_to_string(&now).unwrap_or_default();
            let of = format!("\"generation\":{generation},");
            text.lines().filter(|line| line.contains(&of)).count()
        };
        // Of 92 and 69 blocks in the two generations.
        wait_until("some is judged", || {
            assert!(!crewed.is_over(), "it was too quick to be stopped");
            known() >= 3
        });
        if generation == 0 {
            crewed.kill();
        } else {
            crewed.interrupt();
            let (code, _, err) = crewed.end();
            assert_eq!(code, Some(1), "{err}");
        }
        assert!(known() >= 3, "{name}: it is gone");
        // Without the proof, which is longer than all the rest.
        let resume = ["resume", &there, "--no-proof", "--quiet"];
        let (code, _, err) = place.coordinator(&resume).end();
        assert_eq!(code, Some(0), "{err}");
        assert_eq!(records(&there), records(&here), "{name}");
        assert!(!now.exists(), "it is in the checkpoint");
    }
}
