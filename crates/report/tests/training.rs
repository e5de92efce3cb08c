//! The pages of trainings and of grids of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use mendel_nets::recipe::Recipe;
use mendel_nets::record::{self, End, Evaluation, GridCell, Outcome};
use mendel_report::{grid_page, training_page};
use mendel_store::{Journal, Sync};

use crate::made_up::fresh_folder;

fn recipe() -> Recipe {
    Recipe::find("chessnet", &[]).unwrap_or_else(|error| panic!("{error}"))
}

fn evaluations() -> Vec<Evaluation> {
    let one = |step: u64| Evaluation {
        step,
        positions: 32 * step,
        epoch: 0.1,
        rate: 0.001,
        loss: 5.0 - step as f64 / 100.0,
        validation_loss: 5.1 - step as f64 / 100.0,
        best: true,
        figures: BTreeMap::from([("from".to_owned(), 0.2)]),
    };
    vec![one(10), one(20), one(30)]
}

fn outcome() -> Outcome {
    let figure = |value| BTreeMap::from([("from".to_owned(), value)]);
    Outcome {
        name: "chessnet".to_owned(),
        steps: 30,
        best_step: 20,
        validation_loss: 4.8,
        test_loss: 4.9,
        test_positions: 1234,
        test: figure(0.25),
        paper: figure(0.38),
        numbers: 1000,
        end: End::Done,
        file: "chessnet.net".to_owned(),
    }
}

fn write_training(folder: &Path) {
    let put = |name: &str, text: String| {
        fs::write(folder.join(name), text).expect("a writable folder");
    };
    put(record::MANIFEST, "data = \"12 games\"\n".to_owned());
    put(record::RECIPE, recipe().to_toml());
    let path = folder.join(record::EVALUATIONS);
    let (mut journal, _) = Journal::open(&path, Sync::Each).expect("a journal");
    for it in &evaluations() {
        journal.append(it).expect("there is room");
    }
    drop(journal);
    let result = serde_json::to_string(&outcome()).expect("plain data");
    put(record::RESULT, result);
}

#[test]
fn a_finished_training_has_a_page() {
    let folder = fresh_folder("training");
    write_training(&folder);
    let html = training_page(&folder).expect("it is whole").render();
    for part in [
        "validation",
        "12 games",
        "1234 positions",
        "all steps done",
        "the paper has",
    ] {
        assert!(html.contains(part), "{part}");
    }
    roxmltree::Document::parse(html.trim_start_matches("<!DOCTYPE html>\n")).expect("well-formed");
}

#[test]
fn an_unfinished_training_is_refused_with_the_missing_file() {
    let folder = fresh_folder("training-unfinished");
    write_training(&folder);
    fs::remove_file(folder.join(record::RESULT)).expect("it is there");
    let error = training_page(&folder).expect_err("there is no result");
    assert!(error.to_string().contains("result.json"), "{error}");
}

#[test]
fn a_grid_shows_every_network_and_names_those_that_diverged() {
    let cell = |name: &str, outcome| GridCell {
        name: name.to_owned(),
        evaluations: evaluations(),
        outcome,
    };
    let cells = [cell("batch-8", Some(outcome())), cell("batch-32", None)];
    let html = grid_page(&recipe(), &cells).render();
    for part in ["batch-8", "batch-32", "diverged", "0.2500"] {
        assert!(html.contains(part), "{part}");
    }
}
