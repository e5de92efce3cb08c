//! Writing PGN in the export format: the seven tags first, short lines.

use std::fmt;

use shakmaty::{CastlingMode, Color};

use super::PgnGame;
use crate::{Game, Position};

/// The tags every game has, in their order, and what stands for "not known".
const SEVEN: [(&str, &str); 7] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "?"),
    ("White", "?"),
    ("Black", "?"),
    ("Result", "*"),
];

/// Tags that follow from the game and are never taken from elsewhere.
const MANAGED: [&str; 3] = ["Variant", "SetUp", "FEN"];

const WIDTH: usize = 79;

impl fmt::Display for PgnGame {
    /// The game as PGN, ending with an empty line, so that games can follow
    /// each other.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // 1. The seven tags, then those of the start position, then the others.
        for (name, unknown) in SEVEN {
            let value = match name {
                "Result" => self.result.as_str(),
                _ => self.tags.get(name).unwrap_or(unknown),
            };
            write_tag(f, name, value)?;
        }
        write_start(f, self.game.start())?;
        for (name, value) in self.tags.iter() {
            let written = SEVEN.iter().any(|&(seven, _)| seven == name) || MANAGED.contains(&name);
            if !written {
                write_tag(f, name, value)?;
            }
        }

        // 2. The moves.
        let mut lines = LineWrapper::default();
        write_moves(&mut lines, &self.game, &self.comments);
        lines.word(self.result.as_str());
        write!(f, "\n{}\n\n", lines.text)
    }
}

fn write_start(f: &mut fmt::Formatter<'_>, start: &Position) -> fmt::Result {
    let chess960 = start.castling_mode() == CastlingMode::Chess960;
    let fen = start.fen();
    if chess960 {
        write_tag(f, "Variant", "Chess960")?;
    }
    if chess960 || fen != Position::initial().fen() {
        write_tag(f, "SetUp", "1")?;
        write_tag(f, "FEN", &fen)?;
    }
    Ok(())
}

/// A name keeps its letters, digits and underscores, and a value is one line:
/// the format allows no more.
fn write_tag(f: &mut fmt::Formatter<'_>, name: &str, value: &str) -> fmt::Result {
    let name: String = name
        .chars()
        .filter(|&c| c.is_ascii_alphanumeric() || c == '_')
        .collect();
    if name.is_empty() {
        return Ok(());
    }
    write!(f, "[{name} \"")?;
    for c in value.chars() {
        match c {
            '"' | '\\' => write!(f, "\\{c}")?,
            _ if c.is_control() => f.write_str(" ")?,
            _ => write!(f, "{c}")?,
        }
    }
    f.write_str("\"]\n")
}

fn write_moves(lines: &mut LineWrapper, game: &Game, comments: &[String]) {
    let mut numbered = false;
    for (index, (&m, position)) in game.moves().iter().zip(game.positions()).enumerate() {
        match position.turn() {
            Color::White => lines.word(&format!("{}.", position.fullmoves())),
            // At the start and after a comment the reader has lost count.
            Color::Black if !numbered => lines.word(&format!("{}...", position.fullmoves())),
            Color::Black => {}
        }
        lines.word(&position.san(m));
        numbered = true;

        let comment = comments.get(index).map_or("", String::as_str);
        if !comment.trim().is_empty() {
            lines.comment(comment);
            numbered = false;
        }
    }
}

/// Wraps words at [`WIDTH`] columns.
#[derive(Default)]
struct LineWrapper {
    text: String,
    column: usize,
}

impl LineWrapper {
    fn word(&mut self, word: &str) {
        let width = word.chars().count();
        if self.column > 0 && self.column + 1 + width > WIDTH {
            self.text.push('\n');
            self.column = 0;
        } else if self.column > 0 {
            self.text.push(' ');
            self.column += 1;
        }
        self.text.push_str(word);
        self.column += width;
    }

    /// A comment in braces, with what could end it early replaced.
    fn comment(&mut self, comment: &str) {
        let safe = comment.replace('{', "(").replace('}', ")");
        let safe = format!("{{{}}}", safe.replace(char::is_control, " ").trim());

        // What would be a directive or a tag at the start of a line stays with
        // the word before it.
        let mut unbroken = String::new();
        for word in safe.split_whitespace() {
            if word.starts_with(['%', ';', '[']) && !unbroken.is_empty() {
                unbroken.push(' ');
            } else if !unbroken.is_empty() {
                self.word(&std::mem::take(&mut unbroken));
            }
            unbroken.push_str(word);
        }
        self.word(&unbroken);
    }
}
