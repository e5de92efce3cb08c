//! A line as words: what both protocols are made of.

use std::fmt;
use std::iter::FusedIterator;

/// The words of a line, with the possibility to take the rest as it stands.
#[derive(Clone, Debug)]
pub(crate) struct Words<'a>(&'a str);

impl<'a> Words<'a> {
    pub(crate) fn new(line: &'a str) -> Self {
        Self(line.trim())
    }

    /// What has not been read yet, inner white space as it was sent.
    pub(crate) fn rest(&self) -> &'a str {
        self.0
    }

    /// The next word, which stays where it is.
    pub(crate) fn peek(&self) -> Option<&'a str> {
        self.clone().next()
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        if self.0.is_empty() {
            return None;
        }
        let end = self.0.find(char::is_whitespace).unwrap_or(self.0.len());
        let (word, rest) = self.0.split_at(end);
        self.0 = rest.trim_start();
        Some(word)
    }
}

impl FusedIterator for Words<'_> {}

/// A whole number as another program may write it: whatever has the form of a
/// number is one, and what lies beyond the ends is pulled back to them.
pub(crate) fn saturating_number(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let end = if text.starts_with('-') {
        i64::MIN
    } else {
        i64::MAX
    };
    Some(text.parse().unwrap_or(end))
}

/// Prints a text as part of one line: a line break inside it would be read as
/// the next command.
pub(crate) struct OneLine<'a>(pub(crate) &'a str);

impl fmt::Display for OneLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut pieces = self.0.split(['\n', '\r']);
        f.write_str(pieces.next().unwrap_or_default())?;
        pieces.try_for_each(|piece| write!(f, " {piece}"))
    }
}

/// A megabyte of garbage is quoted in an answer only as far as it helps.
pub(crate) fn quote(text: &str) -> String {
    const LONGEST: usize = 100;
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_keeps_its_inner_white_space() {
        let mut words = Words::new("  value \t C:\\my  tables  \r\n");
        assert_eq!(words.next(), Some("value"));
        assert_eq!(words.rest(), "C:\\my  tables");
    }

    #[test]
    fn numbers_beyond_the_ends_are_pulled_back_to_them() {
        let table = [
            ("12", Some(12)),
            ("-5", Some(-5)),
            ("+7", Some(7)),
            ("99999999999999999999", Some(i64::MAX)),
            ("-99999999999999999999", Some(i64::MIN)),
            ("", None),
            ("-", None),
            ("+-3", None),
            ("1e9", None),
            ("٣", None),
        ];
        for (text, number) in table {
            assert_eq!(saturating_number(text), number, "{text}");
        }
    }

    #[test]
    fn a_line_break_cannot_smuggle_in_a_command() {
        assert_eq!(
            OneLine("a\r\nquit").to_string(),
            "a  quit",
            "one blank for each mark"
        );
    }
}
