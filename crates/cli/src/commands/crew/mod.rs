//! `mendel crew`: the workers and jobs of a crew.

use std::fmt::Write as _;

use clap::{Args, Subcommand};
use mendel_crew::{CrewStatus, remove_run, status};
use serde_json::json;

use crate::crew::{ServerArgs, crew_error};
use crate::output;
use crate::table::TextTable;

/// Look at a crew: its workers, its jobs and how fast it is
#[derive(Args, Debug)]
pub(in crate::commands) struct CrewCommandArgs {
    #[command(subcommand)]
    command: CrewCommand,
}

#[derive(Debug, Subcommand)]
enum CrewCommand {
    Status(CrewStatusArgs),
    Remove(CrewRemoveArgs),
}

/// Remove the jobs, results and blobs of a run that will not be resumed
#[derive(Args, Debug)]
#[command(after_help = "\
Blobs, which runs share, are removed with the last run. If the run is resumed after
all, the removed work is done again.

Examples:
  mendel crew remove 3f9c1a7be2d04c55 --crew nats://127.0.0.1:4222")]
struct CrewRemoveArgs {
    /// The run, as `mendel crew status` shows it
    #[arg(value_name = "RUN")]
    run: String,
    #[command(flatten)]
    server: ServerArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Show workers, jobs waiting, running and done, games a second and failures
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  mendel crew status --crew nats://127.0.0.1:4222
  MENDEL_CREW=tls://crew.example.org mendel crew status --json")]
struct CrewStatusArgs {
    #[command(flatten)]
    server: ServerArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(in crate::commands) fn run(args: &CrewCommandArgs) -> anyhow::Result<()> {
    match &args.command {
        CrewCommand::Status(args) => show(args),
        CrewCommand::Remove(args) => remove(args),
    }
}

fn show(args: &CrewStatusArgs) -> anyhow::Result<()> {
    let found = status(&args.server.required()?).map_err(crew_error)?;
    output::print(args.json, || json!(found), || text(&found))
}

fn remove(args: &CrewRemoveArgs) -> anyhow::Result<()> {
    let gone = remove_run(&args.server.required()?, &args.run).map_err(crew_error)?;
    let (run, jobs, results, blobs) = (&gone.run, gone.jobs, gone.results, gone.blobs);
    output::print(
        args.json,
        || json!(gone),
        || format!("removed of run {run}: {jobs} jobs, {results} results, {blobs} blobs\n"),
    )
}

fn text(status: &CrewStatus) -> String {
    let mut text = format!(
        "{}: {} workers, {} jobs waiting, {} running, {} done, {:.1} games a second\n",
        status.server,
        status.workers.len(),
        status.waiting,
        status.running,
        status.done,
        status.per_second
    );
    if status.dead + status.refused > 0 {
        let _ = writeln!(
            text,
            "{} jobs set aside, {} times a worker did not do one",
            status.dead, status.refused
        );
    }
    if !status.workers.is_empty() {
        text.push('\n');
        text.push_str(&workers(status).render());
    }
    if !status.runs.is_empty() {
        text.push('\n');
        text.push_str(&runs(status).render());
    }
    text
}

fn workers(status: &CrewStatus) -> TextTable {
    let mut table =
        TextTable::new("worker | version | slots | active | jobs | games | a second | not done");
    for worker in &status.workers {
        table.row([
            worker.name.clone(),
            worker.program.clone(),
            worker.slots.to_string(),
            worker.active_jobs.to_string(),
            worker.totals.jobs.to_string(),
            worker.totals.units.to_string(),
            format!("{:.1}", worker.per_second),
            worker.totals.refused.to_string(),
        ]);
    }
    table
}

/// The contents of the server for each run, and whether its coordinator is connected.
fn runs(status: &CrewStatus) -> TextTable {
    let mut table = TextTable::new("run | jobs | results | coordinator");
    for held in &status.runs {
        let mut coordinators = status.coordinators.iter();
        let there = coordinators.any(|it| it.run == held.run);
        table.row([
            held.run.clone(),
            held.jobs.to_string(),
            held.results.to_string(),
            if there { "there" } else { "away" }.to_owned(),
        ]);
    }
    table
}
