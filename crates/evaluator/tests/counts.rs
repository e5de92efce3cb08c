//! What an evaluator of a paper counts, by name: for the tables of its tests.

use mendel_board::Color;
use mendel_evaluator::{Breakdown, Evaluator, LinearEvaluator, LinearModel};

use crate::position;

/// A row of a table: a position made for some terms, and how often White and Black
/// have each of them.
pub(crate) type Case = (&'static str, &'static [(&'static str, i32, i32)]);

/// Holds an evaluator to a table, which must name each of its terms.
pub(crate) fn check<P: LinearModel>(evaluator: &LinearEvaluator<P>, table: &[Case]) {
    let names: Vec<&str> = P::FEATURES.iter().map(|feature| feature.name).collect();
    let mut tested = vec![false; names.len()];
    for (fen, expected) in table {
        let mut counts = Breakdown::default();
        evaluator.evaluate(&position(fen), &mut (), &mut counts);
        for (name, white, black) in *expected {
            let term = names.iter().position(|known| known == name).expect(name);
            let found = [Color::White, Color::Black].map(|side| counts.count(term, side));
            assert_eq!(found, [*white, *black], "{name} in `{fen}`");
            tested[term] |= *white != 0 || *black != 0;
        }
    }
    let untested: Vec<&str> = names
        .iter()
        .zip(tested)
        .filter_map(|(name, tested)| (!tested).then_some(*name))
        .collect();
    assert_eq!(untested, [""; 0], "terms without a position made for them");
}
