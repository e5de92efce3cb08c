//! What papers published is in the reports' columns, all of it, as it was printed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use mendel_lab::chromosome::{CWU, DAVID, DAVID_SEARCH, GERALD, GERALD_SEARCH, LAMBDA};
use mendel_lab::pipeline::{Output, Pipeline, PipelineRun};
use mendel_lab::recipe::{BUILT_IN, Published, Recipe};
use mendel_lab::record::manifest::Manifest;
use mendel_report::page::PageBlock;
use mendel_report::{PaperComparison, PipelineRecord, RunRecord};
use roxmltree::Document;
use serde_json::json;
use toml::{Table, Value};

use crate::experiment::{Request, Work, silent, start};
use crate::made_data::checked;
use crate::made_up::{SMALL, fresh_folder, write_manifest, write_result, write_run};

/// Figure 3.3.2 of GERALD's thesis: the number, by hand, and bred.
const FIGURE_3_3_2: [(&str, f64, f64); 12] = [
    ("search.aspiration_window", 25.0, 53.0),
    ("search.aspiration_depth", 5.0, 0.0),
    ("search.use_lazy_evaluation", 1.0, 0.0),
    ("search.reverse_futility_margin", 100.0, 75.0),
    ("search.razoring_margin", 150.0, 167.0),
    ("search.delta_margin", 300.0, 194.0),
    ("search.killer_bonus", 100.0, 841.0),
    ("search.reduction_depth", 3.0, 3.0),
    ("search.reduction_count", 3.0, 5.0),
    ("search.late_move_count", 10.0, 8.0),
    ("search.null_reduction", 2.0, 2.0),
    ("search.null_depth_factor", 10.0, 9.0),
];

fn recipe(name: &str) -> Table {
    let (_, text) = BUILT_IN.iter().find(|it| it.0 == name).expect("built in");
    text.parse().expect("a recipe")
}

/// The published values of a player, from the text of its file.
fn published_by(player: &str) -> BTreeMap<String, f64> {
    let players = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../players");
    let text = fs::read_to_string(players.join(format!("{player}.toml"))).expect("it is there");
    let table: Table = text.parse().expect("a player file");
    let mut values = BTreeMap::new();
    let number = |value: &Value| match value {
        Value::Integer(value) => Some(*value as f64),
        Value::Boolean(value) => Some(f64::from(u8::from(*value))),
        _ => None,
    };
    for (name, value) in table["search"].as_table().expect("a table") {
        if let Some(value) = number(value) {
            values.insert(format!("search.{name}"), value);
        }
    }
    for (name, value) in table["evaluator"]["weights"].as_table().expect("a table") {
        match value {
            Value::Array(pair) => {
                for (phase, value) in ["mg", "eg"].iter().zip(pair) {
                    let value = number(value).expect("a whole number");
                    values.insert(format!("{name}.{phase}"), value);
                }
            }
            value => {
                values.insert(name.clone(), number(value).expect("a whole number"));
            }
        }
    }
    values
}

fn genes_of(chromosome: &str) -> Vec<String> {
    let genes: &[(&str, u32)] = match chromosome {
        "gerald" => &GERALD,
        "gerald-search" => &GERALD_SEARCH,
        "david" => &DAVID,
        "david-search" => &DAVID_SEARCH,
        "lambda" => &LAMBDA,
        "cwu" => &CWU,
        other => panic!("{other} is a new chromosome"),
    };
    genes.iter().map(|it| it.0.to_owned()).collect()
}

/// The folder of a run of a recipe that has judged nothing yet.
fn folder_of(name: &str, recipe: &Table, genes: Vec<String>) -> PathBuf {
    let folder = fresh_folder(&format!("published-{name}"));
    let manifest = Manifest {
        recipe: name.to_owned(),
        parent: recipe["parent"].as_str().expect("a name").to_owned(),
        genes,
        ..Manifest::default()
    };
    write_manifest(&folder, &manifest);
    let text = toml::to_string(recipe).expect("it was read");
    fs::write(folder.join("recipe.toml"), text).expect("a writable folder");
    folder
}

