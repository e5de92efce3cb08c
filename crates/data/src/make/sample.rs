//! Which positions of a game are taken.

use mendel_arena::Played;
use mendel_board::Position;
use mendel_evaluator::{AnyEvaluator, Judge};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::DataPlan;
use super::games::chance;
use super::lines::Drawn;
use crate::import::score::read_record_score;
use crate::settle;

/// Positions of a game in random order, as long as they are far enough from those
/// taken before and are admitted; then in the order of the game.
pub(super) fn from_game(
    plan: &DataPlan,
    evaluator: &AnyEvaluator,
    game: u64,
    played: &Played,
) -> Vec<Drawn> {
    // 1. The order in which they are examined; without those of the opening, which no player chose.
    let mut plies: Vec<usize> = (0..played.moves.len()).collect();
    let mut chance = chance(plan.seed, game, 2);
    for last in (1..plies.len()).rev() {
        plies.swap(last, chance.random_range(0..=last));
    }

    // 2. Those that are taken.
    let mut taken: Vec<usize> = Vec::new();
    let mut strays: Vec<Drawn> = Vec::new();
    let mut judge = plan.stray.then(|| evaluator.judge());
    for ply in plies {
        if taken.len() >= plan.per_game as usize {
            break;
        }
        let is_near = |other: &usize| ply.abs_diff(*other) < plan.spacing as usize;
        let position = &played.game.positions()[played.opening + ply];
        if taken.iter().any(is_near) {
            continue;
        }
        if let Some(judge) = &mut judge {
            if let Some(stray) = stray(judge, position, &mut chance) {
                strays.push(stray);
                taken.push(ply);
            }
        } else if plan.admits(evaluator, position) {
            taken.push(ply);
        }
    }
    if plan.stray {
        return strays;
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

/// The position after a random move and the captures that follow; none where that
/// is the end of the game, a check, which has no static score, or decided.
fn stray(judge: &mut Judge, position: &Position, chance: &mut ChaCha8Rng) -> Option<Drawn> {
    let moves = position.legal_moves();
    if moves.is_empty() {
        return None;
    }
    let left = position.after(moves[chance.random_range(0..moves.len())]);
    let settled = settle(judge, &left, MOST_POSITIONS);
    let admitted = !settled.is_check() && !settled.legal_moves().is_empty();
    // Most random moves lose a piece, and where all is lost there is little to learn.
    let open = admitted && judge.evaluate(&settled).0.abs() <= DECIDED;
    open.then(|| Drawn {
        fen: settled.fen(),
        score: None,
        best: None,
    })
}

/// Beyond this score, in centipawns, a stray position teaches nothing.
const DECIDED: i32 = 500;

/// A brawl that takes more positions than this is left as it stands.
const MOST_POSITIONS: u32 = 2_000;
