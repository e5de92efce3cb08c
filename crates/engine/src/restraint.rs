//! Searches that do not always play the best move that they found: those of limited
//! strength, and those that are weighed against what people play.
//!
//! Both search on one thread with a small table that is emptied before, so that the same
//! game gets the same move, whatever was searched before and however large Hash is.

use mendel_board::{Game, Position};

use crate::search::RootMove;
use crate::{Guidance, Limits, Strength};

/// What chooses among the moves that were found.
#[derive(Clone, Copy)]
pub(crate) enum Restraint<'a> {
    Strength(Strength),
    /// A network that knows what people play.
    People(&'a Guidance),
}

impl Restraint<'_> {
    /// What it uses of `limits`.
    pub(crate) fn lower(&self, limits: &Limits) -> Limits {
        let most = match self {
            Self::Strength(strength) => strength.level.nodes,
            Self::People(guidance) => guidance.nodes(),
        };
        Limits {
            nodes: Some(limits.nodes.map_or(most, |nodes| nodes.min(most))),
            ..limits.clone()
        }
    }

    /// How far below the best root moves need an exact score.
    pub(crate) fn window(&self) -> i32 {
        match self {
            Self::Strength(strength) => strength.level.window(),
            Self::People(guidance) => guidance.window(),
        }
    }

    /// The move that is played: an index into `seen`, the root moves whose scores are
    /// known, the best first; none where it is the best move found, whatever that is.
    pub(crate) fn choose(
        &self,
        game: &Game,
        seen: &[RootMove],
        judge: &mut dyn FnMut(&Position) -> i32,
    ) -> Option<usize> {
        if self.window() == 0 || seen.is_empty() {
            return None;
        }
        Some(match self {
            Self::Strength(strength) => strength.choose(game, seen, judge),
            Self::People(guidance) => guidance.weigh(game, seen),
        })
    }
}
