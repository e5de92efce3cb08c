//! What all games of a task share.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use mendel_board::tablebase::Tablebase;
use mendel_crew::{BlobId, Blobs, HandlerError, JobPayload, Site};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{OpeningLine, ProgramAllowlist, RemotePlayer, TaskBlobs};
use crate::player_pool::{self, PlayerPool};
use crate::{
    Adjudication, Entrant, Fault, GameSetting, Kind, Opening, Pace, Patience, Played, SeatError,
};

const TABLES_ARE_LOCAL: &str = "endgame tables lie in a folder of this machine, and workers take \
     no path from others; leave `--syzygy` out, or play without a crew";

/// The opening of an index.
pub(super) type OpeningSource<'a> = Box<dyn Fn(u64) -> Opening + Send + Sync + 'a>;

/// Players, openings and limits of the games of a task.
pub(super) struct TaskContext<'a> {
    pub(super) players: Vec<Entrant>,
    pub(super) opening: OpeningSource<'a>,
    /// Of players without their own.
    pub(super) pace: Pace,
    pub(super) patience: Patience,
    pub(super) adjudication: Adjudication,
    pub(super) tablebase: Option<Arc<Tablebase>>,
    /// The players as they travel, made on first use.
    portable: OnceLock<Result<PortablePlayers, String>>,
    /// On a worker: everything its started players depend on.
    pub(super) state_key: Option<String>,
}

struct PortablePlayers {
    players: Vec<RemotePlayer>,
    blobs: TaskBlobs,
}

/// Games for a worker, of one of the two kinds.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TaskPayload<G> {
    /// The games name them by their index.
    pub(super) players: Vec<RemotePlayer>,
    /// The games name them by their index.
    pub(super) openings: Vec<OpeningLine>,
    /// Of players without their own.
    pub(super) pace: Pace,
    pub(super) patience: Patience,
    /// Without tables, which lie in a folder of one machine.
    pub(super) adjudication: Adjudication,
    pub(super) games: Vec<G>,
}

impl<'a> TaskContext<'a> {
    pub(super) fn new(
        players: Vec<Entrant>,
        opening: OpeningSource<'a>,
        limits: (Pace, Patience),
        adjudication: Adjudication,
        tablebase: Option<Arc<Tablebase>>,
    ) -> Self {
        Self {
            players,
            opening,
            pace: limits.0,
            patience: limits.1,
            adjudication,
            tablebase,
            portable: OnceLock::new(),
            state_key: None,
        }
    }

    /// Locally, players are started when they first play. On a worker all are started
    /// before the first game: a player that cannot start there must not lose, because
    /// another machine may have the program, or the memory for its tables.
    pub(super) fn new_pool(&self, site: Site) -> Result<PlayerPool, HandlerError> {
        let mut pool = PlayerPool::default();
        if site == Site::Remote {
            for (place, player) in self.players.iter().enumerate() {
                let started = player_pool::start_checked(player, self.pace);
                pool.put(place, started.map_err(|error| rejection(player, &error))?);
            }
        }
        Ok(pool)
    }

    /// The set-up of a game between two players, White first.
    pub(super) fn setup(
        &self,
        (white, black): (usize, usize),
        opening: Opening,
        stop: Arc<AtomicBool>,
    ) -> GameSetting {
        let pace = |player: usize| self.players[player].pace.unwrap_or(self.pace);
        GameSetting {
            opening,
            white: pace(white),
            black: pace(black),
            patience: self.patience,
            adjudication: self.adjudication.clone(),
            tablebase: self.tablebase.clone(),
            stop,
        }
    }

    /// Plays a game; `None` if it was stopped.
    pub(super) fn play(
        &self,
        pool: &mut PlayerPool,
        players: (usize, usize),
        setup: &GameSetting,
    ) -> Option<Played> {
        pool.play(&self.players, players, setup)
    }

