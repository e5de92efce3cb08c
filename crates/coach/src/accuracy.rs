//! How well a game was played, in percent, as Lichess computes it.
//!
//! # Source
//!
//! The page *Lichess Accuracy metric* (<https://lichess.org/page/accuracy>) for the
//! winning chances and the accuracy of a move; for all that the page leaves out
//! (+15 centipawns before the first move, the ceiling of 1000, the point for
//! uncertainty, windows, weights and means) `AccuracyPercent.scala`, `WinPercent`
//! and `Maths.scala` of `lichess-org/lila`.
//!
//! # Where this differs
//!
//! * Who analyses, and how long, is the caller's choice; Lichess takes its
//!   Stockfish.
//! * A game that starts elsewhere is judged from the analyser's own score of that
//!   position, where Lichess takes +15 for every game; moves that nobody chose are
//!   not judged.
//! * Nothing is rounded; Lichess shows whole percents.

use mendel_arena::Side;
use mendel_board::Color;
use serde::{Deserialize, Serialize};

/// What White is better by before the first move, in centipawns.
pub const INITIAL: i32 = 15;

/// More centipawns than this, and every mate, count as this many.
pub const CEILING: i32 = 1000;

/// How well both sides played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameAccuracy {
    /// White's accuracy in percent.
    pub white: f64,
    /// Black's accuracy in percent.
    pub black: f64,
    /// Move by move.
    pub moves: Vec<MoveAccuracy>,
}

/// How well one move was played.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MoveAccuracy {
    /// Who played it.
    pub side: Side,
    /// The score after it, in centipawns for White.
    pub centipawns: i32,
    /// White's winning chances after it, in percent.
    pub win: f64,
    /// How much of its own chances the move kept, in percent.
    pub accuracy: f64,
    /// How restless the game was; moves that mattered count more.
    pub weight: f64,
}

impl GameAccuracy {
    /// The accuracy of a game in which `first` moved first, `before` was the score
    /// before its first move, and `scores` those after each; all in centipawns for
    /// White, mates as ±[`CEILING`].
    ///
    /// A side's accuracy is half the mean of its moves, weighted by how restless
    /// the game was around them, and half their harmonic mean, in which a blunder
    /// counts for much.
    ///
    /// `None` if a side has made no move.
    pub fn of_scores(first: Color, before: i32, scores: &[i32]) -> Option<Self> {
        let wins: Vec<f64> = std::iter::once(&before)
            .chain(scores)
            .map(|&score| win_percent(score))
            .collect();
        let weights = weights(&wins);
        let mut turn = first;
        let mut moves = Vec::with_capacity(scores.len());
        for ((pair, &centipawns), weight) in wins.windows(2).zip(scores).zip(weights) {
            let (before, after) = turn.fold_wb((pair[0], pair[1]), (pair[1], pair[0]));
            moves.push(MoveAccuracy {
                side: turn.into(),
                centipawns,
                win: pair[1],
                accuracy: move_accuracy(before, after),
                weight,
            });
            turn = !turn;
        }
        Some(Self {
            white: side_accuracy(Side::White, &moves)?,
            black: side_accuracy(Side::Black, &moves)?,
            moves,
        })
    }

    /// The accuracy of one side in percent.
    pub fn of(&self, side: Side) -> f64 {
        match side {
            Side::White => self.white,
            Side::Black => self.black,
        }
    }
}

/// White's winning chances in percent: a logistic curve that Lichess has fitted to
/// games of people.
pub fn win_percent(centipawns: i32) -> f64 {
    const SLOPE: f64 = 0.003_682_08;
    let centipawns = f64::from(centipawns.clamp(-CEILING, CEILING));
    100.0 / (1.0 + libm::exp(-SLOPE * centipawns))
}

/// How well a move was played that changed its player's chances from `before` to
/// `after`, both in percent.
pub fn move_accuracy(before: f64, after: f64) -> f64 {
    if after >= before {
        return 100.0;
    }
    let curve = 103.166_810_071_164_9 * libm::exp(-0.043_544_153_867_539_51 * (before - after))
        - 3.166_924_740_191_411;
    // Analyses are not perfect either, so every move is given one point.
    (curve + 1.0).clamp(0.0, 100.0)
}

/// The weight of each move: how far the chances stray in a window that ends with
/// it. The first moves share the first whole window.
fn weights(wins: &[f64]) -> Vec<f64> {
    let moves = wins.len() - 1;
    let window = (moves / 10).clamp(2, 8);
    (0..moves)
        .map(|index| {
            let end = (index + 2).max(window);
            deviation(&wins[end - window..end]).clamp(0.5, 12.0)
        })
        .collect()
}

/// The standard deviation of a whole population.
fn deviation(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares = values.iter().map(|value| (value - mean) * (value - mean));
    libm::sqrt(squares.sum::<f64>() / count)
}

