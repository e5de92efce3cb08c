//! Agreement by searching.

use std::sync::Arc;

use mendel_board::{Game, Move, Position};
use mendel_engine::{Control, Engine, Limits, Options, Player};

use super::TrialError;
use super::sample::Drawn;
use crate::matrix::RowsError;
use crate::threads;

/// Positions, the expert's moves, and who searches them.
#[derive(Debug)]
pub(super) struct Deeper {
    player: Player,
    positions: Vec<(Game, Move)>,
    limits: Limits,
}

/// Positions that one unit of work searches.
const BLOCK: usize = 16;

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
        let game = |&(position, expert): &(&Position, Move)| (Game::new(position.clone()), expert);
        Ok(Self {
            player: player.clone(),
            positions: positions.iter().map(game).collect(),
            limits: Limits {
                depth: Some(depth),
                ..Limits::default()
            },
        })
    }

    /// How many of the expert's moves each member finds.
    pub(super) fn count(
        &self,
        members: &[Vec<i32>],
        drawn: &Drawn,
        threads: usize,
    ) -> Result<Vec<f64>, TrialError> {
        let every: Vec<usize> = (0..self.positions.len()).collect();
        let of = |member: usize| match drawn {
            Drawn::All => every.as_slice(),
            Drawn::Shared(drawn) => drawn,
            Drawn::Own(drawn) => &drawn[member],
        };
        let found = self.search(members, of, threads)?;
        let count = |found: &Vec<bool>| found.iter().filter(|&&found| found).count() as f64;
        Ok(found.iter().map(count).collect())
    }

    /// For each member and position whether the expert's move is found.
    pub(super) fn found(
        &self,
        members: &[Vec<i32>],
        threads: usize,
    ) -> Result<Vec<Vec<bool>>, TrialError> {
        let every: Vec<usize> = (0..self.positions.len()).collect();
        self.search(members, |_| every.as_slice(), threads)
    }

    fn search<'a>(
        &self,
        members: &[Vec<i32>],
        positions: impl Fn(usize) -> &'a [usize],
        threads: usize,
    ) -> Result<Vec<Vec<bool>>, TrialError> {
        // 1. Players from weights, and the work in blocks.
        let mut players = Vec::with_capacity(members.len());
        let mut units: Vec<(usize, &[usize])> = Vec::new();
        for (member, weights) in members.iter().enumerate() {
            players.push(Arc::new(Player {
                evaluator: self.player.evaluator.with_weights(weights)?,
                ..self.player.clone()
            }));
            let blocks = positions(member).chunks(BLOCK);
            units.extend(blocks.map(|block| (member, block)));
        }

        // 2. Each block with an engine of its own, each position with an engine
        //    that has forgotten the others.
        let done = threads::map(threads, units.len(), |unit| {
            let (member, block) = units[unit];
            let options = Options {
                hash: 1,
                ..Options::default()
            };
            let mut engine = Engine::new(Arc::clone(&players[member]), options)?;
            let mut found = Vec::with_capacity(block.len());
            for &position in block {
                let (game, expert) = &self.positions[position];
                engine.new_game();
                let best = engine.go(game, &self.limits, &Control::default(), &mut |_| {});
                found.push(best.best == Some(*expert));
            }
            Ok::<_, TrialError>(found)
        });

        // 3. Back to members.
        let mut found = vec![Vec::new(); members.len()];
        for (&(member, _), block) in units.iter().zip(done) {
            found[member].extend(block?);
        }
        Ok(found)
    }
}
