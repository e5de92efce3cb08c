//! `mendel report`: a run as one page.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use mendel_lab::record::manifest::ManifestError;
use mendel_report::{self as report, ReportError};
use mendel_store::frame::{Failure, Manifest};

use crate::experiment::{Report, error};
use crate::request::{UsageError, writable};
use crate::{home, kinds, output};

/// Write an experiment as one page with its plots
#[derive(Args, Debug)]
#[command(after_help = "\
The page needs nothing but itself: open it in any browser, send it, keep it. It can
be made while the experiment runs. The folder of a sweep gives the comparison of its
settings, that of a pipeline its steps with links to their own pages.

Examples:
  mendel report runs/gerald-7
  mendel report 3f2a9c --out page.html    (the beginning of a run's id)
  mendel report 3f2a9c --json             what the page says, as data")]
pub(super) struct ReportArgs {
    /// The experiment: its folder, its name, or the beginning of its id
    #[arg(value_name = "EXPERIMENT")]
    run: String,
    /// Where the page goes; `report.html` in the folder if not given
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print the data as JSON, and write no page unless `--out` is given
    #[arg(long)]
    json: bool,
}

/// Makes the page.
pub(super) fn run(args: &ReportArgs) -> anyhow::Result<()> {
    if let Some(path) = &args.out {
        writable(path)?;
    }
    let folder = home::find(&args.run)?;
    let manifest = Manifest::read(&folder);
    let manifest =
        manifest.map_err(|it| UsageError::new(it, "`mendel runs` lists the experiments"))?;
    let kind = kinds::find(&manifest.kind).ok_or_else(|| kinds::unknown(&folder, &manifest))?;
    let Report { page, data } =
        (kind.report)(&folder).map_err(|failure| error(failure, &folder))?;
    let data = args.json.then_some(data);
    let mut out = output::stdout();
    let path = args.out.clone();
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
        ReportError::Manifest(ManifestError::Frame(_))
        | ReportError::Unfinished { .. }
        | ReportError::NotStarted { .. } => {
            UsageError::new(error, "`mendel runs` lists the runs").into()
        }
        error => error.into(),
    }
}

/// The same for experiments of the frame.
pub(super) fn failure(error: ReportError) -> Failure {
    match error {
        ReportError::Manifest(ManifestError::Frame(_))
        | ReportError::Unfinished { .. }
        | ReportError::NotStarted { .. } => {
            Failure::invalid(error).with_hint("`mendel runs` lists the experiments")
        }
        error => error.into(),
    }
}
