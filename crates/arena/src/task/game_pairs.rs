//! Game pairs between any two of some players: what breeding and tuning ask for.
//!
//! A [`Match`](crate::Match) has a folder, a schedule and an end condition. Here the caller
//! chooses the pairings and keeps the results in a memo.

use std::sync::atomic::AtomicBool;

use mendel_board::tablebase::Tablebase;
use mendel_crew::{Crew, CrewError, Done, Flow, MapError, Mapped};
use serde::{Deserialize, Serialize};

use super::PairTask;
use crate::{
    Adjudication, EndReason, Entrant, FirstMoves, MatchError, Opening, Pace, Patience, Played,
    Side, player_pool,
};

/// Players, openings and limits of game pairs.
#[derive(Clone, Debug)]
pub struct GamePairs {
    pub entrants: Vec<Entrant>,
    pub openings: Vec<Opening>,
    /// For players without their own.
    pub pace: Pace,
    pub patience: Patience,
    pub adjudication: Adjudication,
}

/// Two games from one opening with the colours changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GamePair {
    /// Equal after a resume.
    pub id: u64,
    /// Index of the entrant with White in the first game.
    pub first: usize,
    /// Index of the entrant with Black in the first game.
    pub second: usize,
    pub opening: usize,
    /// The only game of the two that is played, where it is one: 0 or 1.
    pub only: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GamePairResult {
    pub id: u64,
    /// The game in which the first has White, and the one in which it has Black; one
    /// that was not to be played is [`PairGame::NONE`].
    pub games: [PairGame; 2],
}

/// The result of a game, without anything that depends on a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairGame {
    /// For the first of the pair: 1 if it won, −1 if it lost, 0 for a draw.
    pub points: i8,
    /// Plies of both players; those of the opening are not counted.
    pub plies: u32,
    pub reason: EndReason,
    /// Nodes that both players said they searched.
    pub nodes: u64,
    /// How it began.
    #[serde(default, skip_serializing_if = "FirstMoves::is_empty")]
    pub first: FirstMoves,
}

impl GamePairs {
    /// Checks that all players can be started and keep the pace, and that the tables that
    /// adjudicate games can be read. Programs are started for it.
    ///
    /// # Errors
    ///
    /// The first player that cannot, or the tables, and why.
    pub fn check(&self) -> Result<(), MatchError> {
        let without = |entrant: &Entrant| entrant.pace.is_none();
        if self.pace == Pace::default() && self.entrants.iter().any(without) {
            return Err(MatchError::NoPace);
        }
        self.tablebase().transpose()?;
        self.entrants
            .iter()
            .try_for_each(|entrant| player_pool::check(entrant, self.pace))
    }

    pub(crate) fn tablebase(&self) -> Option<Result<Tablebase, mendel_board::BoardFileError>> {
        let rule = self.adjudication.syzygy.as_ref();
        rule.map(|rule| Tablebase::open(&rule.path))
    }
}

impl PairGame {
    /// A game that was not requested, or that no worker could play.
    pub const NONE: Self = Self {
        points: 0,
        plies: 0,
        reason: EndReason::LengthDraw,
        nodes: 0,
        first: FirstMoves::NONE,
    };

    /// The game from the point of view of the player of colour `first`.
    pub(crate) fn of(played: &Played, first: Side) -> Self {
        let points = match played.ending.winner {
            None => 0,
            Some(winner) if winner == first => 1,
            Some(_) => -1,
        };
        let nodes = played.moves.iter().filter_map(|record| record.nodes);
        Self {
            points,
            plies: u32::try_from(played.moves.len()).unwrap_or(u32::MAX),
            reason: played.ending.reason,
            // A program may say any number.
            nodes: nodes.fold(0, u64::saturating_add),
            first: FirstMoves::of(&played.moves),
        }
    }
}

/// Results of finished pairs, found again by their players and opening.
pub trait PairMemo {
    /// Why a result cannot be stored.
    type Error;

