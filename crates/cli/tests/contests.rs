//! `mendel match`, killed and resumed, and what it refuses.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::support::{Scratch, json, kill_when, mendel, read, size, wait_until};

fn command(scratch: &Scratch, arguments: &[&str]) -> Command {
    let mut command = scratch.command([&["match"], arguments].concat());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// `mendel resume` of a folder, on two threads.
fn resume(scratch: &Scratch, folder: &str) -> Command {
    let mut command = scratch.command(["resume", folder, "--threads", "2"]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// The games without what a clock gave.
fn games(folder: &str) -> Vec<Value> {
    let text = read(folder, "games.jsonl");
    let timeless = |line: &str| {
        let mut game: Value = serde_json::from_str(line).expect("a line is JSON");
        game["date"] = Value::Null;
        // The checksum includes times.
        game["crc"] = Value::Null;
        for m in game["moves"].as_array_mut().expect("a game has moves") {
            m["time"] = Value::Null;
        }
        game
    };
    text.lines().map(timeless).collect()
}

/// The PGN without dates and times; where lines break depends on the times.
fn pgn(folder: &str) -> Vec<String> {
    let text = read(folder, "games.pgn");
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
    read(folder, "result.json")
}

/// Ten deaths, spread over the games by a seed.
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
    let written = |folder: &str| size(Path::new(folder).join("games.jsonl"));
    for death in 0..10 {
        chance = chance
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let enough = written(&unbroken) * (20 * death + (chance >> 33) % 20) / 240;
        let begun = Path::new(&broken).join("manifest.toml");
        let killed = kill_when(child, "it plays on", || {
            // Before the manifest is written there is nothing to resume.
            begun.exists() && written(&broken) >= enough
        });
        assert!(killed, "it was over before death {death}");
        child = resume(&scratch, &broken).spawn().expect("it starts");
    }
    assert!(child.wait().expect("it ends").success());
    assert_eq!(games(&broken).len(), 1000);
    assert!(games(&broken) == games(&unbroken), "the games differ");
    assert!(pgn(&broken) == pgn(&unbroken), "the PGN differs");
    assert_eq!(result(&broken), result(&unbroken));
}

/// What a process and its threads have had of the processors, at 100 ticks a second.
#[cfg(unix)]
fn cpu_time(process: u32) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).expect("it is our child");
    // The name, which may have spaces, ends with the last parenthesis.
    let (_, fields) = stat.rsplit_once(')').expect("it has a name");
    let ticks = fields.split_whitespace().skip(11).take(2);
    let ticks = ticks.map(|ticks| ticks.parse::<u64>().expect("a number"));
    Duration::from_millis(10 * ticks.sum::<u64>())
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
    // The start of the program takes less.
    wait_until("it thinks", || {
        cpu_time(child.id()) > Duration::from_secs(1)
    });
    let asked = std::time::Instant::now();
    let kill = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(kill.expect("there is a kill").success());
    assert_eq!(child.wait().expect("it ends").code(), Some(1));
    assert!(
        asked.elapsed() < Duration::from_mins(5),
        "{:?}",
        asked.elapsed()
    );
    assert!(!Path::new(&out).join("result.json").exists());
    let runs: Value = json(&scratch.printed(&["runs", "--json"]));
    assert_eq!(
        (&runs[0]["kind"], &runs[0]["state"]),
        (&"match".into(), &"stopped".into())
    );
    let report = scratch.printed(&["report", &out, "--json"]);
    assert!(report.contains("unfinished"), "{report}");
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
    let named = |name: &str| lines.iter().filter(|line| line["event"] == name).count();
    assert_eq!(
        (named("started"), named("game"), named("result")),
        (1, 4, 1)
    );
    assert!(named("progress") >= 1, "{text}");
    let last = lines.last().expect("there are lines");
    assert_eq!(last["event"], "result");
    assert_eq!(last["games"], 4);
    let folder = last["folder"].as_str().expect("the folder is named");
    assert!(Path::new(folder).join("games.pgn").exists(), "{folder}");
}

