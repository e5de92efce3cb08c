//! Positions to judge players by, as a task of the crew.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use mendel_arena::task::{ProgramAllowlist, RemotePlayer, TaskBlobs};
use mendel_arena::{Entrant, Kind};
use mendel_board::{Game, Position};
use mendel_crew::{
    BlobId, Blobs, CompletedOutput, HandlerError, JobPayload, JobProgress, Site, Task, TaskFailure,
    Unpack,
};
use mendel_engine::{OptionsError, Player};
use serde::{Deserialize, Serialize};

use super::{Puzzle, PuzzleChunk, Reach, Searcher, Solved};

/// Searches chunks of positions, each with an engine of its own: the nodes at which each
/// position was solved.
pub struct PuzzleTask<'a> {
    /// Each with the size of its transposition table in MiB.
    players: Vec<(Arc<Player>, usize)>,
    chunks: Cow<'a, [PuzzleChunk<'a>]>,
    reach: Reach,
    /// The players as they travel, made on first use.
    portable: OnceLock<Result<PortablePlayers, String>>,
    remote: bool,
    failure: TaskFailure<OptionsError>,
}

/// A chunk of positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PuzzleItem {
    /// Its number on the machine that needs the result.
    pub(super) number: u64,
    /// Its place in the task.
    pub(super) place: usize,
}

struct PortablePlayers {
    players: Vec<RemotePlayer>,
    blobs: TaskBlobs,
}

/// Chunks for a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PuzzlePayload {
    /// The chunks name them by their index.
    pub(super) players: Vec<RemotePlayer>,
    pub(super) reach: Reach,
    pub(super) chunks: Vec<ChunkPayload>,
}

/// Positions for one player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ChunkPayload {
    pub(super) chunk: u64,
    pub(super) player: usize,
    /// Positions as FEN, and the moves that solve each in UCI notation.
    pub(super) puzzles: Vec<(String, Vec<String>)>,
}

impl<'a> PuzzleTask<'a> {
    /// The task of some chunks; items are their numbers.
    pub(super) fn new(
        players: &[Arc<Player>],
        chunks: &'a [PuzzleChunk<'a>],
        reach: Reach,
        hash: usize,
    ) -> Self {
        let players = players.iter().map(|player| (Arc::clone(player), hash));
        Self {
            players: players.collect(),
            chunks: Cow::Borrowed(chunks),
            reach,
            portable: OnceLock::new(),
            remote: false,
            failure: TaskFailure::default(),
        }
    }

    /// The error that ended the work on this machine, if one did.
    pub(super) fn take_failure(&self) -> Option<OptionsError> {
        self.failure.take()
    }

    /// All chunks.
    pub(super) fn items(&self) -> impl Iterator<Item = PuzzleItem> + use<> {
        (0..self.chunks.len()).map(|place| PuzzleItem {
            number: place as u64,
            place,
        })
    }

    fn chunk(&self, item: &PuzzleItem) -> &PuzzleChunk<'a> {
        &self.chunks[item.place]
    }

    fn portable_players(&self) -> Result<PortablePlayers, String> {
        let mut blobs = TaskBlobs::new();
        let mut players = Vec::with_capacity(self.players.len());
        for (place, (player, hash)) in self.players.iter().enumerate() {
            let options = vec![("Hash".to_owned(), hash.to_string())];
            let player = Entrant::bred(format!("member {place}"), Arc::clone(player), options);
            let packed = RemotePlayer::pack(&player, &mut blobs);
            players.push(packed?);
        }
        Ok(PortablePlayers { players, blobs })
    }
}

impl std::fmt::Debug for PuzzleTask<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PuzzleTask")
            .field("players", &self.players.len())
            .field("chunks", &self.chunks.len())
            .field("reach", &self.reach)
            .finish_non_exhaustive()
    }
}

