//! What an experiment was started with must be there when it is resumed: programs, files
//! and the build of this program.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::{MENDEL, Scratch, wait_until};
use crate::tuning::PARAMS;

/// Levels that cost next to nothing.
const LEVELS: &str = "\
schema = 1
[[level]]
elo = 700
nodes = 20
margin = 1500
noise = 400
oversight = 0.8
[[level]]
elo = 1700
nodes = 100
margin = 0
noise = 0
oversight = 0
";

/// A program of its own, with a file that one of its options names.
struct Setup {
    scratch: Scratch,
    engine: String,
    table: String,
    /// The folder of the experiment.
    out: String,
}

impl Setup {
    fn new(name: &str) -> Self {
        let scratch = Scratch::new(&format!("inputs-{name}"));
        let [engine, table, out] = ["engine.sh", "levels.toml", "out"].map(|it| scratch.at(it));
        write_program(&engine, &script("one"));
        fs::write(&table, LEVELS).expect("there is room");
        Self {
            scratch,
            engine,
            table,
            out,
        }
    }

    /// The program as a player.
    fn player(&self) -> String {
        format!("uci:{}?Strength%20Table={}", self.engine, self.table)
    }

    /// Writes a file beside the folder.
    fn file(&self, name: &str, text: &str) -> String {
        let path = self.scratch.at(name);
        fs::write(&path, text).expect("there is room");
        path
    }

    fn recipe(&self, text: &str) -> String {
        self.file("recipe.toml", &text.replace("ENGINE", &self.player()))
    }
}

/// Our own program behind a script, which can be exchanged.
fn script(remark: &str) -> String {
    format!("#!/bin/sh\n# {remark}\nexec '{MENDEL}' uci --tunable\n")
}

fn sha256(path: &str) -> String {
    let output = Command::new("sha256sum").arg(path).output();
    let text = String::from_utf8(output.expect("coreutils").stdout).expect("text");
    text.split_whitespace().next().expect("a hash").to_owned()
}

/// All files below a folder but the locks, which hold the number of a process.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("it can be listed").path();
        if path.is_dir() {
            all.extend(contents(&path));
        } else if path.file_name().is_some_and(|name| name != ".lock") {
            all.insert(path.clone(), fs::read(&path).expect("it can be read"));
        }
    }
    all
}

/// Replaces a program. Another process does it: an open file that a child of another test
/// inherits, or one that is still being started, makes the system call it busy.
fn write_program(path: &str, text: &str) {
    let mut child = Command::new("sh")
        .args([
            "-c",
            r#"cat > "$0.new" && chmod 755 "$0.new" && mv "$0.new" "$0""#,
            path,
        ])
        .stdin(Stdio::piped())
        .spawn()
        .expect("there is a shell");
    let mut stdin = child.stdin.take().expect("it is piped");
    stdin.write_all(text.as_bytes()).expect("the shell reads");
    drop(stdin);
    assert!(child.wait().expect("it ends").success(), "{path}");
}

/// Starts an experiment, kills it as soon as `journal` has a line, and resumes it with
/// other inputs, which is refused, and then with those that it started with.
fn refused_unless_the_same(setup: &Setup, journal: &str, start: &[&str], resume: &[&str]) {
    let find = || Some(PathBuf::from(journal));
    refused_unless_the_same_in(setup, &find, start, resume);
}

/// The same with a journal that is in a folder of the library.
fn refused_unless_the_same_in(
    setup: &Setup,
    journal: &dyn Fn() -> Option<PathBuf>,
    start: &[&str],
    resume: &[&str],
) {
    // 1. Midway.
    let mut child = setup.scratch.start(start);
    wait_until("a line in the journal", || {
        let ended = child.try_wait().expect("it can be waited for");
        let text = journal().and_then(|path| fs::read_to_string(path).ok());
        let is_begun = text.is_some_and(|text| text.contains('\n'));
        assert!(is_begun || ended.is_none(), "it ended before: {ended:?}");
        is_begun
    });
    child.kill().expect("it can be killed");
    child.wait().expect("it is gone");
    let folder = if Path::new(&setup.out).is_dir() {
        PathBuf::from(&setup.out)
    } else {
        let journal = journal().expect("it is begun");
        journal.parent().expect("a folder").to_owned()
    };
    let before = contents(&folder);

    // 2. Another program, another file.
    let refused = |named: &str, hashes: [&str; 2]| {
        let said = setup.scratch.run(resume);
        assert_eq!(said.code, Some(2), "{named}: {}{}", said.out, said.err);
        for part in [named, hashes[0], hashes[1], "restore", "another folder"] {
            assert!(said.err.contains(part), "{part} is missing in {}", said.err);
        }
        assert_eq!(said.out, "", "{named}");
        assert!(
            contents(&folder) == before,
            "{named}: the folder has changed"
        );
    };
    let others = [script("two"), LEVELS.replace("1700", "1800")];
    for (path, other) in [&setup.engine, &setup.table].into_iter().zip(others) {
        let first = fs::read_to_string(path).expect("it was written");
        let hash = sha256(path);
        write_program(path, &other);
        refused(path, [&hash, &sha256(path)]);
        write_program(path, &first);
        assert_eq!(sha256(path), hash);
    }

    // 3. Another build of this program.
    let inputs = folder.join("inputs.toml");
    let text = fs::read_to_string(&inputs).expect("the hashes");
    let line = text.lines().find(|it| it.starts_with("mendel = "));
    let build = line.and_then(|it| it.split('"').nth(1)).expect("a build");
    fs::write(&inputs, text.replace(build, "0.1.0+other")).expect("there is room");
    let said = setup.scratch.run(resume);
    assert_eq!(said.code, Some(2), "{}", said.err);
    for part in ["another build", "0.1.0+other", build] {
        assert!(said.err.contains(part), "{part} is missing in {}", said.err);
    }
    fs::write(&inputs, &text).expect("there is room");
    assert!(contents(&folder) == before, "the folder has changed");

    // 4. The same again.
    let said = setup.scratch.run(resume);
    assert_eq!(said.code, Some(0), "{}", said.err);
}

