//! Pages made from folders, also from incomplete, broken and hostile ones.

use std::fs;
use std::path::Path;

use mendel_lab::record::manifest::Manifest;
use mendel_report::{self as report, ReportError, RunRecord, SweepRecord};
use mendel_store::RunStatus as State;
use mendel_store::frame::status_of;
use roxmltree::{Document, ParsingOptions};

use crate::made_up::{
    PROOF, RECIPE, SMALL, Size, fresh_folder, write_champion, write_manifest, write_result,
    write_run,
};

/// The words of a page, which must be well-formed.
fn words_of(html: &str) -> String {
    let options = ParsingOptions {
        allow_dtd: true,
        ..ParsingOptions::default()
    };
    let page = Document::parse_with_options(html, options).unwrap_or_else(|e| panic!("{e}"));
    let texts = page.descendants().filter(roxmltree::Node::is_text);
    let texts: Vec<&str> = texts.filter_map(|node| node.text()).collect();
    texts.join("\n")
}

fn put(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).expect("a writable folder");
}

fn put_proof(folder: &Path, text: &str) {
    write_result(folder, &serde_json::from_str(text).expect("JSON"));
}

fn whole_run(name: &str) -> std::path::PathBuf {
    let folder = fresh_folder(name);
    write_run(&folder, &SMALL, RECIPE);
    write_champion(&folder, "champion");
    put_proof(&folder, PROOF);
    folder
}

#[test]
fn a_page_says_everything_that_was_asked_and_found() {
    let folder = whole_run("page");
    let html = report::html(&folder).expect("a whole run");
    let words = words_of(&html);
    for expected in [
        "proved +112 [+93, +132] Elo in 1000 games",
        "Against gerald-base in 1,000 games: +538\u{a0}=236\u{a0}−226, Elo +112.4 [+93.0, +132.4]",
        "mendel breed gerald-eval --seed 7",
        "centipawns of mean error (smaller is better)",
        "quiet, 8,000 positions",
        "random search",
        "4 of 9",
        "+112.4 [+93.0, +132.4]",
        "Every gene of the best player, generation by generation",
        "pawn.mg",
        "Genetic Algorithms for Chess Engine Parameter Tuning. Thesis, 2021",
        "+108.3 ± 19.6",
        "inverted sign",
        "The champion’s ancestors",
        "Stash 12",
        "[−27.1, −22.5]",
        "accepted at 2.97",
    ] {
        assert!(words.contains(expected), "{expected} is missing in {words}");
    }
    // The verdict comes before everything else.
    let place = |text: &str| html.find(text).expect("said above");
    assert!(place("class=\"verdict good\"") < place("<h2"));
    assert_eq!(html, report::html(&folder).expect("again"));
}

#[test]
fn a_summary_has_the_same_figures() {
    let folder = whole_run("summary");
    let record = RunRecord::read(&folder).expect("a whole run");
    let summary = record.summary();
    assert_eq!((summary.generations, summary.seed), (9, 7));
    assert_eq!(
        summary.verdict.as_deref(),
        Some("proved +112 [+93, +132] Elo in 1000 games")
    );
    assert_eq!(summary.judgements, 9 * 12 * 1600);
    let ours: Vec<Option<f64>> = summary.paper.iter().map(|figure| figure.ours).collect();
    assert_eq!(ours[0], record.best().map(|line| line.best));
    assert_eq!(ours[1], Some(112.4));
    assert!((ours[2].expect("timed") - 9.0 * 0.0095).abs() < 1e-9);
    assert_eq!(ours[3], None);
    assert_eq!(summary.paper[1].interval, Some([Some(93.0), Some(132.4)]));
    let words: Vec<&str> = summary.paper.iter().map(|it| it.words.as_str()).collect();
    assert_eq!(words[4], "24.8 [22.5, 27.1]", "less error is a gain");
    assert_eq!(words[5], "131 (to the parent −25.3 [−26.6, −24])");
    // The columns are those of the players.
    let weights = |name: &str| {
        let player = mendel_engine::Player::find(name).expect("built in");
        let weights = player.evaluator.weights();
        weights
            .into_iter()
            .map(|w| Some(f64::from(w.value)))
            .take(6)
            .collect::<Vec<_>>()
    };
    let base: Vec<_> = summary.genes.iter().map(|gene| gene.base).collect();
    let paper: Vec<_> = summary.genes.iter().map(|gene| gene.paper).collect();
    assert_eq!(base, weights("gerald-base"));
    assert_eq!(paper, weights("gerald-eval-tuned"));
    let best = record.best().expect("nine generations");
    let bred: Vec<_> = summary.genes.iter().filter_map(|gene| gene.bred).collect();
    assert_eq!(bred, best.genes);
    assert!(
        serde_json::to_string(&summary)
            .expect("plain data")
            .contains("\"warnings\"")
    );
}

