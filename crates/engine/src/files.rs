//! Files of users, with a limit for their size.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Reads a file of at most `max` bytes. A pipe or a device is an error, because reading it
/// might never end.
pub(crate) fn read(path: &Path, max: u64) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    let mut bytes = Vec::new();
    file.take(max + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max {
        return Err(io::Error::other(format!("it has more than {max} bytes")));
    }
    Ok(bytes)
}

/// As [`read`], for text in UTF-8.
pub(crate) fn read_text(path: &Path, max: u64) -> io::Result<String> {
    String::from_utf8(read(path, max)?).map_err(io::Error::other)
}
