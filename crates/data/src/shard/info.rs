//! What is in a shard.

use mendel_board::pgn::GameResult;
use serde::Serialize;

use super::Shard;
use crate::DataError;
use crate::info::{Histogram, HistogramBin};

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ShardInfo {
    pub games: u64,
    /// Moves of either side, which are as many positions.
    pub plies: u64,
    pub blocks: u64,
    /// Games in which both ratings are known.
    pub rated: u64,
    pub scored: u64,
    /// Games that White won, drawn games, and games that Black won.
    pub results: [u64; 3],
    /// Ratings and lengths.
    pub histograms: Vec<Histogram>,
}

/// Width of a bar of ratings, and of moves.
const RATINGS: usize = 100;
const MOVES: usize = 10;
/// Longer games share the last bar.
const LONGEST: usize = 150;

impl ShardInfo {
    /// Reads all games of a shard, which checks them too: each block has its
    /// checksum.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or is damaged.
    pub fn of(shard: &Shard) -> Result<Self, DataError> {
        let mut info = Self {
            blocks: shard.blocks() as u64,
            ..Self::default()
        };
        let mut ratings = vec![0; usize::from(u16::MAX) / RATINGS + 1];
        let mut lengths = vec![0; LONGEST / MOVES + 1];
        for index in 0..shard.blocks() {
            for game in shard.block(index)?.games() {
                info.games += 1;
                info.plies += game.moves.len() as u64;
                info.scored += u64::from(game.scores.is_some());
                let row = match game.result {
                    GameResult::WhiteWins => 0,
                    GameResult::Draw | GameResult::Unknown => 1,
                    GameResult::BlackWins => 2,
                };
                info.results[row] += 1;
                lengths[game.full_moves().min(LONGEST) / MOVES] += 1;
                let lower = game.lower_rating();
                if lower > 0 {
                    info.rated += 1;
                    ratings[usize::from(lower) / RATINGS] += 1;
                }
            }
        }
        info.histograms = vec![
            histogram("lower rating", &ratings, RATINGS, usize::MAX),
            histogram("moves of a game", &lengths, MOVES, LONGEST),
        ];
        Ok(info)
    }
}

/// The bars from the first that is not empty to the last.
fn histogram(name: &'static str, counts: &[u64], width: usize, open: usize) -> Histogram {
    let is_there = |&count: &u64| count > 0;
    let first = counts.iter().position(is_there).unwrap_or(0);
    let behind = counts.iter().rposition(is_there).map_or(0, |last| last + 1);
    let bars = (first..behind).map(|index| {
        let from = index * width;
        let label = if from >= open {
            format!("{from} or more")
        } else {
            format!("{from}–{}", from + width - 1)
        };
        let count = counts[index];
        HistogramBin { label, count }
    });
    Histogram {
        name,
        bars: bars.collect(),
    }
}
