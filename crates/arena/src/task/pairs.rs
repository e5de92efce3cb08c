//! Pairs of games, of which only the results are wanted.

use std::sync::Arc;

use mendel_crew::{
    BlobId, Blobs, CompletedOutput, HandlerError, JobPayload, JobProgress, Site, Task, Unpack,
};
use serde::{Deserialize, Serialize};

use super::ProgramAllowlist;
use super::context::{TaskContext, TaskIndex};
use super::game_pairs::{GamePair, GamePairs, PairGame};
use crate::Side;
use crate::player_pool::PlayerPool;

/// Bytes of the output of a pair, at most.
const OUTPUT_BYTES: usize = 512;

/// Plays pairs of games between any two of some players. The output is the game in which
/// the first has White and the one in which it has Black; a game that was not to be played
/// is [`PairGame::NONE`].
pub struct PairTask {
    context: TaskContext<'static>,
    openings: usize,
}

/// A [`GamePair`] with the indices of its payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TaskPair {
    pub(super) id: u64,
    pub(super) first: usize,
    pub(super) second: usize,
    pub(super) opening: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) only: Option<usize>,
}

impl PairTask {
    /// The task of pairs between `players`. Tables that cannot be opened adjudicate no game;
    /// [`GamePairs::check`] finds that out before.
    pub fn new(games: &GamePairs) -> Self {
        let tablebase = games.tablebase().and_then(Result::ok).map(Arc::new);
        let openings = games.openings.clone();
        let count = openings.len();
        Self {
            context: TaskContext::new(
                games.entrants.clone(),
                Box::new(move |at| openings[at as usize].clone()),
                (games.pace, games.patience),
                games.adjudication.clone(),
                tablebase,
            ),
            openings: count,
        }
    }

    /// Whether a pair names players and an opening that are there.
    pub(crate) fn has(&self, pair: &GamePair) -> bool {
        pair.first.max(pair.second) < self.context.players.len()
            && pair.opening < self.openings
            && pair.only.is_none_or(|only| only < 2)
    }
}

impl std::fmt::Debug for PairTask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PairTask")
            .field("players", &self.context.players.len())
            .field("openings", &self.openings)
            .finish_non_exhaustive()
    }
}

impl Task for PairTask {
    const KIND: &'static str = "pairs";
    const VERSION: u32 = 2;
    type Item = GamePair;
    type Output = [PairGame; 2];
    type TaskState = PlayerPool;

    fn item_id(&self, pair: &GamePair) -> u64 {
        pair.id
    }

    fn new_state(&self, site: Site) -> Result<PlayerPool, HandlerError> {
        self.context.new_pool(site)
    }

    fn run(
        &self,
        pool: &mut PlayerPool,
        pair: &GamePair,
        progress: &JobProgress,
    ) -> Result<CompletedOutput<[PairGame; 2]>, HandlerError> {
        let opening = (self.context.opening)(pair.opening as u64);
        let forward = (pair.first, pair.second);
        let mut setup = self.context.setup(forward, opening, progress.stop_flag());
        let mut games = [PairGame::NONE; 2];
        if pair.only.unwrap_or(0) == 0 {
            let played = self.context.play(pool, forward, &setup);
            games[0] = PairGame::of(&played.ok_or(HandlerError::Stopped)?, Side::White);
            progress.unit_done();
        }
        if pair.only.unwrap_or(1) == 1 {
            std::mem::swap(&mut setup.white, &mut setup.black);
            let played = self.context.play(pool, (pair.second, pair.first), &setup);
            games[1] = PairGame::of(&played.ok_or(HandlerError::Stopped)?, Side::Black);
            progress.unit_done();
        }
        // Both games are over: a stop did not end them.
        Ok(progress.complete_at_own_end(games))
    }

    fn pack(&self, pairs: &[GamePair]) -> Result<JobPayload, HandlerError> {
        let mut index = TaskIndex::default();
        let pairs = pairs.iter().map(|pair| TaskPair {
            id: pair.id,
            first: index.player(pair.first),
            second: index.player(pair.second),
            opening: index.opening(pair.opening as u64),
            only: pair.only,
        });
        let pairs = pairs.collect();
        self.context.pack::<TaskPair>(&index, pairs)
    }

    fn blob(&self, id: &BlobId) -> Option<Arc<[u8]>> {
        self.context.blob(id)
    }

    fn output_bytes(&self) -> usize {
        OUTPUT_BYTES
    }

    fn accept(&self, pair: &GamePair, games: [PairGame; 2]) -> Result<[PairGame; 2], String> {
        for (place, game) in games.iter().enumerate() {
            let number = place + 1;
            let wanted = pair.only.is_none_or(|only| only == place);
            if (*game == PairGame::NONE) == wanted {
                let not = if wanted { "not " } else { "" };
                return Err(format!("game {number} of pair {} was {not}played", pair.id));
            }
            if !(-1..=1).contains(&game.points) {
                return Err(format!(
                    "game {number} of pair {} has {} points",
                    pair.id, game.points
                ));
            }
        }
        Ok(games)
    }

    fn state_key(&self) -> Option<String> {
        self.context.state_key.clone()
    }

    fn reusable(&self, outputs: &[[PairGame; 2]]) -> bool {
        // A player with a fault is started again, or leaves the next job to others.
        let mut games = outputs.iter().flatten();
        !games.any(|game| game.reason.is_fault())
    }
}

/// Reads the pairs of other machines.
#[derive(Clone, Debug)]
pub struct PairUnpack {
    allowlist: Arc<ProgramAllowlist>,
}

impl PairUnpack {
    /// Starts the programs of `allowlist` and no others.
    pub fn new(allowlist: Arc<ProgramAllowlist>) -> Self {
        Self { allowlist }
    }
}

impl Unpack for PairUnpack {
    type Task = PairTask;

    fn unpack(
        &self,
        payload: &[u8],
        blobs: &dyn Blobs,
    ) -> Result<(PairTask, Vec<GamePair>), HandlerError> {
        let unpacked = TaskContext::unpack::<TaskPair>(payload, &self.allowlist, blobs)?;
        let (context, pairs, openings) = unpacked;
        let task = PairTask { context, openings };
        let pairs = pairs.into_iter().map(|pair| {
            let pair = GamePair {
                id: pair.id,
                first: pair.first,
                second: pair.second,
                opening: pair.opening,
                only: pair.only,
            };
            let there = task.has(&pair);
            let invalid = || HandlerError::InvalidJob(format!("there is no such game: {pair:?}"));
            there.then_some(pair).ok_or_else(invalid)
        });
        let pairs = pairs.collect::<Result<_, _>>()?;
        Ok((task, pairs))
    }
}
