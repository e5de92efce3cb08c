//! Lines of a file, with their numbers and with a bound on their length.

use std::io::{BufRead, Read};
use std::path::Path;

use super::{ImportError, source};

const LONGEST: usize = 65_536;

/// The lines of a file.
pub(super) struct Lines {
    name: String,
    reader: Box<dyn BufRead + Send>,
    number: u64,
}

/// A line and its number, from 1.
pub(super) struct Line {
    pub(super) number: u64,
    /// `None` where it is longer than any line that means something.
    pub(super) text: Option<String>,
}

impl Lines {
    pub(super) fn open(path: &Path) -> Result<Self, ImportError> {
        Ok(Self {
            name: path.display().to_string(),
            reader: source::open(path)?,
            number: 0,
        })
    }

    /// The next line that is neither empty nor a comment.
    pub(super) fn next(&mut self) -> Result<Option<Line>, ImportError> {
        loop {
            self.number += 1;
            let number = self.number;
            let failed = |name: &str, source| ImportError::Read {
                name: format!("{name}, line {number}"),
                source,
            };
            let mut bytes = Vec::new();
            self.reader
                .by_ref()
                .take(LONGEST as u64)
                .read_until(b'\n', &mut bytes)
                .map_err(|source| failed(&self.name, source))?;
            if bytes.is_empty() {
                return Ok(None);
            }
            if bytes.len() == LONGEST && bytes.last() != Some(&b'\n') {
                self.reader
                    .skip_until(b'\n')
                    .map_err(|source| failed(&self.name, source))?;
                return Ok(Some(Line { number, text: None }));
            }
            let text = String::from_utf8_lossy(&bytes);
            // Some files end their lines with a zero.
            let is_blank = |c: char| c.is_whitespace() || c == '\0';
            let text = text.trim_start_matches('\u{feff}').trim_matches(is_blank);
            if !text.is_empty() && !text.starts_with('#') {
                return Ok(Some(Line {
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