    /// The games of a pair, if it was finished before with the same players and opening.
    fn find(&self, pair: &GamePair) -> Option<[PairGame; 2]>;

    /// Stores the games of a pair.
    ///
    /// # Errors
    ///
    /// If they cannot be written.
    fn append(&mut self, pair: &GamePair, games: [PairGame; 2]) -> Result<(), Self::Error>;
}

/// Plays the pairs that `memo` does not have, stores each result before it is counted, and
/// returns all of them in the order of `pairs`: `None` if `stop` ended the work, and `None`
/// for a pair that no worker can play and the policy skips.
///
/// The ids of the pairs differ. `on_pair` is called for each pair that is found, then for
/// each that is played, in any order, with `None` for a skipped one.
///
/// A player with a fault loses the game, with the reason; one that cannot be started any
/// more loses it before the first move. The result of a pair depends on the pair alone if
/// the pace does: not on the crew, the order of `pairs`, or earlier games.
///
/// # Errors
///
/// Those of `memo` and `on_pair`, or why the crew cannot play.
///
/// # Panics
///
/// If a pair names a player or an opening that is not there.
#[expect(
    clippy::type_complexity,
    reason = "stopped, or a result or a skip for each pair"
)]
pub fn play_pairs<M: PairMemo, E: From<M::Error> + From<CrewError>>(
    crew: &Crew,
    task: &PairTask,
    pairs: &[GamePair],
    stop: &AtomicBool,
    memo: &mut M,
    on_pair: &mut dyn FnMut(&GamePair, Option<&[PairGame; 2]>) -> Result<(), E>,
) -> Result<Option<Vec<Option<[PairGame; 2]>>>, E> {
    // 1. What is finished already.
    let mut results: Vec<Option<[PairGame; 2]>> = Vec::with_capacity(pairs.len());
    for pair in pairs {
        let found = memo.find(pair);
        if let Some(games) = &found {
            on_pair(pair, Some(games))?;
        }
        results.push(found);
    }

    // 2. The rest, by ascending ids.
    let open = pairs.iter().zip(&results);
    let mut open: Vec<(GamePair, usize)> = open
        .enumerate()
        .filter(|(_, (_, found))| found.is_none())
        .map(|(place, (pair, _))| (*pair, place))
        .collect();
    open.sort_unstable_by_key(|(pair, _)| pair.id);
    let items: Vec<GamePair> = open.iter().map(|(pair, _)| *pair).collect();
    let mapped = map_pairs(crew, task, &items, stop, &mut |pair, done| {
        let games = match done {
            Done::Output(games) => {
                memo.append(pair, games)?;
                Some(games)
            }
            Done::Skipped => None,
        };
        let at = open.partition_point(|(other, _)| other.id < pair.id);
        results[open[at].1] = games;
        on_pair(pair, games.as_ref())
    })?;
    Ok((mapped == Mapped::All).then_some(results))
}

/// Receives the result of a pair.
pub type TakePair<'a, E> = dyn FnMut(&GamePair, Done<[PairGame; 2]>) -> Result<(), E> + 'a;

/// Plays pairs and gives each result to `done`, without a memo.
///
/// # Errors
///
/// Those of `done`, or why the crew cannot play.
///
/// # Panics
///
/// If a pair names a player or an opening that is not there.
pub fn map_pairs<E: From<CrewError>>(
    crew: &Crew,
    task: &PairTask,
    pairs: &[GamePair],
    stop: &AtomicBool,
    done: &mut TakePair<'_, E>,
) -> Result<Mapped, E> {
    for pair in pairs {
        assert!(task.has(pair), "{pair:?} of {task:?}");
    }
    let mapped = crew.map(task, pairs.iter().copied(), stop, &mut |pair, result| {
        done(pair, result).map(|()| Flow::Continue)
    });
    mapped.map_err(|error| match error {
        MapError::Work(error) => error.into(),
        MapError::Consumer(error) => error,
    })
}
