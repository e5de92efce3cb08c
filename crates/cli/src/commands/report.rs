//! `mendel report`: a run as one page.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use mendel_lab::pipeline::is_pipeline;
use mendel_lab::report::{self, PipelineRecord, ReportError, RunRecord, SweepRecord, TuningRecord};
use mendel_lab::run::manifest::ManifestError;
use mendel_lab::tune::is_tuning;
use serde_json::json;

use crate::home;
use crate::request::Wrong;

/// Write a run as one page with its plots, to read and to show around
#[derive(Args, Debug)]
#[command(after_help = "\
The page needs nothing but itself: open it in any browser, send it, keep it. It can
be made while the run goes on. The folder of a sweep gives the comparison of its
settings, that of a pipeline its steps with links to their own pages.

Examples:
  mendel report runs/gerald-7
  mendel report 3f2a9c --out page.html    (the beginning of a run's id)
  mendel report 3f2a9c --json             what the page says, as data")]
pub(super) struct Arguments {
    /// The run, sweep, pipeline or tuning: its folder, or the beginning of a run's id
    run: String,
    /// Where the page goes; `report.html` in the folder if not given
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print the data as JSON, and write no page unless `--out` is given
    #[arg(long)]
    json: bool,
}

/// Makes the page.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let folder = home::find_run(&arguments.run)?;
    let (page, data) = if is_tuning(&folder) {
        let tuning = TuningRecord::read(&folder).map_err(wrong)?;
        (tuning.page(), arguments.json.then(|| json!(tuning)))
    } else if is_pipeline(&folder) {
        let pipeline = PipelineRecord::read(&folder).map_err(wrong)?;
        (pipeline.page(), arguments.json.then(|| json!(pipeline)))
    } else if report::is_sweep(&folder) {
        let sweep = SweepRecord::read(&folder).map_err(wrong)?;
        (sweep.page(), arguments.json.then(|| json!(sweep)))
    } else {
        let run = RunRecord::read(&folder);
        let run = run.and_then(RunRecord::with_analyses).map_err(wrong)?;
        (run.page(), arguments.json.then(|| json!(run.summary())))
    };
    let mut out = io::stdout().lock();
    let path = arguments.out.clone();
    if let Some(data) = data {
        if let Some(path) = path {
            mendel_store::replace(&path, page.render().as_bytes())?;
        }
        writeln!(out, "{data:#}")?;
        return Ok(());
    }
    let path = path.unwrap_or_else(|| folder.join(report::FILE));
    mendel_store::replace(&path, page.render().as_bytes())?;
    writeln!(out, "{}", path.display())?;
    Ok(())
}

/// A folder that holds no results was asked for in error; a broken file was not.
pub(super) fn wrong(error: ReportError) -> anyhow::Error {
    match error {
        ReportError::Manifest(ManifestError::NoRun { .. }) | ReportError::Unfinished { .. } => {
            Wrong::new(error, "`mendel runs` lists the runs").into()
        }
        error => error.into(),
    }
}
