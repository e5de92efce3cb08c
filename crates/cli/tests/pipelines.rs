//! `mendel breed` of several steps, killed and resumed; what it tells and refuses.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{Said, Scratch, json, kill_when, read_record, size};

const RECIPE: &str = r#"
name = "steps"
parent = "gerald-base"
rounds = 2
[[step]]
name = "games"
each-round = true
[step.data]
kind = "selfplay"
positions = 1500
nodes = 300
[[step]]
name = "slope"
each-round = true
data = "games"
genome = { coding = "real", start = "parent", spread = 300 }
breeder = { kind = "adam", learning-rate = 4.0 }
trial = { kind = "expert-distance", target = "result", distance = "sigmoid" }
stop = { generations = 40 }
[[step]]
name = "meeting"
[step.match]
players = ["previous", "parent", "cmd:there-is-no-such-engine"]
games = 30
nodes = 600
accuracy = { players = ["mendel"], nodes = 300 }
"#;

fn each_run_has_its_page(folder: &str) {
    for name in ["steps/02-slope/report.html", "steps/04-slope/report.html"] {
        let page = fs::read_to_string(Path::new(folder).join(name));
        assert!(page.is_ok_and(|it| it.contains("<svg")), "{folder} {name}");
    }
}

/// A file without the command, which has the number of threads and the folder.
#[test]
fn a_pipeline_killed_five_times_equals_the_unbroken_one() {
    let scratch = Scratch::new("pipeline-killed");
    let recipe = scratch.put("steps.toml", RECIPE);
    let (whole, killed) = (scratch.at("whole"), scratch.at("killed"));
    let told = scratch.printed(&["breed", &recipe, "--out", &whole, "--seed", "4", "--quiet"]);
    for part in [
        "slope, round 2",
        "against each, with 95 %",
        "`cmd:there-is-no-such-engine` could not be started",
        "accuracy %",
        "champion.toml",
    ] {
        assert!(told.contains(part), "{part} is missing in {told}");
    }

    // 1. Killed when this much of a file of a step is there.
    let kills = [
        ("01-games/games.jsonl", 1),
        ("01-games/games.jsonl", 60_000),
        ("03-games/games.jsonl", 1),
        ("03-games/games.jsonl", 60_000),
        ("04-slope/generations.jsonl", 1),
        ("05-meeting/games.jsonl", 1),
        ("05-meeting/games.jsonl", 100_000),
    ];
    for (file, bytes) in kills {
        let begun = Path::new(&killed).join("manifest.toml").exists();
        let arguments: Vec<&str> = if begun {
            vec!["resume", &killed, "--threads", "1"]
        } else {
            vec![
                "breed",
                &recipe,
                "--out",
                &killed,
                "--seed",
                "4",
                "--threads",
                "2",
            ]
        };
        let child = scratch.start(&arguments);
        let file = Path::new(&killed).join("steps").join(file);
        let killed = kill_when(child, "the step goes on", || size(&file) >= bytes);
        assert!(
            killed,
            "it was over before {bytes} bytes of {}",
            file.display()
        );
    }
    scratch.printed(&["resume", &killed, "--quiet"]);

    // 2. The same came out.
    for name in [
        "result.json",
        "champion.toml",
        "steps/02-slope/champion.toml",
        "steps/04-slope/generations.jsonl",
        "steps/04-slope/manifest.toml",
        "steps/04-slope/result.json",
    ] {
        let [one, other] = [&whole, &killed].map(|folder| read_record(folder, name));
        assert_eq!(one, other, "{name}");
    }
    each_run_has_its_page(&whole);
    each_run_has_its_page(&killed);

    // 3. Programs are told the same.
    let report: Value = json(&scratch.printed(&["report", &killed, "--json"]));
    assert_eq!(report["finished"], true);
    assert_eq!(report["steps"].as_array().map(Vec::len), Some(5));
    let games = &report["steps"][4]["result"]["match"]["games"];
    assert_eq!(games.as_array().map(Vec::len), Some(30));
    let judged = games.as_array().into_iter().flatten();
    let judged = judged.filter(|it| it["accuracy"][0].is_number());
    assert!(judged.count() >= 15, "{games}");
    let id = report["id"].as_str().expect("an id");
    let list = scratch.printed(&["runs", &whole]);
    assert!(
        list.contains("5/5 steps") && list.contains("meeting"),
        "{list}"
    );
    assert!(list.contains(&id[..10]), "{list}");

    // 4. The family stands in the file alone.
    let champion = fs::read_to_string(Path::new(&killed).join("champion.toml")).expect("text");
    let alone = scratch.put("alone.toml", champion);
    fs::remove_dir_all(&killed).expect("it is not needed");
    let tree = scratch.printed(&["pedigree", &alone]);
    let lines: Vec<&str> = tree.lines().collect();
    assert!(lines[0].starts_with("steps-slope-40400"), "{tree}");
    for part in [
        "└─ steps-slope-40200",
        "   └─ gerald-base",
        "data: games.mds ",
        "generation: ",
    ] {
        assert!(tree.contains(part), "{part} is missing in {tree}");
    }
    let json: Value = json(&scratch.printed(&["pedigree", &alone, "--json"]));
    assert_eq!(json["parents"][0]["parents"][0]["name"], "gerald-base");
}

#[test]
fn a_wrong_pipeline_ends_with_two_and_says_where() {
    let scratch = Scratch::new("pipeline-wrong");
    let recipe = scratch.put("steps.toml", RECIPE.replace("games = 30", "gaems = 30"));
    let Said {
        err: said, code, ..
    } = scratch.run(["breed", &recipe, "--out", &scratch.at("x")]);
    assert_eq!(code, Some(2), "{said}");
    assert!(
        said.contains("line 24") && said.contains("step.2.match.gaems"),
        "{said}"
    );
    fs::write(&recipe, RECIPE).expect("there is room");
    let arguments = [
        "breed",
        &recipe,
        "--out",
        &scratch.at("x"),
        "--data",
        "quiet",
    ];
    let Said {
        err: said, code, ..
    } = scratch.run(arguments);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("--set step.0.data"), "{said}");
    assert!(!Path::new(&scratch.at("x")).exists());
}
