//! Counts of games and pairs.

use std::collections::BTreeMap;
use std::ops::{Add, AddAssign};

use serde::{Deserialize, Serialize};

use crate::{GameRecord, Side};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Points {
    Loss,
    Draw,
    Win,
}

impl Points {
    /// In half points: 0, 1, 2.
    pub fn halves(self) -> u64 {
        self as u64
    }

    /// Points: 0, ½ or 1.
    pub fn points(self) -> f64 {
        self.halves() as f64 / 2.0
    }

    /// What the other player got.
    #[must_use]
    pub fn reversed(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::Draw => Self::Draw,
            Self::Win => Self::Loss,
        }
    }
}

/// As much of a finished game as counting needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meeting {
    /// The pair it belongs to: the same opening with both colours.
    pub pair: u64,
    /// Index of the player with White.
    pub white: usize,
    /// Index of the player with Black.
    pub black: usize,
    /// What White got.
    pub points: Points,
}

impl From<&GameRecord> for Meeting {
    fn from(game: &GameRecord) -> Self {
        Self {
            pair: game.pair,
            white: game.white,
            black: game.black,
            points: match game.ending.winner {
                Some(Side::White) => Points::Win,
                Some(Side::Black) => Points::Loss,
                None => Points::Draw,
            },
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
}

impl Tally {
    pub fn count(&mut self, points: Points) {
        match points {
            Points::Loss => self.losses += 1,
            Points::Draw => self.draws += 1,
            Points::Win => self.wins += 1,
        }
    }

    /// Takes back a game that was counted.
    fn remove(&mut self, points: Points) {
        match points {
            Points::Loss => self.losses -= 1,
            Points::Draw => self.draws -= 1,
            Points::Win => self.wins -= 1,
        }
    }

    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points in halves: a win is two.
    pub fn halves(&self) -> u64 {
        2 * self.wins + self.draws
    }

    pub fn points(&self) -> f64 {
        self.halves() as f64 / 2.0
    }

    /// Points for each game; `None` without games.
    pub fn ratio(&self) -> Option<f64> {
        (self.games() > 0).then(|| self.points() / self.games() as f64)
    }

    /// The part of the games that was drawn; `None` without games.
    pub fn draw_ratio(&self) -> Option<f64> {
        (self.games() > 0).then(|| self.draws as f64 / self.games() as f64)
    }

    /// From the point of view of the other player.
    #[must_use]
    pub fn reversed(&self) -> Self {
        Self {
            wins: self.losses,
            draws: self.draws,
            losses: self.wins,
        }
    }
}

impl Add for Tally {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            wins: self.wins + other.wins,
            draws: self.draws + other.draws,
            losses: self.losses + other.losses,
        }
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

/// The games of one player, against one opponent or several.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Score {
    pub white: Tally,
    pub black: Tally,
    /// Whole pairs by what both games together gave: 0, ½, 1, 1½ and 2 points.
    pub pairs: [u64; 5],
    /// The games whose other half is still to come, by pair.
    #[serde(skip)]
    open: BTreeMap<u64, Points>,
}

impl Score {
    /// Counts a game. The second of a pair completes it, whichever came first; a
    /// pair has two games.
    pub fn count(&mut self, pair: u64, side: Side, points: Points) {
        match side {
            Side::White => self.white.count(points),
            Side::Black => self.black.count(points),
        }
        match self.open.remove(&pair) {
            Some(first) => self.pairs[(first.halves() + points.halves()) as usize] += 1,
            None => {
                self.open.insert(pair, points);
            }
        }
    }

    /// The score of one player in a list of games, against all others or against
    /// one opponent.
    pub fn of(player: usize, opponent: Option<usize>, games: &[Meeting]) -> Self {
        let mut score = Self::default();
        let is_opponent = |other| other != player && opponent.is_none_or(|only| only == other);
        for game in games {
            if game.white == player && is_opponent(game.black) {
                score.count(game.pair, Side::White, game.points);
            } else if game.black == player && is_opponent(game.white) {
                score.count(game.pair, Side::Black, game.points.reversed());
            }
        }
        score
    }

    pub fn total(&self) -> Tally {
        self.white + self.black
    }

    /// Games whose pair is not complete.
    pub fn unpaired(&self) -> u64 {
        self.open.len() as u64
    }

    /// The games that the estimates rest on, see [`outcomes`](Self::outcomes).
    pub fn estimated(&self) -> Tally {
        let mut tally = self.total();
        if matches!(self.outcomes(), Outcomes::Pairs(_)) {
            for points in self.open.values() {
                tally.remove(*points);
            }
        }
        tally
    }

    /// What the estimates rest on: the whole pairs if there is one, and then the
    /// unpaired games count for nothing yet; the single games otherwise.
    ///
    /// A test that stops by itself should not change its basis after the first
    /// pair: it takes `Outcomes::Pairs(score.pairs)` from the start.
    pub fn outcomes(&self) -> Outcomes {
        if self.pairs.iter().any(|&count| count > 0) {
            Outcomes::Pairs(self.pairs)
        } else {
            let total = self.total();
            Outcomes::Games([total.losses, total.draws, total.wins])
        }
    }
}

/// Independent results, from the worst to the best.
///
/// The games of a pair share an opening and are not independent of each other;
/// counted as pairs, what one colour gains by the opening the other loses, and the
/// error is as small as it deserves to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcomes {
    /// Pairs that gave 0, ½, 1, 1½ and 2 points: the pentanomial.
    Pairs([u64; 5]),
    /// Games lost, drawn and won: the trinomial.
    Games([u64; 3]),
}

impl Outcomes {
    /// How often each happened, from the worst to the best.
    pub fn counts(&self) -> &[u64] {
        match self {
            Self::Pairs(counts) => counts,
            Self::Games(counts) => counts,
        }
    }

    pub fn games_each(&self) -> u64 {
        match self {
            Self::Pairs(_) => 2,
            Self::Games(_) => 1,
        }
    }

    /// From the point of view of the other player.
    #[must_use]
    pub fn reversed(&self) -> Self {
        let mut other = *self;
        match &mut other {
            Self::Pairs(counts) => counts.reverse(),
            Self::Games(counts) => counts.reverse(),
        }
        other
    }
}
