//! Where the games of a generation start.

use std::path::Path;

use mendel_arena::{Opening, OpeningSetting, Openings};
use mendel_board::Game;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::trial::TrialError;

/// Where openings come from, as a recipe says it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum OpeningSource {
    /// `book` for our own, or a file.
    Named(String),
    /// Lines of UCI moves from the usual start; an empty one is the start itself.
    Lines { lines: Vec<String> },
}

impl Default for OpeningSource {
    fn default() -> Self {
        Self::Named(BOOK.to_owned())
    }
}

/// Our own book.
pub(super) const BOOK: &str = "book";

#[derive(Clone, Debug)]
pub(super) enum Source {
    Book(Openings),
    Lines(Vec<Opening>),
}

/// Tries to play some half-moves at random before one settles for fewer.
const TRIES: u32 = 20;

impl Source {
    pub(super) fn new(source: &OpeningSource) -> Result<Self, TrialError> {
        let refuse = |reason: String| TrialError::Key {
            key: "openings",
            reason,
        };
        let setting = OpeningSetting::default();
        match source {
            OpeningSource::Named(name) if name == BOOK => Ok(Self::Book(Openings::own(&setting))),
            OpeningSource::Named(name) if !Path::new(name).exists() => Err(refuse(format!(
                "there is no file `{name}`; write \"{BOOK}\" for our own, a file, or \
                 {{ lines = [\"e2e4 c7c5\"] }}"
            ))),
            OpeningSource::Named(name) => Openings::load(name, &setting)
                .map(Self::Book)
                .map_err(|error| refuse(error.to_string())),
            OpeningSource::Lines { lines } => {
                if lines.is_empty() {
                    let reason = "has no lines; \"\" is the usual start";
                    return Err(refuse(reason.to_owned()));
                }
                let read = lines.iter().map(|line| read(line).map_err(&refuse));
                Ok(Self::Lines(read.collect::<Result<_, _>>()?))
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Book(openings) => openings.len(),
            Self::Lines(lines) => lines.len(),
        }
    }

    pub(super) fn at(&self, index: usize) -> Opening {
        match self {
            Self::Book(openings) => openings.get(index as u64),
            Self::Lines(lines) => lines[index].clone(),
        }
    }

    /// Draws some by chance, none twice as long as there are others, with so many
    /// half-moves at random behind each.
    pub(super) fn draw(&self, seed: u64, count: usize, random_plies: u32) -> Vec<Opening> {
        let mut chance = ChaCha8Rng::seed_from_u64(seed);
        let mut drawn: Vec<usize> = Vec::with_capacity(count);
        while drawn.len() < count {
            let more = (count - drawn.len()).min(self.len());
            drawn.extend(rand::seq::index::sample(&mut chance, self.len(), more));
        }
        let with_random = |(place, index): (usize, usize)| {
            let opening = self.at(index);
            if random_plies == 0 {
                return opening;
            }
            let mut chance = ChaCha8Rng::seed_from_u64(seed);
            chance.set_stream(1 + place as u64);
            wander(&opening.game(), random_plies, &mut chance)
        };
        drawn.into_iter().enumerate().map(with_random).collect()
    }
}

/// A line of UCI moves that somebody can go on with.
fn read(line: &str) -> Result<Opening, String> {
    let mut game = Game::default();
    for word in line.split_whitespace() {
        let m = game.position().parse_uci(word);
        let m = m.map_err(|error| format!("`{line}`: {error}"))?;
        game.play(m).map_err(|error| format!("`{line}`: {error}"))?;
    }
    match game.outcome() {
        None => Ok(Opening::new(game)),
        Some(_) => Err(format!(
            "`{line}`: the game is over there; leave out a move"
        )),
    }
}

/// The game with some moves at random behind it, and not over yet.
fn wander(start: &Game, plies: u32, chance: &mut ChaCha8Rng) -> Opening {
    for _ in 0..TRIES {
        let mut game = start.clone();
        for _ in 0..plies {
            let moves = game.position().legal_moves();
            if moves.is_empty() {
                break;
            }
            let m = moves[chance.random_range(0..moves.len())];
            if game.play(m).is_err() {
                break;
            }
        }
        if game.outcome().is_none() {
            return Opening::new(game);
        }
    }
    Opening::new(start.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fens(openings: &[Opening]) -> Vec<String> {
        let fen = |opening: &Opening| opening.game().position().fen();
        openings.iter().map(fen).collect()
    }

    #[test]
    fn openings_come_from_the_seed_and_none_comes_twice() {
        let book = Source::new(&OpeningSource::default()).expect("our own book");
        let drawn = fens(&book.draw(1, 100, 0));
        assert_eq!(drawn, fens(&book.draw(1, 100, 0)));
        assert_ne!(drawn, fens(&book.draw(2, 100, 0)));
        // Fewer are the same from the beginning, so that all pairs share them.
        let mut unique = drawn.clone();
        unique.sort();
        unique.dedup();
        assert!(unique.len() > 95, "{} of 100", unique.len());
    }

    #[test]
    fn moves_at_random_make_one_line_many() {
        let lines = OpeningSource::Lines {
            lines: vec![String::new(), "e2e4 c7c5".to_owned()],
        };
        let source = Source::new(&lines).expect("legal moves");
        assert_eq!(source.len(), 2);
        let plain = fens(&source.draw(3, 4, 0));
        assert_eq!(plain.iter().filter(|fen| **fen == plain[0]).count(), 2);
        let mut wandered = fens(&source.draw(3, 40, 6));
        wandered.sort();
        wandered.dedup();
        assert!(wandered.len() > 30, "{}", wandered.len());
    }

    #[test]
    fn lines_that_cannot_be_played_are_refused() {
        for line in ["e2e5", "x", "f2f3 e7e5 g2g4 d8h4"] {
            let lines = vec![line.to_owned()];
            let error = Source::new(&OpeningSource::Lines { lines }).expect_err(line);
            assert!(error.to_string().contains(line), "{error}");
        }
        assert!(Source::new(&OpeningSource::Lines { lines: Vec::new() }).is_err());
        let nowhere = OpeningSource::Named("nowhere.epd".to_owned());
        let error = Source::new(&nowhere).expect_err("no such file");
        assert!(error.to_string().contains("nowhere.epd"), "{error}");
    }
}
