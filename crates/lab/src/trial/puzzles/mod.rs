//! Positions with the moves that solve each, searched by players: by threads of this
//! process, or by a crew. What comes of it does not depend on who does it.

mod away;
mod journal;
mod task;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mendel_arena::Crew;
use mendel_board::{Game, Move};
use mendel_engine::{Best, Control, Engine, Limits, Options, OptionsError, Player};
use serde::{Deserialize, Serialize};

pub use self::journal::JudgedJournal;
pub use self::task::JudgeHandler;
use super::{Round, TrialError};
use crate::threads;

/// The nodes at which each position was solved; none for one that was not.
pub type Solved = Vec<Option<u64>>;

/// A position and the moves that solve it.
#[derive(Clone, Debug)]
pub(super) struct Puzzle {
    pub(super) game: Game,
    pub(super) solutions: Vec<Move>,
}

impl Puzzle {
    /// The node from which on a search plays a solution.
    fn solved_at(&self, best: &Best) -> Option<u64> {
        let solves = |m: Move| self.solutions.contains(&m);
        if !best.best.is_some_and(solves) {
            return None;
        }
        let kept = best.changes.iter().rev().take_while(|it| solves(it.m));
        // A search of a few nodes may not have compared anything yet.
        Some(kept.last().map_or(best.nodes, |it| it.nodes))
    }
}

/// How far each position is searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Reach {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) nodes: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) depth: Option<u32>,
}

impl Reach {
    fn limits(self) -> Limits {
        Limits {
            nodes: self.nodes,
            depth: self.depth,
            ..Limits::default()
        }
    }
}

/// Some positions for one player: what is searched in one go, with an engine of its own.
#[derive(Clone, Debug)]
pub(super) struct Block<'a> {
    /// The player's place.
    pub(super) player: usize,
    pub(super) puzzles: Vec<&'a Puzzle>,
}

/// Blocks to be searched.
#[derive(Debug)]
pub(super) struct Sheet<'a> {
    pub(super) players: &'a [Arc<Player>],
    pub(super) blocks: Vec<Block<'a>>,
    pub(super) reach: Reach,
    /// The size of the transposition table in MiB.
    pub(super) hash: usize,
}

/// What came of the blocks of a sheet.
#[derive(Debug, Default)]
pub(super) struct Searched {
    pub(super) blocks: Vec<Solved>,
    /// The places of those that nobody could do, which count as unsolved.
    pub(super) without: BTreeSet<usize>,
}

impl Sheet<'_> {
    /// What came of each block, by whoever works for the round.
    pub(super) fn solve(&self, round: &mut Round) -> Result<Searched, TrialError> {
        match round.crew {
            Crew::Here(_) => Ok(Searched {
                blocks: self.solve_here(round.threads, round.stop)?,
                without: BTreeSet::new(),
            }),
            Crew::There(desk) => self.solve_there(desk, round.generation, round.stop, round.judged),
        }
    }

    /// What came of each block, by threads of this process.
    pub(super) fn solve_here(
        &self,
        threads: usize,
        stop: &Arc<AtomicBool>,
    ) -> Result<Vec<Solved>, TrialError> {
        let done = threads::map(threads, self.blocks.len(), |at| {
            if stop.load(Ordering::Relaxed) {
                return Err(TrialError::Stopped);
            }
            let block = &self.blocks[at];
            let searcher = Searcher {
                player: &self.players[block.player],
                reach: self.reach,
                hash: self.hash,
            };
            let solved = searcher.solve(block.puzzles.iter().copied(), stop, &mut || {})?;
            solved.ok_or(TrialError::Stopped)
        });
        done.into_iter().collect()
    }
}

/// One player at work.
struct Searcher<'a> {
    player: &'a Arc<Player>,
    reach: Reach,
    hash: usize,
}

impl Searcher<'_> {
    /// Each position with an engine that has forgotten the others; nothing, if it was
    /// stopped. `made` hears of each.
    fn solve<'p>(
        &self,
        puzzles: impl Iterator<Item = &'p Puzzle>,
        stop: &Arc<AtomicBool>,
        made: &mut dyn FnMut(),
    ) -> Result<Option<Solved>, OptionsError> {
        let options = Options {
            hash: self.hash,
            ..Options::default()
        };
        let limits = self.reach.limits();
        let control = Control::watching(Arc::clone(stop));
        let mut engine = Engine::new(Arc::clone(self.player), options)?;
        let mut solved = Vec::new();
        for puzzle in puzzles {
            engine.new_game();
            let best = engine.go(&puzzle.game, &limits, &control, &mut |_| {});
            if control.is_stopped() {
                return Ok(None);
            }
            solved.push(puzzle.solved_at(&best));
            made();
        }
        Ok(Some(solved))
    }
}
