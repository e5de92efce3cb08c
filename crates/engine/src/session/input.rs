//! Lines from a GUI that may send anything.

use std::io::{self, BufReader, Read};

use mendel_board::lines::BoundedLines;

/// Maximum bytes of a line; no command is longer.
const LONGEST: usize = 1 << 20;

/// A line that is longer than any command. It is skipped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a line of more than {LONGEST} bytes is skipped")]
pub(crate) struct LineError;

/// Lines of bounded length, as text.
pub(crate) struct Lines<R>(BoundedLines<BufReader<R>>);

impl<R: Read> Lines<R> {
    pub(crate) fn new(input: R) -> Self {
        Self(BoundedLines::new(BufReader::new(input), LONGEST))
    }

    /// The next line without its end; `None` at the end of the input. Bytes that
    /// are not UTF-8 become replacement characters, which no command contains.
    pub(crate) fn next(&mut self) -> io::Result<Option<Result<String, LineError>>> {
        let line = self.0.next_line()?;
        Ok(line.map(|line| {
            if line.is_truncated {
                return Err(LineError);
            }
            Ok(line.text().into_owned())
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(input: &[u8]) -> Vec<Result<String, LineError>> {
        let mut lines = Lines::new(input);
        std::iter::from_fn(|| lines.next().expect("a slice can be read")).collect()
    }

    #[test]
    fn a_last_line_without_an_end_counts() {
        assert_eq!(
            all(b"uci\nquit"),
            [Ok("uci".to_owned()), Ok("quit".to_owned())]
        );
    }

    #[test]
    fn a_line_over_the_limit_is_skipped_and_the_next_is_read() {
        let mut input = vec![b'x'; LONGEST];
        input.push(b'\n');
        assert_eq!(all(&input).len(), 1, "a line at the limit is read");
        assert!(all(&input)[0].is_ok());

        input.insert(0, b'x');
        input.extend_from_slice(b"uci\n");
        assert_eq!(all(&input), [Err(LineError), Ok("uci".to_owned())]);
    }

    #[test]
    fn bytes_that_are_not_utf8_are_replaced() {
        assert_eq!(
            all(b"\xff\xfeuci\n"),
            [Ok("\u{fffd}\u{fffd}uci".to_owned())]
        );
    }
}
