//! Two members held against each other.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Two members on the same positions, in the trial's unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemberComparison {
    pub positions: usize,
    pub games: usize,
    pub first: f64,
    pub second: f64,
    /// The mean of the second less that of the first.
    pub difference: f64,
    /// Where the difference lies in 95 of 100 cases, judging by how much it
    /// changes from game to game; nothing is known of one game.
    pub interval: Option<[f64; 2]>,
}

/// Standard errors on either side of a mean that take in 95 %.
const SPREAD: f64 = 1.959_963_984_540_054;

impl MemberComparison {
    /// From what each member gets for each position, and the game each position
    /// is from; without games each is from its own.
    ///
    /// Paired: a hard position is hard for both, so that the difference is known
    /// better than either mean. And by games: eight positions of one game are not
    /// eight experiments.
    ///
    /// # Source
    ///
    /// Liang and Zeger, "Longitudinal data analysis using generalized linear
    /// models", *Biometrika* 73, 1986: the variance of a mean from the sums of
    /// clusters.
    ///
    /// # Where this differs
    ///
    /// With the usual correction G / (G − 1) for few clusters.
    pub fn of(pairs: &[(f64, f64)], games: &[u32]) -> Self {
        let count = pairs.len() as f64;
        let mean = |each: &dyn Fn(&(f64, f64)) -> f64| pairs.iter().map(each).sum::<f64>() / count;
        let difference = mean(&|(first, second)| second - first);
        let mut by_game: BTreeMap<u64, f64> = BTreeMap::new();
        for (index, (first, second)) in pairs.iter().enumerate() {
            let alone = (1 << 32) + index as u64;
            let game = games.get(index).map_or(alone, |&game| game.into());
            *by_game.entry(game).or_default() += second - first - difference;
        }
        let clusters = by_game.len() as f64;
        let interval = (by_game.len() > 1).then(|| {
            let squares: f64 = by_game.values().map(|sum| sum * sum).sum();
            let error = (squares * clusters / (clusters - 1.0)).sqrt() / count;
            [difference - SPREAD * error, difference + SPREAD * error]
        });
        Self {
            positions: pairs.len(),
            games: by_game.len(),
            first: mean(&|(first, _)| *first),
            second: mean(&|(_, second)| *second),
            difference,
            interval,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_of_one_game_written_twice_prove_no_more() {
        let once: Vec<(f64, f64)> = (0..50)
            .map(|i| (f64::from(i % 7), f64::from(i % 5)))
            .collect();
        let games: Vec<u32> = (0..50).collect();
        let twice: Vec<(f64, f64)> = once.iter().chain(&once).copied().collect();
        let both: Vec<u32> = games.iter().chain(&games).copied().collect();
        let width = |comparison: MemberComparison| {
            let [low, high] = comparison.interval.expect("many games");
            high - low
        };
        let honest = width(MemberComparison::of(&once, &games));
        assert!((width(MemberComparison::of(&twice, &both)) - honest).abs() < 1e-12);
        // Without the games it would seem to.
        assert!(width(MemberComparison::of(&twice, &[])) < 0.8 * honest);
        assert_eq!(MemberComparison::of(&once[..1], &[]).interval, None);
    }

    /// By hand: differences 1, 2, 3, 6, mean 3, variance 14 / 3, error √(14 / 12).
    #[test]
    fn without_games_it_is_the_usual_interval() {
        let pairs = [(0.0, 1.0), (0.0, 2.0), (0.0, 3.0), (0.0, 6.0)];
        let [low, high] = MemberComparison::of(&pairs, &[]).interval.expect("four");
        assert!((high - 3.0 - SPREAD * (14.0_f64 / 12.0).sqrt()).abs() < 1e-12);
        assert!((low + high - 6.0).abs() < 1e-12);
    }
}
