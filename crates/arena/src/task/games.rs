//! Games of a schedule, of which everything is wanted.

use std::sync::Arc;
use std::time::SystemTime;

use mendel_board::tablebase::Tablebase;
use mendel_crew::{
    BlobId, Blobs, CompletedOutput, HandlerError, JobPayload, JobProgress, Site, Task, Unpack,
};
use serde::{Deserialize, Serialize};

use super::ProgramAllowlist;
use super::context::{TaskContext, TaskIndex};
use crate::player_pool::PlayerPool;
use crate::{Adjudication, Entrant, Fixture, GameRecord, Opening, Pace, Patience, pgn};

/// Bytes of the output of a pair of games, at most: with thoughts and times a move takes
/// some 80, and a game of 200 moves is long.
const OUTPUT_BYTES: usize = 1 << 16;

/// Plays the games of a schedule. Both games of a pair go to the same worker.
pub struct GameTask<'a> {
    context: TaskContext<'a>,
    /// Pairs of the schedule, if that is known.
    pairs: Option<u64>,
}

/// A [`Fixture`] with the indices of its payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TaskGame {
    pub(super) game: u64,
    pub(super) pair: u64,
    pub(super) white: usize,
    pub(super) black: usize,
    pub(super) opening: usize,
}

impl<'a> GameTask<'a> {
    /// The task of a schedule of `pairs` pairs between `players`; `pace` is that of
    /// players without their own.
    pub fn new(
        players: &[Entrant],
        pairs: u64,
        opening: impl Fn(u64) -> Opening + Send + Sync + 'a,
        limits: (Pace, Patience),
        adjudication: &Adjudication,
        tablebase: Option<Arc<Tablebase>>,
    ) -> Self {
        Self {
            context: TaskContext::new(
                players.to_vec(),
                Box::new(opening),
                limits,
                adjudication.clone(),
                tablebase,
            ),
            pairs: Some(pairs),
        }
    }
}

impl std::fmt::Debug for GameTask<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GameTask")
            .field("players", &self.context.players.len())
            .field("pairs", &self.pairs)
            .finish_non_exhaustive()
    }
}

impl Task for GameTask<'_> {
    const KIND: &'static str = "games";
    const VERSION: u32 = 2;
    type Item = Fixture;
    type Output = GameRecord;
    type TaskState = PlayerPool;

    fn item_id(&self, game: &Fixture) -> u64 {
        game.pair
    }

    fn item_key(&self, game: &Fixture) -> u64 {
        game.game
    }

    fn item_count(&self) -> Option<u64> {
        self.pairs
    }

    fn new_state(&self, site: Site) -> Result<PlayerPool, HandlerError> {
        self.context.new_pool(site)
    }

    fn run(
        &self,
        pool: &mut PlayerPool,
        game: &Fixture,
        progress: &JobProgress,
    ) -> Result<CompletedOutput<GameRecord>, HandlerError> {
        let opening = (self.context.opening)(game.opening);
        let players = (game.white, game.black);
        let setup = self.context.setup(players, opening, progress.stop_flag());
        let date = pgn::date(SystemTime::now());
        let played = self.context.play(pool, players, &setup);
        let played = played.ok_or(HandlerError::Stopped)?;
        progress.unit_done();
        // The game is over: a stop did not end it.
        Ok(progress.complete_at_own_end(played.record(*game, date)))
    }

    fn pack(&self, games: &[Fixture]) -> Result<JobPayload, HandlerError> {
        let mut index = TaskIndex::default();
        let games = games.iter().map(|game| TaskGame {
            game: game.game,
            pair: game.pair,
            white: index.player(game.white),
            black: index.player(game.black),
            opening: index.opening(game.opening),
        });
        let games = games.collect();
        self.context.pack::<TaskGame>(&index, games)
    }

    fn blob(&self, id: &BlobId) -> Option<Arc<[u8]>> {
        self.context.blob(id)
    }

    fn output_bytes(&self) -> usize {
        OUTPUT_BYTES
    }

    /// The game, if it starts with its opening and keeps the rules: it is recorded, and must
    /// be valid for ever.
    fn accept(&self, game: &Fixture, record: GameRecord) -> Result<GameRecord, String> {
        let start = (self.context.opening)(game.opening).game();
        let moves = start.moves().iter().zip(start.positions());
        if record.start != start.start().fen()
            || !moves
                .map(|(&m, at)| at.uci(m))
                .eq(record.opening.iter().cloned())
        {
            return Err(format!("game {} has another opening", game.game));
        }
        pgn::replay(&record).map_err(|error| error.to_string())?;
        Ok(GameRecord {
            game: game.game,
            pair: game.pair,
            white: game.white,
            black: game.black,
            ..record
        })
    }

    fn state_key(&self) -> Option<String> {
        self.context.state_key.clone()
    }

    fn reusable(&self, outputs: &[GameRecord]) -> bool {
        // A player with a fault is started again, or leaves the next job to others.
        !outputs.iter().any(|game| game.ending.reason.is_fault())
    }
}

/// Reads the games of other machines.
#[derive(Clone, Debug)]
pub struct GameUnpack {
    allowlist: Arc<ProgramAllowlist>,
}

impl GameUnpack {
    /// Starts the programs of `allowlist` and no others.
    pub fn new(allowlist: Arc<ProgramAllowlist>) -> Self {
        Self { allowlist }
    }
}

impl Unpack for GameUnpack {
    type Task = GameTask<'static>;

    fn unpack(
        &self,
        payload: &[u8],
        blobs: &dyn Blobs,
    ) -> Result<(GameTask<'static>, Vec<Fixture>), HandlerError> {
        let unpacked = TaskContext::unpack::<TaskGame>(payload, &self.allowlist, blobs)?;
        let (context, games, openings) = unpacked;
        let players = context.players.len();
        let games = games.into_iter().map(|game| {
            if game.white.max(game.black) >= players || game.opening >= openings {
                let reason = format!("there is no such game: {game:?}");
                return Err(HandlerError::InvalidJob(reason));
            }
            Ok(Fixture {
                game: game.game,
                pair: game.pair,
                white: game.white,
                black: game.black,
                opening: game.opening as u64,
            })
        });
        let games = games.collect::<Result<_, _>>()?;
        let pairs = None;
        Ok((GameTask { context, pairs }, games))
    }
}
