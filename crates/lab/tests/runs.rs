//! Whole runs: the same seed gives the same run, whoever works on it and however
//! often it is interrupted.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use mendel_lab::breed::Breed;
use mendel_lab::recipe::{BUILT_IN, Recipe};
use mendel_lab::record::{RunOutcome, SweepOutcome};
use mendel_lab::sweep::Sweep;
use mendel_store::ExperimentError;
use mendel_store::frame::{ExperimentEvent, Failure};

use crate::absent::lacks_a_player;
use crate::experiment::{Request, Work, progress, record, resume, silent, start};
use crate::made_data::{checked, scratch, write_set};

const RECIPE: &str = r#"
name = "small"
parent = "gerald-base"
[genome]
coding = "gray"
chromosome = "gerald"
[breeder]
kind = "ga"
population = 30
selection = "roulette-shifted"
crossover = "single-point"
crossover-rate = 0.75
mutation = "bit-flip"
mutation-rate = 0.01
hall-of-fame = { size = 5, reintroduce = 1 }
[trial]
kind = "expert-distance"
data = "DATA"
sample = 50
[stop]
generations = 12
[proof]
games = 4
nodes = 40
[report]
keep-genotypes = 5
"#;

const STAGES: &str = r#"
name = "stages"
parent = "gerald-base"
[[stage]]
genome = { coding = "real", start = "parent", spread = 500 }
breeder = { kind = "adam", learning-rate = 5.0 }
trial = { kind = "expert-distance", data = "DATA" }
stop = { generations = 8 }
[[stage]]
genome = { coding = "real", start = "parent", spread = 20 }
stop = { generations = 6 }
[stage.breeder]
kind = "mu-plus-lambda"
parents = 5
children = 25
mutation = { non-uniform = { generations = 6 } }
mutation-rate = 0.04
archive = { size = 4, probability = 0.2 }
[stage.trial]
kind = "expert-distance"
data = "DATA"
[proof]
games = 2
nodes = 20
[report]
keep-genotypes = 3
"#;

fn recipe(text: &str, folder: &Path) -> Recipe {
    let data = folder.join("set.mds");
    if !data.exists() {
        write_set(&data, 120);
    }
    let text = text.replace("DATA", &data.to_string_lossy());
    Recipe::parse(&text, "test", &[]).unwrap_or_else(|error| panic!("{error}"))
}

fn work(threads: usize) -> Work {
    Work::threads(threads)
}

fn breed(text: &str, folder: &Path, name: &str, work: &Work, seed: u64) -> RunOutcome {
    let order = Request {
        recipe: recipe(text, folder),
        seed,
        data: None,
        folder: folder.join(name),
    };
    start::<Breed>(&order, work, silent).unwrap_or_else(|error| panic!("{error}"))
}

/// Everything of a run that is the same on every machine.
fn records(folder: &Path) -> Vec<String> {
    [
        "generations.jsonl",
        "lineage.jsonl",
        "genotypes.jsonl",
        "champion.toml",
        "result.json",
        "manifest.toml",
    ]
    .iter()
    .map(|name| fs::read_to_string(folder.join(name)).unwrap_or_else(|_| panic!("{name}")))
    .collect()
}

#[test]
fn the_same_seed_gives_the_same_run_on_any_number_of_threads() {
    let folder = scratch("same-run");
    for text in [RECIPE, STAGES] {
        for (name, threads) in [("one", 1), ("two", 2), ("five", 5)] {
            let _ = fs::remove_dir_all(folder.join(name));
            breed(text, &folder, name, &work(threads), 7);
        }
        let one = records(&folder.join("one"));
        assert_eq!(one, records(&folder.join("two")));
        assert_eq!(one, records(&folder.join("five")));
        let _ = fs::remove_dir_all(folder.join("other"));
        breed(text, &folder, "other", &work(1), 8);
        assert_ne!(one[0], records(&folder.join("other"))[0]);
    }
}

