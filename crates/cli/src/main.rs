//! The program `mendel`: parse, dispatch, exit code.
//!
//! Data goes to stdout, everything else to stderr. The exit code is 0 when the
//! work is done, 1 when it failed and 2 when the request was wrong.

mod choice;
mod commands;
mod crew;
mod ctrl_c;
mod draw;
mod exec_options;
mod experiment;
mod kinds;
mod library;
mod limits;
mod output;
mod population_learner;
mod progress;
mod removed;
mod request;
mod table;
mod text;

use std::io;
use std::process::ExitCode;

use clap::Parser;

use commands::Cli;
use request::UsageError;

fn main() -> ExitCode {
    mendel_store::set_build(crew::PROGRAM);
    library::describe_by(kinds::describe);
    progress::view_by(|name| kinds::find(name).map(|kind| (kind.view)()));
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::log(report(&error).trim_end());
            let is_usage_error = error.is::<UsageError>();
            ExitCode::from(if is_usage_error { 2 } else { 1 })
        }
    }
}

fn run() -> anyhow::Result<()> {
    text::check_arguments()?;
    removed::check_arguments()?;
    match Cli::try_parse() {
        Ok(cli) => {
            text::check_environment()?;
            request::limit_memory()?;
            commands::run(cli)?;
        }
        Err(wrong) if wrong.use_stderr() => wrong.exit(),
        // `--help` and `--version`.
        Err(help) => output::named(help.print())?,
    }
    Ok(output::finish()?)
}

/// Whether the reader of the output closed it, as `mendel perft 5 --divide | head` does.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

/// The error with its causes, and a blank line before the hints.
fn report(error: &anyhow::Error) -> String {
    let mut text = format!("error: {}\n", sentence(error));
    if let Some(UsageError { hints, .. }) = error.downcast_ref::<UsageError>() {
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

/// An error and its causes, without those that are part of another message.
pub(crate) fn sentence(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain() {
        let said = cause.to_string();
        if text.contains(&said) {
            continue;
        }
        if !text.is_empty() {
            text.push_str(": ");
        }
        text.push_str(&said);
    }
    text
}
