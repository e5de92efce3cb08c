//! The games of a match: pairings, colours, openings, and their order.

use serde::{Deserialize, Serialize};

use crate::MatchError;

/// The pairings of a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Each two players meet; with two players this is a match.
    #[default]
    RoundRobin,
    /// The first meets all others, who do not meet each other.
    Gauntlet,
    /// Each meets the next and the one after it: for players in the order of their
    /// strength.
    Ladder,
}

/// All games of a match or a tournament, in the order in which they are begun.
///
/// The list follows from format, number of players and number of games alone.
/// Round after round every pairing plays one opening with both colours, so all
/// pairings progress together and all get the same openings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Index of the first and the second of each pairing, in the order of a round.
    pairings: Vec<(usize, usize)>,
    rounds: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fixture {
    /// Its place in the schedule, from 0.
    pub game: u64,
    /// The pair it belongs to, from 0; games `2 * pair` and `2 * pair + 1`.
    pub pair: u64,
    /// Index of the player with White.
    pub white: usize,
    /// Index of the player with Black.
    pub black: usize,
    /// Index of the opening, from 0; may be larger than the book.
    pub opening: u64,
}

/// At a thousand games a second a month; indices stay far from any overflow.
const MAX_GAMES: u64 = 2_600_000_000;
const MAX_PLAYERS: usize = 10_000;

impl Schedule {
    /// A schedule for `players` in which any two that meet play `games` games,
    /// rounded up to pairs.
    ///
    /// # Errors
    ///
    /// If there are fewer than two players, or more games than can be played.
    pub fn new(format: Format, players: usize, games: u64) -> Result<Self, MatchError> {
        if players < 2 {
            return Err(MatchError::TooFewPlayers { players });
        }
        let too_many = || MatchError::TooManyGames {
            players,
            games,
            max: MAX_GAMES,
        };
        if players > MAX_PLAYERS {
            return Err(too_many());
        }
        let pairings = match format {
            Format::RoundRobin => round_robin(players),
            Format::Gauntlet => (1..players).map(|other| (0, other)).collect(),
            Format::Ladder => (0..players)
                .flat_map(|one| [(one, one + 1), (one, one + 2)])
                .filter(|&(_, other)| other < players)
                .collect(),
        };
        let rounds = games.div_ceil(2);
        let total = (pairings.len() as u128) * u128::from(rounds) * 2;
        if total > u128::from(MAX_GAMES) {
            return Err(too_many());
        }
        Ok(Self { pairings, rounds })
    }

    pub fn len(&self) -> u64 {
        self.pairs() * 2
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn pairs(&self) -> u64 {
        self.rounds * self.pairings.len() as u64
    }

    /// The number of openings each pairing plays.
    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    /// The pairings, as in the first game of each pair: White, Black.
    pub fn pairings(&self) -> &[(usize, usize)] {
        &self.pairings
    }

    /// The game with index `game`; `None` behind the last.
    pub fn fixture(&self, game: u64) -> Option<Fixture> {
        if game >= self.len() {
            return None;
        }
        let pair = game / 2;
        let pairings = self.pairings.len() as u64;
        let (first, second) = self.pairings[(pair % pairings) as usize];
        let (white, black) = if game.is_multiple_of(2) {
            (first, second)
        } else {
            (second, first)
        };
        Some(Fixture {
            game,
            pair,
            white,
            black,
            opening: pair / pairings,
        })
    }
}

/// All pairings of a round robin by the circle method: the first stays in its
/// seat, the others move by one, so no player waits long for a game.
fn round_robin(players: usize) -> Vec<(usize, usize)> {
    // An odd one out gets a partner who is not there.
    let seats = players.next_multiple_of(2);
    let mut pairings = Vec::with_capacity(players * (players - 1) / 2);
    for turn in 0..seats - 1 {
        let seated = |seat: usize| match seat {
            0 => 0,
            _ => (seat - 1 + turn) % (seats - 1) + 1,
        };
        for seat in 0..seats / 2 {
            let (one, other) = (seated(seat), seated(seats - 1 - seat));
            if one < players && other < players {
                pairings.push((one.min(other), one.max(other)));
            }
        }
    }
    pairings
}
