//! The first moves of a game.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::MoveRecord;

/// The first moves after the opening: of the side that was to move, and of the other.
///
/// Serialised as text, `e2e4 e7e5`; kept as a few bytes, so that a result can be copied.
#[derive(Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct FirstMoves([[u8; MAX_LETTERS]; 2]);

/// Maximum letters of a move in UCI notation: `e7e8q`.
const MAX_LETTERS: usize = 5;

impl FirstMoves {
    /// Of a game without moves.
    pub const NONE: Self = Self([[0; MAX_LETTERS]; 2]);

    /// The first of these moves.
    pub(crate) fn of(moves: &[MoveRecord]) -> Self {
        let mut first = Self::NONE;
        for (kept, record) in first.0.iter_mut().zip(moves) {
            keep(kept, &record.m);
        }
        first
    }

    /// The moves, as UCI writes them: none, one or two.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let moves = self.0.iter().map(|kept| {
            let end = kept.iter().position(|&letter| letter == 0);
            // Only plain letters are ever kept.
            std::str::from_utf8(&kept[..end.unwrap_or(MAX_LETTERS)]).unwrap_or("")
        });
        moves.take_while(|text| !text.is_empty())
    }

    /// Whether there was no move, or it was not recorded.
    pub fn is_empty(&self) -> bool {
        *self == Self::NONE
    }
}

/// Whether it fitted; what does not is no move.
fn keep(kept: &mut [u8; MAX_LETTERS], text: &str) -> bool {
    let fits =
        text.len() <= MAX_LETTERS && text.bytes().all(|letter| letter.is_ascii_alphanumeric());
    if fits {
        kept[..text.len()].copy_from_slice(text.as_bytes());
    }
    fits
}

impl fmt::Display for FirstMoves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moves: Vec<&str> = self.iter().collect();
        f.write_str(&moves.join(" "))
    }
}

impl fmt::Debug for FirstMoves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{self}\"")
    }
}

impl From<FirstMoves> for String {
    fn from(moves: FirstMoves) -> Self {
        moves.to_string()
    }
}

impl TryFrom<String> for FirstMoves {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let mut first = Self::NONE;
        let words: Vec<&str> = text.split_whitespace().collect();
        let fits = words.len() <= first.0.len()
            && std::iter::zip(&mut first.0, words).all(|(kept, word)| keep(kept, word));
        fits.then_some(first)
            .ok_or_else(|| format!("`{text}` is not the first two moves in UCI notation"))
    }
}
