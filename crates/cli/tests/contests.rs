//! `mendel match`, killed and resumed, and what it refuses.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::mendel::{Scratch, mendel};

fn command(home: &Scratch, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mendel"));
    command
        .arg("match")
        .args(arguments)
        .env("MENDEL_HOME", home.at("home"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// The games without what a clock gave.
fn games(folder: &str) -> Vec<Value> {
    let text = fs::read_to_string(Path::new(folder).join("games.jsonl")).expect("there are games");
    let timeless = |line: &str| {
        let mut game: Value = serde_json::from_str(line).expect("a line is JSON");
        game["date"] = Value::Null;
        for m in game["moves"].as_array_mut().expect("a game has moves") {
            m["time"] = Value::Null;
        }
        game
    };
    text.lines().map(timeless).collect()
}

/// The PGN without dates and times; where lines break depends on the times.
fn pgn(folder: &str) -> Vec<String> {
    let text = fs::read_to_string(Path::new(folder).join("games.pgn")).expect("there is a PGN");
    let is_time = |word: &&str| {
        let word = word.trim_matches(['{', '}']);
        word.strip_suffix('s')
            .is_some_and(|number| number.parse::<f64>().is_ok())
    };
    text.lines()
        .filter(|line| !line.starts_with("[Date"))
        .flat_map(str::split_whitespace)
        .filter(|word| !is_time(word))
        .map(str::to_owned)
        .collect()
}

fn result(folder: &str) -> String {
    fs::read_to_string(Path::new(folder).join("result.json")).expect("there is a result")
}

/// Ten deaths at moments that nobody chose; the seed only spreads them.
#[test]
fn a_match_killed_ten_times_ends_like_an_unbroken_one() {
    let scratch = Scratch::new("killed");
    let (unbroken, broken) = (scratch.at("unbroken"), scratch.at("broken"));
    let plan = [
        "mendel?Hash=1",
        "material?Hash=1",
        "--nodes",
        "30",
        "--games",
        "1000",
    ];
    let status = command(&scratch, &[&plan[..], &["--out", &unbroken]].concat()).status();
    assert!(status.expect("it runs").success());

    let first = [&plan[..], &["--out", &broken, "--concurrency", "2"]].concat();
    let mut child = command(&scratch, &first).spawn().expect("it starts");
    let mut chance: u64 = 20_261_115;
    let mut deaths = 0;
    while deaths < 10 {
        chance = chance
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        thread::sleep(Duration::from_millis(40 + (chance >> 33) % 260));
        // Before the plan is written there is nothing to resume.
        if !Path::new(&broken).join("match.toml").exists() {
            continue;
        }
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
        deaths += 1;
        let resumed = ["--resume", &broken, "--concurrency", "2"];
        child = command(&scratch, &resumed).spawn().expect("it starts");
    }
    assert!(child.wait().expect("it ends").success());
    assert_eq!(games(&broken).len(), 1000);
    assert!(games(&broken) == games(&unbroken), "the games differ");
    assert!(pgn(&broken) == pgn(&unbroken), "the PGN differs");
    assert_eq!(result(&broken), result(&unbroken));
}

/// Also in the middle of a thought of an hour.
#[cfg(unix)]
#[test]
fn an_interrupted_match_ends_soon_and_can_go_on() {
    let scratch = Scratch::new("interrupted");
    let out = scratch.at("out");
    let plan = [
        "mendel?Hash=1",
        "material?Hash=1",
        "--movetime",
        "3600000",
        "--out",
        &out,
    ];
    let mut child = command(&scratch, &plan).spawn().expect("it starts");
    while !Path::new(&out).join("match.toml").exists() {
        thread::sleep(Duration::from_millis(20));
    }
    thread::sleep(Duration::from_millis(300));
    let asked = std::time::Instant::now();
    let kill = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(kill.expect("there is a kill").success());
    assert_eq!(child.wait().expect("it ends").code(), Some(1));
    assert!(
        asked.elapsed() < Duration::from_secs(5),
        "{:?}",
        asked.elapsed()
    );
    assert!(result(&out).contains("unfinished"));
}

#[test]
fn json_is_a_line_for_each_game_and_one_for_the_result() {
    let scratch = Scratch::new("json");
    let output = command(
        &scratch,
        &[
            "mendel", "material", "--nodes", "50", "--games", "4", "--json",
        ],
    )
    .stdout(Stdio::piped())
    .output()
    .expect("it runs");
    let text = String::from_utf8(output.stdout).expect("JSON is text");
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line is JSON"))
        .collect();
    assert_eq!(lines.len(), 5);
    assert!(lines[..4].iter().all(|line| line["event"] == "game"));
    assert_eq!(lines[4]["event"], "result");
    assert_eq!(lines[4]["games"], 4);
    let folder = lines[4]["folder"].as_str().expect("the folder is named");
    assert!(Path::new(folder).join("games.pgn").exists(), "{folder}");
}

#[test]
fn a_wrong_request_is_refused_with_its_reason() {
    let scratch = Scratch::new("wrong");
    let out = scratch.at("out");
    let table: &[(&[&str], &str)] = &[
        (&["mendel"], "at least two players"),
        (&["mendel", "nobody", "--nodes", "5"], "nobody"),
        (&["mendel", "material"], "nothing limits a move"),
        (&["mendel", "material", "--tc", "x"], "x"),
        (&["mendel", "material", "--nodes", "5", "--sprt", "5"], "5"),
        (
            &["mendel", "material", "--nodes", "5", "--sprt", "5,0"],
            "5",
        ),
        (
            &["mendel", "cmd:/no/such/engine", "--nodes", "5"],
            "/no/such/engine",
        ),
        (&["mendel?Hash=x", "material", "--nodes", "5"], "Hash"),
        (
            &[
                "mendel",
                "material",
                "--nodes",
                "5",
                "--openings",
                "none.epd",
            ],
            "none.epd",
        ),
        (&["--resume", "/no/such/folder"], "/no/such/folder"),
    ];
    for (arguments, reason) in table {
        let arguments = [&["match"], *arguments].concat();
        let arguments = if arguments.contains(&"--resume") {
            arguments
        } else {
            [&arguments[..], &["--out", &out]].concat()
        };
        let said = mendel(&arguments, b"");
        assert_eq!(said.code, Some(2), "{arguments:?}: {}", said.err);
        assert!(said.err.contains(reason), "{arguments:?}: {}", said.err);
    }
    assert!(
        !Path::new(&out).exists(),
        "nothing is left of a match that was refused"
    );
}
