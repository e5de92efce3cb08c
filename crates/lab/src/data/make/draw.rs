//! Which positions of a game are taken.

use mendel_arena::Played;
use mendel_evaluator::AnyEvaluator;
use rand::RngExt;

use super::Plan;
use super::games::chance;
use super::work::Drawn;
use crate::data::import::score::read_record_score;

/// Positions of a game in random order, as long as they are far enough from those
/// taken before and are admitted; then in the order of the game.
pub(super) fn from_game(
    plan: &Plan,
    evaluator: &AnyEvaluator,
    game: u64,
    played: &Played,
) -> Vec<Drawn> {
    // 1. The order in which they are looked at. Those of the opening nobody chose.
    let mut plies: Vec<usize> = (0..played.moves.len()).collect();
    let mut chance = chance(plan.seed, game, 2);
    for last in (1..plies.len()).rev() {
        plies.swap(last, chance.random_range(0..=last));
    }

    // 2. Those that are taken.
    let mut taken: Vec<usize> = Vec::new();
    for ply in plies {
        if taken.len() >= plan.per_game as usize {
            break;
        }
        let is_near = |other: &usize| ply.abs_diff(*other) < plan.spacing as usize;
        let position = &played.game.positions()[played.opening + ply];
        if !taken.iter().any(is_near) && plan.admits(evaluator, position) {
            taken.push(ply);
        }
    }
    taken.sort_unstable();

    // 3. With what their player thought, if that is wanted.
    let drawn = taken.into_iter().map(|ply| {
        let record = &played.moves[ply];
        let kept = |text: &String| plan.with_search.then(|| text.clone());
        let score = record.score.as_ref().and_then(kept);
        Drawn {
            fen: played.game.positions()[played.opening + ply].fen(),
            score: score.and_then(|text| read_record_score(&text)),
            best: kept(&record.m),
        }
    });
    drawn.collect()
}
