//! The laws of `contract`, for every evaluator.

use std::sync::{Arc, LazyLock};

use mendel_board::sample::{random_position, random_positions};
use mendel_evaluator::vision::{File, LoadedNet, Net, Shape};
use mendel_evaluator::{
    AnyEvaluator, Evaluator, Material, Phase, Random, Silent, Vision, contract, with_evaluator,
};
use proptest::prelude::*;

use crate::{classic, gerald, paper};

const EVOL_STAR: &str = include_str!("../../../players/evol-star.toml");
const LAMBDA_GA: &str = include_str!("../../../players/lambda-ga.toml");
const TEACHING_PLUS: &str = include_str!("../../../players/teaching-plus.toml");
const ES_HYPERNEAT: &str = include_str!("../../../players/es-hyperneat.toml");

/// At least one evaluator of each kind.
static EVERY: LazyLock<Vec<AnyEvaluator>> = LazyLock::new(|| {
    let mut every = linear();
    every.extend([
        AnyEvaluator::Cwu(crate::cwu::cwu()),
        crate::cwu::evaluator(ES_HYPERNEAT),
        AnyEvaluator::Material(Material),
        AnyEvaluator::Mlp(crate::cwu::hidden()),
        AnyEvaluator::Random(Random::new(7)),
        AnyEvaluator::Vision(vision()),
    ]);
    for kind in AnyEvaluator::KINDS {
        let has_kind = every.iter().any(|evaluator| evaluator.kind() == *kind);
        assert!(has_kind, "no evaluator of kind `{kind}` is tested; add one");
    }
    every
});

/// A small network beside nothing.
fn vision() -> Vision {
    let shape = Shape {
        filters: 2,
        blocks: 1,
        ..Shape::chess_pos_eval_net()
    };
    let number = |at: usize| (mendel_board::mix(at as u64) % 2001) as f32 / 4000.0 - 0.25;
    let file = File::new(shape, |tensor| (0..tensor.count()).map(number).collect());
    let net = LoadedNet {
        file: "test.net".to_owned(),
        checksum: 1,
        net: Arc::new(Net::new(&file.expect("small numbers")).expect("a network")),
    };
    Vision::new(net, 100.0, 0.0, None).expect("it judges")
}

#[test]
fn every_evaluator_keeps_its_contract_on_ten_thousand_random_positions() {
    fn check<E: Evaluator>(evaluator: &E) {
        let mut used = E::Scratch::default();
        for position in random_positions(2024, 10_000) {
            contract::holds(evaluator, &position, &mut used);
        }
    }
    for any in &*EVERY {
        with_evaluator!(any, evaluator => check(evaluator));
    }
}

/// Every evaluator whose weights can be bred.
fn linear() -> Vec<AnyEvaluator> {
    vec![
        AnyEvaluator::Classic(classic()),
        AnyEvaluator::Gerald(gerald()),
        AnyEvaluator::David(paper(EVOL_STAR)),
        AnyEvaluator::Lambda(paper(LAMBDA_GA)),
        AnyEvaluator::Teaching(paper(TEACHING_PLUS)),
    ]
}

#[test]
fn coefficients_and_weights_give_the_evaluators_own_score() {
    for evaluator in linear() {
        let pairs = evaluator.pairs();
        let mut counting = evaluator.counting().expect("a linear evaluator");
        for position in random_positions(11, 2_000) {
            let row = counting.coefficients(&position);
            let fen = position.fen();
            assert_eq!(row.score(&pairs), evaluator.evaluate(&position), "{fen}");
            assert_eq!(Some(&row), evaluator.coefficients(&position).as_ref());
            assert!(row.counts.is_sorted_by_key(|(term, _)| *term), "{fen}");
            assert!(row.counts.iter().all(|(_, count)| *count != 0), "{fen}");
        }
    }
}

#[test]
fn weights_have_names_of_their_own_and_can_be_exchanged() {
    for evaluator in linear() {
        let weights = evaluator.weights();
        let names: std::collections::BTreeSet<&str> =
            weights.iter().map(|weight| weight.name.as_str()).collect();
        assert_eq!(names.len(), weights.len(), "{}", evaluator.kind());
        for weight in &weights {
            let [middle_game, end_game] = evaluator.pairs()[weight.term];
            let value = match weight.phase {
                Phase::Middle | Phase::Both => middle_game,
                Phase::End => end_game,
            };
            assert_eq!(weight.value, value, "{}", weight.name);
        }

        let mut values: Vec<i32> = weights.iter().map(|weight| weight.value).collect();
        assert_eq!(evaluator.with_weights(&values).as_ref(), Ok(&evaluator));
        for index in 0..values.len() {
            values[index] += 1;
            let other = evaluator.with_weights(&values).expect("as many as before");
            assert_eq!(other.weights()[index].value, values[index]);
            values[index] -= 1;
        }

        let short = evaluator
            .with_weights(&values[1..])
            .expect_err("one too few");
        assert!(short.to_string().contains("weights, not"), "{short}");
        values[0] = i32::MAX;
        let wild = evaluator.with_weights(&values).expect_err("too large");
        assert!(wild.to_string().contains("keep it within"), "{wild}");
    }
}

#[test]
fn what_cannot_be_bred_says_so() {
    for evaluator in [
        AnyEvaluator::Material(Material),
        AnyEvaluator::Random(Random::new(1)),
    ] {
        assert!(evaluator.weights().is_empty());
        assert_eq!(evaluator.coefficients(&random_position(1, 20)), None);
        let error = evaluator.with_weights(&[]).expect_err("nothing to change");
        assert!(error.to_string().contains(evaluator.kind()), "{error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_evaluator_keeps_its_contract(seed: u64, plies in 0..300_usize) {
        fn check<E: Evaluator>(evaluator: &E, seed: u64, plies: usize) {
            let mut used = E::Scratch::default();
            evaluator.evaluate(&random_position(seed ^ 1, plies), &mut used, &mut Silent);
            contract::holds(evaluator, &random_position(seed, plies), &mut used);
        }
        for any in &*EVERY {
            with_evaluator!(any, evaluator => check(evaluator, seed, plies));
        }
    }
}
