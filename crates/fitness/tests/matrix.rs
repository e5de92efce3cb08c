//! Rows give the evaluator's own scores, for every evaluator that is a sum of weights.

use std::sync::Arc;

use mendel_board::Position;
use mendel_board::sample::random_positions;
use mendel_engine::Player;
use mendel_evaluator::{AnyEvaluator, Classic, Evaluator};
use mendel_fitness::matrix::{Kernel, Rows, RowsError};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The built-in evaluators that are sums of weights, one of each kind.
pub(crate) fn evaluators() -> Vec<AnyEvaluator> {
    let mut found: Vec<AnyEvaluator> = Vec::new();
    for player in Player::built_in() {
        let evaluator = player.evaluator;
        let is_new = found.iter().all(|other| other.kind() != evaluator.kind());
        let is_sum = evaluator.counting().is_some();
        if is_new && is_sum && !evaluator.weights().is_empty() {
            found.push(evaluator);
        }
    }
    assert!(found.len() >= 2, "the classic evaluator and the papers'");
    found
}

/// Weights near the evaluator's own.
pub(crate) fn near(evaluator: &AnyEvaluator, members: usize, seed: u64) -> Vec<Vec<i32>> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let weights = evaluator.weights();
    let mut member = || {
        let near = weights.iter().map(|weight| {
            let change = 1 + (weight.value.abs() / 4).min(300);
            weight.value + rng.random_range(-change..=change)
        });
        near.collect()
    };
    (0..members).map(|_| member()).collect()
}

#[test]
fn a_row_scores_as_the_evaluator_itself() {
    let positions: Vec<Position> = random_positions(11, 400).collect();
    for evaluator in evaluators() {
        let rows = Arc::new(Rows::new(&evaluator, &positions, 2).expect("it is linear"));
        let members = near(&evaluator, 7, 1);
        for kernel in [Kernel::Portable, Kernel::Avx2] {
            let batch = rows.all().with_kernel(kernel);
            let scores = batch.scores(&members, 2).expect("all weights are there");
            let mut loud = 0;
            for (scores, member) in scores.iter().zip(&members) {
                // A weight beyond a player file's range would not be an evaluator.
                let Ok(own) = evaluator.with_weights(member) else {
                    continue;
                };
                for (score, position) in scores.iter().zip(&positions) {
                    let name = evaluator.name();
                    assert_eq!(*score, own.evaluate(position).0, "{name}: {position:?}");
                    loud += usize::from(*score != 0);
                }
            }
            assert!(loud > 1000, "{}: too little was compared", evaluator.name());
        }
    }
}

#[test]
fn a_row_for_other_programs_adds_up_to_the_score() {
    let positions: Vec<Position> = random_positions(12, 200).collect();
    for evaluator in evaluators() {
        let rows = Rows::new(&evaluator, &positions, 1).expect("it is linear");
        let weights = evaluator.weights();
        for (row, position) in positions.iter().enumerate() {
            let dense = rows.dense(row).expect("one for each position");
            assert_eq!(dense.len(), weights.len());
            let products = dense.iter().zip(&weights);
            let sum: f64 = products
                .map(|(it, weight)| it * f64::from(weight.value))
                .sum();
            // The score is kept within its limit, which a mate of `lambda` exceeds.
            let limit = f64::from(<Classic as Evaluator>::LIMIT.0);
            let sum = sum.clamp(-limit, limit);
            // Sums in another order round otherwise: a whole one may fall short.
            let score = f64::from(evaluator.evaluate(position).0);
            assert!((sum - score).abs() < 1.0 + 1e-9, "{sum} for {score}");
            assert!(
                sum * score >= 0.0 && sum.abs() + 1e-9 >= score.abs(),
                "{sum} for {score}"
            );
        }
        assert_eq!(rows.dense(positions.len()), None);
    }
}

#[test]
fn an_evaluator_without_weights_makes_no_rows() {
    let material = AnyEvaluator::Material(mendel_evaluator::Material);
    let refused = Rows::new(&material, &[Position::initial()], 1).map(|_| ());
    assert_eq!(refused, Err(RowsError::NotLinear { kind: "material" }));
    let refused = Rows::new::<Position>(&material, &[], 1).map(|_| ());
    assert_eq!(refused, Err(RowsError::NotLinear { kind: "material" }));
}
