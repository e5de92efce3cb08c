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
