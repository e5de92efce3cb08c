//! What two that met made of it.

use std::ops::AddAssign;

use mendel_arena::statistics::{EloEstimate, Outcomes, Tally};
use mendel_arena::{GamePairResult, PairGame};
use serde::{Deserialize, Serialize};

/// Games of one against another, as the first of them sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Tallied {
    pub(super) tally: Tally,
    /// Pairs that gave 0, ½, 1, 1½ and 2 points.
    pub(super) pairs: [u64; 5],
}

impl Tallied {
    pub(super) fn count(&mut self, outcome: &GamePairResult) {
        let mut sum = 0;
        let single = outcome.games.contains(&PairGame::NONE);
        for game in outcome.games.iter().filter(|it| **it != PairGame::NONE) {
            match game.points {
                1.. => self.tally.wins += 1,
                0 => self.tally.draws += 1,
                ..0 => self.tally.losses += 1,
            }
            sum += game.points.signum();
        }
        if !single {
            self.pairs[(sum + 2) as usize] += 1;
        }
    }

    /// As the second sees it.
    pub(super) fn reversed(&self) -> Self {
        let mut pairs = self.pairs;
        pairs.reverse();
        Self {
            tally: self.tally.reversed(),
            pairs,
        }
    }

    /// Wins less losses.
    pub(super) fn net(&self) -> f64 {
        self.tally.wins as f64 - self.tally.losses as f64
    }

    /// Wins less losses, as many games long as asked for.
    pub(super) fn net_of(&self, games: u64) -> f64 {
        match self.tally.games() {
            0 => 0.0,
            // Exact where nothing is remembered.
            played if played == games => self.net(),
            played => self.net() * games as f64 / played as f64,
        }
    }

    /// How likely it is that the first is the stronger one.
    pub(super) fn superiority(&self) -> f64 {
        EloEstimate::of(&Outcomes::Pairs(self.pairs)).superiority
    }
}

impl AddAssign for Tallied {
    fn add_assign(&mut self, other: Self) {
        self.tally += other.tally;
        for (sum, count) in self.pairs.iter_mut().zip(other.pairs) {
            *sum += count;
        }
    }
}

#[cfg(test)]
mod tests {
    use mendel_arena::{EndReason, FirstMoves};

    use super::*;

    fn outcome(points: [i8; 2]) -> GamePairResult {
        let game = |points| PairGame {
            points,
            plies: 10,
            reason: EndReason::Checkmate,
            nodes: 0,
            first: FirstMoves::default(),
        };
        GamePairResult {
            id: 0,
            games: points.map(game),
        }
    }

    #[test]
    #[allow(clippy::float_cmp, reason = "whole numbers")]
    fn pairs_are_counted_from_both_sides() {
        let mut tallied = Tallied::default();
        for points in [[1, 1], [1, 0], [0, 0], [1, -1], [-1, 0]] {
            tallied.count(&outcome(points));
        }
        assert_eq!(tallied.pairs, [0, 1, 2, 1, 1]);
        assert_eq!((tallied.net(), tallied.reversed().net()), (2.0, -2.0));
        assert_eq!(tallied.net_of(10), 2.0);
        assert_eq!(tallied.net_of(20), 4.0);
        let sum = tallied.superiority() + tallied.reversed().superiority();
        assert!((sum - 1.0).abs() < 1e-9 && tallied.superiority() > 0.5);
        assert_eq!(Tallied::default().net_of(10), 0.0);
    }
}
