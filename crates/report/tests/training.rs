//! The pages of trainings and of grids of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use mendel_nets::recipe::Recipe;
use mendel_nets::record::{
    self, ComputeDevice, End, Evaluation, GridCell, TrainedGrid, TrainedNetwork, TrainingFacts,
    TrainingOutcome,
};
use mendel_report::TrainingRecord;
use mendel_store::frame::{Folder, Manifest};
use mendel_store::{Journal, Sync};
use serde::Serialize;

use crate::made_up::fresh_folder;

fn recipe(name: &str) -> Recipe {
    Recipe::find(name, &[]).unwrap_or_else(|error| panic!("{error}"))
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

fn outcome() -> TrainedNetwork {
    let figure = |value| BTreeMap::from([("from".to_owned(), value)]);
    TrainedNetwork {
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

fn put(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).expect("a writable folder");
}

fn write_plan(folder: &Path, recipe: &Recipe) {
    let facts = TrainingFacts {
        files: Vec::new(),
        start: None,
        device: ComputeDevice::Cpu,
        threads: 1,
        data: "12 games".to_owned(),
        fingerprint: "0".to_owned(),
    };
    let manifest = Manifest {
        kind: record::KIND.to_owned(),
        schema: record::SCHEMA,
        name: recipe.name.clone(),
        facts: toml::Table::try_from(&facts).expect("plain data"),
        ..Manifest::default()
    };
    put(folder, record::RECIPE, &recipe.to_toml());
    let text = toml::to_string(&manifest).expect("plain data");
    put(folder, Manifest::FILE, &text);
}

fn write_evaluations(folder: &Path) {
    let path = folder.join(record::EVALUATIONS);
    let (mut journal, _) = Journal::open(&path, Sync::Each).expect("a journal");
    for it in &evaluations() {
        journal.append(it).expect("there is room");
    }
}

fn write_result(folder: &Path, outcome: &impl Serialize) {
    let mut text = serde_json::to_vec_pretty(outcome).expect("plain data");
    mendel_store::add_checksum_indented(&mut text).expect("an object");
    fs::write(folder.join(Folder::RESULT), text).expect("a writable folder");
}

fn write_training(folder: &Path) {
    write_plan(folder, &recipe("chessnet"));
    write_evaluations(folder);
    write_result(folder, &TrainingOutcome::Network(outcome()));
}

fn html(folder: &Path) -> String {
    let record = TrainingRecord::read(folder).expect("it is whole");
    record.page().render()
}

#[test]
fn a_finished_training_has_a_page() {
    let folder = fresh_folder("training");
    write_training(&folder);
    let html = html(&folder);
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
fn an_unfinished_training_has_a_page_that_says_so() {
    let folder = fresh_folder("training-unfinished");
    write_training(&folder);
    fs::remove_file(folder.join(Folder::RESULT)).expect("it is there");
    let html = html(&folder);
    for part in ["not finished", "30 steps", "12 games", "validation"] {
        assert!(html.contains(part), "{part}");
    }
}

#[test]
fn a_training_without_a_file_of_its_plan_is_refused_with_its_name() {
    let folder = fresh_folder("training-broken");
    write_training(&folder);
    fs::remove_file(folder.join(record::RECIPE)).expect("it is there");
    let error = TrainingRecord::read(&folder).expect_err("there is no recipe");
    assert!(error.to_string().contains("recipe.toml"), "{error}");
}

#[test]
fn a_grid_shows_every_network_and_names_those_that_diverged() {
    let folder = fresh_folder("training-grid");
    let recipe = recipe("chessnet-grid");
    write_plan(&folder, &recipe);
    let names = recipe.cells().expect("a grid").into_iter();
    let names: Vec<String> = names.map(|(name, _)| name).collect();
    for (index, name) in names.iter().enumerate() {
        let folder = folder.join(name);
        fs::create_dir_all(&folder).expect("a writable folder");
        write_evaluations(&folder);
        if index == 0 {
            write_result(&folder, &TrainingOutcome::Network(outcome()));
        }
    }
    let unfinished = html(&folder);
    assert!(unfinished.contains("not finished"), "{unfinished}");

    let cells = names.iter().enumerate().map(|(index, name)| GridCell {
        name: name.clone(),
        outcome: (index == 0).then(outcome),
    });
    let cells = cells.collect();
    write_result(&folder, &TrainingOutcome::Grid(TrainedGrid { cells }));
    let html = html(&folder);
    for part in [names[0].as_str(), names[1].as_str(), "diverged", "0.2500"] {
        assert!(html.contains(part), "{part}");
    }
}
