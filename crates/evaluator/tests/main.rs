//! The evaluators from outside: their laws, their terms, their files.

mod files;
mod laws;
mod terms;

use mendel_board::Position;
use mendel_evaluator::{AnyEvaluator, Classic};

const MENDEL: &str = include_str!("../../../players/mendel.toml");

fn evaluator_table() -> toml::Table {
    let player: toml::Table = MENDEL.parse().expect("the player file is TOML");
    player["evaluator"].as_table().expect("a table").clone()
}

fn classic() -> Classic {
    match AnyEvaluator::from_toml(&evaluator_table()) {
        Ok(AnyEvaluator::Classic(classic)) => classic,
        other => panic!("no classic evaluator: {other:?}"),
    }
}

fn position(fen: &str) -> Position {
    Position::from_fen(fen).expect(fen)
}
