//! Checksums in text: of a line of a journal, and of a file that is written as a whole.

use sha2::{Digest as _, Sha256};

/// Opens the checksum field of a line; eight hexadecimal digits and [`END`] follow.
const FIELD: &[u8] = b",\"crc\":\"";
const END: &[u8] = b"\"}";
const DIGITS: usize = 8;
const LENGTH: usize = FIELD.len() + DIGITS + END.len();

/// Why a line is not one that was written with a checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Damage {
    #[error("it does not end with a checksum")]
    Missing,
    #[error("its checksum does not match its contents")]
    Differs,
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
    let crc = crc32fast::hash(line);
    line.extend_from_slice(FIELD);
    line.extend_from_slice(format!("{crc:08x}").as_bytes());
    line.extend_from_slice(END);
}

/// The bytes before the checksum, if it is there and right.
pub(crate) fn checked(line: &[u8]) -> Result<&[u8], Damage> {
    let body = line.len().checked_sub(LENGTH).ok_or(Damage::Missing)?;
    let (body, field) = line.split_at(body);
    let digits = field
        .strip_prefix(FIELD)
        .and_then(|rest| rest.strip_suffix(END))
        .ok_or(Damage::Missing)?;
    // Compared as text: a digit in another case is damage, too.
    if digits == format!("{:08x}", crc32fast::hash(body)).as_bytes() {
        Ok(body)
    } else {
        Err(Damage::Differs)
    }
}

/// Opens the checksum of a JSON object over several lines.
const PRETTY: &[u8] = b",\n  \"crc\": \"";
const PRETTY_END: &[u8] = b"\"\n}\n";

/// As [`add_checksum`], for an object that serde has indented; `None` if it is no object
/// with fields.
pub fn add_checksum_indented(text: &mut Vec<u8>) -> Option<()> {
    if !text.starts_with(b"{\n") || !text.ends_with(b"\n}") {
        return None;
    }
    text.truncate(text.len() - 2);
    let crc = crc32fast::hash(text);
    text.extend_from_slice(PRETTY);
    text.extend_from_slice(format!("{crc:08x}").as_bytes());
    text.extend_from_slice(PRETTY_END);
    Some(())
}

/// Checks the checksum of an indented object and takes the field away.
pub(crate) fn take_checksum_indented(text: &mut Vec<u8>) -> Result<(), Damage> {
    let length = PRETTY.len() + DIGITS + PRETTY_END.len();
    let body = text.len().checked_sub(length).ok_or(Damage::Missing)?;
    let digits = text[body..]
        .strip_prefix(PRETTY)
        .and_then(|rest| rest.strip_suffix(PRETTY_END))
        .ok_or(Damage::Missing)?;
    if digits != format!("{:08x}", crc32fast::hash(&text[..body])).as_bytes() {
        return Err(Damage::Differs);
    }
    text.truncate(body);
    text.extend_from_slice(b"\n}\n");
    Ok(())
}

/// SHA-256 as hexadecimal digits.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}
