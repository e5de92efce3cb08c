//! Sets of labelled positions and their files.

mod built_in;
mod file;
mod header;
pub mod info;
mod quiet;
mod record;
mod suite;

use std::path::Path;

pub(crate) use mendel_board::mix;
use mendel_board::{Color, Game, Move, Position, pgn};
use mendel_store::Fingerprint;

use crate::DataError;

/// How a game ended, as the side to move sees it.
pub use mendel_arena::statistics::Points as GameResult;

pub use built_in::{BUILT_IN, BuiltIn};
pub use file::{Collector, Reader, SUFFIX};
pub use header::{DataSetHeader, Kind, LabelSource};
pub use quiet::{is_quiet, settle};
pub use suite::SUITES;

/// The score of a forced mate for the side to move, whatever its length.
pub const MATE: i16 = 32_000;

/// The largest score that is no mate; larger ones are cut to it.
pub const LARGEST: i16 = 30_000;

#[derive(Clone, Debug)]
pub struct DataSet {
    pub header: DataSetHeader,
    /// The positions, in the order of their games.
    pub samples: Vec<Sample>,
}

/// One position and what is known about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    pub position: Position,
    /// The game it was taken from; where there were no games, each position
    /// counts as one.
    pub game: u32,
    /// Centipawns as the side to move sees them, with the header's scale applied;
    /// mates are ±[`MATE`].
    pub score: Option<i16>,
    /// The best move, or the one that was played.
    pub best: Option<Move>,
    pub result: Option<GameResult>,
    /// What its game says beside it, where the set keeps that.
    pub context: Option<Box<Context>>,
}

/// What a game says about one of its positions: who played, and the moves before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    /// The ratings of the side to move and of the other, where both are known.
    pub ratings: Option<[u16; 2]>,
    /// The position before the moves that are kept; the sample's own if none are.
    pub start: Position,
    /// The last moves before the sample, which lead there from `start`.
    pub before: Vec<Move>,
}

impl Context {
    /// The largest number of moves that are kept.
    pub const MOST_MOVES: usize = 64;
}

impl Sample {
    /// The position as the end of a game, with the moves before it where they are
    /// known.
    pub fn as_game(&self) -> Game {
        let alone = || Game::new(self.position.clone());
        let Some(context) = &self.context else {
            return alone();
        };
        let mut game = Game::new(context.start.clone());
        for &m in &context.before {
            if game.play(m).is_err() {
                return alone();
            }
        }
        if game.position().key() == self.position.key() {
            game
        } else {
            alone()
        }
    }

    /// The lower of the two ratings, where both are known.
    pub fn rating(&self) -> Option<u16> {
        let [own, other] = self.context.as_ref()?.ratings?;
        Some(own.min(other))
    }
}

impl DataSet {
    /// Reads a set from a file.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or is no whole data set.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, DataError> {
        Reader::open(path.as_ref())?.collect()
    }

    /// Reads a set from memory; `name` is used in errors.
    ///
    /// # Errors
    ///
    /// If the bytes are no whole data set.
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Self, DataError> {
        Reader::new(name, bytes)?.collect()
    }

    /// The set of that name that ships with the program; `None` if there is none.
    pub fn built_in(name: &str) -> Option<Result<Self, DataError>> {
        let found = BUILT_IN.iter().find(|set| set.name == name)?;
        Some(Self::from_bytes(name, found.bytes))
    }

    /// The set that `text` names: a built-in one, or a file.
    ///
    /// # Errors
    ///
    /// If there is neither, or the file is no data set.
    pub fn find(text: &str) -> Result<Self, DataError> {
        Reader::find(text)?.collect()
    }

    /// Writes the set; the counts of the header are made right.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), DataError> {
        let mut collector = Collector::new(self.header.clone());
        for sample in &self.samples {
            collector.add(sample);
        }
        collector.write(path.as_ref())
    }

    /// The indices of the positions to train on and of those held out. Whole games
    /// go to one side or the other, by a hash of the game's number.
    pub fn split(&self) -> (Vec<usize>, Vec<usize>) {
        (0..self.samples.len()).partition(|&index| !self.header.holds_out(self.samples[index].game))
    }

    /// The best moves of a position, where several samples in a row name one each;
    /// `None` for all of those samples but the first.
    pub fn best_moves(&self, index: usize) -> Option<Vec<Move>> {
        let sample = &self.samples[index];
        let same = |other: &Sample| other.game == sample.game && other.position == sample.position;
        if index > 0 && same(&self.samples[index - 1]) {
            return None;
        }
        let row = self.samples[index..].iter().take_while(|it| same(it));
        Some(row.filter_map(|it| it.best).collect())
    }

    /// A fingerprint of everything the positions and labels say; the header's words
    /// do not count. Sixteen hexadecimal digits.
    pub fn hash(&self) -> String {
        let mut hash = Fingerprint::default();
        let mut bytes = Vec::new();
        let mut game = 0;
        for sample in &self.samples {
            bytes.clear();
            record::write(sample, game, &mut bytes);
            game = sample.game;
            hash.add(&bytes);
        }
        hash.add(&self.header.hold_out.to_le_bytes());
        hash.text()
    }
}

pub fn result_for(result: pgn::GameResult, turn: Color) -> Option<GameResult> {
    let winner = match result {
        pgn::GameResult::Unknown => return None,
        pgn::GameResult::Draw => return Some(GameResult::Draw),
        pgn::GameResult::WhiteWins => Color::White,
        pgn::GameResult::BlackWins => Color::Black,
    };
    Some(if winner == turn {
        GameResult::Win
    } else {
        GameResult::Loss
    })
}

/// A score as sets keep it: what is no mate stays within ±[`LARGEST`].
pub(crate) fn cut(centipawns: f64) -> i16 {
    let largest = f64::from(LARGEST);
    // A float becomes the nearest integer within the bounds.
    libm::round(centipawns).clamp(-largest, largest) as i16
}
