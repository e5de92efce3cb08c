//! Paths must be UTF-8: records, recipes and the index store them as text.
//!
//! A path of other bytes is refused before any work. One place for all commands: none of
//! them has to think of it.

use std::env;
use std::ffi::OsStr;
use std::path::Path;

use mendel_store::library::Library;

use crate::request::UsageError;

/// Refuses arguments that are not UTF-8.
pub(crate) fn check_arguments() -> Result<(), UsageError> {
    for (place, argument) in env::args_os().enumerate().skip(1) {
        check(&format!("argument {place}"), &argument, RENAME)?;
    }
    Ok(())
}

/// Refuses a current folder and variables that are not UTF-8: such a variable would count as not
/// set, and the request would be another one.
pub(crate) fn check_environment() -> Result<(), UsageError> {
    let folder = env::current_dir().map_err(|error| {
        let message = format!("cannot use the current folder: {error}");
        UsageError::new(message, "start the program in a folder that exists")
    })?;
    let remedy = "rename the folder, or start the program in another one";
    check("the current folder", folder.as_os_str(), remedy)?;
    if let Some((name, home)) = Library::default_home() {
        let remedy = "set MENDEL_HOME to a folder whose path is UTF-8";
        check(name, home.as_os_str(), remedy)?;
    }
    let address = "name a server, such as `nats://127.0.0.1:4222`";
    for (name, remedy) in [("MENDEL_PLAYER", RENAME), ("MENDEL_CREW", address)] {
        if let Some(value) = env::var_os(name) {
            check(name, &value, remedy)?;
        }
    }
    if env::var_os("MENDEL_CREW_TOKEN").is_some_and(|token| token.to_str().is_none()) {
        // A secret is not shown.
        let remedy = "set the token of the server, which is text";
        return Err(UsageError::new("MENDEL_CREW_TOKEN is not UTF-8", remedy));
    }
    Ok(())
}

const RENAME: &str = "rename the file or the folder, such as with `mv`";

fn check(what: &str, bytes: &OsStr, remedy: &str) -> Result<(), UsageError> {
    if bytes.to_str().is_some() {
        return Ok(());
    }
    let shown = Path::new(bytes).display();
    let message = format!("{what} is not UTF-8: `{shown}`");
    Err(UsageError::new(message, remedy))
}