#[test]
fn a_match_is_resumed_with_the_same_programs_and_files_only() {
    let setup = Setup::new("match");
    let (player, journal) = (setup.player(), format!("{}/games.jsonl", setup.out));
    let start = [
        "match",
        "material?Hash=1",
        &player,
        "--nodes",
        "30",
        "--games",
        "12",
        "--out",
        &setup.out,
    ];
    refused_unless_the_same(&setup, &journal, &start, &["resume", &setup.out, "--quiet"]);
}

/// What is bred in one generation costs next to nothing.
const BREEDER: &str = r#"
name = "small"
parent = "gerald-base"
[genome]
coding = "gray"
chromosome = "gerald"
[breeder]
kind = "ga"
population = 4
selection = "roulette-shifted"
crossover = "single-point"
crossover-rate = 0.75
mutation = "bit-flip"
mutation-rate = 0.01
"#;

const AGAINST_IT: &str = r#"
[trial]
kind = "gauntlet"
players = ["ENGINE"]
games = 2
nodes = 30
max-plies = 60
[proof]
games = 2
nodes = 30
"#;

#[test]
fn a_run_is_resumed_with_the_same_opponents_only() {
    let setup = Setup::new("trial");
    let recipe = setup.recipe(&format!("{BREEDER}{AGAINST_IT}[stop]\ngenerations = 4\n"));
    let journal = format!("{}/generations.jsonl", setup.out);
    let start = ["breed", &recipe, "--out", &setup.out, "--quiet"];
    let resume = ["resume", &setup.out, "--quiet"];
    refused_unless_the_same(&setup, &journal, &start, &resume);
}

#[test]
fn the_proof_of_a_run_is_resumed_with_the_same_opponent_only() {
    let setup = Setup::new("proof");
    let proof = "[trial]\nkind = \"expert-distance\"\ndata = \"quiet\"\nsample = 20\n[stop]\ngenerations = 1\n\
                 [proof]\ngames = 2\nnodes = 30\noutside = [\"ENGINE\"]\noutside-games = 12\n";
    let recipe = setup.recipe(&format!("{BREEDER}{proof}"));
    let journal = format!("{}/proof/outside/games.jsonl", setup.out);
    let start = ["breed", &recipe, "--out", &setup.out, "--quiet"];
    let resume = ["resume", &setup.out, "--quiet"];
    refused_unless_the_same(&setup, &journal, &start, &resume);
}

#[test]
fn a_sweep_is_resumed_with_the_same_opponents_only() {
    let setup = Setup::new("sweep");
    let sweep = "[stop]\ngenerations = 1\n[sweep]\nseeds = 1\n[sweep.axes]\n\"stop.generations\" = [1, 2]\n";
    let recipe = setup.recipe(&format!("{BREEDER}{AGAINST_IT}{sweep}"));
    let journal = format!("{}/0000/generations.jsonl", setup.out);
    let start = ["breed", &recipe, "--out", &setup.out, "--quiet"];
    let resume = ["resume", &setup.out, "--quiet"];
    refused_unless_the_same(&setup, &journal, &start, &resume);
}

#[test]
fn a_pipeline_is_resumed_with_the_same_players_only() {
    let setup = Setup::new("pipeline");
    let recipe = setup.recipe(
        "name = \"steps\"\nparent = \"gerald-base\"\n[[step]]\nname = \"meeting\"\n[step.match]\n\
         players = [\"parent\", \"ENGINE\"]\ngames = 12\nnodes = 30\n",
    );
    let journal = format!("{}/steps/01-meeting/games.jsonl", setup.out);
    let start = ["breed", &recipe, "--out", &setup.out, "--quiet"];
    let resume = ["resume", &setup.out, "--quiet"];
    refused_unless_the_same(&setup, &journal, &start, &resume);
}

