//! The same work, done by others.

use std::fs;

use serde_json::Value;

use super::place::{Place, Process};
use crate::support::{mendel, wait_until};

/// What of a match no clock gave.
fn played(folder: &str) -> Vec<Value> {
    let text = fs::read_to_string(format!("{folder}/games.jsonl")).expect("it was written");
    let mut games: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line"))
        .collect();
    for game in &mut games {
        game["date"] = Value::Null;
        game["crc"] = Value::Null;
        for m in game["moves"].as_array_mut().expect("a list") {
            m["time"] = Value::Null;
        }
    }
    games
}

#[test]
fn a_match_by_a_crew_is_the_match_at_home() {
    let place = Place::new("match", &[]);
    let _workers = [place.worker(&["--quiet"]), place.worker(&["--quiet"])];
    let (here, there) = (place.scratch.at("here"), place.scratch.at("there"));
    let arguments = [
        "match",
        "mendel?Hash=1",
        "chessnet",
        "random",
        "--games",
        "4",
        "--nodes",
        "40",
        "--max-plies",
        "60",
        "--quiet",
    ];
    let home = [&arguments[..], &["--out", &here]].concat();
    let (code, shown, err) = Process::start(&place.scratch, &home).end();
    assert_eq!(code, Some(0), "{err}");
    let crewed = place.coordinator(&[&arguments[..], &["--out", &there]].concat());
    let (code, out, err) = crewed.end();
    assert_eq!(code, Some(0), "{err}");
    assert_eq!(out.replace(&there, ""), shown.replace(&here, ""));
    assert_eq!(played(&there), played(&here));
    assert_eq!(played(&there).len(), 12);
}

#[test]
fn labels_by_a_crew_are_those_at_home() {
    let place = Place::new("labels", &[]);
    let workers = [place.worker(&["--quiet"]), place.worker(&["--quiet"])];
    place.status_when("both are there", |status| {
        status["workers"]
            .as_array()
            .is_some_and(|all| all.len() == 2)
    });
    let (here, there) = (place.scratch.at("here.mds"), place.scratch.at("there.mds"));
    let arguments = [
        "data",
        "make",
        "moves",
        "--positions",
        "40",
        "--nodes",
        "50",
        "--expert",
        "mendel?Hash=1",
        "--expert-nodes",
        "60",
        "--quiet",
    ];
    let home = [&arguments[..], &["--out", &here]].concat();
    let (code, _, err) = Process::start(&place.scratch, &home).end();
    assert_eq!(code, Some(0), "{err}");
    let crewed = place.coordinator(&[&arguments[..], &["--out", &there]].concat());
    let (code, _, err) = crewed.end();
    assert_eq!(code, Some(0), "{err}");
    assert_eq!(
        fs::read(&there).expect("made"),
        fs::read(&here).expect("made")
    );
    // Ctrl-C ends a worker cleanly.
    for worker in workers {
        worker.interrupt();
        let (code, _, err) = worker.end();
        assert_eq!(code, Some(0), "{err}");
    }
}

#[test]
fn the_status_tells_of_workers_and_jobs() {
    let place = Place::new("status", &[]);
    let worker = place.worker(&["--name", "pea-1"]);
    let out = place.scratch.at("match");
    let arguments = [
        "match",
        "random",
        "material",
        "--games",
        "4",
        "--nodes",
        "20",
        "--max-plies",
        "40",
        "--out",
        &out,
    ];
    // A worker that the machine keeps from running for a whole lease does a job twice.
    let crewed = place.coordinator_with_lease("600", &arguments);
    let (code, _, err) = crewed.end();
    assert_eq!(code, Some(0), "{err}");
    assert!(
        err.contains("crew: 2 jobs handed in, 0 found, 2 done"),
        "{err}"
    );
    // A worker counts a job a moment after its result is there.
    let status = place.status_when("the worker has counted both", |status| {
        let books = &status["workers"][0]["totals"];
        books["jobs"] == 2 && books["units"] == 4
    });
    assert_eq!(status["workers"][0]["name"], "pea-1", "{status}");
    // A worker on a busy machine may answer a roll call too late.
    wait_until("the text shows the worker", || {
        let text = mendel(&["crew", "status", "--crew", &place.url()], b"");
        assert_eq!(text.code, Some(0), "{}", text.err);
        text.out.contains("1 workers") && text.out.contains("pea-1")
    });
    worker.interrupt();
    let (code, _, err) = worker.end();
    assert_eq!(code, Some(0), "{err}");
    assert!(
        err.contains("joined the crew") && err.contains("worked: 2 jobs, 4 games"),
        "{err}"
    );
}

#[test]
fn a_tuning_by_a_crew_is_the_tuning_at_home() {
    let place = Place::new("tuning", &[]);
    let _workers = [place.worker(&["--quiet"]), place.worker(&["--quiet"])];
    let params = place.scratch.at("params.toml");
    let text = "[[param]]\nname = \"aspiration_window\"\nkind = \"spin\"\nstart = 200\nlow = 10\nhigh = 200\nstep = 20\n";
    fs::write(&params, text).expect("there is room");
    let (here, there) = (place.scratch.at("here"), place.scratch.at("there"));
    let arguments = [
        "tune",
        "mendel?Hash=1",
        "--params",
        &params,
        "--nodes",
        "40",
        "--games",
        "48",
        "--proof-games",
        "8",
        "--quiet",
        "--out",
    ];
    let home = [&arguments[..], &[&here]].concat();
    let (code, _, err) = Process::start(&place.scratch, &home).end();
    assert_eq!(code, Some(0), "{err}");
    let crewed = place.coordinator(&[&arguments[..], &[&there]].concat());
    let (code, _, err) = crewed.end();
    assert_eq!(code, Some(0), "{err}");
    for file in ["pairs.jsonl", "rounds.jsonl", "result.json"] {
        let read = |folder: &str| fs::read_to_string(format!("{folder}/{file}")).expect("written");
        assert_eq!(read(&there), read(&here), "{file}");
    }
}
