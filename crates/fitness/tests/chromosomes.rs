//! The published chromosomes fit the evaluators they are for.

use mendel_engine::Player;
use mendel_fitness::genome::{DAVID, LAMBDA};

/// The player's weights, all but the pawn's, have one gene each and fit into it.
fn fits(player: &str, genes: &[(&str, u32)], bits: u32) {
    let sum: u32 = genes.iter().map(|(_, bits)| bits).sum();
    assert_eq!(sum, bits, "{player}");

    let evaluator = Player::find(player).expect("a built-in player").evaluator;
    let mut weights = evaluator.weights();
    let pawn = weights.remove(0);
    assert_eq!((pawn.name.as_str(), pawn.value), ("pawn_value", 100));
    assert_eq!(weights.len(), genes.len(), "{player}");
    for weight in weights {
        let gene = genes.iter().find(|(name, _)| *name == weight.name);
        let (name, bits) = gene.unwrap_or_else(|| panic!("{} has no gene", weight.name));
        assert!((0..1 << bits).contains(&weight.value), "{player}: {name}");
    }

    // The largest value of every gene is a weight that the evaluator takes.
    let largest: Vec<i32> = evaluator
        .weights()
        .iter()
        .map(|weight| genes.iter().find(|(name, _)| *name == weight.name))
        .map(|gene| gene.map_or(100, |(_, bits)| (1 << bits) - 1))
        .collect();
    evaluator.with_weights(&largest).expect("within the limits");
}

#[test]
fn the_lambda_hybrids_genes_hold_both_published_champions() {
    fits("lambda-ga", &LAMBDA, 244);
    fits("lambda-coevolved", &LAMBDA, 244);
    assert_eq!(LAMBDA[0], ("knight_value", 11));
}

#[test]
fn davids_genes_hold_the_published_means() {
    fits("evol-star", &DAVID, 224);
}
