//! Checksums in text: of a line of a journal, and of a file that is written as a whole.

use sha2::{Digest as _, Sha256};

/// The field that ends a JSON object; eight hexadecimal digits are between its two parts.
struct CrcField {
    before: &'static [u8],
    after: &'static [u8],
}

const IN_LINE: CrcField = CrcField {
    before: b",\"crc\":\"",
    after: b"\"}",
};

/// Of an object over several lines, as serde indents it.
const INDENTED: CrcField = CrcField {
    before: b",\n  \"crc\": \"",
    after: b"\"\n}\n",
};

/// Why a text is not one that was written with a checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Damage {
    Missing,
    Differs,
}

impl std::fmt::Display for Damage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Missing => "it does not end with a checksum",
            Self::Differs => "its checksum does not match its contents",
        })
    }
}

impl CrcField {
    fn add(&self, body: &mut Vec<u8>) {
        let crc = crc32fast::hash(body);
        body.extend_from_slice(self.before);
        body.extend_from_slice(format!("{crc:08x}").as_bytes());
        body.extend_from_slice(self.after);
    }

    /// The bytes before the field.
    fn check<'a>(&self, text: &'a [u8]) -> Result<&'a [u8], Damage> {
        let length = self.before.len() + 8 + self.after.len();
        let body = text.len().checked_sub(length).ok_or(Damage::Missing)?;
        let (body, field) = text.split_at(body);
        let digits = field
            .strip_prefix(self.before)
            .and_then(|rest| rest.strip_suffix(self.after))
            .ok_or(Damage::Missing)?;
        // Compared as text: a digit in another case is damage, too.
        if digits == format!("{:08x}", crc32fast::hash(body)).as_bytes() {
            Ok(body)
        } else {
            Err(Damage::Differs)
        }
    }
}

/// Adds the checksum as the last field of a JSON object in one line: the CRC-32 of all
/// bytes before that field.
///
/// # Panics
///
/// If the text is not an object with at least one field.
pub fn add_checksum(line: &mut Vec<u8>) {
    assert!(
        line.len() > 2 && line.pop() == Some(b'}'),
        "a line is a JSON object"
    );
    IN_LINE.add(line);
}

/// The bytes of a line before its checksum, if that is there and right.
pub(crate) fn checked(line: &[u8]) -> Result<&[u8], Damage> {
    IN_LINE.check(line)
}

/// As [`add_checksum`], for an object that serde has indented; `None` if the text is not an
/// object with fields.
pub fn add_checksum_indented(text: &mut Vec<u8>) -> Option<()> {
    if !text.starts_with(b"{\n") || !text.ends_with(b"\n}") {
        return None;
    }
    text.truncate(text.len() - 2);
    INDENTED.add(text);
    Some(())
}

/// Checks the checksum of an indented object and removes the field.
pub(crate) fn take_checksum_indented(text: &mut Vec<u8>) -> Result<(), Damage> {
    let body = INDENTED.check(text)?.len();
    text.truncate(body);
    text.extend_from_slice(b"\n}\n");
    Ok(())
}

/// SHA-256 as hexadecimal digits.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}
