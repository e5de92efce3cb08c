//! `mendel train`.

use std::fs;

use serde_json::Value;

use crate::support::{Scratch, mendel, printed};
#[cfg(feature = "train")]
use crate::support::{json, kill_when, size};

/// What is said about a wrong request.
fn refused(arguments: &[&str]) -> String {
    let said = mendel(arguments, b"");
    assert_eq!(said.code, Some(2), "{}", said.err);
    said.err
}

#[test]
fn the_built_in_networks_are_listed() {
    let text = printed(&["train"]);
    let names = ["chessnet", "chessnet-value", "teacher-net", "human"];
    assert!(names.iter().all(|name| text.contains(name)), "{text}");
    let listed: Value = serde_json::from_str(&printed(&["train", "--json"])).expect("JSON");
    assert_eq!(listed[0]["name"], "chessnet");
    // 3×3 convolutions of 200 channels: 6 planes, four blocks, two planes.
    let numbers = (6 + 8 * 200 + 2) * 200 * 9 + 9 * 200 + 2;
    assert_eq!(listed[0]["numbers"], numbers);
}

/// The program that most people build has no training; it must say how to get it.
#[cfg(not(feature = "train"))]
#[test]
fn without_training_the_remedy_is_named() {
    let scratch = Scratch::new("no-training");
    let folder = scratch.path("small");
    fs::create_dir_all(&folder).expect("there is room for a folder");
    let put = |name: &str, text: &str| fs::write(folder.join(name), text).expect("writable");
    put(
        "manifest.toml",
        "kind = \"train\"\nschema = 1\nid = \"77\"\nname = \"human\"\nseed = 7\nversion = \"0.1.0\"\n\
         [facts]\nfiles = []\ndevice = \"cpu\"\nthreads = 1\ndata = \"some\"\nfingerprint = \"0\"\n",
    );
    let recipe = include_str!("../../../recipes/train/human.toml");
    put("recipe.toml", recipe);
    // Any build may resume it.
    put("inputs.toml", "");
    let before = fs::read_dir(&folder).expect("a folder").count();

    let folder = folder.display().to_string();
    for arguments in [
        &["train", "chessnet", "--data", "x.games"][..],
        &["resume", &folder],
    ] {
        let said = scratch.run(arguments);
        assert_eq!(said.code, Some(2), "{}", said.err);
        for part in ["built without training", "make train-setup", "`make train`"] {
            assert!(said.err.contains(part), "{part}: {}", said.err);
        }
    }
    // Nothing was written but a lock; it is listed and has a page.
    let after = fs::read_dir(&folder).expect("a folder");
    let names = after.map(|it| it.expect("an entry").file_name());
    assert_eq!(names.filter(|name| name != ".lock").count(), before);
    let list = scratch.printed(&["runs", &folder]);
    assert!(list.contains("human") && list.contains("stopped"), "{list}");
    let page = scratch.printed(&["report", &folder]);
    let page = fs::read_to_string(page.trim()).expect("a page");
    assert!(page.contains("not finished"), "{page}");
}

#[test]
fn the_old_flag_to_resume_names_the_new_command() {
    let text = refused(&["train", "--resume", "x"]);
    assert!(text.contains("`mendel resume DIR`"), "{text}");
}

/// A network that learns for some seconds.
#[cfg(feature = "train")]
const TINY: &str = "\
name = \"tiny\"
about = \"A network that learns for some seconds\"
[shape]
view = \"row\"
filters = 1
blocks = 0
activation = \"relu\"
head = { dense = { hidden = 16 } }
[data]
kind = \"scores\"
largest-score = 1500
unit = \"pawns\"
split = { validation = 0.1, test = 0.1, seed = 1 }
[training]
batch = 64
steps = 2000
evaluate-every = 6400
validation-positions = 500
test-positions = 500
";

#[cfg(feature = "train")]
#[test]
fn a_training_that_was_killed_is_resumed_like_every_experiment() {
    let scratch = Scratch::new("training");
    let (recipe, scores) = (scratch.put("tiny.toml", TINY), scratch.at("scores.csv"));
    scratch.printed(&["data", "scores", "quiet", "--out", &scores]);
    let arguments = |out: &str| {
        let words = [
            "train",
            &recipe,
            "--data",
            &scores,
            "--threads",
            "1",
            "--out",
        ];
        let words = words.map(str::to_owned).into_iter();
        words.chain([scratch.at(out)]).collect::<Vec<_>>()
    };
    let results = |name: &str| {
        ["tiny.net", "epochs.jsonl", "result.json"]
            .map(|file| fs::read(scratch.path(name).join(file)).expect("it is finished"))
    };

    // 1. Without a break.
    let whole = arguments("whole");
    let whole: Vec<&str> = whole.iter().map(String::as_str).collect();
    let text = scratch.printed(&whole);
    assert!(text.contains("all steps done after 2000 steps"), "{text}");
    let wanted = results("whole");
    assert_eq!(wanted[1].iter().filter(|byte| **byte == b'\n').count(), 20);
    assert!(scratch.path("whole/report.html").is_file());

    // 2. Killed in the middle, listed, and resumed by name.
    let epochs = scratch.path("killed/epochs.jsonl");
    let line = wanted[1].len() as u64 / 20;
    let child = scratch.start(arguments("killed"));
    let was_at_work = kill_when(child, "some evaluations", || size(&epochs) > 3 * line);
    assert!(was_at_work, "it was finished before it was killed");
    let path = scratch.at("killed");
    let list = scratch.printed(&["runs", &path]);
    let row = list.lines().find(|line| line.contains(" train "));
    assert!(row.is_some_and(|row| row.contains("stopped")), "{list}");
    let lines = scratch.printed(&["resume", &path, "--json"]);
    let lines: Vec<Value> = lines.lines().map(|line| json(line)).collect();
    assert_eq!(lines[0]["event"], "started");
    assert_eq!(lines[0]["resumed"], true);
    assert!(lines.iter().any(|line| line["event"] == "evaluation"));
    let last = lines.last().expect("a result");
    assert_eq!(
        (&last["event"], &last["steps"]),
        (&json("\"result\""), &json("2000"))
    );
    assert!(wanted == results("killed"), "another network came of it");
    let list = scratch.printed(&["runs", "--kind", "train"]);
    let is_finished = |line: &&str| line.contains("finished") && line.contains("2000 steps");
    assert_eq!(list.lines().filter(is_finished).count(), 2, "{list}");
}

#[test]
fn wrong_recipes_are_refused() {
    let text = refused(&["train", "no-such-network"]);
    assert!(text.contains("no-such-network"), "{text}");
    let text = refused(&["train", "chessnet", "--set", "training.batch=0"]);
    assert!(text.contains("training.batch"), "{text}");
}
