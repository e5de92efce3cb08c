//! Ratings for a pool of players.

use serde::{Deserialize, Serialize};

use super::likelihood::logistic;
use super::{ELO, Meeting, StatisticsError, Tally, deviate_of_95};

/// Weight of the prior where one is needed, in games.
const PRIOR_GAMES: f64 = 1.0;

/// The points of each player against each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CrossTable {
    players: usize,
    /// Row by row, from the point of view of the player of the row.
    tallies: Vec<Tally>,
}

/// A player whose rating is given.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Anchor {
    pub player: usize,
    pub rating: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rating {
    pub player: usize,
    pub tally: Tally,
    /// Elo; `None` for a player without games.
    pub rating: Option<f64>,
    /// Half the width of its interval of 95 %, relative to the anchor or, without
    /// one, to the mean of the pool. 0 for the anchor itself.
    pub error: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ratings {
    /// One for each player, in the order of their indices.
    pub ratings: Vec<Rating>,
    /// What the ratings are relative to; `None` if their mean is zero, also
    /// because the anchor has not played yet.
    pub anchor: Option<Anchor>,
    /// Weight of the prior in games for each player; 0 if the games alone decide.
    pub prior_games: f64,
}

impl CrossTable {
    pub fn new(players: usize) -> Self {
        Self {
            players,
            tallies: vec![Tally::default(); players * players],
        }
    }

    /// The table of a list of games.
    ///
    /// # Errors
    ///
    /// If a game names a player who is not in the pool.
    pub fn of(players: usize, games: &[Meeting]) -> Result<Self, StatisticsError> {
        let mut table = Self::new(players);
        for game in games {
            table.count(game)?;
        }
        Ok(table)
    }

    /// Counts a game. One of a player against itself says nothing and is left out.
    ///
    /// # Errors
    ///
    /// If it names a player who is not in the pool.
    pub fn count(&mut self, game: &Meeting) -> Result<(), StatisticsError> {
        for player in [game.white, game.black] {
            self.check(player)?;
        }
        if game.white != game.black {
            self.tallies[game.white * self.players + game.black].count(game.points);
            self.tallies[game.black * self.players + game.white].count(game.points.reversed());
        }
        Ok(())
    }

    pub fn players(&self) -> usize {
        self.players
    }

    /// What one player scored against another; nothing for players not in the pool.
    pub fn tally(&self, player: usize, opponent: usize) -> Tally {
        if player < self.players && opponent < self.players {
            self.tallies[player * self.players + opponent]
        } else {
            Tally::default()
        }
    }

    /// What one player scored against all.
    pub fn total(&self, player: usize) -> Tally {
        (0..self.players)
            .map(|opponent| self.tally(player, opponent))
            .fold(Tally::default(), |sum, tally| sum + tally)
    }

    fn check(&self, player: usize) -> Result<(), StatisticsError> {
        if player < self.players {
            Ok(())
        } else {
            Err(StatisticsError::UnknownPlayer {
                player,
                players: self.players,
            })
        }
    }

    /// The ratings under which the games were most likely.
    ///
    /// # Source
    ///
    /// Zermelo, "Die Berechnung der Turnier-Ergebnisse als ein Maximumproblem der
    /// Wahrscheinlichkeitsrechnung", *Mathematische Zeitschrift* 29, 1929; Bradley
    /// and Terry, *Biometrika* 39, 1952; that a maximum exists if and only if the
    /// players cannot be parted into two groups of which one never scored against
    /// the other: Ford, *American Mathematical Monthly* 64(8), 1957. Errors from
    /// the inverse of the Fisher information.
    ///
    /// # Where this differs
    ///
    /// A draw counts as half a win and half a loss. That leaves the ratings
    /// consistent and makes the errors too large rather than too small: a draw
    /// varies less than the coin the model thinks it is. White's advantage is not
    /// estimated, because both play both colours. Where no maximum exists, each
    /// player of the pool is given one drawn game against the same imaginary
    /// opponent; then players of 0 % or 100 % get finite ratings, and groups that
    /// never met are compared with the large errors they deserve.
    /// [`Ratings::prior_games`] says so.
    ///
    /// # Errors
    ///
    /// If the anchor is not in the pool or not a number.
    pub fn ratings(&self, anchor: Option<Anchor>) -> Result<Ratings, StatisticsError> {
        if let Some(anchor) = anchor {
            self.check(anchor.player)?;
            if !anchor.rating.is_finite() {
                return Err(StatisticsError::Anchor);
            }
        }
        let active: Vec<usize> = (0..self.players)
            .filter(|&player| self.total(player).games() > 0)
            .collect();
        let anchor = anchor.filter(|anchor| active.contains(&anchor.player));
        let prior_games = if self.has_maximum(&active) {
            0.0
        } else {
            PRIOR_GAMES
        };
        let pool = Pool::of(self, &active, prior_games);
        let strengths = pool.strengths();
        let place = anchor.and_then(|anchor| active.iter().position(|&p| p == anchor.player));
        let deviations = pool.deviations(&strengths, place);
        let zero = match (anchor, place) {
            (Some(anchor), Some(place)) => anchor.rating - ELO * strengths[place],
            _ => -ELO * strengths.iter().sum::<f64>() / strengths.len().max(1) as f64,
        };

        let mut ratings: Vec<Rating> = (0..self.players)
            .map(|player| Rating {
                player,
                tally: self.total(player),
                rating: None,
                error: None,
            })
            .collect();
        for (i, &player) in active.iter().enumerate() {
            ratings[player].rating = Some(zero + ELO * strengths[i]);
            ratings[player].error = Some(ELO * deviate_of_95() * deviations[i]);
        }
        Ok(Ratings {
            ratings,
            anchor,
            prior_games,
        })
    }

    /// Ford's condition: from the first player all others can be reached, and it
    /// from them, by steps from one player to another it took half a point from.
    fn has_maximum(&self, active: &[usize]) -> bool {
        let reaches_all = |scored: &dyn Fn(usize, usize) -> bool| {
            let mut is_reached = vec![false; self.players];
            let mut open: Vec<usize> = active.iter().take(1).copied().collect();
            let mut count = 0;
            while let Some(player) = open.pop() {
                if std::mem::replace(&mut is_reached[player], true) {
                    continue;
                }
                count += 1;
                open.extend(active.iter().filter(|&&other| scored(player, other)));
            }
            count == active.len()
        };
        reaches_all(&|player, other| self.tally(player, other).halves() > 0)
            && reaches_all(&|player, other| self.tally(other, player).halves() > 0)
    }
}

/// The games of those who have played, as the model needs them.
struct Pool {
    len: usize,
    /// Points, row against column.
    points: Vec<f64>,
    /// Games, row against column.
    games: Vec<f64>,
    prior: f64,
}

impl Pool {
    fn of(table: &CrossTable, active: &[usize], prior: f64) -> Self {
        let tallies: Vec<Tally> = active
            .iter()
            .flat_map(|&row| active.iter().map(move |&column| table.tally(row, column)))
            .collect();
        Self {
            len: active.len(),
            points: tallies.iter().map(Tally::points).collect(),
            games: tallies.iter().map(|tally| tally.games() as f64).collect(),
            prior,
        }
    }

    /// Newton's method on a concave function: short steps first, and each only as
    /// long as it climbs.
    fn strengths(&self) -> Vec<f64> {
        let mut strengths = vec![0.0; self.len];
        let mut height = self.log_likelihood(&strengths);
        for _ in 0..500 {
            let mut step = self.slope(&strengths);
            self.information(&strengths).solve(&mut step);
            let longest = step.iter().fold(0.0, |most: f64, s| most.max(s.abs()));
            if longest.is_nan() || longest < 1e-13 {
                break;
            }
            let mut scale = (2.0 / longest).min(1.0);
            let mut has_climbed = false;
            for _ in 0..40 {
                let next: Vec<f64> = strengths
                    .iter()
                    .zip(&step)
                    .map(|(strength, step)| strength + scale * step)
                    .collect();
                let there = self.log_likelihood(&next);
                if there > height {
                    (strengths, height, has_climbed) = (next, there, true);
                    break;
                }
                // At the top only rounding is left; the last step is still the
                // best guess.
                if longest < 1e-6 {
                    strengths = next;
                    break;
                }
                scale /= 2.0;
            }
            if !has_climbed {
                break;
            }
        }
        strengths
    }

    /// Standard deviations relative to a player or to the mean.
    fn deviations(&self, strengths: &[f64], anchor: Option<usize>) -> Vec<f64> {
        let information = self.information(strengths);
        (0..self.len)
            .map(|player| {
                let mut contrast = match anchor {
                    Some(_) => vec![0.0; self.len],
                    None => vec![-1.0 / self.len as f64; self.len],
                };
                contrast[player] += 1.0;
                if let Some(anchor) = anchor {
                    contrast[anchor] -= 1.0;
                }
                let mut solution = contrast.clone();
                information.solve(&mut solution);
                let variance: f64 = contrast.iter().zip(&solution).map(|(a, b)| a * b).sum();
                libm::sqrt(variance.max(0.0))
            })
            .collect()
    }

    fn log_likelihood(&self, strengths: &[f64]) -> f64 {
        let mut sum = 0.0;
        for row in 0..self.len {
            for column in 0..self.len {
                let points = self.points[row * self.len + column];
                if points > 0.0 {
                    sum += points * log_logistic(strengths[row] - strengths[column]);
                }
            }
            let strength = strengths[row];
            sum += self.prior / 2.0 * (log_logistic(strength) + log_logistic(-strength));
        }
        sum
    }

    fn slope(&self, strengths: &[f64]) -> Vec<f64> {
        (0..self.len)
            .map(|row| {
                let prior = self.prior * (0.5 - logistic(strengths[row]));
                (0..self.len).fold(prior, |sum, column| {
                    let at = row * self.len + column;
                    let expected = logistic(strengths[row] - strengths[column]);
                    sum + self.points[at] - self.games[at] * expected
                })
            })
            .collect()
    }

    /// The Fisher information. Without a prior it knows nothing of the level of
    /// the whole pool; that direction is given some, which no difference sees.
    fn information(&self, strengths: &[f64]) -> Triangle {
        let variance = |x: f64| logistic(x) * logistic(-x);
        let mut matrix = vec![0.0; self.len * self.len];
        for row in 0..self.len {
            matrix[row * self.len + row] += self.prior * variance(strengths[row]);
            for column in 0..self.len {
                let at = row * self.len + column;
                let weight = self.games[at] * variance(strengths[row] - strengths[column]);
                matrix[row * self.len + row] += weight;
                matrix[at] -= weight;
            }
        }
        if self.prior == 0.0 {
            let trace: f64 = (0..self.len).map(|i| matrix[i * self.len + i]).sum();
            let level = trace / (self.len * self.len) as f64;
            for value in &mut matrix {
                *value += level;
            }
        }
        Triangle::of(matrix, self.len)
    }
}

/// ln(1 / (1 + e^-x)) without overflow.
fn log_logistic(x: f64) -> f64 {
    if x < 0.0 {
        x - libm::log1p(libm::exp(x))
    } else {
        -libm::log1p(libm::exp(-x))
    }
}

/// The Cholesky factor of a symmetric matrix that is positive but for rounding.
struct Triangle {
    len: usize,
    rows: Vec<f64>,
}

impl Triangle {
    fn of(mut rows: Vec<f64>, len: usize) -> Self {
        let greatest = (0..len).fold(0.0, |most: f64, i| most.max(rows[i * len + i]));
        for i in 0..len {
            for j in 0..=i {
                let known: f64 = (0..j).map(|k| rows[i * len + k] * rows[j * len + k]).sum();
                let rest = rows[i * len + j] - known;
                rows[i * len + j] = if i == j {
                    // A pivot that rounding has eaten must not divide by zero.
                    libm::sqrt(rest.max(greatest * 1e-15).max(f64::MIN_POSITIVE))
                } else {
                    rest / rows[j * len + j]
                };
            }
        }
        Self { len, rows }
    }

    /// Replaces a right side by the solution.
    fn solve(&self, vector: &mut [f64]) {
        let at = |i: usize, j: usize| self.rows[i * self.len + j];
        for i in 0..self.len {
            let known: f64 = (0..i).map(|k| at(i, k) * vector[k]).sum();
            vector[i] = (vector[i] - known) / at(i, i);
        }
        for i in (0..self.len).rev() {
            let known: f64 = (i + 1..self.len).map(|k| at(k, i) * vector[k]).sum();
            vector[i] = (vector[i] - known) / at(i, i);
        }
    }
}
