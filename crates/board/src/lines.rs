//! Lines of bounded length, from input that may hold anything.

use std::borrow::Cow;
use std::io::{self, BufRead, Read};

/// Reads lines and keeps a bounded part of each, so that input without line ends
/// cannot fill the memory.
#[derive(Debug)]
pub struct BoundedLines<R> {
    input: R,
    limit: usize,
    bytes: Vec<u8>,
}

/// A line without its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundedLine<'a> {
    /// The first bytes of the line, at most as many as the limit.
    pub bytes: &'a [u8],
    /// Whether the line was longer; the rest of it was skipped.
    pub is_truncated: bool,
}

impl<R: BufRead> BoundedLines<R> {
    /// The lines of `input`, of which at most `limit` bytes each are kept.
    pub fn new(input: R, limit: usize) -> Self {
        Self {
            input,
            limit,
            bytes: Vec::new(),
        }
    }

    /// The next line; `None` at the end of the input. A last line needs no line end.
    ///
    /// # Errors
    ///
    /// If the input cannot be read.
    pub fn next_line(&mut self) -> io::Result<Option<BoundedLine<'_>>> {
        self.bytes.clear();
        // One byte more, so that a line at the limit still has room for its end.
        let mut limited = self.input.by_ref().take(self.limit as u64 + 1);
        limited.read_until(b'\n', &mut self.bytes)?;
        if self.bytes.is_empty() {
            return Ok(None);
        }
        if self.bytes.ends_with(b"\n") {
            self.bytes.pop();
        }
        let is_truncated = self.bytes.len() > self.limit;
        if is_truncated {
            self.bytes.truncate(self.limit);
            self.input.skip_until(b'\n')?;
        }
        Ok(Some(BoundedLine {
            bytes: &self.bytes,
            is_truncated,
        }))
    }
}

impl<'a> BoundedLine<'a> {
    /// The line as text; bytes that are not UTF-8 become replacement characters.
    pub fn text(&self) -> Cow<'a, str> {
        String::from_utf8_lossy(self.bytes)
    }
}
