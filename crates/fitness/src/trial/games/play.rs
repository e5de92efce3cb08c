//! Meetings played, or found in the memo.

use std::collections::BTreeMap;
use std::sync::Arc;

use mendel_arena::task::PairTask;
use mendel_arena::{
    Entrant, GamePair, GamePairResult, GamePairs, MatchPlan, PairGame, PairMemo, Patience,
    play_pairs,
};
use mendel_engine::Player;

use super::openings::Source;
use super::played_pair::{Phase, PlayedPair};
use super::schedule::{Meetings, Seat};
use super::settings::GameSettings;
use super::tally::Tallied;
use crate::trial::{Judging, JudgingContext, TrialError};
use mendel_store::frame::Memo;

/// Everybody who plays in a round: each has a seat, and what is alike shares one.
#[derive(Debug, Default)]
pub(super) struct Seats {
    entrants: Vec<Entrant>,
    /// What each is recognised by, in whichever generation.
    keys: Vec<String>,
}

impl Seats {
    /// The seat of whoever is recognised by `key`; `make` is asked for a new one.
    pub(super) fn take<E>(
        &mut self,
        key: String,
        make: impl FnOnce() -> Result<Entrant, E>,
    ) -> Result<Seat, E> {
        if let Some(seat) = self.keys.iter().position(|known| *known == key) {
            return Ok(seat);
        }
        self.entrants.push(make()?);
        self.keys.push(key);
        Ok(self.keys.len() - 1)
    }

    /// What the one in a seat is recognised by.
    pub(super) fn key(&self, seat: Seat) -> &str {
        &self.keys[seat]
    }
}

/// A bred player that plays in this process.
pub(super) fn bred(name: String, player: Player, settings: &GameSettings) -> Entrant {
    Entrant::bred(name, Arc::new(player), hash(settings))
}

fn hash(settings: &GameSettings) -> Vec<(String, String)> {
    vec![("Hash".to_owned(), settings.hash.to_string())]
}

/// A player that a recipe names; one of ours has a table like the members'.
pub(super) fn named(text: &str, settings: &GameSettings) -> Result<Entrant, TrialError> {
    let mut entrant = Entrant::parse(text).map_err(|error| TrialError::Key {
        key: "players",
        reason: error.to_string(),
    })?;
    let is_bred = matches!(entrant.kind, mendel_arena::Kind::Bred(_));
    let has_hash = |options: &[(String, String)]| {
        let mut names = options.iter().map(|it| &it.0);
        names.any(|name| name.eq_ignore_ascii_case("hash"))
    };
    if is_bred && !has_hash(&entrant.options) {
        entrant.options.extend(hash(settings));
    }
    Ok(entrant)
}

/// What is played in one phase of a context.
#[derive(Debug)]
pub(super) struct Programmed<'a> {
    pub(super) settings: &'a GameSettings,
    pub(super) source: &'a Source,
    pub(super) phase: Phase,
    /// What the openings are drawn by.
    pub(super) seed: u64,
    /// The openings, where they were dealt and are not drawn.
    pub(super) dealt: Option<Vec<usize>>,
}