#[test]
fn every_published_gene_is_in_the_papers_column() {
    let mut checked = Vec::new();
    for (name, text) in BUILT_IN {
        let recipe: Table = text.parse().expect("a recipe");
        let weights = recipe.get("paper").and_then(|it| it.get("weights"));
        let chromosome = recipe.get("genome").and_then(|it| it.get("chromosome"));
        let (Some(weights), Some(chromosome)) = (weights, chromosome) else {
            continue;
        };
        let player = weights.as_str().expect("a name");
        let genes = genes_of(chromosome.as_str().expect("a name"));
        let record = RunRecord::read(&folder_of(name, &recipe, genes.clone()));
        let record = record.unwrap_or_else(|error| panic!("{name}: {error}"));
        let published = published_by(player);
        let rows = record.genes();
        assert_eq!(rows.len(), genes.len());
        for row in rows {
            let expected = published.get(&row.name).copied();
            assert!(expected.is_some(), "{player} does not say {}", row.name);
            assert_eq!(row.paper, expected, "{name}: {}", row.name);
        }
        checked.push(*name);
    }
    let expected = [
        "gerald-eval",
        "gerald-search",
        "gerald-search-ours",
        "lambda-ga",
        "evol-star-eval",
        "evol-star-search",
    ];
    for name in expected {
        assert!(checked.contains(&name), "{name}: {checked:?}");
    }
}

#[test]
fn the_search_numbers_of_gerald_are_those_of_figure_3_3_2() {
    let recipe = recipe("gerald-search");
    let genes = genes_of("gerald-search");
    let record = RunRecord::read(&folder_of("figure-3-3-2", &recipe, genes)).expect("readable");
    let rows: Vec<_> = record
        .genes()
        .into_iter()
        .map(|row| (row.name, row.base, row.paper))
        .collect();
    let figure = FIGURE_3_3_2.map(|(name, base, tuned)| (name.to_owned(), Some(base), Some(tuned)));
    assert_eq!(rows, figure);
}

/// A step of a pipeline that breeds by tables of its own.
#[test]
fn every_published_gene_of_a_pipeline_is_in_the_report_of_its_step() {
    let mut recipe = recipe("evol-star-coevolution");
    recipe.remove("full");
    let paper = recipe["paper"].as_table_mut().expect("a table");
    paper.remove("figure");
    let steps = recipe["step"].as_array_mut().expect("a list");
    steps.retain(|step| step.get("genome").is_some());
    let step = steps[0].as_table_mut().expect("a table");
    step.remove("founders");
    for (table, key, value) in [
        ("breeder", "population", 2),
        ("trial", "games", 2),
        ("trial", "nodes", 5),
        ("stop", "generations", 1),
    ] {
        let table = step[table].as_table_mut().expect("a table");
        table.insert(key.to_owned(), value.into());
    }
    let text = toml::to_string(&recipe).expect("it was read");
    let folder = fresh_folder("published-pipeline");
    let order = Request {
        recipe: Recipe::parse(&text, "test", &[]).unwrap_or_else(|error| panic!("{error}")),
        seed: 1,
        data: None,
        folder: folder.join("run"),
    };
    let work = Work {
        proof: false,
        ..Work::threads(2)
    };
    let state = start::<PipelineRun>(&order, &work, silent);
    let state = state.unwrap_or_else(|error| panic!("{error}"));
    let Some(Output::Runs(runs)) = &state.steps[0].result else {
        panic!("{state:?}");
    };
    let record = RunRecord::read(&order.folder.join(&runs.runs[0].folder)).expect("whole");
    let published = published_by("evol-star");
    let rows = record.genes();
    assert_eq!(rows.len(), DAVID.len());
    for row in rows {
        let expected = published.get(&row.name).copied();
        assert!(expected.is_some() && row.paper == expected, "{row:?}");
    }
}

