//! Agreement by searching.

use std::borrow::Cow;
use std::sync::Arc;

use mendel_board::{Game, Move, Position};
use mendel_engine::Player;

use super::puzzles::{Puzzle, PuzzleChunk, Reach, Sheet, Solved};
use super::sample::Drawn;
use super::{JudgingContext, MemberWeights, TrialError};
use crate::matrix::RowsError;

/// Positions, the expert's moves, and who searches them.
#[derive(Debug)]
pub(super) struct Deeper {
    player: Player,
    puzzles: Vec<Puzzle>,
    depth: u32,
}

/// Positions that one unit of work searches.
const BLOCK: usize = 16;

/// The size of the transposition table in MiB.
const HASH: usize = 1;

impl Deeper {
    pub(super) fn new(
        player: &Player,
        positions: &[(&Position, Move)],
        depth: u32,
    ) -> Result<Self, TrialError> {
        if player.evaluator.weights().is_empty() {
            let kind = player.evaluator.kind();
            return Err(RowsError::NotLinear { kind }.into());
        }
        let puzzle = |&(position, expert): &(&Position, Move)| Puzzle {
            game: Game::new(position.clone()),
            solutions: vec![expert],
        };
        Ok(Self {
            player: player.clone(),
            puzzles: positions.iter().map(puzzle).collect(),
            depth,
        })
    }

    /// How many of the expert's moves each member finds.
    pub(super) fn count(
        &self,
        members: &[MemberWeights],
        drawn: &Drawn,
        context: &mut JudgingContext,
    ) -> Result<Vec<f64>, TrialError> {
        let every = self.every();
        let of = |member: usize| match drawn {
            Drawn::All => every.as_slice(),
            Drawn::Shared(drawn) => drawn,
            Drawn::Own(drawn) => &drawn[member],
        };
        let players = self.players(members)?;
        let sheet = self.sheet(&players, of);
        let found = of_members(&sheet, members.len(), sheet.solve(context)?.chunks);
        let count = |found: &Vec<bool>| found.iter().filter(|&&found| found).count() as f64;
        Ok(found.iter().map(count).collect())
    }

    /// For each member and position whether the expert's move is found.
    pub(super) fn found(
        &self,
        members: &[&[i32]],
        threads: usize,
    ) -> Result<Vec<Vec<bool>>, TrialError> {
        let (every, players) = (self.every(), self.players(members)?);
        let sheet = self.sheet(&players, |_| every.as_slice());
        let solved = sheet.solve_here(threads, &Arc::default())?;
        Ok(of_members(&sheet, members.len(), solved))
    }

    fn every(&self) -> Vec<usize> {
        (0..self.puzzles.len()).collect()
    }

    /// Players from weights.
    fn players(&self, members: &[impl AsRef<[i32]>]) -> Result<Vec<Arc<Player>>, TrialError> {
        let player = |weights: &_| {
            Ok(Arc::new(Player {
                evaluator: self.player.evaluator.with_weights(AsRef::as_ref(weights))?,
                ..self.player.clone()
            }))
        };
        members.iter().map(player).collect()
    }

    /// The positions of each member, in chunks.
    fn sheet<'a, 'd>(
        &'a self,
        players: &'a [Arc<Player>],
        positions: impl Fn(usize) -> &'d [usize],
    ) -> Sheet<'a> {
        let mut chunks = Vec::new();
        for player in 0..players.len() {
            chunks.extend(positions(player).chunks(BLOCK).map(|chunk| {
                PuzzleChunk {
                    player,
                    puzzles: chunk
                        .iter()
                        .map(|&at| Cow::Borrowed(&self.puzzles[at]))
                        .collect(),
                }
            }));
        }
        Sheet {
            players,
            chunks,
            reach: Reach {
                nodes: None,
                depth: Some(self.depth),
            },
            hash: HASH,
        }
    }
}

/// Chunks back to members: what each has found.
fn of_members(sheet: &Sheet, members: usize, solved: Vec<Solved>) -> Vec<Vec<bool>> {
    let mut found = vec![Vec::new(); members];
    for (chunk, solved) in sheet.chunks.iter().zip(solved) {
        found[chunk.player].extend(solved.iter().map(Option::is_some));
    }
    found
}
