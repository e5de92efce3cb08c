//! Games as text: PGN, read as a stream and written as strict readers want it.
//!
//! ```
//! use mendel_board::pgn::PgnReader;
//!
//! let text = "[White \"Anderssen\"]\n\n1. e4 e5 2. f4 {the King's Gambit} exf4 1-0\n";
//! let mut reader = PgnReader::new(text.as_bytes());
//! let game = reader.next().expect("there is a game")?;
//! assert_eq!(game.tags.get("White"), Some("Anderssen"));
//! assert_eq!(game.game.moves().len(), 4);
//! # Ok::<(), mendel_board::pgn::PgnError>(())
//! ```

mod read;
mod write;

use std::fmt;

use shakmaty::Color;

use crate::{Game, Outcome};

pub use read::{BrokenGame, PgnError, PgnReader};

/// A game with what PGN tells about it.
///
/// Its text is its `Display` form.
#[derive(Clone, Debug)]
pub struct PgnGame {
    /// The tags, in the order in which they stand.
    pub tags: Tags,
    pub game: Game,
    /// How it ended, by the rules or otherwise.
    pub result: GameResult,
    /// A comment for each move, by index; an empty or missing one is not written.
    /// Reading leaves this empty.
    pub comments: Vec<String>,
}

/// How a game ended, in the words of PGN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GameResult {
    /// `1-0`
    WhiteWins,
    /// `0-1`
    BlackWins,
    /// `1/2-1/2`
    Draw,
    /// `*`: unfinished or unknown result.
    #[default]
    Unknown,
}

/// Names and values, each name once, in the order in which they were set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tags(Vec<(String, String)>);

impl PgnGame {
    /// `game` with its result by the rules and without tags.
    pub fn new(game: Game) -> Self {
        Self {
            tags: Tags::default(),
            result: game.outcome().into(),
            game,
            comments: Vec::new(),
        }
    }
}

impl GameResult {
    /// Reads a result as PGN writes it.
    pub fn from_pgn(text: &str) -> Option<Self> {
        [Self::WhiteWins, Self::BlackWins, Self::Draw, Self::Unknown]
            .into_iter()
            .find(|result| result.as_str() == text)
    }

    /// The result as PGN writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::WhiteWins => "1-0",
            Self::BlackWins => "0-1",
            Self::Draw => "1/2-1/2",
            Self::Unknown => "*",
        }
    }
}

impl From<Option<Outcome>> for GameResult {
    fn from(outcome: Option<Outcome>) -> Self {
        match outcome.map(|outcome| outcome.winner) {
            Some(Some(Color::White)) => Self::WhiteWins,
            Some(Some(Color::Black)) => Self::BlackWins,
            Some(None) => Self::Draw,
            None => Self::Unknown,
        }
    }
}

impl fmt::Display for GameResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Tags {
    pub fn new() -> Self {
        Self::default()
    }

    /// The value of the tag `name`.
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The rating of a player (`WhiteElo`, `BlackElo`), if there is one.
    pub fn rating(&self, color: Color) -> Option<u16> {
        let tag = self.get(color.fold_wb("WhiteElo", "BlackElo"))?;
        tag.trim().parse().ok().filter(|&rating| rating > 0)
    }

    /// Sets the tag `name`, in its old place if it is there already.
    pub fn set(&mut self, name: &str, value: &str) {
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => value.clone_into(old),
            None => self.0.push((name.to_owned(), value.to_owned())),
        }
    }

    /// All tags with their values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
