//! Quiet positions: those in which nothing is to be won at once.

use mendel_board::{Move, Position, Role};
use mendel_evaluator::{AnyEvaluator, Judge};

/// Captures beyond this many positions are a brawl and not quiet.
const MOST_POSITIONS: u32 = 5_000;

/// Whether nothing is to be won at once: the side to move is not in check, and no
/// series of captures and promotions gives it more than the static score says.
///
/// # Source
///
/// GERALD's training set consists of such positions (Bard College, 2024): those
/// whose quiescence score is their static score.
///
/// # Where this differs
///
/// Only a gain makes a position noisy, for the side to move need not capture. The
/// scores are those of `evaluator`, where the thesis used its own.
pub fn is_quiet(evaluator: &AnyEvaluator, position: &Position) -> bool {
    if position.is_check() || position.legal_moves().is_empty() {
        return false;
    }
    let mut judge = evaluator.judge();
    let standing = judge.evaluate(position).0;
    let mut search = Quiescence {
        judge: &mut judge,
        left: MOST_POSITIONS,
    };
    // Only whether it is more is asked, so the window is as narrow as can be.
    let (score, _) = search.score(position, standing, standing + 1);
    score <= standing && search.left > 0
}

/// Plays captures out: the position in which the series ends that is best for
/// both sides by the judge's own scores, each of whom may stop at any time.
///
/// `most` limits how many positions are looked at; a brawl beyond that is left
/// as it stands.
pub fn settle(judge: &mut Judge, position: &Position, most: u32) -> Position {
    let mut search = Quiescence { judge, left: most };
    let (_, leaf) = search.score(position, -INFINITE, INFINITE);
    leaf.filter(|_| search.left > 0)
        .unwrap_or_else(|| position.clone())
}

/// Beyond every score.
const INFINITE: i32 = 40_000;

struct Quiescence<'a, 'b> {
    judge: &'a mut Judge<'b>,
    left: u32,
}

impl Quiescence<'_, '_> {
    /// The score after captures and queen promotions, and after all moves in
    /// check, and the position in which it is the static one; at most `alpha` or at
    /// least `beta` where it lies outside, and then the position means nothing.
    fn score(&mut self, position: &Position, mut alpha: i32, beta: i32) -> (i32, Option<Position>) {
        const MATED: i32 = -30_000;
        if self.left == 0 {
            return (alpha, None);
        }
        self.left -= 1;
        let in_check = position.is_check();
        let mut best = (MATED, Some(position.clone()));
        if !in_check {
            best.0 = self.judge.evaluate(position).0;
            if best.0 >= beta {
                return best;
            }
            alpha = alpha.max(best.0);
        }
        let mut moves: Vec<Move> = position.legal_moves().into_iter().collect();
        if !in_check {
            moves.retain(|m| m.is_capture() || m.promotion() == Some(Role::Queen));
        }
        // The largest victim by the least piece is most likely to settle it.
        moves.sort_by_key(|m| (std::cmp::Reverse(worth(*m)), m.role()));
        for m in moves {
            let (score, leaf) = self.score(&position.after(m), -beta, -alpha);
            if -score > best.0 {
                best = (-score, leaf);
            }
            alpha = alpha.max(best.0);
            if alpha >= beta {
                break;
            }
        }
        best
    }
}

fn worth(m: Move) -> i32 {
    let value = |role| match role {
        Role::Pawn => 1,
        Role::Knight | Role::Bishop => 3,
        Role::Rook => 5,
        Role::Queen => 9,
        Role::King => 0,
    };
    m.capture().map_or(0, value) + m.promotion().map_or(0, value)
}
