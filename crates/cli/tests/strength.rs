//! `mendel calibrate`, and games against its levels.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{Scratch, kill_when, mendel, size};

/// Three levels that cost next to nothing.
pub(crate) const LEVELS: &str = "\
schema = 1
[[level]]
elo = 700
nodes = 20
margin = 1500
noise = 400
oversight = 0.8
[[level]]
elo = 1200
nodes = 60
margin = 1000
noise = 100
oversight = 0.2
[[level]]
elo = 1700
nodes = 400
margin = 0
noise = 0
oversight = 0
";

fn calibrate(scratch: &Scratch, more: &[&str]) -> crate::support::Said {
    let table = scratch.put("levels.toml", LEVELS);
    let (folder, out) = (scratch.at("folder"), scratch.at("strength.toml"));
    let arguments = [
        "calibrate",
        "--table",
        &table,
        "--games",
        "6",
        "--folder",
        &folder,
        "--out",
        &out,
        "--threads",
        "2",
        "--json",
        "--quiet",
    ];
    mendel(&[&arguments[..], more].concat(), b"")
}

/// The result, behind the lines of events.
fn last_line(text: &str) -> &str {
    text.lines().last().expect("there is a result")
}

#[test]
fn a_calibration_rates_the_levels_writes_their_table_and_can_be_gone_on_with() {
    let scratch = Scratch::new("calibrate");
    let anchor = [
        "--anchor",
        "material?Hash=1",
        "--anchor-rating",
        "1000",
        "--anchor-name",
        "wood",
        "--anchor-games",
        "8",
        "--nodes",
        "30",
    ];
    let said = calibrate(&scratch, &anchor);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert_eq!(said.err, "");

    // 1. What it says: ratings that grow, around that of the anchor.
    let result: Value = serde_json::from_str(last_line(&said.out)).expect("JSON");
    let levels = result["levels"].as_array().expect("there are levels");
    let elo: Vec<i64> = levels
        .iter()
        .filter_map(|row| row["elo"].as_i64())
        .collect();
    assert_eq!(elo.len(), 3);
    assert!(
        elo[0] <= elo[1] && elo[1] <= elo[2] && elo[0] < elo[2],
        "{elo:?}"
    );
    assert!(
        result["anchor"]
            .as_str()
            .is_some_and(|text| text.starts_with("wood, 1000"))
    );
    assert!(result["games"].as_u64() >= Some(3 * 6 + 8));

    // 2. What it writes is a table that players understand.
    let table = fs::read_to_string(scratch.at("strength.toml")).expect("it was written");
    assert!(
        table.contains("command = ") && table.contains("anchor-rating = 1000"),
        "{table}"
    );
    let path = scratch.at("strength.toml");
    let session = format!(
        "setoption name Strength Table value {path}\nsetoption name UCI_LimitStrength value true\n\
         setoption name UCI_Elo value {}\nposition startpos\ngo nodes 1000000\n",
        elo[1]
    );
    let said = mendel(&["uci"], session.as_bytes());
    assert!(
        said.out.contains("bestmove") && !said.out.contains("option"),
        "{}",
        said.out
    );

    // 3. Resumed, nothing is left to play, and the result is the same.
    let folder = scratch.at("folder");
    let again = mendel(&["resume", &folder, "--json", "--quiet"], b"");
    assert_eq!(again.code, Some(0), "{}", again.err);
    let repeated: Value = serde_json::from_str(last_line(&again.out)).expect("JSON");
    assert_eq!(repeated["levels"], result["levels"]);

    // 4. In the same folder another one is not started.
    let other = calibrate(&scratch, &["--seed", "2"]);
    assert_eq!(other.code, Some(2), "{}", other.err);
    assert!(other.err.contains("mendel resume"), "{}", other.err);
}