impl Programmed<'_> {
    /// Plays all meetings that are not in the memo; from the side of the seat
    /// with the lower number.
    pub(super) fn play(
        &self,
        seats: &Seats,
        meetings: &Meetings,
        context: &mut JudgingContext,
    ) -> Result<BTreeMap<(Seat, Seat), Tallied>, TrialError> {
        // 1. All pairs, numbered in a fixed order.
        let longest = meetings.longest() as usize;
        let random_plies = self.settings.random_plies;
        let openings = match &self.dealt {
            Some(dealt) => dealt.iter().map(|&index| self.source.at(index)).collect(),
            None => self.source.draw(self.seed, longest, random_plies),
        };
        let setup = GamePairs {
            entrants: seats.entrants.clone(),
            openings,
            pace: self.settings.pace(),
            patience: Patience::default(),
            adjudication: self.settings.adjudication(),
        };
        let mut pairs: Vec<GamePair> = Vec::new();
        for (first, second, meeting) in meetings.iter() {
            pairs.extend((0..meeting.pairs as usize).map(|opening| GamePair {
                id: 0,
                first,
                second,
                opening,
                only: meeting.only,
            }));
        }
        for (number, pair) in pairs.iter_mut().enumerate() {
            pair.id = number as u64;
        }

        // 2. What is in the memo is not played again, and each pair is written down before it
        //    is counted.
        let generation = context.generation;
        let wanted = |pair: &GamePair, games| PlayedPair {
            generation,
            phase: self.phase,
            pair: pair.id,
            first: seats.entrants[pair.first].name.clone(),
            second: seats.entrants[pair.second].name.clone(),
            opening: pair.opening,
            games,
        };
        let games = |pairs: usize| pairs as u64 * if self.settings.is_single() { 1 } else { 2 };
        let mut found = 0;
        let mut faults = Faults::default();
        for pair in &pairs {
            if let Some(record) = context.pairs.find(&wanted(pair, NO_GAMES)) {
                faults.count(seats, pair, &record.games)?;
                found += 1;
            }
        }
        let mut memo = PhaseMemo {
            memo: &mut context.pairs,
            wanted: &wanted,
            seats,
            faults,
        };
        let mut judging = Judging {
            done: 0,
            found: games(found),
            total: games(pairs.len()),
        };
        let mut met: BTreeMap<(Seat, Seat), Tallied> = BTreeMap::new();
        if found == 0 {
            (context.watch)(judging);
        }
        let crew = context
            .crew
            .part(&format!("g{generation}-{}", self.phase.name()));
        let watch = &mut *context.watch;
        let task = PairTask::new(&setup);
        let played = play_pairs(
            &crew,
            &task,
            &pairs,
            &context.stop,
            &mut memo,
            &mut |pair, result_games| {
                // A skipped pair counts as one without games.
                let result = GamePairResult {
                    id: pair.id,
                    games: result_games.copied().unwrap_or(NO_GAMES),
                };
                met.entry((pair.first, pair.second))
                    .or_default()
                    .count(&result);
                judging.done += games(1);
                if judging.done >= judging.found {
                    watch(judging);
                }
                Ok::<(), TrialError>(())
            },
        )?;
        played.map(|_| met).ok_or(TrialError::Stopped)
    }
}

/// The pairs of a phase in the memo.
struct PhaseMemo<'a, F> {
    memo: &'a mut Memo<PlayedPair>,
    /// The record of a pair with these games.
    wanted: &'a F,
    seats: &'a Seats,
    faults: Faults,
}

impl<F: Fn(&GamePair, [PairGame; 2]) -> PlayedPair> PairMemo for PhaseMemo<'_, F> {
    type Error = TrialError;

    fn find(&self, pair: &GamePair) -> Option<[PairGame; 2]> {
        let found = self.memo.find(&(self.wanted)(pair, NO_GAMES));
        found.map(|result| result.games)
    }

    fn append(&mut self, pair: &GamePair, games: [PairGame; 2]) -> Result<(), TrialError> {
        // The game with the one fault too many is played again after a resume.
        self.faults.count(self.seats, pair, &games)?;
        Ok(self.memo.append((self.wanted)(pair, games))?)
    }
}

/// Games that somebody lost by misbehaving, for each seat.
#[derive(Debug, Default)]
struct Faults(BTreeMap<Seat, u64>);

impl Faults {
    /// Refuses to go on with somebody who crashes or stalls again and again: to win
    /// against it says nothing. Who breaks down in one game of a thousand loses that game.
    fn count(
        &mut self,
        seats: &Seats,
        pair: &GamePair,
        games: &[PairGame; 2],
    ) -> Result<(), TrialError> {
        for game in games.iter().filter(|game| game.reason.is_fault()) {
            let loser = if game.points > 0 {
                pair.second
            } else {
                pair.first
            };
            let count = self.0.entry(loser).or_default();
            *count += 1;
            if *count > MatchPlan::MAX_FAULTS {
                return Err(TrialError::Faults {
                    who: seats.entrants[loser].name.clone(),
                    count: *count,
                    last: game.reason,
                });
            }
        }
        Ok(())
    }
}

/// In place of games, to look for them.
const NO_GAMES: [PairGame; 2] = [PairGame::NONE; 2];