/// The papers' figures of a recipe as its report has them.
fn compared(name: &str, recipe: &Table) -> Vec<PaperComparison> {
    if recipe.contains_key("step") {
        let folder = folder_of(name, recipe, Vec::new());
        write_result(&folder, &json!(Pipeline::default()));
        let record = PipelineRecord::read(&folder);
        record
            .unwrap_or_else(|error| panic!("{name}: {error}"))
            .paper
    } else {
        let record = RunRecord::read(&folder_of(name, recipe, Vec::new()));
        let record = record.unwrap_or_else(|error| panic!("{name}: {error}"));
        record.comparisons()
    }
}

#[test]
fn every_published_figure_is_in_the_report_with_one_of_ours_beside_it() {
    let mut count = 0;
    for (name, text) in BUILT_IN {
        let recipe: Table = text.parse().expect("a recipe");
        let figures = recipe.get("paper").and_then(|it| it.get("figure"));
        let figures = figures
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default();
        let shown = compared(name, &recipe);
        assert_eq!(shown.len(), figures.len(), "{name}");
        for (figure, shown) in figures.iter().zip(shown) {
            let paper = match &figure["paper"] {
                Value::Float(value) => Published::Number(*value),
                Value::Integer(value) => Published::Number(*value as f64),
                value => Published::Words(value.as_str().expect("words").to_owned()),
            };
            let empty = Published::Words("–".to_owned());
            assert_ne!(paper, empty, "{name}: {}", shown.what);
            assert_eq!(shown.paper, paper, "{name}: {}", shown.what);
            assert!(figure.get("ours").is_some(), "{name}: {}", shown.what);
            count += 1;
        }
    }
    assert!(count > 80, "{count} figures");
}