#[test]
fn without_an_anchor_the_level_in_the_middle_keeps_its_rating() {
    let scratch = Scratch::new("unanchored");
    let said = calibrate(&scratch, &["--levels", "2"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    let result: Value = serde_json::from_str(last_line(&said.out)).expect("JSON");
    assert_eq!(result["levels"][1]["elo"], 1700);
}

#[test]
fn what_cannot_be_calibrated_is_explained() {
    let scratch = Scratch::new("wrong");
    let table: [(&[&str], &str); 4] = [
        (
            &["--anchor", "cmd:no-such-program", "--anchor-rating", "1500"],
            "no-such-program",
        ),
        (&["--anchor", "material"], "--anchor-rating"),
        (&["--levels", "9"], "the table has 3 levels"),
        (&["--games", "999999"], "must be from 1 to"),
    ];
    for (more, wanted) in table {
        let said = if more[0] == "--games" {
            let folder = scratch.at("games");
            mendel(
                &[&["calibrate", "--folder", &folder][..], more].concat(),
                b"",
            )
        } else {
            calibrate(&scratch, more)
        };
        assert_eq!(said.code, Some(2), "{more:?}: {}", said.err);
        assert!(said.err.contains(wanted), "{more:?}: {}", said.err);
    }
}

#[test]
fn a_game_against_a_level_can_be_repeated() {
    let play = |seed: &str| {
        let arguments = [
            "play",
            "--elo",
            "1000",
            "--seed",
            seed,
            "--self-play",
            "--nodes",
            "1000",
            "--plies",
            "30",
        ];
        let said = mendel(&arguments, b"");
        assert_eq!(said.code, Some(0), "{}", said.err);
        said.out
    };
    assert_eq!(play("0"), play("0"));
    assert_ne!(play("0"), play("1"));
    let said = mendel(&["play", "--elo", "9999"], b"");
    assert_eq!(said.code, Some(2));
    assert!(said.err.contains("a whole number from"), "{}", said.err);
}

#[test]
fn a_calibration_killed_five_times_ends_like_an_unbroken_one() {
    let scratch = Scratch::new("calibrate-killed");
    let table = scratch.put("levels.toml", LEVELS);
    let start = |folder: &str, threads: &str| -> Vec<String> {
        let (folder, out) = (scratch.at(folder), scratch.at(&format!("{folder}.toml")));
        let words = [
            "calibrate",
            "--table",
            &table,
            "--games",
            "30",
            "--folder",
            &folder,
            "--out",
            &out,
            "--threads",
            threads,
            "--anchor",
            "material?Hash=1",
            "--anchor-rating",
            "1000",
            "--anchor-games",
            "20",
            "--nodes",
            "30",
            "--quiet",
        ];
        words.map(str::to_owned).to_vec()
    };
    let unbroken = scratch
        .start(start("unbroken", "1"))
        .wait()
        .expect("it ends");
    assert!(unbroken.success());
    let games = |folder: &str| -> u64 {
        let stages = ["ladder", "scout-1", "scout-2", "scout-3", "anchor"];
        let paths = stages.map(|stage| format!("{}/{stage}/games.jsonl", scratch.at(folder)));
        paths.iter().map(size).sum()
    };
    let broken = scratch.at("broken");
    let resume: Vec<String> = ["resume", &broken, "--quiet", "--threads", "2"]
        .map(str::to_owned)
        .to_vec();
    for percent in [0, 20, 40, 60, 80] {
        let is_started = Path::new(&broken).join("manifest.toml").exists();
        let child = scratch.start(if is_started {
            resume.clone()
        } else {
            start("broken", "2")
        });
        let enough = games("unbroken") * percent / 100;
        let killed = kill_when(child, "it plays", || games("broken") > enough);
        assert!(killed, "it was over before {percent} % of its games");
    }
    assert!(scratch.start(&resume).wait().expect("it ends").success());
    let read = |name: String| fs::read_to_string(scratch.at(&name)).expect("it was written");
    assert_eq!(
        read("broken/result.json".into()),
        read("unbroken/result.json".into())
    );
    // Apart from the command, which names the folder.
    let table = |name: &str| {
        let text = read(format!("{name}.toml"));
        let lines = text.lines().filter(|line| !line.starts_with("command = "));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(table("broken"), table("unbroken"));
}
