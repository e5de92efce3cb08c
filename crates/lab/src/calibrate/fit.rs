//! From games to ratings that grow with the level.

use mendel_arena::MatchSummary;
use mendel_arena::statistics::{
    Anchor, CrossTable, Meeting, Points, Rating, Ratings, StatisticsError, Tally,
};

use super::{CalibratedLevel, CalibrationOutcome, CalibrationPlan, name};

/// The results of all levels, and of the anchor behind them.
#[derive(Debug)]
pub(super) struct LevelResults {
    levels: usize,
    table: CrossTable,
    pub(super) lost_on_time: u64,
}

impl LevelResults {
    pub(super) fn new(levels: usize) -> Self {
        Self {
            levels,
            table: CrossTable::new(levels + 1),
            lost_on_time: 0,
        }
    }

    pub(super) fn add(&mut self, summary: &MatchSummary) -> Result<(), StatisticsError> {
        for it in &summary.pairings {
            self.count(&it.first, &it.second, it.tally)?;
        }
        self.lost_on_time += summary.time_losses.iter().sum::<u64>();
        Ok(())
    }

    /// The games of two players, as the first sees them.
    fn count(&mut self, first: &str, second: &str, tally: Tally) -> Result<(), StatisticsError> {
        for (points, count) in [
            (Points::Win, tally.wins),
            (Points::Draw, tally.draws),
            (Points::Loss, tally.losses),
        ] {
            let meeting = Meeting {
                pair: 0,
                white: self.index(first),
                black: self.index(second),
                points,
            };
            for _ in 0..count {
                self.table.count(&meeting)?;
            }
        }
        Ok(())
    }

    fn index(&self, player: &str) -> usize {
        let level = (0..self.levels).position(|level| name(level) == player);
        level.unwrap_or(self.levels)
    }

    /// All ratings, where that of one player is given.
    pub(super) fn ratings(&self, player: &str, rating: f64) -> Result<Ratings, StatisticsError> {
        let player = self.index(player);
        self.table.ratings(Some(Anchor { player, rating }))
    }
}

pub(super) fn outcome(
    plan: &CalibrationPlan,
    rated: &Ratings,
    mut notes: Vec<String>,
) -> CalibrationOutcome {
    let levels = plan.level.len();
    let of = |rating: &Rating| rating.rating.unwrap_or(0.0);
    let measured: Vec<f64> = rated.ratings[..levels].iter().map(of).collect();
    let games: Vec<u64> = rated.ratings.iter().map(|it| it.tally.games()).collect();
    let weights: Vec<f64> = games[..levels].iter().map(|&it| it as f64).collect();
    let monotone = isotonic(&measured, &weights);
    let both = measured.iter().zip(&monotone);
    let pooled = both.filter(|(before, after)| (**before - **after).abs() > 1e-9);
    let pooled = pooled.count();
    if rated.prior_games > 0.0 {
        notes.push(
            "some level lost or won all its games, so that each was given one drawn game more"
                .to_owned(),
        );
    }
    let rows = plan
        .levels()
        .enumerate()
        .map(|(index, level)| CalibratedLevel {
            number: index + 1,
            nodes: level.nodes,
            margin: level.margin,
            noise: level.noise,
            oversight: level.oversight,
            games: games[index],
            measured: measured[index],
            error: rated.ratings[index].error.unwrap_or(0.0),
            elo: monotone[index].round() as i32,
        })
        .collect();
    CalibrationOutcome {
        levels: rows,
        anchor: if let Some(anchor) = &plan.calibration.anchor {
            format!(
                "{}, {} ({}), at {}",
                anchor.name, anchor.rating, anchor.source, anchor.pace
            )
        } else {
            let middle = levels / 2;
            let elo = plan.calibration.ratings[middle];
            format!("{} keeps its rating of {elo}", name(middle))
        },
        games: games.iter().sum::<u64>() / 2,
        pooled,
        notes,
    }
}

/// The nearest sequence that never falls: neighbours in the wrong order get their
/// mean.
///
/// # Source
///
/// Ayer, Brunk, Ewing, Reid and Silverman, "An Empirical Distribution Function for
/// Sampling with Incomplete Information", *Annals of Mathematical Statistics*
/// 26(4), 1955 (pooling of adjacent violators).
pub fn isotonic(values: &[f64], weights: &[f64]) -> Vec<f64> {
    // Blocks of equal values: the mean, its weight, how many.
    let mut blocks: Vec<(f64, f64, usize)> = Vec::new();
    for (&value, &weight) in values.iter().zip(weights) {
        blocks.push((value, weight.max(f64::MIN_POSITIVE), 1));
        while let [
            ..,
            (low, low_weight, low_count),
            (high, high_weight, high_count),
        ] = blocks[..]
        {
            if low <= high {
                break;
            }
            let weight = low_weight + high_weight;
            let mean = (low * low_weight + high * high_weight) / weight;
            blocks.truncate(blocks.len() - 2);
            blocks.push((mean, weight, low_count + high_count));
        }
    }
    blocks
        .into_iter()
        .flat_map(|(mean, _, count)| std::iter::repeat_n(mean, count))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::ANCHOR;
    use super::*;

    #[test]
    fn ratings_hang_on_the_anchor() {
        let tally = |wins, losses| Tally {
            wins,
            draws: 0,
            losses,
        };
        let mut results = LevelResults::new(2);
        for (first, second, tally) in [
            ("level 1", "level 2", tally(10, 30)),
            (ANCHOR, "level 1", tally(20, 20)),
        ] {
            results.count(first, second, tally).expect("two players");
        }
        let rated = results.ratings(ANCHOR, 1940.0).expect("there are games");
        let rating = |index: usize| rated.ratings[index].rating.expect("it has played").round();
        assert_eq!((rating(0), rating(1), rating(2)), (1940.0, 2131.0, 1940.0));
    }
}