#[test]
fn a_run_stopped_at_every_generation_equals_the_unbroken_one() {
    let folder = scratch("stopped-run");
    for text in [RECIPE, STAGES] {
        for name in ["whole", "broken"] {
            let _ = fs::remove_dir_all(folder.join(name));
        }
        breed(text, &folder, "whole", &work(1), 3);
        let order = Request {
            recipe: recipe(text, &folder),
            seed: 3,
            data: None,
            folder: folder.join("broken"),
        };
        let mut starts = 0;
        let known_games = Arc::new(AtomicU64::new(0));
        let mut finished = false;
        while !finished {
            let work = work(2);
            let (stop, known) = (Arc::clone(&work.stop), Arc::clone(&known_games));
            let stop_soon = move |_: &Path, event: &ExperimentEvent| {
                // Games of earlier starts are told again, and are no progress.
                let games = progress(event, "games").map(|(done, _)| done);
                let is_new =
                    games.is_some_and(|games| games > known.fetch_max(games, Ordering::Relaxed));
                if is_new || record(event, "generation").is_some() {
                    stop.store(true, Ordering::Relaxed);
                }
            };
            let outcome = if starts == 0 {
                start::<Breed>(&order, &work, stop_soon)
            } else {
                resume::<Breed>(&order.folder, &work, stop_soon)
            };
            finished = match outcome {
                Err(Failure::Stopped) => false,
                outcome => outcome.map(|_| true).expect("it is resumed"),
            };
            starts += 1;
            assert!(starts < 100, "it gets nowhere");
        }
        assert!(starts > 10, "it was stopped {starts} times");
        assert_eq!(
            records(&folder.join("whole")),
            records(&folder.join("broken"))
        );
    }
}

#[test]
fn each_stage_is_better_than_what_it_came_from() {
    let folder = scratch("better");
    let outcome = breed(STAGES, &folder, "run", &work(2), 1);
    let proof = outcome.proof;
    let lines = fs::read_to_string(folder.join("run/generations.jsonl")).expect("records");
    let number = |line: &str, key: &str| -> f64 {
        let value: serde_json::Value = serde_json::from_str(line).expect("a line of JSON");
        value[key].as_f64().expect("a number")
    };
    let lines: Vec<&str> = lines.lines().collect();
    assert_eq!(lines.len(), 14);
    let best = |line: usize| number(lines[line], "best");
    assert!(best(7) < best(0), "the gradient leads down");
    assert!(best(13) < best(8), "mutants are found that are better");
    let measured = proof.training.as_ref().expect("it was measured");
    assert!(measured.champion < measured.parent, "{measured:?}");
    assert!(
        (measured.champion - best(13)).abs() < 1e-9,
        "the best of all is the champion"
    );
    // Judgements are counted through all stages: 8 members, then 6 generations of 30.
    let each = measured.positions as f64;
    assert!((number(lines[13], "judgements") - 188.0 * each).abs() < 0.5);
    assert_eq!(proof.matches.len(), 1);
    assert_eq!(proof.matches[0].games, 2);
    assert!(proof.training.is_some() && proof.holdout.is_some());
}

#[test]
fn a_run_does_not_go_on_with_other_data() {
    let folder = scratch("other-data");
    let work = work(1);
    breed(RECIPE, &folder, "run", &work, 1);
    write_set(&folder.join("set.mds"), 121);
    // A finished run is read; without its result it would have to be resumed.
    fs::remove_file(folder.join("run/result.json")).expect("it was written");
    let error = resume::<Breed>(&folder.join("run"), &work, silent).expect_err("it changed");
    assert!(
        error.into_cause().is::<ExperimentError>(),
        "the data set is an input"
    );
}

#[test]
fn a_folder_holds_one_run() {
    let folder = scratch("taken");
    breed(RECIPE, &folder, "run", &work(1), 1);
    let order = Request {
        recipe: recipe(RECIPE, &folder),
        seed: 1,
        data: None,
        folder: folder.join("run"),
    };
    let error = start::<Breed>(&order, &work(1), silent).expect_err("it is taken");
    assert!(error.to_string().contains("already"), "{error}");
}

fn run_sweep(request: &Request, threads: usize) -> Result<SweepOutcome, Failure> {
    let work = work(threads);
    if request.folder.join("manifest.toml").exists() {
        resume::<Sweep>(&request.folder, &work, silent)
    } else {
        start::<Sweep>(request, &work, silent)
    }
}