/// A made-up run with a recipe's paper, whose generations were changed.
fn changed_run(name: &str, change: impl Fn(u64, &mut serde_json::Value)) -> RunRecord {
    let folder = fresh_folder(&format!("published-run-{name}"));
    let (_, text) = BUILT_IN.iter().find(|it| it.0 == name).expect("built in");
    write_run(&folder, &SMALL, text);
    let path = folder.join("generations.jsonl");
    let lines = fs::read_to_string(&path).expect("written");
    let changed = lines.lines().map(|line| {
        let mut line: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let generation = line["generation"].as_u64().expect("a number");
        change(generation, &mut line);
        line.as_object_mut().map(|line| line.remove("crc"));
        let mut line = line.to_string().into_bytes();
        mendel_store::add_checksum(&mut line);
        String::from_utf8(line).expect("JSON") + "\n"
    });
    fs::write(&path, changed.collect::<String>()).expect("a writable folder");
    RunRecord::read(&folder).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn a_single_outlier_does_not_widen_the_histograms() {
    let record = changed_run("gerald-eval", |_, line| {
        let mut counts = vec![0; 100];
        (counts[3], counts[4], counts[99]) = (499, 500, 1);
        line["histogram"] = json!({"low": 150.0, "high": 250.0, "counts": counts});
    });
    let drawings = record.page().blocks.into_iter().filter_map(|it| match it {
        PageBlock::Figure { drawing, .. } => Some(drawing.inline()),
        _ => None,
    });
    let mut histograms = drawings.filter(|it| it.contains("The population in some generations"));
    let text = histograms.next().expect("a page has the histograms");
    let document = Document::parse(&text).expect("well-formed");
    let ticks = document.descendants().filter(|it| {
        it.attribute("class") == Some("tick") && it.attribute("text-anchor") == Some("middle")
    });
    let ticks: Vec<f64> = ticks.filter_map(|it| it.text()?.parse().ok()).collect();
    // The fullest bins lie between 153 and 155, the parent's fitness at 160.4.
    assert!(ticks.len() > 2, "{text}");
    assert!(
        ticks.iter().all(|it| (152.0..=161.0).contains(it)),
        "{ticks:?}"
    );
}

#[test]
fn the_takeovers_of_a_king_of_the_hill_are_beside_the_published_ones() {
    let words = |takeovers: &[u64]| {
        let record = changed_run("gerald-search", |generation, line| {
            let is_new = takeovers.contains(&(generation + 1));
            line["king"] = json!({"member": null, "new": is_new});
        });
        let figures = record.comparisons();
        let found = figures
            .into_iter()
            .find(|it| it.what == "generations that brought a new king");
        let found = found.expect("it is published");
        assert_eq!(found.paper, Published::Words("77 and 97 of 200".to_owned()));
        (found.ours, found.words)
    };
    assert_eq!(words(&[3, 7]), (Some(2.0), "3 and 7 of 9".to_owned()));
    assert_eq!(words(&[2, 3, 9]), (Some(3.0), "2, 3 and 9 of 9".to_owned()));
    assert_eq!(words(&[]), (Some(0.0), "none of 9".to_owned()));
}

#[test]
fn a_dominated_population_is_beside_the_published_one() {
    let words = |share: f64| {
        let record = changed_run("cwu-selfplay", |generation, line| {
            line["commonest"] = json!(if generation == 5 { share } else { 0.25 });
        });
        let found = record.comparisons().into_iter().next().expect("published");
        (found.ours, found.words)
    };
    let (generation, told) = words(0.75);
    assert_eq!(generation, Some(6.0));
    assert!(told.contains("one set took over in generation 6"), "{told}");
    let (generation, told) = words(0.5);
    assert_eq!(generation, None);
    assert!(told.contains("no set took over"), "{told}");
}

#[test]
fn the_published_points_of_the_tournament_agree_with_its_tables() {
    let recipe = recipe("lambda-tournament");
    let step = recipe["step"][0]["match"].as_table().expect("a table");
    let number = |value: &Value| value.as_float().or(value.as_integer().map(|it| it as f64));
    let list = |value: &Value| -> Vec<f64> {
        let list = value.as_array().expect("a list");
        list.iter()
            .map(|it| number(it).expect("a number"))
            .collect()
    };
    let rows = step["published-white"].as_array().expect("a list");
    let rows: Vec<Vec<f64>> = rows.iter().map(list).collect();
    // A row has no cell for the player itself.
    let white = |row: usize, column: usize| rows[row][column - usize::from(column > row)];
    let count = rows.len();
    let points = (0..count).map(|player| {
        let others = (0..count).filter(|&other| other != player);
        let both = others.map(|it| white(player, it) + 10.0 - white(it, player));
        both.sum::<f64>()
    });
    let points: Vec<f64> = points.collect();
    assert_eq!(list(&step["curve"]["paper"]), points);
    let figures = recipe["paper"]["figure"].as_array().expect("a list");
    let figures: Vec<f64> = figures
        .iter()
        .filter_map(|it| number(&it["paper"]))
        .collect();
    assert_eq!(figures, points);
    for (name, words) in step["published"].as_table().expect("a table") {
        let lambda: f64 = name
            .trim_start_matches("lambda-")
            .parse()
            .expect("a number");
        let place = (lambda * 10.0).round() as usize;
        assert_eq!(
            words.as_str(),
            Some(format!("{} points", points[place]).as_str())
        );
    }
}

#[test]
fn published_points_need_the_number_of_their_games() {
    let recipe = toml::to_string(&recipe("lambda-tournament")).expect("it was read");
    for (line, key, wanted) in [
        ("", "published-games", "is missing"),
        ("published-games = 3\n", "published-games", "even number"),
        (
            "published-games = 16\n",
            "published-white",
            "8.5 points of 8 games",
        ),
    ] {
        let text = recipe.replace("published-games = 20\n", line);
        let error = checked(Recipe::parse(&text, "test", &[])).expect_err(key);
        assert!(error.key.ends_with(key), "{error}");
        assert!(error.to_string().contains(wanted), "{error}");
    }
}