/// Elo is that of whole pairs, and so the score beside it must be.
#[test]
fn score_and_elo_of_a_game_are_of_the_same_games() {
    let scratch = Scratch::new("progress");
    let arguments = [
        "match",
        "mendel?Hash=1",
        "material?Hash=1",
        "--nodes",
        "30",
        "--games",
        "6",
        "--threads",
        "1",
        "--json",
    ];
    let text = scratch.printed(&arguments);
    let lines = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"));
    let games: Vec<Value> = lines
        .filter(|line: &Value| line["event"] == "game")
        .collect();
    assert_eq!(games.len(), 6, "{text}");
    for (game, whole) in games.iter().zip([1, 2, 2, 4, 4, 6]) {
        let tally = &game["score"]["tally"];
        let counts = ["wins", "draws", "losses"].map(|key| tally[key].as_u64().expect("a count"));
        assert_eq!(counts.iter().sum::<u64>(), whole, "{game}");
        assert!(game["score"]["elo"]["superiority"].is_number(), "{game}");
    }
}

#[test]
fn json_lines_can_be_read_while_the_match_is_played() {
    let scratch = Scratch::new("lines");
    let plan = [
        "mendel?Hash=1",
        "material?Hash=1",
        "--nodes",
        "300",
        "--games",
        "1000",
        "--json",
    ];
    let mut child = command(&scratch, &plan)
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
    let lines = lines.map(|line| -> Value {
        serde_json::from_str(&line.expect("it can be read")).expect("a line is JSON")
    });
    let games = lines.filter(|line| line["event"] == "game").take(3).count();
    assert_eq!(games, 3);
    assert!(
        child.try_wait().expect("it is our child").is_none(),
        "it was over before"
    );
    child.kill().expect("it can be killed");
    child.wait().expect("it is gone");
}

#[test]
fn a_match_has_one_process_and_is_resumed_from_any_folder() {
    let scratch = Scratch::new("places");
    // 1. Paths as they are meant in this folder.
    let player = "name = \"mine\"\n[evaluator]\nkind = \"material\"\n";
    scratch.put("mine.toml", player);
    let mut child = command(
        &scratch,
        &[
            "mine.toml",
            "mendel?Hash=1",
            "--movetime",
            "3600000",
            "--out",
            "out",
        ],
    )
    .current_dir(scratch.at(""))
    .spawn()
    .expect("it starts");
    let out = scratch.at("out");
    wait_until("it plays", || Path::new(&out).join("events.jsonl").exists());
    // 2. It is held.
    let held = scratch.run(["resume", &out]);
    assert_eq!(held.code, Some(2), "{}", held.err);
    assert!(held.err.contains(&child.id().to_string()), "{}", held.err);
    let taken = scratch.run(["match", "mendel", "material", "--nodes", "5", "--out", &out]);
    assert_eq!(taken.code, Some(2), "{}", taken.err);
    assert!(taken.err.contains("mendel resume"), "{}", taken.err);
    let deleted = scratch.run(["runs", "--delete", &out, "--yes"]);
    assert_eq!(deleted.code, Some(2), "{}", deleted.err);
    child.kill().expect("it can be killed");
    child.wait().expect("it is gone");
    // 3. Elsewhere.
    let plan = fs::read_to_string(Path::new(&out).join("match.toml")).expect("the plan");
    assert!(plan.contains(&scratch.at("mine.toml")), "{plan}");
    let mut resumed = resume(&scratch, &out);
    let mut resumed = resumed.current_dir("/").spawn().expect("it starts");
    let events = || fs::read_to_string(Path::new(&out).join("events.jsonl")).unwrap_or_default();
    wait_until("it is resumed", || events().contains("\"resumed\":true"));
    resumed.kill().expect("it can be killed");
    resumed.wait().expect("it is gone");
}

