//! The standard output: its errors name it, and none of them is lost.

use std::fmt;
use std::io::{self, Write};
use std::sync::OnceLock;

/// What went wrong first.
static FAILED: OnceLock<(io::ErrorKind, String)> = OnceLock::new();

/// Returns the standard output. A line that is written to it without looking at the result
/// still makes the program fail in the end; see [`finish`].
pub(crate) fn stdout() -> Stdout {
    Stdout
}

/// The standard output.
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

/// Remembers an error of the standard output and says whose it is.
pub(crate) fn named<T>(result: io::Result<T>) -> io::Result<T> {
    result.map_err(|error| {
        // The caller tries again.
        if error.kind() == io::ErrorKind::Interrupted {
            return error;
        }
        let (kind, reason) = FAILED.get_or_init(|| (error.kind(), error.to_string()));
        io::Error::new(*kind, Failure(reason.clone()))
    })
}

/// Writes what is still held back.
///
/// # Errors
///
/// The first error of the standard output, also where nobody looked at it.
pub(crate) fn finish() -> io::Result<()> {
    stdout().flush()?;
    match FAILED.get() {
        Some((kind, reason)) => Err(io::Error::new(*kind, Failure(reason.clone()))),
        None => Ok(()),
    }
}

/// The standard output takes nothing more.
#[derive(Debug)]
struct Failure(String);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot write to stdout: {}", self.0)
    }
}

impl std::error::Error for Failure {}
