//! Games as a job for somebody else: plain data, complete in itself.
//!
//! What a task holds is all that its games depend on. Nothing in it is a path or a
//! command: a bred player travels as the text of its file and its networks, a program
//! by its name alone, and whether a machine starts a program of that name, and how, is
//! for its owner to say ([`HouseRules`]).

mod entrant;
mod handler;
mod idle;
mod opening;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use mendel_crew::BlobId;
use mendel_engine::NetworkError;
use serde::{Deserialize, Serialize};

pub use self::entrant::{HouseRules, Text, Visitor, Who};
pub use self::handler::GameHandler;
pub use self::idle::Idle;
pub use self::opening::Line;
use crate::{
    Adjudication, BoutGame, Bouts, Fixture, GameRecord, Pace, Pair, PairOutcome, Patience, pgn,
};

/// What the crew calls these jobs.
pub const KIND: &str = "games";

/// Of the data of a task and of its answer: who has another one is not asked.
pub const VERSION: u32 = 1;

/// Bytes of the answer to a pair of which only the outcome is wanted, at most.
pub(crate) const PAIR_BYTES: usize = 512;

/// Bytes of the answer to two games of which everything is wanted: with thoughts and
/// times a move takes some 80, and a game of 200 moves is long.
pub(crate) const GAMES_BYTES: usize = 1 << 16;

/// Games for one worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameTask {
    /// Who plays; the games name them by their places.
    pub entrants: Vec<Visitor>,
    /// Where games start; the games name them by their places.
    pub openings: Vec<Line>,
    /// The pace of everybody who has none of its own.
    pub pace: Pace,
    /// How exactly time is taken.
    pub patience: Patience,
    /// What stops a game early; never tables, which lie in somebody's folder.
    pub adjudication: Adjudication,
    /// The games.
    pub games: Block,
}

/// The games of a task, in one of two forms.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Block {
    /// Pairs, of which only the outcomes are wanted.
    Pairs(Vec<TaskPair>),
    /// Single games, of which everything is wanted.
    Games(Vec<TaskGame>),
}

/// A [`Pair`] with the places of its task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskPair {
    /// What its outcome is found by.
    pub id: u64,
    /// Who has White in the first game.
    pub first: usize,
    /// Who has Black in the first game.
    pub second: usize,
    /// Which opening.
    pub opening: usize,
    /// The only game of the two that is played, where it is one: 0 or 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<usize>,
}

/// A [`Fixture`] with the places of its task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskGame {
    /// Its place in the schedule.
    pub game: u64,
    /// The pair it belongs to.
    pub pair: u64,
    /// Who has White.
    pub white: usize,
    /// Who has Black.
    pub black: usize,
    /// Which opening.
    pub opening: usize,
}

/// What came of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// The outcomes, in the order of the pairs.
    Pairs(Vec<PairOutcome>),
    /// The games in their order; players by their places in the task.
    Games(Vec<GameRecord>),
}

impl Answer {
    /// Whether somebody crashed, stalled or did not even start.
    fn has_fault(&self) -> bool {
        match self {
            Self::Pairs(pairs) => pairs
                .iter()
                .flat_map(|pair| pair.games)
                .any(|game| game.reason.is_fault()),
            Self::Games(games) => games.iter().any(|game| game.ending.reason.is_fault()),
        }
    }
}

/// Why games cannot be given to others.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CarryError {
    /// A network of a player cannot be read.
    #[error("`{name}` cannot travel to a worker: {source}")]
    Network {
        /// Who.
        name: String,
        /// Which network, and why.
        source: NetworkError,
    },
    /// An option that names a file, or could.
    #[error(
        "`{name}` cannot travel to a worker with `{option}={value}`: {reason}; leave it out, or play without a crew"
    )]
    Option {
        /// Who.
        name: String,
        /// The option.
        option: String,
        /// Its value.
        value: String,
        /// Why not.
        reason: &'static str,
    },
    /// Arguments, a folder or an environment.
    #[error(
        "`{name}` cannot travel to a worker with {what}: programs go by their names; leave it out here, and let each worker say how it is started: `mendel worker --allow '{program}=PROGRAM ARGUMENTS'`"
    )]
    Command {
        /// Who.
        name: String,
        /// What of the command cannot travel.
        what: &'static str,
        /// The program's name.
        program: String,
    },
    /// Tables are files.
    #[error(
        "endgame tables lie in a folder of this machine, and workers take no path from others; leave `--syzygy` out, or play without a crew"
    )]
    Tables,
}

/// What several tasks need and none holds itself, by content.
pub type Luggage = BTreeMap<BlobId, Arc<[u8]>>;

/// Everybody who may play and what for, made ready to travel once; tasks are cut from it.
#[derive(Debug)]
pub(crate) struct Packed<'a> {
    bouts: &'a Bouts,
    visitors: Vec<Visitor>,
    pub(crate) luggage: Luggage,
}

