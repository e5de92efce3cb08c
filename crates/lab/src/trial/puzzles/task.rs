//! Positions to judge players by, as a job for somebody else: plain data, complete in
//! itself.

use std::sync::Arc;

use mendel_arena::task::{HouseRules, Visitor};
use mendel_arena::{Entrant, Kind};
use mendel_board::{Game, Position};
use mendel_crew::{BlobId, Blobs, Handler, Job, Progress, Refusal};
use mendel_engine::Player;
use serde::{Deserialize, Serialize};

use super::{Block, Puzzle, Reach, Searcher, Solved};

/// What the crew calls these jobs.
pub(super) const KIND: &str = "judge";

/// Of the data of a task and of its answer.
pub(super) const VERSION: u32 = 1;

/// Blocks for one worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct JudgeTask {
    /// Who searches; the blocks name them by their places.
    pub(super) players: Vec<Visitor>,
    pub(super) reach: Reach,
    pub(super) blocks: Vec<TaskBlock>,
}

/// Positions for one player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TaskBlock {
    /// What its answer is found by.
    pub(super) block: u64,
    pub(super) player: usize,
    /// Positions as FEN, and the moves that solve each in UCI notation.
    pub(super) puzzles: Vec<(String, Vec<String>)>,
}

/// What came of a block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Answer {
    pub(super) block: u64,
    pub(super) solved: Solved,
}

impl TaskBlock {
    pub(super) fn new(number: u64, block: &Block) -> Self {
        let text = |puzzle: &&Puzzle| {
            let position = puzzle.game.position();
            let moves = puzzle.solutions.iter().map(|&m| position.uci(m));
            (position.fen(), moves.collect())
        };
        Self {
            block: number,
            player: block.player,
            puzzles: block.puzzles.iter().map(text).collect(),
        }
    }

    fn read(&self) -> Result<Vec<Puzzle>, Refusal> {
        let bad = |reason: String| Refusal::Bad(reason);
        let puzzle = |(fen, moves): &(String, Vec<String>)| {
            let position = Position::from_fen(fen).map_err(|error| bad(error.to_string()))?;
            let solution = |text: &String| {
                let read = position.parse_uci(text);
                read.map_err(|error| bad(error.to_string()))
            };
            let solutions = moves.iter().map(solution).collect::<Result<_, _>>()?;
            let game = Game::new(position);
            Ok(Puzzle { game, solutions })
        };
        self.puzzles.iter().map(puzzle).collect()
    }
}

impl JudgeTask {
    /// Of these blocks alone, with those players alone that they name.
    pub(super) fn new(all: &[Visitor], reach: Reach, mut blocks: Vec<TaskBlock>) -> Self {
        let mut named: Vec<usize> = blocks.iter().map(|it| it.player).collect();
        named.sort_unstable();
        named.dedup();
        for block in &mut blocks {
            block.player = named.partition_point(|&it| it < block.player);
        }
        Self {
            players: named.iter().map(|&it| all[it].clone()).collect(),
            reach,
            blocks,
        }
    }

    /// What it needs beside itself.
    pub(super) fn blobs(&self) -> Vec<BlobId> {
        let mut blobs: Vec<BlobId> = self.players.iter().flat_map(Visitor::blobs).collect();
        blobs.sort_unstable();
        blobs.dedup();
        blobs
    }

    pub(super) fn payload(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a task is plain data")
    }
}

/// Searches the positions of others.
#[derive(Clone, Debug)]
pub struct JudgeHandler {
    rules: Arc<HouseRules>,
}

impl JudgeHandler {
    /// Searches under these rules.
    pub fn new(rules: Arc<HouseRules>) -> Self {
        Self { rules }
    }
}

impl Handler for JudgeHandler {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn version(&self) -> u32 {
        VERSION
    }

    fn work(&self, job: &Job, blobs: &dyn Blobs, progress: &Progress) -> Result<Vec<u8>, Refusal> {
        // 1. What it is, before anybody is let in.
        let task: JudgeTask = serde_json::from_slice(&job.payload)
            .map_err(|error| Refusal::Bad(format!("it is no task of positions: {error}")))?;
        if task.reach == Reach::default() {
            return Err(Refusal::Bad("its searches have no limit".to_owned()));
        }
        let mut read = Vec::with_capacity(task.blocks.len());
        for block in &task.blocks {
            if block.player >= task.players.len() {
                return Err(Refusal::Bad(format!("it has no player {}", block.player)));
            }
            read.push(block.read()?);
        }

        // 2. The players, each by itself as only one of them searches, and their blocks.
        let mut players = Vec::with_capacity(task.players.len());
        for visitor in &task.players {
            let entrant = self.rules.admit(std::slice::from_ref(visitor), blobs)?;
            let [
                Entrant {
                    kind: Kind::Bred(player),
                    ..
                },
            ] = &entrant[..]
            else {
                let name = &visitor.name;
                return Err(Refusal::Bad(format!("`{name}` is no player of ours")));
            };
            players.push((Arc::clone(player), visitor.hash() as usize));
        }
        let halt = progress.signal();
        let mut answers = Vec::with_capacity(read.len());
        for (block, puzzles) in task.blocks.iter().zip(&read) {
            let (player, hash): &(Arc<Player>, usize) = &players[block.player];
            let searcher = Searcher {
                player,
                reach: task.reach,
                hash: *hash,
            };
            let solved = searcher.solve(puzzles.iter(), &halt, &mut || progress.made());
            // Another machine may have the memory for its table.
            let solved = solved.map_err(|error| Refusal::Cannot(error.to_string()))?;
            answers.push(Answer {
                block: block.block,
                solved: solved.ok_or(Refusal::Stopped)?,
            });
        }
        Ok(serde_json::to_vec(&answers).expect("answers are plain data"))
    }
}
