//! From games to ratings that grow with the level.

use mendel_arena::statistics::{
    Anchor, CrossTable, Meeting, Points, Rating, Ratings, RatingsError, Tally,
};

use super::{ANCHOR, CalibratedLevel, CalibrationOutcome, CalibrationPlan, name};

/// The games of two, as the first sees them.
#[derive(Clone, Debug)]
pub(super) struct Game {
    pub(super) first: String,
    pub(super) second: String,
    pub(super) tally: Tally,
}

#[derive(Clone, Debug)]
pub(super) struct FixedRating {
    pub(super) name: String,
    pub(super) rating: f64,
}

/// The ratings of all levels, and of the anchor behind them.
pub(super) fn rate(
    levels: usize,
    games: &[Game],
    fixed: &FixedRating,
) -> Result<Ratings, RatingsError> {
    let index = |who: &str| {
        if who == ANCHOR {
            levels
        } else {
            (0..levels)
                .position(|level| name(level) == who)
                .unwrap_or(levels)
        }
    };
    let mut table = CrossTable::new(levels + 1);
    for game in games {
        let counts = [
            (Points::Win, game.tally.wins),
            (Points::Draw, game.tally.draws),
            (Points::Loss, game.tally.losses),
        ];
        for (points, count) in counts {
            let meeting = Meeting {
                pair: 0,
                white: index(&game.first),
                black: index(&game.second),
                points,
            };
            for _ in 0..count {
                table.count(&meeting)?;
            }
        }
    }
    table.ratings(Some(Anchor {
        player: index(&fixed.name),
        rating: fixed.rating,
    }))
}

pub(super) fn outcome(
    plan: &CalibrationPlan,
    rated: &Ratings,
    mut notes: Vec<String>,
) -> CalibrationOutcome {
    let levels = plan.level.len();
    let of = |rating: &Rating| rating.rating.unwrap_or(0.0);
    let measured: Vec<f64> = rated.ratings[..levels].iter().map(of).collect();
    let games: Vec<u64> = rated.ratings[..levels]
        .iter()
        .map(|rating| rating.tally.games())
        .collect();
    let weights: Vec<f64> = games.iter().map(|&games| games as f64).collect();
    let monotone = isotonic(&measured, &weights);
    let pooled = measured
        .iter()
        .zip(&monotone)
        .filter(|(before, after)| (**before - **after).abs() > 1e-9)
        .count();
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
    let each: u64 = rated
        .ratings
        .iter()
        .map(|rating| rating.tally.games())
        .sum();
    CalibrationOutcome {
        levels: rows,
        anchor: if let Some(anchor) = plan.anchor() {
            format!(
                "{}, {} ({}), at {}",
                anchor.name, anchor.rating, anchor.source, anchor.pace
            )
        } else {
            let middle = levels / 2;
            let elo = plan.rating(middle);
            format!("{} keeps its rating of {elo}", name(middle))
        },
        games: each / 2,
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
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn neighbours_in_the_wrong_order_get_their_mean() {
        let table = [
            (vec![1.0, 2.0, 3.0], vec![1.0, 2.0, 3.0]),
            (vec![1.0, 3.0, 2.0, 4.0], vec![1.0, 2.5, 2.5, 4.0]),
            (vec![3.0, 2.0, 1.0], vec![2.0, 2.0, 2.0]),
        ];
        for (values, wanted) in table {
            assert_eq!(isotonic(&values, &vec![1.0; values.len()]), wanted);
        }
        assert_eq!(isotonic(&[4.0, 0.0], &[3.0, 1.0]), [3.0, 3.0]);
    }

    proptest! {
        #[test]
        fn the_result_never_falls_and_keeps_the_mean(
            values in prop::collection::vec(-3000.0..3000.0_f64, 1..20),
        ) {
            let weights = vec![1.0; values.len()];
            let result = isotonic(&values, &weights);
            prop_assert_eq!(result.len(), values.len());
            prop_assert!(result.windows(2).all(|pair| pair[0] <= pair[1]));
            let (before, after): (f64, f64) = (values.iter().sum(), result.iter().sum());
            prop_assert!((before - after).abs() < 1e-6);
        }
    }

    #[test]
    fn ratings_hang_on_the_anchor() {
        let game = |first: &str, second: &str, wins, losses| Game {
            first: first.to_owned(),
            second: second.to_owned(),
            tally: Tally {
                wins,
                draws: 0,
                losses,
            },
        };
        let games = [
            game("level 1", "level 2", 10, 30),
            game(ANCHOR, "level 1", 20, 20),
        ];
        let hook = FixedRating {
            name: ANCHOR.to_owned(),
            rating: 1940.0,
        };
        let rated = rate(2, &games, &hook).expect("there are games");
        let rating = |index: usize| rated.ratings[index].rating.expect("it has played").round();
        assert_eq!((rating(0), rating(1), rating(2)), (1940.0, 2131.0, 1940.0));
    }
}