#[test]
fn a_run_may_be_young_or_lack_a_proof() {
    for generations in [0, 1, 2] {
        let folder = fresh_folder(&format!("young-{generations}"));
        let size = Size {
            generations,
            ..SMALL
        };
        write_run(&folder, &size, "");
        let words = words_of(&report::html(&folder).expect("a young run"));
        assert!(words.contains("no proof yet"), "{words}");
        assert!(!words.contains("Paper and ours"));
        let warning = if generations == 0 {
            "No generation is finished yet"
        } else {
            "The run is not finished"
        };
        assert!(words.contains(warning), "{words}");
    }
    // A folder with a manifest and nothing else.
    let folder = fresh_folder("bare");
    let manifest = mendel_lab::record::manifest::Manifest::default();
    write_manifest(&folder, &manifest);
    words_of(&report::html(&folder).expect("a bare run"));
}

#[test]
fn not_proved_is_said_as_plainly() {
    let folder = whole_run("not-proved");
    put_proof(&folder, r#"{"verdict": "not proved"}"#);
    let html = report::html(&folder).expect("a proof without figures");
    assert!(
        html.contains("class=\"verdict bad\"><b>not proved</b>"),
        "{html}"
    );
}

#[test]
fn a_reader_is_warned() {
    let folder = whole_run("warnings");
    let told = |folder: &Path| {
        RunRecord::read(folder)
            .expect("readable")
            .warnings()
            .join("\n")
    };
    let mut manifest = mendel_lab::record::manifest::Manifest::read(&folder).expect("written");
    let quiet = told(&folder);
    assert!(!quiet.contains("no better than the parent"), "{quiet}");
    assert!(!quiet.contains("not clearly better"), "{quiet}");

    manifest.warnings = vec!["the data are few".to_owned()];
    let record = RunRecord::read(&folder).expect("readable");
    let best = &record.best().expect("nine generations").genes;
    manifest.bounds = best.iter().map(|value| [*value, value + 5.0]).collect();
    write_manifest(&folder, &manifest);
    put_proof(
        &folder,
        &PROOF
            .replace("[-27.1, -22.5]", "[-27.1, 0.5]")
            .replace("\"parent\": 156.3", "\"parent\": 1"),
    );
    let loud = told(&folder);
    for expected in [
        "no better than the parent (1)",
        "not clearly better than its parent (158.2), difference [−27.1, +0.500]",
        "6 genes of 6 ended at the edge",
        "the data are few",
    ] {
        assert!(loud.contains(expected), "{expected} is missing in {loud}");
    }
}

#[test]
fn hostile_names_stay_names() {
    const NAME: &str = "</style><script>alert('x')</script>&<b>";
    let folder = whole_run("hostile");
    let mut manifest = mendel_lab::record::manifest::Manifest::read(&folder).expect("written");
    for field in [
        &mut manifest.id,
        &mut manifest.recipe,
        &mut manifest.unit,
        &mut manifest.parent,
        &mut manifest.command,
        &mut manifest.genes[2],
    ] {
        NAME.clone_into(field);
    }
    write_manifest(&folder, &manifest);
    put_proof(&folder, &PROOF.replace("Stash 12", NAME));
    let recipe = format!("[paper]\ntitle = \"{NAME}\"\nsource = \"{NAME}\"\nnotes = [\"{NAME}\"]");
    put(&folder, "recipe.toml", &recipe);
    let html = report::html(&folder).expect("names are only names");
    assert!(!html.contains("<script"), "{html}");
    assert!(words_of(&html).matches("<script>").count() > 8);
}

#[test]
fn what_is_broken_is_named() {
    type Spoil = fn(&Path);
    let cases: [(&str, Spoil, &str); 8] = [
        (
            "no-such-figure",
            |f| {
                put(
                    f,
                    "recipe.toml",
                    &RECIPE.replace("\"best\"", "\"match.child.elo\""),
                );
            },
            "the figure \"best mean error\" has `ours = \"match.child.elo\"`, which means nothing; use one of best,",
        ),
        (
            "no-manifest",
            |f| fs::remove_file(f.join("manifest.toml")).expect("there"),
            "was made by mendel 0.1.0",
        ),
        (
            "bad-manifest",
            |f| put(f, "manifest.toml", "id = "),
            "manifest.toml` is broken",
        ),
        (
            "bad-line",
            |f| {
                let path = f.join("generations.jsonl");
                let text = fs::read_to_string(&path).expect("there");
                let second = text.lines().nth(1).expect("nine lines");
                fs::write(&path, text.replace(second, "{\"v\":1,")).expect("writable");
            },
            "line 2 of",
        ),
        (
            "other-genes",
            |f| {
                let path = f.join("manifest.toml");
                let text = fs::read_to_string(&path).expect("there");
                let text = text.replace("\"pawn.mg\", ", "");
                let lines = text
                    .lines()
                    .filter(|l| !l.starts_with("bounds") && !l.starts_with("parent_genes"));
                fs::write(&path, lines.collect::<Vec<_>>().join("\n")).expect("writable");
            },
            "generation 0 has 6 genes, the manifest has 5",
        ),
        (
            "bad-proof",
            |f| put_proof(f, "{\"verdict\": 3}"),
            "result.json` cannot be understood",
        ),
        (
            "bad-champion",
            |f| put(f, "champion.toml", "name = 3"),
            "champion.toml is broken",
        ),
        (
            "bad-paper",
            |f| put(f, "recipe.toml", "[paper]\nfigure = 3"),
            "recipe.toml is broken: in `[paper]`",
        ),
    ];
    for (name, spoil, expected) in cases {
        let folder = whole_run(name);
        spoil(&folder);
        let error = report::html(&folder).expect_err(name).to_string();
        assert!(error.contains(expected), "{name}: {error}");
    }
}

#[test]
fn a_torn_last_line_is_not_an_error() {
    let folder = whole_run("torn");
    let path = folder.join("generations.jsonl");
    let text = fs::read_to_string(&path).expect("there");
    fs::write(&path, &text[..text.len() - 40]).expect("writable");
    let record = RunRecord::read(&folder).expect("another process may be writing");
    assert_eq!(record.generations.len(), 8);
}

#[test]
fn the_index_is_told_what_a_folder_holds() {
    let folder = whole_run("describe");
    let described = || {
        let manifest = Manifest::read(&folder).expect("written");
        report::describe_run(&folder, &manifest)
    };
    let whole = described();
    assert_eq!(whole["id"], "3f9c2a7e51d04b68");
    assert_eq!(whole["generations"], 9);
    assert_eq!(
        whole["verdict"],
        "proved +112 [+93, +132] Elo in 1000 games"
    );
    assert_eq!(status_of(&folder), State::Finished);
    fs::remove_file(folder.join("result.json")).expect("there");
    assert_eq!(described()["verdict"], serde_json::Value::Null);
    assert_eq!(status_of(&folder), State::Stopped);
    let lock = mendel_store::FolderLock::take(&folder).expect("free");
    assert_eq!(status_of(&folder), State::Running);
    drop(lock);
}

/// The best of many samples is the luckiest, so what the champion reached on all of
/// them is shown as soon as it is measured, and until then whose sample it was.
#[test]
fn a_lucky_sample_is_not_what_a_run_reached() {
    let folder = whole_run("reached");
    let best = |folder: &Path| {
        let manifest = Manifest::read(folder).expect("written");
        let entry = report::describe_run(folder, &manifest);
        let record = RunRecord::read(folder).expect("readable");
        let summary = record.summary();
        assert_eq!(entry["best"].as_f64(), summary.best);
        assert_eq!(entry["best_on"].as_str(), summary.best_on);
        assert_eq!(entry["baseline"].as_f64(), summary.baseline);
        let words = words_of(&record.page().render());
        (summary.best, summary.best_on, summary.baseline, words)
    };
    let (value, on, parent, words) = best(&folder);
    assert_eq!((value, parent), (Some(131.0), Some(156.3)));
    assert_eq!(on, Some(report::ALL));
    assert!(words.contains("131 on all training positions, from generation"));

    fs::remove_file(folder.join("result.json")).expect("there");
    let record = RunRecord::read(&folder).expect("readable");
    let luckiest = record.best().map(|line| line.best);
    assert_eq!(best(&folder).0, luckiest);
    for (trial, expected) in [
        ("sample = 10", Some(report::OWN)),
        ("sample = 10\ndraw = \"member\"", Some(report::OWN)),
        ("sample = 10\ndraw = \"never\"", None),
        ("draw = \"generation\"", None),
    ] {
        for table in ["[trial]", "[[stage]]\n[stage.trial]"] {
            put(&folder, "recipe.toml", &format!("{table}\n{trial}\n"));
            let (value, on, parent, words) = best(&folder);
            assert_eq!((value, parent), (luckiest, Some(160.4)));
            assert_eq!(on, expected, "{table} {trial}");
            assert_eq!(words.contains("on its own sample"), expected.is_some());
        }
    }
}

pub(crate) const SWEEP: &str = r#"{"unit": "centipawns of mean error", "smaller_is_better": true, "cells": [
 {"setting": {"breeder.coding": "binary", "breeder.mutation_rate": 0.002}, "seeds": [1,2,3,4,5], "finals": [136.1,134.9,135.8,136.6,135.2], "holdouts": [137.0,136.2,137.1,137.9,136.0], "mean": 136.84, "interval": [135.9, 137.8]},
 {"setting": {"breeder.coding": "gray", "breeder.mutation_rate": 0.002}, "seeds": [1,2,3,4,5], "finals": [133.0,132.6,133.9,133.4,132.9], "holdouts": [134.2,133.9,135.3,134.4,134.0], "mean": 134.36, "interval": [133.7, 135.1]},
 {"setting": {"breeder.coding": "gray", "breeder.mutation_rate": 0.01}, "seeds": [1,2,3,4,5], "finals": [133.9,132.4,134.6,132.1,133.5], "holdouts": [134.9,133.6,135.6,133.3,134.5], "mean": 134.38, "interval": [133.2, 135.5], "elos": []}
]}"#;

