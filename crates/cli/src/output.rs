//! The standard output: its errors name it, and none of them is lost.

use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::OnceLock;

use mendel_store::{FileError, replace_with};
use serde::Serialize;

static FAILED: OnceLock<(io::ErrorKind, String)> = OnceLock::new();

/// Returns the standard output. A line that is written to it without looking at the result
/// still makes the program fail in the end; see [`finish`].
pub(crate) fn stdout() -> Stdout {
    Stdout
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Stdout;

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        named(io::stdout().lock().write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        named(io::stdout().lock().flush())
    }
}

/// Prints the result of a command: data with `--json`, text otherwise. Only one of the two is
/// made.
pub(crate) fn print<T: Serialize>(
    json: bool,
    data: impl FnOnce() -> T,
    text: impl FnOnce() -> String,
) -> anyhow::Result<()> {
    let text = if json {
        serde_json::to_string_pretty(&data())? + "\n"
    } else {
        text()
    };
    Ok(stdout().write_all(text.as_bytes())?)
}

/// As [`print()`], with the data on one line.
pub(crate) fn print_line<T: Serialize>(
    json: bool,
    data: impl FnOnce() -> T,
    text: impl FnOnce() -> String,
) -> anyhow::Result<()> {
    let text = if json {
        serde_json::to_string(&data())? + "\n"
    } else {
        text()
    };
    Ok(stdout().write_all(text.as_bytes())?)
}

/// Writes a line to stderr. If stderr is closed, the line is lost and the work continues.
pub(crate) fn log(text: impl fmt::Display) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Writes a file as a whole: another process sees all of it or nothing.
pub(crate) fn write_file(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<&mut File>) -> io::Result<()>,
) -> Result<(), FileError> {
    replace_with(path, |file| {
        let mut file = BufWriter::new(file);
        write(&mut file)
            .and_then(|()| file.flush())
            .map_err(|source| FileError::Write {
                path: path.to_owned(),
                source,
            })
    })
}

/// Remembers an error of the standard output and names it.
pub(crate) fn named<T>(result: io::Result<T>) -> io::Result<T> {
    result.map_err(|error| {
        // The caller tries again.
        if error.kind() == io::ErrorKind::Interrupted {
            return error;
        }
        let (kind, reason) = FAILED.get_or_init(|| (error.kind(), error.to_string()));
        io::Error::new(*kind, StdoutError(reason.clone()))
    })
}

/// Writes what is still in the buffer.
///
/// # Errors
///
/// The first error of the standard output, also if its result was not looked at.
pub(crate) fn finish() -> io::Result<()> {
    stdout().flush()?;
    match FAILED.get() {
        Some((kind, reason)) => Err(io::Error::new(*kind, StdoutError(reason.clone()))),
        None => Ok(()),
    }
}

#[derive(Debug)]
struct StdoutError(String);

impl fmt::Display for StdoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot write to stdout: {}", self.0)
    }
}

impl std::error::Error for StdoutError {}
