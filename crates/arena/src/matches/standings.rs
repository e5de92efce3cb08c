//! The standings of a match: all that follows from the games that count.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::statistics::{
    Anchor, CrossTable, EloEstimate, Meeting, Outcomes, Ratings, Score, Sprt, SprtState, Tally,
};
use crate::{EndReason, GameRecord, Schedule, Side};

/// The games that count, added up.
#[derive(Clone, Debug)]
pub struct Standings {
    names: Vec<String>,
    pairings: Vec<(usize, usize)>,
    scores: Vec<Score>,
    cross: CrossTable,
    reasons: BTreeMap<EndReason, u64>,
    faults: Vec<u64>,
    time_losses: Vec<u64>,
    games: u64,
}

/// One pairing, from the point of view of its first player.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pairing {
    pub first: String,
    pub second: String,
    pub tally: Tally,
    /// The first player's games with White.
    pub white: Tally,
    /// The first player's games with Black.
    pub black: Tally,
    /// Pairs in which it made 0, ½, 1, 1½ and 2 points.
    pub pairs: [u64; 5],
    pub elo: EloEstimate,
    /// Where the test stands, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtState>,
}

impl Pairing {
    /// The games that the Elo rests on and their score: those of whole pairs, if there is one.
    pub fn estimated(&self) -> (u64, Option<f64>) {
        let pairs: u64 = self.pairs.iter().sum();
        if pairs == 0 {
            return (self.tally.games(), self.tally.ratio());
        }
        let half_points = (0..)
            .zip(self.pairs)
            .map(|(half, count): (u64, u64)| half * count);
        let ratio = half_points.sum::<u64>() as f64 / (4 * pairs) as f64;
        (2 * pairs, Some(ratio))
    }
}

/// The result of a match: `result.json`, and the last line of `--json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchSummary {
    pub players: Vec<String>,
    /// Games that count.
    pub games: u64,
    /// One for each pairing.
    pub pairings: Vec<Pairing>,
    /// Ratings, where more than two played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratings: Option<Ratings>,
    pub reasons: BTreeMap<EndReason, u64>,
    /// Faults by player.
    pub faults: Vec<u64>,
    pub time_losses: Vec<u64>,
    /// Why the match is over, or that it is not.
    pub conclusion: Conclusion,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Conclusion {
    /// Games are still to be played.
    Unfinished,
    AllPlayed,
    /// The test accepted the upper hypothesis.
    Accepted,
    /// The test accepted the lower hypothesis.
    Rejected,
    /// A player had too many faults.
    TooManyFaults {
        player: String,
        faults: u64,
    },
}

impl Standings {
    /// Nothing played yet.
    pub fn new(names: Vec<String>, schedule: &Schedule) -> Self {
        let players = names.len();
        Self {
            pairings: schedule.pairings().to_vec(),
            scores: vec![Score::default(); schedule.pairings().len()],
            cross: CrossTable::new(players),
            reasons: BTreeMap::new(),
            faults: vec![0; players],
            time_losses: vec![0; players],
            games: 0,
            names,
        }
    }

    /// Counts a game.
    ///
    /// # Panics
    ///
    /// If its players are not of this match, which the folder has checked.
    pub fn count(&mut self, record: &GameRecord) {
        let meeting = Meeting::from(record);
        let index = self
            .pairings
            .iter()
            .position(|&(a, b)| {
                (a, b) == (record.white, record.black) || (b, a) == (record.white, record.black)
            })
            .expect("the schedule has this pairing");
        let (side, points) = if self.pairings[index].0 == record.white {
            (Side::White, meeting.points)
        } else {
            (Side::Black, meeting.points.reversed())
        };
        self.scores[index].count(record.pair, side, points);
        self.cross
            .count(&meeting)
            .expect("the schedule has these players");
        *self.reasons.entry(record.ending.reason).or_default() += 1;
        if let Some(loser) = loser(record) {
            if record.ending.reason.is_fault() {
                self.faults[loser] += 1;
            }
            if record.ending.reason == EndReason::Time {
                self.time_losses[loser] += 1;
            }
        }
        self.games += 1;
    }

    /// Games that count.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// The test's state in the first pairing.
    pub fn test(&self, sprt: &Sprt) -> SprtState {
        sprt.judge(&Outcomes::Pairs(self.scores[0].pairs))
    }

    /// The player with most faults, and their number.
    pub fn worst_faults(&self) -> (usize, u64) {
        let worst = self
            .faults
            .iter()
            .enumerate()
            .max_by_key(|(_, faults)| **faults);
        worst.map_or((0, 0), |(player, faults)| (player, *faults))
    }

    /// The games of whole pairs and the difference in Elo, of a match of two.
    pub(super) fn only_pairing(&self) -> Option<(Tally, EloEstimate)> {
        let [score] = &self.scores[..] else {
            return None;
        };
        Some((score.estimated(), EloEstimate::of(&score.outcomes())))
    }

    /// The player with the largest share of points, and the share.
    pub(super) fn leader(&self) -> (&str, f64) {
        let mut points = vec![(0.0, 0_u64); self.names.len()];
        for (&(first, second), score) in self.pairings.iter().zip(&self.scores) {
            let (tally, games) = (score.total(), score.total().games());
            let made = tally.wins as f64 + tally.draws as f64 / 2.0;
            for (player, share) in [(first, made), (second, games as f64 - made)] {
                points[player].0 += share;
                points[player].1 += games;
            }
        }
        let ratio = |&(points, games): &(f64, u64)| points / games.max(1) as f64;
        let shares = points.iter().map(ratio).enumerate();
        let (leader, share) = shares
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .unwrap_or_default();
        (&self.names[leader], share)
    }

    /// All that can be said.
    pub fn summary(
        &self,
        sprt: Option<&Sprt>,
        anchor: Option<Anchor>,
        conclusion: Conclusion,
    ) -> MatchSummary {
        let pairing = |(&(first, second), score): (&(usize, usize), &Score)| Pairing {
            first: self.names[first].clone(),
            second: self.names[second].clone(),
            tally: score.total(),
            white: score.white,
            black: score.black,
            pairs: score.pairs,
            elo: EloEstimate::of(&score.outcomes()),
            sprt: sprt.map(|sprt| sprt.judge(&Outcomes::Pairs(score.pairs))),
        };
        MatchSummary {
            players: self.names.clone(),
            games: self.games,
            pairings: self
                .pairings
                .iter()
                .zip(&self.scores)
                .map(pairing)
                .collect(),
            ratings: (self.names.len() > 2)
                .then(|| self.cross.ratings(anchor).ok())
                .flatten(),
            reasons: self.reasons.clone(),
            faults: self.faults.clone(),
            time_losses: self.time_losses.clone(),
            conclusion,
        }
    }
}

/// The index of the player that lost.
fn loser(record: &GameRecord) -> Option<usize> {
    record.ending.winner.map(|winner| match winner {
        Side::White => record.black,
        Side::Black => record.white,
    })
}
