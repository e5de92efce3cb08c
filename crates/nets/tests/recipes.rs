//! Training recipes: the built-in ones, `--set`, grids and learning rates.

use mendel_evaluator::vision::Shape;
use mendel_nets::recipe::{BUILT_IN, Form, Recipe, Schedule};
use toml::Value;

fn set(key: &str, value: impl Into<Value>) -> Vec<(String, Value)> {
    vec![(key.to_owned(), value.into())]
}

#[test]
fn the_built_in_recipes_are_whole_and_survive_being_written() {
    for (name, text) in BUILT_IN {
        let recipe = Recipe::parse(text, name, &[]).expect("it ships");
        assert_eq!(recipe.name, *name);
        let again = Recipe::parse(&recipe.to_toml(), name, &[]);
        assert_eq!(again.as_ref(), Ok(&recipe));
    }
}

#[test]
fn the_published_networks_are_those_of_the_papers() {
    let shape = |name: &str| Recipe::find(name, &[]).expect("it ships").shape;
    assert_eq!(shape("chessnet"), Shape::chessnet());
    assert_eq!(shape("chessnet-grid"), Shape::chessnet());
    assert_eq!(shape("chessnet-value"), Shape::chess_pos_eval_net());
    assert_eq!(shape("teacher-net"), Shape::teaching());
}

#[test]
fn the_grid_of_the_paper_has_nine_networks() {
    let grid = Recipe::find("chessnet-grid", &[]).expect("it ships");
    let cells = grid.cells().expect("it fits");
    let found: Vec<(usize, f64)> = cells
        .iter()
        .map(|(_, cell)| (cell.training.batch, cell.optimiser.rate))
        .collect();
    assert_eq!(found.len(), 9);
    for batch in [32, 512, 2048] {
        for rate in [1e-1, 1e-3, 1e-5] {
            assert!(found.contains(&(batch, rate)), "{batch} {rate}");
        }
    }
    let mut names: Vec<&String> = cells.iter().map(|cell| &cell.0).collect();
    names.dedup();
    assert_eq!(names.len(), 9, "two share a folder");
}

#[test]
fn wrong_recipes_say_what_is_wrong() {
    for (key, value, told) in [
        ("training.batch", Value::Integer(0), "training.batch"),
        ("optimiser.rate", Value::Float(-1.0), "optimiser.rate"),
        ("schedule.warm-up", Value::Float(1.0), "schedule.warm-up"),
        ("schedule.by-clock", Value::Boolean(true), "limit-seconds"),
        ("data.kind", Value::from("scores"), "data.kind"),
        ("shape.filters", Value::Integer(0), "filters"),
        ("training.steeps", Value::Integer(1), "steeps"),
        ("name.first", Value::Integer(1), "no table"),
    ] {
        let error = Recipe::find("chessnet", &set(key, value)).expect_err(key);
        let text = error.to_string();
        assert!(text.contains(told) && text.contains("chessnet"), "{text}");
    }
    let nowhere = Recipe::find("no-such-thing", &[]).expect_err("there is none");
    assert!(nowhere.to_string().contains("chessnet-value"), "{nowhere}");
}

#[test]
fn rates_rise_fall_and_end_where_their_forms_do() {
    let rate = |kind, warm_up, done| {
        let schedule = Schedule {
            kind,
            warm_up,
            by_clock: false,
        };
        schedule.rate(2.0, done)
    };
    for (kind, warm_up, wanted) in [
        (Form::Constant, 0.0, [2.0, 2.0, 2.0]),
        (Form::Constant, 0.5, [0.0, 2.0, 2.0]),
        (Form::Cosine, 0.0, [2.0, 1.0, 0.0]),
        (Form::Cosine, 0.5, [0.0, 2.0, 0.0]),
        (Form::OneCycle, 0.5, [0.08, 2.0, 0.0002]),
    ] {
        let found = [0.0, 0.5, 1.0].map(|done| rate(kind, warm_up, done));
        for (found, wanted) in found.iter().zip(wanted) {
            assert!((found - wanted).abs() < 1e-9, "{kind:?}: {found} {wanted}");
        }
    }
}
