//! The recipes of CWU-Chess, small.

use std::fs;

use mendel_lab::breed::Breed;
use mendel_lab::pipeline::{Output, PipelineRun};
use mendel_lab::recipe::Recipe;
use mendel_report::{PipelineRecord, RunRecord};
use toml::Value;

use crate::experiment::{Request, Work, silent, start};

fn order(recipe: &str, set: &[(&str, Value)], name: &str) -> Request {
    let set: Vec<(String, Value)> = set
        .iter()
        .map(|(key, value)| ((*key).to_owned(), value.clone()))
        .collect();
    let folder = std::env::temp_dir().join(format!("mendel-cwu-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    Request {
        recipe: Recipe::find(recipe, &set).expect("a built-in recipe"),
        seed: 5,
        data: None,
        folder,
    }
}

fn work() -> Work {
    Work {
        proof: false,
        ..Work::threads(2)
    }
}

#[test]
fn the_faithful_recipe_has_the_papers_numbers() {
    let recipe = Recipe::find("cwu-selfplay", &[]).expect("built in");
    let text = recipe.to_toml();
    for line in [
        "population = 100",
        "opponents = 10",
        "generations = 10",
        "depth = 2",
    ] {
        assert!(text.contains(line), "{line}");
    }
    let rate: f64 = text
        .lines()
        .find_map(|line| line.strip_prefix("mutation-rate = "))
        .and_then(|value| value.parse().ok())
        .expect("a rate");
    assert!((rate - 1.0 / 769.0).abs() < 1e-7);
}

#[test]
fn a_small_run_says_whether_one_set_took_over() {
    let small = [
        ("breeder.population", Value::from(8)),
        // Without chance in the children the best is soon everybody.
        ("breeder.crossover-rate", Value::from(0.0)),
        ("breeder.mutation-rate", Value::from(0.0)),
        ("breeder.selection", Value::from("rank-only-the-best")),
        ("trial.opponents", Value::from(4)),
        ("trial.max-plies", Value::from(60)),
        ("stop.generations", Value::from(3)),
    ];
    let mut set = small.to_vec();
    let truncation: toml::Table = "truncation = { share = 0.1 }".parse().expect("TOML");
    set[3].1 = Value::Table(truncation);
    let order = order("cwu-selfplay", &set, "takeover");
    start::<Breed>(&order, &work(), silent).expect("it can be bred");
    let record = RunRecord::read(&order.folder).expect("its records");
    let shares: Vec<f64> = record.generations.iter().map(|it| it.commonest).collect();
    assert!(shares[0] <= 0.25, "{shares:?}");
    assert!((shares[1] - 1.0).abs() < 1e-9, "{shares:?}");
    let said = record.takeover().expect("it was counted");
    assert!(
        said.starts_with("one set took over in generation 2"),
        "{said}"
    );
    assert!(record.page().render().contains("one set took over"));
    let _ = fs::remove_dir_all(&order.folder);
}

#[test]
fn evolved_sets_meet_random_ones() {
    let small = [
        ("step.0.chance.sets", Value::from(3)),
        ("step.1.set", {
            let set: toml::Table = "breeder.population = 6\ntrial.opponents = 2\nstop.generations = 2\ntrial.max-plies = 60"
                .lines()
                .map(|line| {
                    let (key, value) = line.split_once(" = ").expect("a pair");
                    (key.to_owned(), Value::Integer(value.parse().expect("a number")))
                })
                .collect();
            Value::Table(set)
        }),
        ("step.2.match.games", Value::from(2)),
        ("step.2.match.max-plies", Value::from(80)),
    ];
    let order = order("cwu-wins", &small, "wins");
    let state = start::<PipelineRun>(&order, &work(), silent).expect("it can be done");
    assert!(state.finished);
    let Some(Output::Chance(drawn)) = &state.steps[0].result else {
        panic!("{:?}", state.steps[0]);
    };
    assert_eq!(drawn.files.len(), 3);
    let Some(Output::Match(played)) = &state.steps[2].result else {
        panic!("{:?}", state.steps[2]);
    };
    assert_eq!(played.pairings.len(), 3);
    let record = PipelineRecord::read(&order.folder).expect("its records");
    assert!(record.paper[0].ours.is_some(), "{:?}", record.paper);
    assert_eq!(state.champion.as_deref(), Some(played.players[0].as_str()));
    let _ = fs::remove_dir_all(&order.folder);
}

#[test]
fn our_recipe_breeds_a_hidden_layer() {
    let small = [
        ("breeder.population", Value::from(4)),
        ("breeder.offspring", Value::from(2)),
        ("trial.opponents", Value::from(2)),
        ("trial.max-plies", Value::from(40)),
        ("trial.verify.games", Value::from(2)),
        ("stop.generations", Value::from(2)),
    ];
    let order = order("cwu-selfplay-ours", &small, "ours");
    start::<Breed>(&order, &work(), silent).expect("it can be bred");
    let champion = fs::read_to_string(order.folder.join("champion.toml")).expect("a champion");
    assert!(champion.contains("input = \"cwu\""), "{champion}");
    let _ = fs::remove_dir_all(&order.folder);
}