/// The folder of a sweep without its result.
fn sweep_folder(name: &str) -> std::path::PathBuf {
    let folder = fresh_folder(name);
    let manifest = mendel_store::frame::Manifest {
        kind: "sweep".to_owned(),
        schema: 1,
        id: "0".repeat(64),
        name: "gerald-eval".to_owned(),
        seed: 1,
        version: "0.1.0".to_owned(),
        ..mendel_store::frame::Manifest::default()
    };
    let text = toml::to_string(&manifest).expect("plain data");
    put(&folder, "manifest.toml", &text);
    put(&folder, "recipe.toml", "[sweep]\nseeds = 5\n");
    folder
}

#[test]
fn a_sweep_says_which_settings_are_told_apart() {
    let folder = sweep_folder("sweep");
    assert!(matches!(
        report::html(&folder),
        Err(ReportError::Unfinished { .. })
    ));
    put_proof(&folder, SWEEP);
    let words = words_of(&report::html(&folder).expect("a sweep"));
    for expected in [
        "Sweep of gerald-eval",
        "3 settings, 15 runs",
        "no clear winner",
        "coding gray, mutation_rate 0.002",
        "Difference to coding binary, mutation_rate 0.002",
        "better",
        "By setting, on positions never seen",
    ] {
        assert!(words.contains(expected), "{expected} is missing in {words}");
    }
    let mut sweep = SweepRecord::read(&folder).expect("readable");
    sweep.results.cells.truncate(2);
    let html = sweep.page().render();
    let verdict = html.split("<b>best: coding gray, mutation_rate 0.002</b>");
    let verdict = verdict.last().expect("the large words");
    let small = &verdict[..verdict.find("difference").expect("it says how far")];
    assert_ne!(small.len(), html.len(), "{html}");
    assert!(!small.contains("coding gray"), "named once: {small}");
    put_proof(&folder, "{\"cells\": 3}");
    let error = report::html(&folder).expect_err("broken").to_string();
    assert!(error.contains("result.json is broken"), "{error}");
    sweep.results.cells.clear();
    words_of(&sweep.page().render());
}