impl<'a> Packed<'a> {
    /// Packs all entrants of `bouts`.
    pub(crate) fn new(bouts: &'a Bouts) -> Result<Self, CarryError> {
        if bouts.adjudication.syzygy.is_some() {
            return Err(CarryError::Tables);
        }
        let mut luggage = Luggage::new();
        let entrants = bouts.entrants.iter();
        let visitors = entrants
            .map(|entrant| Visitor::pack(entrant, &mut luggage))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            bouts,
            visitors,
            luggage,
        })
    }

    /// The task of some pairs.
    pub(crate) fn pairs(&self, pairs: &[Pair]) -> GameTask {
        let mut cut = Cut::default();
        let pairs = pairs.iter().map(|pair| TaskPair {
            id: pair.id,
            first: cut.player(pair.first),
            second: cut.player(pair.second),
            opening: cut.opening(pair.opening as u64),
            only: pair.only,
        });
        let games = Block::Pairs(pairs.collect());
        self.task(&cut, games, |opening| {
            Line::of(&self.bouts.openings[opening as usize])
        })
    }

    /// The task of some games of a schedule.
    pub(crate) fn games(
        &self,
        fixtures: &[Fixture],
        opening: impl Fn(u64) -> crate::Opening,
    ) -> GameTask {
        let mut cut = Cut::default();
        let games = fixtures.iter().map(|fixture| TaskGame {
            game: fixture.game,
            pair: fixture.pair,
            white: cut.player(fixture.white),
            black: cut.player(fixture.black),
            opening: cut.opening(fixture.opening),
        });
        let games = Block::Games(games.collect());
        self.task(&cut, games, |at| Line::of(&opening(at)))
    }

    fn task(&self, cut: &Cut, games: Block, line: impl Fn(u64) -> Line) -> GameTask {
        let players = cut.players.iter();
        GameTask {
            entrants: players.map(|&at| self.visitors[at].clone()).collect(),
            openings: cut.openings.iter().map(|&at| line(at)).collect(),
            pace: self.bouts.pace,
            patience: self.bouts.patience,
            adjudication: self.bouts.adjudication.clone(),
            games,
        }
    }
}

impl GameTask {
    /// As it is sent.
    pub(crate) fn payload(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a task is plain data")
    }

    /// What it needs beside itself.
    pub(crate) fn blobs(&self) -> Vec<BlobId> {
        let mut blobs: Vec<BlobId> = self.entrants.iter().flat_map(Visitor::blobs).collect();
        blobs.sort_unstable();
        blobs.dedup();
        blobs
    }
}

/// Which players and openings a task needs, in the order in which it first does.
#[derive(Default)]
struct Cut {
    players: Vec<usize>,
    openings: Vec<u64>,
}

impl Cut {
    fn player(&mut self, player: usize) -> usize {
        place(&mut self.players, player)
    }

    fn opening(&mut self, opening: u64) -> usize {
        place(&mut self.openings, opening)
    }
}

fn place<T: PartialEq>(places: &mut Vec<T>, it: T) -> usize {
    places
        .iter()
        .position(|known| *known == it)
        .unwrap_or_else(|| {
            places.push(it);
            places.len() - 1
        })
}

/// The outcomes of `asked`, if the answer holds all of them and they can be true.
pub(crate) fn outcomes(answer: &[u8], asked: &[Pair]) -> Result<Vec<PairOutcome>, String> {
    let Answer::Pairs(outcomes) = read(answer)? else {
        return Err("it holds games where pairs were asked for".to_owned());
    };
    // A block that was asked for in an earlier life may hold more than is open now.
    asked
        .iter()
        .map(|pair| {
            let found = outcomes.iter().find(|outcome| outcome.id == pair.id);
            let outcome = found.ok_or_else(|| format!("pair {} is not in it", pair.id))?;
            for (place, game) in outcome.games.iter().enumerate() {
                let wanted = pair.only.is_none_or(|only| only == place);
                let number = place + 1;
                if (*game == BoutGame::NONE) == wanted {
                    let told = if wanted { "not " } else { "" };
                    return Err(format!(
                        "game {number} of pair {} was {told}played",
                        pair.id
                    ));
                }
                if !(-1..=1).contains(&game.points) {
                    let points = game.points;
                    return Err(format!(
                        "game {number} of pair {} has {points} points",
                        pair.id
                    ));
                }
            }
            Ok(*outcome)
        })
        .collect()
}

/// The games of `asked`, if the answer holds all of them, from their openings and by the
/// rules. What is taken is written down, and must be good for ever.
pub(crate) fn records(
    answer: &[u8],
    asked: &[Fixture],
    opening: impl Fn(u64) -> crate::Opening,
) -> Result<Vec<GameRecord>, String> {
    let Answer::Games(records) = read(answer)? else {
        return Err("it holds pairs where games were asked for".to_owned());
    };
    asked
        .iter()
        .map(|fixture| {
            let found = records.iter().find(|record| record.game == fixture.game);
            let record = found.ok_or_else(|| format!("game {} is not in it", fixture.game))?;
            let begun = opening(fixture.opening).game();
            let moves = begun.moves().iter().zip(begun.positions());
            if record.start != begun.start().fen()
                || !moves
                    .map(|(&m, at)| at.uci(m))
                    .eq(record.opening.iter().cloned())
            {
                return Err(format!("game {} has another opening", fixture.game));
            }
            pgn::replay(record).map_err(|error| error.to_string())?;
            Ok(GameRecord {
                pair: fixture.pair,
                white: fixture.white,
                black: fixture.black,
                ..record.clone()
            })
        })
        .collect()
}

fn read(answer: &[u8]) -> Result<Answer, String> {
    serde_json::from_slice(answer).map_err(|error| format!("it cannot be read: {error}"))
}
