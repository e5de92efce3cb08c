//! What is in a data set, in figures.

use mendel_board::{Position, Role};
use serde::Serialize;

use super::{GameResult, MATE, Reader, Sample};
use crate::DataError;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DataSetInfo {
    pub positions: u64,
    pub games: u64,
    pub train: u64,
    pub hold_out: u64,
    pub white_to_move: u64,
    pub with_score: u64,
    pub with_best: u64,
    pub with_result: u64,
    /// The mean of the scores that are no mates, without their signs.
    pub mean_score: f64,
    pub histograms: Vec<Histogram>,
}

/// Counts by class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Histogram {
    /// What is counted, such as `score`.
    pub name: &'static str,
    /// The classes in their order.
    pub bars: Vec<HistogramBin>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HistogramBin {
    /// What falls into it.
    pub label: String,
    pub count: u64,
}

/// Where the classes of scores end.
const SCORES: [i64; 12] = [
    -1000, -500, -200, -100, -50, -10, 11, 51, 101, 201, 501, 1001,
];
/// Where the classes of material without pawns begin: 3, 3, 5 and 9 a piece.
const MATERIAL: [i64; 6] = [1, 13, 25, 37, 49, 62];
const PIECES: [i64; 5] = [8, 13, 18, 23, 28];
const MOVES: [i64; 7] = [11, 21, 31, 41, 61, 81, 101];
const A_GAME: [i64; 5] = [2, 5, 10, 20, 50];

impl DataSetInfo {
    /// Reads a whole set; the memory used does not depend on its size.
    ///
    /// # Errors
    ///
    /// If the set is damaged.
    pub fn of(reader: &mut Reader) -> Result<Self, DataError> {
        let header = reader.header().clone();
        let mut info = Self {
            positions: 0,
            games: header.games,
            train: 0,
            hold_out: 0,
            white_to_move: 0,
            with_score: 0,
            with_best: 0,
            with_result: 0,
            mean_score: 0.0,
            histograms: Vec::new(),
        };
        let mut score = Classes::new("score", &SCORES);
        let mut mates = [0; 2];
        let mut results = [0; 3];
        let mut material = Classes::new("material without pawns", &MATERIAL);
        let mut pieces = Classes::new("pieces on the board", &PIECES);
        let mut moves = Classes::new("number of the move", &MOVES);
        let mut a_game = Classes::new("positions of a game", &A_GAME);
        let mut sum = 0.0;
        let mut game: Option<(u32, i64)> = None;
        for sample in reader {
            let sample = sample?;
            info.count(&sample, header.holds_out(sample.game));
            match sample.score {
                Some(number) if number == MATE => mates[1] += 1,
                Some(number) if number == -MATE => mates[0] += 1,
                Some(number) => {
                    score.add(number.into());
                    sum += f64::from(number).abs();
                }
                None => {}
            }
            if let Some(result) = sample.result {
                results[result as usize] += 1;
            }
            material.add(officers(&sample.position));
            pieces.add(sample.position.board().occupied().count() as i64);
            moves.add(sample.position.fullmoves().into());
            match &mut game {
                Some((number, count)) if *number == sample.game => *count += 1,
                _ => {
                    if let Some((_, count)) = game.replace((sample.game, 1)) {
                        a_game.add(count);
                    }
                }
            }
        }
        if let Some((_, count)) = game {
            a_game.add(count);
        }

        let plain = info.with_score - mates[0] - mates[1];
        info.mean_score = if plain > 0 { sum / plain as f64 } else { 0.0 };
        if info.with_score > 0 {
            let mut histogram = score.histogram();
            histogram.bars.insert(0, bar("mated", mates[0]));
            histogram.bars.push(bar("mates", mates[1]));
            info.histograms.push(histogram);
        }
        if info.with_result > 0 {
            let count = |result: GameResult| results[result as usize];
            info.histograms.push(Histogram {
                name: "result for the side to move",
                bars: vec![
                    bar("win", count(GameResult::Win)),
                    bar("draw", count(GameResult::Draw)),
                    bar("loss", count(GameResult::Loss)),
                ],
            });
        }
        let classes = [material, pieces, moves, a_game];
        info.histograms
            .extend(classes.into_iter().map(|classes| classes.histogram()));
        Ok(info)
    }

    fn count(&mut self, sample: &Sample, is_held_out: bool) {
        self.positions += 1;
        if is_held_out {
            self.hold_out += 1;
        } else {
            self.train += 1;
        }
        self.white_to_move += u64::from(sample.position.turn().is_white());
        self.with_score += u64::from(sample.score.is_some());
        self.with_best += u64::from(sample.best.is_some());
        self.with_result += u64::from(sample.result.is_some());
    }
}

fn officers(position: &Position) -> i64 {
    let board = position.board();
    let count = |role| board.by_role(role).count() as i64;
    3 * count(Role::Knight)
        + 3 * count(Role::Bishop)
        + 5 * count(Role::Rook)
        + 9 * count(Role::Queen)
}

fn bar(label: &str, count: u64) -> HistogramBin {
    HistogramBin {
        label: label.to_owned(),
        count,
    }
}

/// Counts between bounds.
struct Classes {
    name: &'static str,
    bounds: &'static [i64],
    counts: Vec<u64>,
}

impl Classes {
    fn new(name: &'static str, bounds: &'static [i64]) -> Self {
        Self {
            name,
            bounds,
            counts: vec![0; bounds.len() + 1],
        }
    }

    fn add(&mut self, value: i64) {
        let class = self.bounds.partition_point(|&bound| bound <= value);
        self.counts[class] += 1;
    }

    fn histogram(&self) -> Histogram {
        let label = |class: usize| {
            let low = class.checked_sub(1).map(|below| self.bounds[below]);
            let high = self.bounds.get(class).map(|bound| bound - 1);
            match (low, high) {
                (None, Some(high)) => format!("≤ {high}"),
                (Some(low), Some(high)) if low == high => low.to_string(),
                (Some(low), Some(high)) => format!("{low} … {high}"),
                (low, None) => format!("≥ {}", low.unwrap_or(0)),
            }
        };
        let bars = self.counts.iter().enumerate();
        Histogram {
            name: self.name,
            bars: bars
                .map(|(class, &count)| bar(&label(class), count))
                .collect(),
        }
    }
}