impl Task for PuzzleTask<'_> {
    const KIND: &'static str = "puzzles";
    const VERSION: u32 = 2;
    type Item = PuzzleItem;
    type Output = Solved;
    type TaskState = ();

    fn item_id(&self, item: &PuzzleItem) -> u64 {
        item.number
    }

    fn item_count(&self) -> Option<u64> {
        Some(self.chunks.len() as u64)
    }

    fn new_state(&self, _: Site) -> Result<(), HandlerError> {
        Ok(())
    }

    fn run(
        &self,
        (): &mut (),
        item: &PuzzleItem,
        progress: &JobProgress,
    ) -> Result<CompletedOutput<Solved>, HandlerError> {
        let chunk = self.chunk(item);
        let (player, hash) = &self.players[chunk.player];
        let searcher = Searcher {
            player,
            reach: self.reach,
            hash: *hash,
        };
        let puzzles = chunk.puzzles.iter().map(|puzzle| &**puzzle);
        let stop = progress.stop_flag();
        let solved = searcher.solve(puzzles, &stop, &mut || progress.unit_done());
        let solved = solved.map_err(|error| {
            if self.remote {
                // Another machine may have the memory for its table.
                HandlerError::CannotRun(error.to_string())
            } else {
                self.failure.record(error)
            }
        })?;
        progress.complete(solved.ok_or(HandlerError::Stopped)?)
    }

    fn pack(&self, items: &[PuzzleItem]) -> Result<JobPayload, HandlerError> {
        let portable = self.portable.get_or_init(|| self.portable_players());
        let portable = portable
            .as_ref()
            .map_err(|reason| HandlerError::CannotRun(reason.clone()))?;
        // The players that these chunks name, and no others.
        let mut named: Vec<usize> = items.iter().map(|it| self.chunk(it).player).collect();
        named.sort_unstable();
        named.dedup();
        let chunks = items.iter().map(|item| {
            let chunk = self.chunk(item);
            ChunkPayload {
                chunk: item.number,
                player: named.partition_point(|&it| it < chunk.player),
                puzzles: chunk.puzzles.iter().map(|it| as_text(it)).collect(),
            }
        });
        let payload = PuzzlePayload {
            chunks: chunks.collect(),
            players: named
                .iter()
                .map(|&it| portable.players[it].clone())
                .collect(),
            reach: self.reach,
        };
        let players = payload.players.iter();
        let mut blobs: Vec<BlobId> = players.flat_map(RemotePlayer::blobs).collect();
        blobs.sort_unstable();
        blobs.dedup();
        Ok(JobPayload {
            bytes: serde_json::to_vec(&payload).expect("a payload is plain data"),
            blobs,
        })
    }

    fn blob(&self, id: &BlobId) -> Option<Arc<[u8]>> {
        let portable = self.portable.get()?.as_ref().ok()?;
        portable.blobs.get(id).cloned()
    }

    fn accept(&self, item: &PuzzleItem, solved: Solved) -> Result<Solved, String> {
        let wanted = self.chunk(item).puzzles.len();
        if solved.len() == wanted {
            Ok(solved)
        } else {
            let count = solved.len();
            Err(format!(
                "chunk {} has {count} positions, not {wanted}",
                item.number
            ))
        }
    }
}

fn as_text(puzzle: &Puzzle) -> (String, Vec<String>) {
    let position = puzzle.game.position();
    let moves = puzzle.solutions.iter().map(|&m| position.uci(m));
    (position.fen(), moves.collect())
}

fn from_text((fen, moves): &(String, Vec<String>)) -> Result<Puzzle, HandlerError> {
    let invalid = HandlerError::InvalidJob;
    let position = Position::from_fen(fen).map_err(|error| invalid(error.to_string()))?;
    let solution = |text: &String| {
        let read = position.parse_uci(text);
        read.map_err(|error| invalid(error.to_string()))
    };
    let solutions = moves.iter().map(solution).collect::<Result<_, _>>()?;
    let game = Game::new(position);
    Ok(Puzzle { game, solutions })
}

/// Reads the positions of other machines.
#[derive(Clone, Debug)]
pub struct PuzzleUnpack {
    allowlist: Arc<ProgramAllowlist>,
}

impl PuzzleUnpack {
    /// Gives players the memory that `allowlist` has.
    pub fn new(allowlist: Arc<ProgramAllowlist>) -> Self {
        Self { allowlist }
    }

    fn player(
        &self,
        remote: &RemotePlayer,
        blobs: &dyn Blobs,
    ) -> Result<(Arc<Player>, usize), HandlerError> {
        // Each by itself, as only one of them searches at a time.
        let players = self
            .allowlist
            .resolve_players(std::slice::from_ref(remote), blobs)?;
        match &players[..] {
            [
                Entrant {
                    kind: Kind::Bred(player),
                    ..
                },
            ] => Ok((Arc::clone(player), remote.hash() as usize)),
            _ => Err(HandlerError::InvalidJob(format!(
                "`{}` is no player of ours",
                remote.name
            ))),
        }
    }
}

impl Unpack for PuzzleUnpack {
    type Task = PuzzleTask<'static>;

    fn unpack(
        &self,
        payload: &[u8],
        blobs: &dyn Blobs,
    ) -> Result<(PuzzleTask<'static>, Vec<PuzzleItem>), HandlerError> {
        // 1. The chunks, before any player is resolved.
        let payload: PuzzlePayload = serde_json::from_slice(payload).map_err(|error| {
            HandlerError::InvalidJob(format!("it is no task of positions: {error}"))
        })?;
        if payload.reach == Reach::default() {
            let reason = "its searches have no limit".to_owned();
            return Err(HandlerError::InvalidJob(reason));
        }
        let (mut chunks, mut items) = (Vec::new(), Vec::new());
        for chunk in &payload.chunks {
            if chunk.player >= payload.players.len() {
                let reason = format!("it has no player {}", chunk.player);
                return Err(HandlerError::InvalidJob(reason));
            }
            let puzzles = chunk.puzzles.iter();
            let puzzles = puzzles.map(|it| from_text(it).map(Cow::Owned));
            chunks.push(PuzzleChunk {
                player: chunk.player,
                puzzles: puzzles.collect::<Result<_, _>>()?,
            });
            items.push(PuzzleItem {
                number: chunk.chunk,
                place: items.len(),
            });
        }

        // 2. The players.
        let players = payload.players.iter();
        let players = players.map(|player| self.player(player, blobs));
        let task = PuzzleTask {
            players: players.collect::<Result<_, _>>()?,
            chunks: Cow::Owned(chunks),
            reach: payload.reach,
            portable: OnceLock::new(),
            remote: true,
            failure: TaskFailure::default(),
        };
        Ok((task, items))
    }
}