fn side_accuracy(side: Side, moves: &[MoveAccuracy]) -> Option<f64> {
    let (mut count, mut sum, mut weights, mut reciprocals) = (0.0, 0.0, 0.0, 0.0);
    for it in moves.iter().filter(|it| it.side == side) {
        count += 1.0;
        sum += it.accuracy * it.weight;
        weights += it.weight;
        // A move without any merit would be all that the mean sees.
        reciprocals += 1.0 / it.accuracy.max(1.0);
    }
    (count > 0.0).then(|| f64::midpoint(sum / weights, count / reciprocals))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn close(ours: f64, theirs: f64) {
        assert!((ours - theirs).abs() < 1e-9, "{ours} is not {theirs}");
    }

    /// `50 + 50 · (2 / (1 + exp(−0.00368208 · cp)) − 1)`, in Python.
    #[test]
    fn chances_are_those_of_the_published_curve() {
        for (centipawns, percent) in [
            (0, 50.0),
            (15, 51.380_429_102_931_544),
            (100, 59.102_589_719_161_28),
            (-250, 28.485_195_256_375_974),
            (1000, 97.544_743_634_143_23),
            (5000, 97.544_743_634_143_23),
        ] {
            close(win_percent(centipawns), percent);
        }
    }

    /// `103.1668100711649 · exp(−0.04354415386753951 · d) − 3.166924740191411 + 1`
    /// between 0 and 100, in Python.
    #[test]
    fn a_move_is_worth_what_the_published_curve_says() {
        for (lost, percent) in [
            (0.0, 100.0),
            (0.5, 98.778_004_849_389_9),
            (5.0, 80.815_299_920_414_36),
            (20.0, 41.016_818_741_417_126),
            (80.0, 1.000_170_640_274_321),
            (100.0, 0.0),
        ] {
            close(move_accuracy(lost, 0.0), percent);
        }
        close(move_accuracy(10.0, 30.0), 100.0);
    }

    /// Both means of both sides, in Python: windows `ws[i:i+n]` with
    /// `n = clamp(moves // 10, 2, 8)` behind `n − 2` copies of the first, weights
    /// `clamp(pstdev, 0.5, 12)`, then
    /// `(Σ a·w / Σ w + count / Σ 1/max(1, a)) / 2`.
    #[test]
    fn a_short_game_as_worked_out_by_hand() {
        let scores = [30, 20, -80, -60, -300, 250, -20];
        let game = GameAccuracy::of_scores(Color::White, 15, &scores).expect("both have moved");
        close(game.white, 48.223_120_492_784_4);
        close(game.black, 23.913_086_768_937_09);
        let weights = game.moves.iter().map(|it| it.weight);
        let expected = [
            0.689_163, 0.5, 4.575_789, 0.905_302, 9.805_893, 12.0, 11.677_507,
        ];
        for (ours, theirs) in weights.zip(expected) {
            assert!((ours - theirs).abs() < 1e-6, "{ours} is not {theirs}");
        }
    }

    /// Four positions make a window here, so that the first three moves share one.
    #[test]
    fn a_long_game_as_worked_out_by_hand() {
        let scores = [
            20, 25, 18, 30, 22, 40, -35, -20, -60, -10, 15, 5, 60, 120, 95, 180, -150, -130, -210,
            40, 35, 70, 65, 300, 280, 450, 400, 1200, 900, 1000, 1000, -40, 0, 0, 10, 5, -5, -900,
            -1000, -800, -1000,
        ];
        let game = GameAccuracy::of_scores(Color::White, 15, &scores).expect("both have moved");
        close(game.white, 84.325_699_526_216_33);
        close(game.black, 79.160_351_783_587_91);
    }

    #[test]
    fn who_has_not_moved_has_no_accuracy() {
        assert_eq!(GameAccuracy::of_scores(Color::White, 15, &[]), None);
        assert_eq!(GameAccuracy::of_scores(Color::White, 15, &[20]), None);
        assert!(GameAccuracy::of_scores(Color::Black, 15, &[20, 10]).is_some());
    }

    proptest! {
        #[test]
        fn accuracies_are_percentages(
            scores in prop::collection::vec(any::<i32>(), 2..150),
            before: i32,
        ) {
            let game = GameAccuracy::of_scores(Color::White, before, &scores);
            let game = game.expect("both have moved");
            prop_assert_eq!(game.moves.len(), scores.len());
            let moves = game.moves.iter().map(|it| it.accuracy);
            for accuracy in moves.chain([game.white, game.black]) {
                prop_assert!((0.0..=100.0).contains(&accuracy), "{}", accuracy);
            }
        }

        #[test]
        fn with_the_colours_changed_so_are_the_accuracies(
            scores in prop::collection::vec(-1500..1500, 2..150),
        ) {
            let mirrored: Vec<i32> = scores.iter().map(|score| -score).collect();
            let game = GameAccuracy::of_scores(Color::White, INITIAL, &scores);
            let mirror = GameAccuracy::of_scores(Color::Black, -INITIAL, &mirrored);
            let (game, mirror) = (game.expect("moves"), mirror.expect("moves"));
            prop_assert!((game.white - mirror.black).abs() < 1e-9);
            prop_assert!((game.black - mirror.white).abs() < 1e-9);
        }

        #[test]
        fn who_never_loses_ground_has_played_perfectly(
            score in -1500..1500,
            plies in 2..120_usize,
            gain in 10..50,
        ) {
            let level = GameAccuracy::of_scores(Color::White, score, &vec![score; plies]);
            let level = level.expect("both have moved");
            prop_assert!((level.white - 100.0).abs() < 1e-9 && (level.black - 100.0).abs() < 1e-9);
            // Black gives more away with each move than the point for uncertainty
            // forgives, and White nothing.
            let scores: Vec<i32> = (1..=plies as i32).map(|ply| ply / 2 * gain).collect();
            let uneven = GameAccuracy::of_scores(Color::White, 0, &scores).expect("moves");
            prop_assert!((uneven.white - 100.0).abs() < 1e-9);
            prop_assert!(uneven.black < 98.0, "{}", uneven.black);
        }
    }
}