#[test]
fn a_damaged_match_is_repaired_and_a_finished_one_deleted() {
    let scratch = Scratch::new("care");
    let plan = [
        "mendel?Hash=1",
        "material?Hash=1",
        "--nodes",
        "30",
        "--games",
        "6",
    ];
    assert!(
        command(&scratch, &plan)
            .status()
            .expect("it runs")
            .success()
    );
    let runs: Value = json(&scratch.printed(&["runs", "--json"]));
    let (folder, id) = (&runs[0]["folder"], &runs[0]["id"]);
    let (folder, id) = (
        folder.as_str().expect("a folder"),
        id.as_str().expect("an id"),
    );
    assert_eq!(runs[0]["progress"], Value::Null, "it is in the summary");
    assert_eq!(runs[0]["summary"]["progress"], "6 games");
    assert!(runs[0]["size"].as_u64().is_some_and(|size| size > 1000));
    // 1. A flipped bit.
    fs::remove_file(Path::new(folder).join("result.json")).expect("it was written");
    let games = Path::new(folder).join("games.jsonl");
    let whole = fs::read(&games).expect("there are games");
    let mut bytes = whole.clone();
    let second = whole
        .iter()
        .position(|byte| *byte == b'\n')
        .expect("a line")
        + 100;
    bytes[second] ^= 4;
    fs::write(&games, &bytes).expect("there is room");
    let refused = scratch.run(["resume", id]);
    assert_eq!(refused.code, Some(1), "{}", refused.err);
    assert!(
        refused.err.contains("line 2") && refused.err.contains("games.jsonl"),
        "{}",
        refused.err
    );
    assert_eq!(fs::read(&games).expect("there are games"), bytes);
    // 2. Cut and played again.
    let repaired = scratch.run(["resume", &id[..6], "--repair"]);
    assert_eq!(repaired.code, Some(0), "{}", repaired.err);
    assert!(repaired.err.contains("games.jsonl"), "{}", repaired.err);
    assert!(repaired.out.contains("games ended by"), "{}", repaired.out);
    // 3. Its page.
    let page = scratch.printed(&["report", id]);
    let page = fs::read_to_string(page.trim()).expect("it was written");
    for part in ["mendel – material", "checkmate", "LOS", "White won"] {
        assert!(page.contains(part), "{part} is missing");
    }
    // 4. Deleted, after a confirmation only.
    let asked = scratch.run(["runs", "--delete", id]);
    assert_eq!(asked.code, Some(2), "{}", asked.err);
    assert!(asked.err.contains("--yes"), "{}", asked.err);
    assert!(Path::new(folder).exists());
    let deleted = scratch.printed(&["runs", "--delete", id, "--yes"]);
    assert!(deleted.contains(folder), "{deleted}");
    assert!(!Path::new(folder).exists());
    assert_eq!(scratch.printed(&["runs", "--json"]).trim(), "[]");
}

#[test]
fn a_folder_of_an_older_version_is_left_as_it_is() {
    let scratch = Scratch::new("old");
    for (name, file) in [("match", "match.toml"), ("calibration", "levels.toml")] {
        let folder = scratch.at(name);
        fs::create_dir_all(&folder).expect("there is room");
        fs::write(Path::new(&folder).join(file), "games = 2\n").expect("there is room");
        for command in ["resume", "report"] {
            let said = scratch.run([command, &folder]);
            assert_eq!(said.code, Some(2), "{command} {name}: {}", said.err);
            assert!(
                said.err.contains("mendel 0.1.0"),
                "{command} {name}: {}",
                said.err
            );
        }
        let left = fs::read_dir(&folder).expect("it is there").count();
        assert_eq!(left, 1, "{name}: something was made");
    }
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
        (&["--resume", "/no/such/folder"], "mendel resume"),
        (&["a", "b", "--margin", "5"], "--time-margin"),
        (&["a", "b", "--most-faults=5"], "--max-faults"),
        (&["a", "b", "--in-order"], "--sequential"),
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