#[test]
fn a_tuning_is_resumed_with_the_same_engine_only() {
    let setup = Setup::new("tune");
    let (player, params) = (setup.player(), setup.file("params.toml", PARAMS));
    let start = [
        "tune",
        &player,
        "--params",
        &params,
        "--nodes",
        "30",
        "--games",
        "40",
        "--no-proof",
        "--tuner",
        "random",
        "--out",
        &setup.out,
        "--quiet",
    ];
    let journal = format!("{}/pairs.jsonl", setup.out);
    let resume = ["resume", &setup.out, "--no-proof", "--quiet"];
    refused_unless_the_same(&setup, &journal, &start, &resume);
}

#[test]
fn a_calibration_is_resumed_with_the_same_anchor_only() {
    let setup = Setup::new("calibrate");
    let (player, levels) = (setup.player(), setup.file("own-levels.toml", LEVELS));
    let written = setup.scratch.at("strength.toml");
    let start = [
        "calibrate",
        "--table",
        &levels,
        "--games",
        "8",
        "--folder",
        &setup.out,
        "--out",
        &written,
        "--threads",
        "1",
        "--quiet",
        "--anchor",
        &player,
        "--anchor-rating",
        "1000",
        "--anchor-name",
        "wood",
        "--anchor-games",
        "4",
        "--nodes",
        "30",
    ];
    let journal = format!("{}/ladder/games.jsonl", setup.out);
    let resume = ["resume", &setup.out, "--quiet"];
    refused_unless_the_same(&setup, &journal, &start, &resume);
}

#[test]
fn a_data_set_is_resumed_with_the_same_expert_only() {
    let setup = Setup::new("data");
    let player = setup.player();
    let start = [
        "data",
        "make",
        "moves",
        "--positions",
        "300",
        "--nodes",
        "50",
        "--expert",
        &player,
        "--expert-nodes",
        "2000",
        "--threads",
        "1",
        "--out",
        &setup.out,
        "--quiet",
    ];
    let library = PathBuf::from(setup.scratch.at("home/data"));
    let journal = || {
        let folder = fs::read_dir(&library).ok()?.flatten().next()?.path();
        Some(folder.join("labels.jsonl"))
    };
    let name = Path::new(&setup.out).file_stem().expect("a name");
    let resume = ["resume", name.to_str().expect("text")];
    refused_unless_the_same_in(&setup, &journal, &start, &resume);
}

#[test]
fn a_population_goes_on_against_the_same_opponent_only() {
    let setup = Setup::new("learning");
    let opponent = format!("learn.opponent={}", setup.player());
    let start = [
        "breed",
        "cwu-online",
        "--set",
        &opponent,
        "--set",
        "learn.games=8",
        "--out",
        &setup.out,
        "--quiet",
    ];
    let journal = format!("{}/games.jsonl", setup.out);
    refused_unless_the_same(&setup, &journal, &start, &start);
}

#[test]
fn what_is_running_is_listed_as_running() {
    let setup = Setup::new("running");
    let params = setup.file("params.toml", PARAMS);
    let forever = "[stop]\ngenerations = 100000\n";
    let trial = AGAINST_IT.replace("ENGINE", "material?Hash=1");
    let run = setup.file("run.toml", &format!("{BREEDER}{trial}{forever}"));
    let axes = "[sweep]\nseeds = 2\n[sweep.axes]\n\"breeder.mutation-rate\" = [0.01, 0.02]\n";
    let sweep = setup.file("sweep.toml", &format!("{BREEDER}{trial}{forever}{axes}"));
    let steps = setup.file(
        "steps.toml",
        "name = \"steps\"\nparent = \"gerald-base\"\n[[step]]\nname = \"meeting\"\n[step.match]\n\
         players = [\"parent\", \"material\"]\ngames = 100\nnodes = 100000\n",
    );
    for (kind, arguments) in [
        (
            "tune",
            &[
                "tune",
                "mendel?Hash=1",
                "--params",
                &params,
                "--nodes",
                "1000",
                "--games",
                "40000",
            ][..],
        ),
        ("breed", &["breed", &run]),
        ("sweep", &["breed", &sweep]),
        ("pipeline", &["breed", &steps]),
    ] {
        let mut child = setup
            .scratch
            .start([arguments, &["--quiet", "--threads", "1"]].concat());
        let state = || {
            let said = setup.scratch.run(["runs", "--json"]);
            let runs: Value = serde_json::from_str(&said.out).expect("JSON");
            let runs = runs.as_array().expect("a list").clone();
            let found = runs.into_iter().find(|it| it["kind"] == kind);
            found.map(|it| it["state"].as_str().unwrap_or_default().to_owned())
        };
        let listed = format!("the {kind} is listed as running");
        wait_until(&listed, || state().as_deref() == Some("running"));
        assert!(child.try_wait().expect("it runs").is_none(), "{kind}");
        child.kill().expect("it can be killed");
        child.wait().expect("it is gone");
        assert_eq!(state().as_deref(), Some("stopped"), "{kind}");
    }
}
