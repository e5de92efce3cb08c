//! Simultaneous perturbation in whole runs, and what a recipe with it or with search
//! numbers must not say.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use mendel_lab::breed::Breed;
use mendel_lab::proof::Proof;
use mendel_lab::recipe::Recipe;
use mendel_store::frame::{ExperimentEvent, Failure};

use crate::experiment::{Request, Work, record, resume, silent, start};
use crate::made_data::{scratch, write_set};

const RECIPE: &str = r#"
name = "sides"
parent = "gerald-base"
[genome]
coding = "real"
spread = 400
start = "parent"
[breeder]
kind = "spsa"
directions = 4
iterations = 40
c-end = { range = 0.02 }
r-end = 0.003
[trial]
kind = "expert-distance"
data = "DATA"
baseline = false
[stop]
generations = 40
"#;

fn parse(text: &str, folder: &Path) -> Result<Recipe, String> {
    let data = folder.join("set.mds");
    if !data.exists() {
        write_set(&data, 120);
    }
    let text = text.replace("DATA", &data.to_string_lossy());
    Recipe::parse(&text, "test", &[]).map_err(|error| error.to_string())
}

fn order(folder: &Path, name: &str) -> Request {
    Request {
        recipe: parse(RECIPE, folder).unwrap_or_else(|error| panic!("{error}")),
        seed: 3,
        data: None,
        folder: folder.join(name),
    }
}

fn work() -> Work {
    Work {
        proof: false,
        ..Work::threads(1)
    }
}

/// Works on a run until it has bred so many generations more.
fn break_after(
    generations: u32,
    work: &Work,
) -> impl FnMut(&Path, &ExperimentEvent) + Send + 'static {
    let stop = Arc::clone(&work.stop);
    let mut left = generations;
    move |_, event| {
        if record(event, "generation").is_some() {
            left = left.saturating_sub(1);
            if left == 0 {
                stop.store(true, Ordering::Relaxed);
            }
        }
    }
}

#[test]
fn the_champion_is_the_point_it_came_to_and_the_run_can_be_broken_anywhere() {
    let folder = scratch("perturbation");
    for name in ["whole", "broken"] {
        let _ = fs::remove_dir_all(folder.join(name));
    }
    let whole = order(&folder, "whole");
    let outcome = start::<Breed>(&whole, &work(), silent).expect("a run");
    let training = outcome.proof.training.expect("it was measured");
    assert!(
        training.champion < 0.9 * training.parent,
        "the error fell from {} to {}",
        training.parent,
        training.champion
    );

    // It is none of those that were judged.
    let champion = fs::read_to_string(folder.join("whole/champion.toml")).expect("a champion");
    assert!(champion.contains("generation = 39"), "{champion}");
    assert!(!champion.contains("member = "), "{champion}");

    let first = work();
    let watch = break_after(7, &first);
    let unfinished = start::<Breed>(&order(&folder, "broken"), &first, watch);
    assert!(
        matches!(unfinished, Err(Failure::Stopped)),
        "{unfinished:?}"
    );
    for after in [5, 11, 100] {
        let again = work();
        let watch = break_after(after, &again);
        match resume::<Breed>(&folder.join("broken"), &again, watch) {
            Err(Failure::Stopped) if after < 100 => {}
            outcome => drop(outcome.expect("it is resumed")),
        }
    }
    for name in ["generations.jsonl", "lineage.jsonl", "champion.toml"] {
        let read = |run: &str| fs::read_to_string(folder.join(run).join(name)).expect(name);
        assert_eq!(read("whole"), read("broken"), "{name}");
    }
    let proofs = ["whole", "broken"].map(|run| Proof::read(&folder.join(run)).expect("a proof"));
    assert_eq!(proofs[0], proofs[1]);
}

#[test]
fn recipes_that_do_not_fit_together_are_refused_at_the_key_that_can_mend_it() {
    let folder = scratch("perturbation-refused");
    let table = [
        (
            "coding = \"real\"\nspread = 400",
            "coding = \"gray\"\nspread = 400",
            "breeder.kind",
        ),
        ("r-end = 0.003", "r-end = 0", "breeder.r-end"),
        ("{ range = 0.02 }", "{ range = 2 }", "breeder.c-end"),
        ("iterations = 40", "iteration = 40", "breeder.iteration"),
        ("spread = 400", "search = [\"null*\"]", "genome.search"),
        (
            "spread = 400",
            "chromosome = \"gerald-search\"",
            "genome.chromosome",
        ),
        ("spread = 400", "search = [\"nul\"]", "genome.search"),
        ("spread = 400", "window = 0.3", "genome.window"),
        ("generations = 40", "no-new-king = 0", "stop.no-new-king"),
    ];
    for (right, wrong, key) in table {
        let text = RECIPE.replace(right, wrong);
        assert_ne!(text, RECIPE, "{right} stands in the recipe");
        let error = parse(&text, &folder).expect_err(wrong);
        assert!(error.contains(&format!("`{key}`")), "{wrong}: {error}");
    }
}
