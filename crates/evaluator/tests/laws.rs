//! The laws of `contract`, for every evaluator.

use mendel_board::sample::{random_position, random_positions};
use mendel_evaluator::{Evaluator, Material, Random, Silent, contract};
use proptest::prelude::*;

use crate::classic;

/// Calls a generic function for every evaluator there is.
macro_rules! for_every_evaluator {
    ($check:ident($($argument:expr),*)) => {
        $check(&classic() $(, $argument)*);
        $check(&Material $(, $argument)*);
        $check(&Random::new(7) $(, $argument)*);
    };
}

#[test]
fn every_evaluator_keeps_its_contract_on_ten_thousand_random_positions() {
    fn check<E: Evaluator>(evaluator: &E) {
        let mut used = E::Scratch::default();
        for position in random_positions(2024, 10_000) {
            contract::holds(evaluator, &position, &mut used);
        }
    }
    for_every_evaluator!(check());
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
        for_every_evaluator!(check(seed, plies));
    }
}