#[test]
fn errors_against_other_labels_are_shown_but_not_compared() {
    let folder = sweep_folder("sweep-labels");
    let says_so = "do not compare";
    for (key, compares) in [
        ("trial.data", false),
        ("trial.clip", false),
        ("stage.1.trial.k", false),
        ("trial.sample", true),
        ("breeder.k", true),
    ] {
        let sweep = SWEEP.replace("breeder.coding", key);
        put_proof(&folder, &sweep);
        let words = words_of(&report::html(&folder).expect("a sweep"));
        assert_eq!(words.contains("better\n"), compares, "{key}: {words}");
        assert_eq!(!words.contains(says_so), compares, "{key}: {words}");
        assert!(words.contains("136.8"), "the figures are there: {words}");
        // Games always compare.
        let sweep = sweep.replace("\"interval\"", "\"elos\": [1, 2, 3, 4, 5], \"interval\"");
        put_proof(&folder, &sweep.replace(", \"elos\": []", ""));
        let words = words_of(&report::html(&folder).expect("a sweep"));
        assert!(words.contains("Difference to"), "{key}: {words}");
        assert!(words.contains("not told apart"), "{key}: {words}");
        assert_eq!(!words.contains(says_so), compares, "{key}: {words}");
    }
}

/// For people: pages of a realistic size, to be looked at.
#[test]
#[ignore = "writes pages for a person to look at"]
fn pages_to_look_at() {
    let folder = fresh_folder("look");
    let size = Size {
        genes: 58,
        members: 400,
        generations: 300,
    };
    let recipe = RECIPE.replace("[1, 4, 9]", "[1, 50, 100, 150, 300]");
    write_run(&folder, &size, &recipe);
    write_champion(&folder, "champion");
    put_proof(&folder, PROOF);
    put(
        &folder,
        "report.html",
        &report::html(&folder).expect("a run"),
    );
    let sweep = sweep_folder("look-sweep");
    put_proof(&sweep, SWEEP);
    put(
        &sweep,
        "report.html",
        &report::html(&sweep).expect("a sweep"),
    );
}
