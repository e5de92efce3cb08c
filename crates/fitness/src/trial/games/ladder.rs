//! The ladder: players that stay the same, so that curves over generations mean
//! something.

use mendel_arena::statistics::{Anchor, CrossTable, Meeting, Points, Tally};
use serde::{Deserialize, Serialize};

use super::openings::Source;
use super::play::{Programmed, Seats, named};
use super::played_pair::Phase;
use super::schedule::Meetings;
use super::settings::{GameSettings, LadderSettings};
use super::tally::Tallied;
use crate::trial::{JudgingContext, LadderPoint, TrialError};

/// What the ladder knows already.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct LadderMemory {
    /// What its players made of it among themselves, by their places; played once.
    among: Vec<(usize, usize, Tallied)>,
    /// Who was measured last, and what came out: the same games would give the same.
    last: Option<(String, LadderPoint)>,
}

/// Openings of the ladder are the same for everybody who is measured, in every run.
const OPENINGS: u64 = 0x1ADD_E200;

impl LadderMemory {
    /// Measures whoever sits in `subject` of `seats`.
    pub(super) fn measure(
        &mut self,
        ladder: &LadderSettings,
        (settings, source): (&GameSettings, &Source),
        (mut seats, subject): (Seats, usize),
        context: &mut JudgingContext,
    ) -> Result<LadderPoint, TrialError> {
        let key = seats.key(subject).to_owned();
        if let Some((known, point)) = &self.last
            && *known == key
        {
            return Ok(*point);
        }
        // 1. Who meets whom: the newcomer everybody, and these each other, once.
        let pool: Vec<usize> = ladder
            .pool()
            .into_iter()
            .map(|text| seats.take(format!("player {text}"), || named(text, settings)))
            .collect::<Result<_, _>>()?;
        let mut meetings = Meetings::default();
        let pairs = ladder.games / 2;
        for (place, &seat) in pool.iter().enumerate() {
            meetings.add(subject, seat, pairs);
            for &other in pool
                .iter()
                .skip(place + 1)
                .filter(|_| self.among.is_empty())
            {
                meetings.add(seat, other, pairs);
            }
        }
        let played = Programmed {
            settings,
            source,
            phase: Phase::Ladder,
            seed: OPENINGS,
            dealt: None,
        }
        .play(&seats, &meetings, context)?;

        // 2. Remembered, and counted together.
        let result = |one: usize, other: usize| -> Tallied {
            match played.get(&(one.min(other), one.max(other))) {
                Some(tallied) if one < other => *tallied,
                Some(tallied) => tallied.reversed(),
                None => Tallied::default(),
            }
        };
        if self.among.is_empty() {
            for (place, &seat) in pool.iter().enumerate() {
                for (other, &opponent) in pool.iter().enumerate().skip(place + 1) {
                    self.among.push((place, other, result(seat, opponent)));
                }
            }
        }
        let own: Vec<Tallied> = pool.iter().map(|&seat| result(subject, seat)).collect();
        let point = self.rate(&own)?;
        self.last = Some((key, point));
        Ok(point)
    }

    /// The newcomer's rating from its games against each, and theirs.
    fn rate(&self, own: &[Tallied]) -> Result<LadderPoint, TrialError> {
        let newcomer = own.len();
        let mut table = CrossTable::new(newcomer + 1);
        let own = own
            .iter()
            .enumerate()
            .map(|(place, it)| (newcomer, place, *it));
        for (one, other, tallied) in self.among.iter().copied().chain(own.clone()) {
            for (points, count) in by_points(tallied.tally) {
                for _ in 0..count {
                    let game = Meeting {
                        pair: 0,
                        white: one,
                        black: other,
                        points,
                    };
                    table.count(&game).map_err(|error| broken(&error))?;
                }
            }
        }
        let anchor = Anchor {
            player: 0,
            rating: 0.0,
        };
        let ratings = table
            .ratings(Some(anchor))
            .map_err(|error| broken(&error))?;
        let rating = &ratings.ratings[newcomer];
        let (elo, error) = (rating.rating.unwrap_or(0.0), rating.error.unwrap_or(0.0));
        Ok(LadderPoint {
            elo,
            low: elo - error,
            high: elo + error,
            games: rating.tally.games(),
        })
    }
}

fn by_points(tally: Tally) -> [(Points, u64); 3] {
    [
        (Points::Win, tally.wins),
        (Points::Draw, tally.draws),
        (Points::Loss, tally.losses),
    ]
}

fn broken(error: &dyn std::fmt::Display) -> TrialError {
    TrialError::State {
        reason: error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tallied(wins: u64, losses: u64) -> Tallied {
        let tally = Tally {
            wins,
            draws: 20,
            losses,
        };
        Tallied {
            tally,
            pairs: [0; 5],
        }
    }

    /// The anchor stays at nought, whoever is measured.
    #[test]
    fn who_wins_more_stands_higher_and_more_games_are_surer() {
        let memory = LadderMemory {
            among: vec![(0, 1, tallied(10, 30))],
            last: None,
        };
        let rate = |wins, losses| {
            let games = [tallied(wins, losses), tallied(wins / 2, losses)];
            memory.rate(&games).expect("three players")
        };
        let (low, high) = (rate(10, 20), rate(30, 10));
        assert!(low.elo < high.elo, "{low:?} {high:?}");
        assert!(low.low < low.elo && low.elo < low.high);
        let surer = rate(300, 100);
        assert!(surer.high - surer.low < high.high - high.low);
        let alone = LadderMemory::default();
        let level = alone.rate(&[tallied(20, 20)]).expect("two players");
        assert!(level.elo.abs() < 1e-6 && level.games == 60, "{level:?}");
    }
}
