//! Lines of a file, with their numbers and with a bound on their length.

use std::io::BufRead;
use std::path::Path;

use mendel_board::lines::BoundedLines;

use super::{ImportError, source};

const LONGEST: usize = 65_535;

pub(super) struct NumberedLines {
    name: String,
    input: BoundedLines<Box<dyn BufRead + Send>>,
    number: u64,
}

/// A line and its number, from 1.
pub(super) struct NumberedLine {
    pub(super) number: u64,
    /// `None` where it is longer than any line that means something.
    pub(super) text: Option<String>,
}

impl NumberedLines {
    pub(super) fn open(path: &Path) -> Result<Self, ImportError> {
        Ok(Self {
            name: path.display().to_string(),
            input: BoundedLines::new(source::open(path)?, LONGEST),
            number: 0,
        })
    }

    /// The next line that is neither empty nor a comment.
    pub(super) fn next(&mut self) -> Result<Option<NumberedLine>, ImportError> {
        loop {
            self.number += 1;
            let number = self.number;
            let read = self.input.next_line();
            let read = read.map_err(|source| ImportError::Read {
                name: format!("{}, line {number}", self.name),
                source,
            })?;
            let Some(line) = read else {
                return Ok(None);
            };
            if line.is_truncated {
                return Ok(Some(NumberedLine { number, text: None }));
            }
            let text = line.text();
            // Some files end their lines with a zero.
            let is_blank = |c: char| c.is_whitespace() || c == '\0';
            let text = text.trim_start_matches('\u{feff}').trim_matches(is_blank);
            if !text.is_empty() && !text.starts_with('#') {
                return Ok(Some(NumberedLine {
                    number,
                    text: Some(text.to_owned()),
                }));
            }
        }
    }
}

/// The game of a line in a file without games.
pub(super) fn game_of(line: u64) -> u32 {
    u32::try_from(line).unwrap_or(u32::MAX)
}
