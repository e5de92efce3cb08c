//! The laws every evaluator obeys, as functions that panic where one is broken.
//!
//! ```
//! use mendel_board::Position;
//! use mendel_evaluator::{Material, contract};
//!
//! contract::holds(&Material, &Position::initial(), &mut ());
//! ```

use mendel_board::Position;

use crate::{Evaluator, Silent, explain};

/// Swap the colours and turn the board over, and the score stays.
fn is_colour_blind<E: Evaluator>(evaluator: &E, position: &Position) {
    let score = |position| evaluator.evaluate(position, &mut E::Scratch::default(), &mut Silent);
    assert_eq!(
        score(position),
        score(&position.mirrored()),
        "{} sees colour in `{}`",
        evaluator.name(),
        position.fen()
    );
}

/// Equal positions get equal scores: asked twice, with a scratch that has seen
/// other positions or a fresh one.
fn has_no_memory<E: Evaluator>(evaluator: &E, position: &Position, used: &mut E::Scratch) {
    let fresh = evaluator.evaluate(position, &mut E::Scratch::default(), &mut Silent);
    for time in ["first", "second"] {
        assert_eq!(
            evaluator.evaluate(position, used, &mut Silent),
            fresh,
            "{} remembers something when asked the {time} time about `{}`",
            evaluator.name(),
            position.fen()
        );
    }
}

/// Scores stay below those of a mate.
fn stays_within_the_limit<E: Evaluator>(evaluator: &E, position: &Position) {
    let score = evaluator.evaluate(position, &mut E::Scratch::default(), &mut Silent);
    assert!(
        score.0.abs() <= E::LIMIT.0,
        "{} gives {} to `{}`, beyond its limit {}",
        evaluator.name(),
        score.0,
        position.fen(),
        E::LIMIT.0
    );
}

/// What is explained is what is played: the rows add up to the score that the
/// search gets, and rounding takes away less than a centipawn.
fn explains_its_score<E: Evaluator>(evaluator: &E, position: &Position) {
    let name = evaluator.name();
    let fen = position.fen();
    let played = evaluator.evaluate(position, &mut E::Scratch::default(), &mut Silent);
    let why = explain(evaluator, position);
    assert_eq!(
        why.score, played.0,
        "{name} scores `{fen}` otherwise when explained"
    );

    let of = why.rounding.of;
    let sum: i64 = why.rows.iter().map(|row| row.contribution.parts).sum();
    assert_eq!(
        sum + why.rounding.parts,
        i64::from(why.white_score) * of,
        "{name} does not add up in `{fen}`"
    );
    assert!(
        why.rounding.parts.abs() < of || played.0.abs() == E::LIMIT.0,
        "{name} rounds `{fen}` by {}",
        why.rounding
    );
}

/// All the laws at once; `used` should have seen other positions. An evaluator that
/// says that it sees colour may.
///
/// # Panics
///
/// If one of them is broken.
pub fn holds<E: Evaluator>(evaluator: &E, position: &Position, used: &mut E::Scratch) {
    if !evaluator.sees_colour() {
        is_colour_blind(evaluator, position);
    }
    has_no_memory(evaluator, position, used);
    stays_within_the_limit(evaluator, position);
    explains_its_score(evaluator, position);
}
