//! The evaluators from outside: their laws, their terms, their files.

mod counts;
mod cwu;
mod david;
mod features;
mod files;
mod gerald;
mod graph;
mod lambda;
mod laws;
mod mlp;
mod network;
mod scene;
mod teaching;
mod terms;
mod vision;

use mendel_board::Position;
use mendel_evaluator::{AnyEvaluator, Classic, Gerald, LinearEvaluator, LinearModel};

const MENDEL: &str = include_str!("../../../players/mendel-hand-set.toml");
const GERALD: &str = include_str!("../../../players/gerald-base.toml");

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

fn gerald() -> LinearEvaluator<Gerald> {
    let player: toml::Table = GERALD.parse().expect("the player file is TOML");
    match AnyEvaluator::from_toml(player["evaluator"].as_table().expect("a table")) {
        Ok(AnyEvaluator::Gerald(gerald)) => gerald,
        other => panic!("no evaluator of GERALD: {other:?}"),
    }
}

/// The evaluator of a paper, with the weights of a player file.
fn paper<P: LinearModel>(player: &str) -> LinearEvaluator<P> {
    let player: toml::Table = player.parse().expect("the player file is TOML");
    let weights = player["evaluator"]["weights"].as_table().expect("a table");
    LinearEvaluator::from_toml(weights).expect("weights of this evaluator")
}

fn position(fen: &str) -> Position {
    Position::from_fen(fen).expect(fen)
}