    /// Encodes games with the players and openings of `index`.
    pub(super) fn pack<G: Serialize>(
        &self,
        index: &TaskIndex,
        games: Vec<G>,
    ) -> Result<JobPayload, HandlerError> {
        let portable = self.portable.get_or_init(|| self.portable_players());
        let portable = portable
            .as_ref()
            .map_err(|reason| HandlerError::CannotRun(reason.clone()))?;
        let players = index.players.iter();
        let payload = TaskPayload {
            players: players.map(|&at| portable.players[at].clone()).collect(),
            openings: index
                .openings
                .iter()
                .map(|&at| OpeningLine::of(&(self.opening)(at)))
                .collect(),
            pace: self.pace,
            patience: self.patience,
            adjudication: self.adjudication.clone(),
            games,
        };
        let mut blobs: Vec<BlobId> = payload
            .players
            .iter()
            .flat_map(RemotePlayer::blobs)
            .collect();
        blobs.sort_unstable();
        blobs.dedup();
        Ok(JobPayload {
            bytes: serde_json::to_vec(&payload).expect("a payload is plain data"),
            blobs,
        })
    }

    fn portable_players(&self) -> Result<PortablePlayers, String> {
        if self.adjudication.syzygy.is_some() {
            return Err(TABLES_ARE_LOCAL.to_owned());
        }
        let mut blobs = TaskBlobs::new();
        let players = self.players.iter();
        let players = players
            .map(|player| RemotePlayer::pack(player, &mut blobs))
            .collect::<Result<_, _>>()?;
        Ok(PortablePlayers { players, blobs })
    }

    pub(super) fn blob(&self, id: &BlobId) -> Option<Arc<[u8]>> {
        let portable = self.portable.get()?.as_ref().ok()?;
        portable.blobs.get(id).cloned()
    }
}

impl TaskContext<'static> {
    /// Reads a payload on a worker, and lets its players in.
    pub(super) fn unpack<G: DeserializeOwned>(
        payload: &[u8],
        allowlist: &ProgramAllowlist,
        blobs: &dyn Blobs,
    ) -> Result<(Self, Vec<G>, usize), HandlerError> {
        let invalid = HandlerError::InvalidJob;
        let payload: TaskPayload<G> = serde_json::from_slice(payload)
            .map_err(|error| invalid(format!("it is no task of games: {error}")))?;
        if payload.adjudication.syzygy.is_some() {
            return Err(invalid("it names a folder with tables".to_owned()));
        }
        let openings = payload
            .openings
            .iter()
            .map(OpeningLine::opening)
            .collect::<Result<Vec<Opening>, _>>()
            .map_err(|reason| invalid(format!("an opening: {reason}")))?;
        let players = allowlist.resolve_players(&payload.players, blobs)?;
        let key = serde_json::to_string(&(&payload.players, payload.pace));
        let count = openings.len();
        let opening = move |at: u64| openings[at as usize].clone();
        let mut context = Self::new(
            players,
            Box::new(opening),
            (payload.pace, payload.patience),
            payload.adjudication,
            None,
        );
        context.state_key = Some(key.expect("players are plain data"));
        Ok((context, payload.games, count))
    }
}

/// Which players and openings some games need, in the order of first use.
#[derive(Default)]
pub(super) struct TaskIndex {
    players: Vec<usize>,
    openings: Vec<u64>,
}

impl TaskIndex {
    pub(super) fn player(&mut self, player: usize) -> usize {
        position_or_push(&mut self.players, player)
    }

    pub(super) fn opening(&mut self, opening: u64) -> usize {
        position_or_push(&mut self.openings, opening)
    }
}

fn position_or_push<T: PartialEq>(known: &mut Vec<T>, value: T) -> usize {
    known
        .iter()
        .position(|other| *other == value)
        .unwrap_or_else(|| {
            known.push(value);
            known.len() - 1
        })
}

/// Our own players take the same options on every machine; programs and memory differ
/// between machines.
fn rejection(player: &Entrant, error: &SeatError) -> HandlerError {
    let reason = error.to_string();
    match (&player.kind, &error.fault) {
        (Kind::Bred(_), Fault::Refused { .. }) => HandlerError::InvalidJob(reason),
        _ => HandlerError::CannotRun(reason),
    }
}
