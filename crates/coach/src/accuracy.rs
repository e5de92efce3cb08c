//! Accuracy of a game in per cent, as Lichess computes it.
//!
//! # Source
//!
//! The page *Lichess Accuracy metric* (<https://lichess.org/page/accuracy>) for the
//! winning chances and the accuracy of a move; for the details that it leaves out (+15 centipawns
//! before the first move, the ceiling of 1000, the point for uncertainty, windows, weights and means)
//! `AccuracyPercent.scala`, `WinPercent` and `Maths.scala` of `lichess-org/lila`.
//!
//! # Where this differs
//!
//! * The caller chooses the analyst and its limit; Lichess uses its Stockfish.
//! * A game from another start position is judged from the analyst's score of that position, where
//!   Lichess takes +15 for every game; moves of a given opening are not judged.
//! * Nothing is rounded; Lichess shows integers.

use mendel_arena::Side;
use mendel_board::Color;
use serde::{Deserialize, Serialize};

/// Score of the initial position for White, in centipawns.
pub const INITIAL: i32 = 15;

/// Maximum score in centipawns; larger scores and mates count as this.
pub const CEILING: i32 = 1000;

/// The accuracy of both sides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameAccuracy {
    /// In per cent.
    pub white: f64,
    /// In per cent.
    pub black: f64,
    pub moves: Vec<MoveAccuracy>,
}

/// The accuracy of one move.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MoveAccuracy {
    pub side: Side,
    /// The score after the move, in centipawns for White.
    pub centipawns: i32,
    /// White's winning chances after the move, in per cent.
    pub win: f64,
    /// In per cent; 100 if the move kept all winning chances of its side.
    pub accuracy: f64,
    /// The weight of the move: the deviation of the winning chances around it.
    pub weight: f64,
}

impl GameAccuracy {
    /// The accuracy of a game in which `first` moved first, `before` was the score before the first
    /// move, and `scores` are those after each move; in centipawns for White, mates as ±[`CEILING`].
    ///
    /// The accuracy of a side is the mean of two means over its moves: the weighted mean, and the
    /// harmonic mean, which a blunder lowers much.
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

    /// The accuracy of one side in per cent.
    pub fn of(&self, side: Side) -> f64 {
        match side {
            Side::White => self.white,
            Side::Black => self.black,
        }
    }
}

/// White's winning chances in per cent: a logistic curve that Lichess has fitted to games of people.
pub fn win_percent(centipawns: i32) -> f64 {
    const SLOPE: f64 = 0.003_682_08;
    let centipawns = f64::from(centipawns.clamp(-CEILING, CEILING));
    100.0 / (1.0 + libm::exp(-SLOPE * centipawns))
}

/// The accuracy of a move that changed the chances of its side from `before` to `after`, both in per
/// cent.
pub fn move_accuracy(before: f64, after: f64) -> f64 {
    if after >= before {
        return 100.0;
    }
    let curve = 103.166_810_071_164_9 * libm::exp(-0.043_544_153_867_539_51 * (before - after))
        - 3.166_924_740_191_411;
    // One point for the uncertainty of the analysis.
    (curve + 1.0).clamp(0.0, 100.0)
}

/// The weight of each move: the deviation of the chances in a window that ends with the move. The
/// first moves share the first whole window.
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
        // An accuracy of 0 would make the harmonic mean 0.
        reciprocals += 1.0 / it.accuracy.max(1.0);
    }
    (count > 0.0).then(|| f64::midpoint(sum / weights, count / reciprocals))
}
