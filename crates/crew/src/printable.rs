//! Untrusted texts as messages show them.

use serde::{Deserialize, Deserializer};

/// Untrusted texts are cut to this length.
pub(crate) const MAX_PRINTABLE_CHARS: usize = 500;

/// An untrusted text as one line without control characters.
pub fn printable(text: &str) -> String {
    let is_order = |letter: char| {
        letter.is_control()
            || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    let shown = |letter| if is_order(letter) { ' ' } else { letter };
    let mut line: String = text.chars().take(MAX_PRINTABLE_CHARS).map(shown).collect();
    if text.chars().nth(MAX_PRINTABLE_CHARS).is_some() {
        line.push('…');
    }
    line
}

/// Deserialises an untrusted text as [`printable`] shows it.
pub(crate) fn printable_text<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    String::deserialize(from).map(|text| printable(&text))
}
