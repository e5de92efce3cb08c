//! The program `mendel`: parse, dispatch, exit code.
//!
//! Data goes to stdout, everything else to stderr. The exit code is 0 when the
//! work is done, 1 when it failed and 2 when the request was wrong.

mod commands;
mod crew;
mod draw;
mod home;
mod interrupt;
mod limits;
mod pupil;
mod request;
mod table;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;

use commands::Cli;
use request::Wrong;

fn main() -> ExitCode {
    match commands::run(Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // With stderr closed there is nobody left to tell.
            let _ = io::stderr().lock().write_all(report(&error).as_bytes());
            let wrong = error.downcast_ref::<Wrong>().is_some();
            ExitCode::from(if wrong { 2 } else { 1 })
        }
    }
}

/// Whoever read our output has seen enough (`mendel perft 5 --divide | head`).
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

/// The error as people read it: what, why, and a blank line before what to do.
fn report(error: &anyhow::Error) -> String {
    let mut text = format!("error: {error:#}\n");
    if let Some(Wrong { hints, .. }) = error.downcast_ref::<Wrong>() {
        if !hints.is_empty() {
            text.push('\n');
        }
        for hint in hints {
            text.push_str("hint: ");
            text.push_str(hint);
            text.push('\n');
        }
    }
    text
}