#[test]
fn a_sweep_runs_every_cell_with_every_seed_and_goes_on_where_it_was_left() {
    let folder = scratch("sweep");
    let text = RECIPE.to_owned()
        + "[sweep]\nseeds = 2\naxes = { \"genome.coding\" = [\"gray\", \"binary\"], \"trial.sample\" = [20, 50] }\n";
    let order = Request {
        recipe: recipe(&text, &folder),
        seed: 5,
        data: None,
        folder: folder.join("grid"),
    };
    let stopped = work(1);
    let stop = Arc::clone(&stopped.stop);
    let first = start::<Sweep>(
        &order,
        &stopped,
        move |_: &Path, event: &ExperimentEvent| {
            if record(event, "run").is_some_and(|run| run["run"] == 2) {
                stop.store(true, Ordering::Relaxed);
            }
        },
    );
    assert!(matches!(first, Err(Failure::Stopped)), "it can be stopped");
    let found = run_sweep(&order, 2).expect("it goes on and ends");
    assert_eq!(found.cells.len(), 4);
    for cell in &found.cells {
        assert_eq!(cell.seeds, [5, 6]);
        assert_eq!(cell.holdouts.len(), 2);
        assert!(cell.interval.is_some(), "two seeds have a spread");
    }
    let again = run_sweep(&order, 1);
    assert_eq!(again.expect("it is there"), found);
}

#[test]
fn every_built_in_recipe_is_right() {
    for (name, _) in BUILT_IN {
        let recipe = match checked(Recipe::find(name, &[])) {
            // Looked at with made-up networks by the tests of hybrids.
            Err(error) if lacks_a_player(name, &error) => continue,
            found => found.unwrap_or_else(|error| panic!("{error}")),
        };
        assert_eq!(recipe.name, *name);
        let again = Recipe::parse(&recipe.to_toml(), name, &[]).expect("what was written");
        assert_eq!(again.stages.len(), recipe.stages.len());
        assert!(!recipe.about.is_empty());
    }
}

#[test]
fn a_wrong_recipe_is_refused_with_line_and_remedy() {
    // What is changed, to what, on which line it is found, and what is said.
    let table = [
        ("population = 30", "population = 0", "", "population"),
        ("population = 30", "populaton = 30", "", "populaton"),
        (
            "mutation-rate = 0.01",
            "mutation-rate = 1.5",
            "",
            "from 0 to 1",
        ),
        ("kind = \"ga\"", "kind = \"gaa\"", "", "\"mu-plus-lambda\""),
        ("coding = \"gray\"", "coding = \"grey\"", "", "gray"),
        (
            "chromosome = \"gerald\"",
            "chromosome = \"gerold\"",
            "",
            "`lambda`",
        ),
        (
            "chromosome = \"gerald\"",
            "weights = [\"pwn*\"]",
            "",
            "pwn*",
        ),
        (
            "parent = \"gerald-base\"",
            "parent = \"nobody\"",
            "",
            "gerald-base",
        ),
        (
            "parent = \"gerald-base\"",
            "parent = \"material\"",
            "coding",
            "no weights",
        ),
        (
            "= \"roulette-shifted\"",
            "= \"roulette\"",
            "",
            "roulette-shifted",
        ),
        ("sample = 50", "sampel = 50", "", "sampel"),
        ("generations = 12", "", "[stop]", "generations"),
        ("games = 4", "games = 0", "", "at least 1"),
        ("name = \"small\"", "nme = \"small\"", "", "nme"),
        ("[trial]", "[trail]", "", "trail"),
        ("games = 4", "sprt = [15, 0]", "", "sprt"),
        ("games = 4", "games = 100000", "", "our book"),
        ("sample = 50", "k = -1.0", "", "above 0"),
        ("sample = 50", "sample = 0", "", "all positions"),
        ("data = \"DATA\"", "data = \"nowhere\"", "", "nowhere"),
        (
            "chromosome = \"gerald\"",
            "chromosome = \"gerald\"\nbits = 3",
            "bits",
            "means nothing",
        ),
        (
            "chromosome = \"gerald\"",
            "chromosome = \"gerald\"\nstart = \"parent\"",
            "start",
            "cannot hold 80",
        ),
    ];
    for (from, to, place, reason) in table {
        let text = RECIPE.replacen(from, to, 1);
        assert_ne!(text, RECIPE, "{from}");
        let text = text.replace("\"DATA\"", "\"quiet\"");
        let place = if place.is_empty() { to } else { place };
        let before = &text[..text.find(place).expect("it stands there")];
        let line = format!("line {}:", 1 + before.matches('\n').count());
        let error = Recipe::parse(&text, "`x.toml`", &[])
            .expect_err(to)
            .to_string();
        assert!(error.contains(&line), "{to}: {error} does not say {line}");
        assert!(
            error.contains(reason),
            "{to}: {error} does not say {reason}"
        );
    }
}
