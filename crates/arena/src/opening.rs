//! Openings: start positions and the moves that are played from them before the players move.

mod read;

use mendel_board::{CastlingMode, Game, PackedMove, Position};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::book;

/// A start position and moves that the players do not choose.
#[derive(Clone, Debug, Default)]
pub struct Opening(Game);

impl Opening {
    /// The start position and the moves of `game`.
    pub fn new(game: Game) -> Self {
        Self(game)
    }

    pub fn game(&self) -> Game {
        self.0.clone()
    }
}

/// How openings are taken from a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OpeningSetting {
    /// Plies of each game of a PGN file or of each walk through a Polyglot book; by default
    /// the whole game, or eight plies of a walk.
    pub plies: Option<usize>,
    /// In which order they are played.
    pub order: Order,
    /// Decides the shuffled order and the walks through a Polyglot book.
    pub seed: u64,
    /// Maximum number of different walks through a Polyglot book.
    pub walks: usize,
    /// All games are Chess960, also where the position would do for both.
    pub chess960: bool,
}

impl Default for OpeningSetting {
    fn default() -> Self {
        Self {
            plies: None,
            order: Order::InOrder,
            seed: 0,
            walks: 1000,
            chess960: false,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// As they stand in the file.
    #[default]
    InOrder,
    /// Shuffled by the seed.
    Shuffled,
}

/// The openings of a match, at least one, all of them legal and unfinished.
#[derive(Clone, Debug)]
pub struct Openings {
    name: String,
    openings: Vec<Stored>,
}

/// An opening as it is kept: a book of a million fits into memory.
#[derive(Clone, Debug)]
struct Stored {
    /// FEN; `None` for the usual start.
    start: Option<Box<str>>,
    chess960: bool,
    moves: Box<[PackedMove]>,
}

impl Openings {
    /// The book that ships with the program: level lines of eight plies.
    pub fn own(setting: &OpeningSetting) -> Self {
        let openings = read::moves(book::NAME, book::TEXT, setting);
        let openings = openings.expect("a test reads the book with every setting");
        Self::arrange(book::NAME.to_owned(), openings, setting)
    }

    /// Every game starts from the usual position.
    pub fn initial(setting: &OpeningSetting) -> Self {
        let mut start = Position::initial();
        if setting.chess960 {
            start = Position::chess960(518).expect("518 is the usual start");
        }
        let openings = vec![Stored::new(&Game::new(start))];
        Self::arrange("the initial position".to_owned(), openings, setting)
    }

    /// The 960 starts of Chess960, by their numbers.
    pub fn chess960(setting: &OpeningSetting) -> Self {
        let starts = (0..960).filter_map(Position::chess960);
        let openings = starts.map(|start| Stored::new(&Game::new(start))).collect();
        Self::arrange("the starts of Chess960".to_owned(), openings, setting)
    }

    fn arrange(name: String, mut openings: Vec<Stored>, setting: &OpeningSetting) -> Self {
        if setting.order == Order::Shuffled {
            let mut chance = ChaCha8Rng::seed_from_u64(setting.seed);
            // Not `SliceRandom::shuffle`, which draws other numbers: equal seeds must
            // give equal orders in every version.
            for last in (1..openings.len()).rev() {
                openings.swap(last, chance.random_range(0..=last));
            }
        }
        Self { name, openings }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    #[expect(clippy::len_without_is_empty, reason = "there is always one")]
    pub fn len(&self) -> usize {
        self.openings.len()
    }

    /// The opening with index `index`, modulo their number.
    pub fn get(&self, index: u64) -> Opening {
        let index = index % self.openings.len() as u64;
        self.openings[index as usize].opening()
    }
}

impl Stored {
    fn new(game: &Game) -> Self {
        let start = game.start();
        let chess960 = start.castling_mode() == CastlingMode::Chess960;
        let usual = !chess960 && start.fen() == Position::initial().fen();
        Self {
            start: (!usual).then(|| start.fen().into()),
            chess960,
            moves: game.moves().iter().map(|&m| m.into()).collect(),
        }
    }

    fn opening(&self) -> Opening {
        let start = match &self.start {
            None => Ok(Position::initial()),
            Some(fen) if self.chess960 => Position::from_fen960(fen),
            Some(fen) => Position::from_fen(fen),
        };
        let mut game = Game::new(start.expect("it was written by a legal position"));
        for packed in &self.moves {
            let m = packed.unpack(game.position());
            let m = m.expect("it was packed in this position");
            game.play(m).expect("unpacking checks the move");
        }
        Opening(game)
    }
}
