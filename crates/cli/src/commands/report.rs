//! `mendel report`: the page of an experiment.

use std::path::{Path, PathBuf};

use clap::Args;
use mendel_lab::record::manifest::ManifestError;
use mendel_report::{self as report, ReportError};
use mendel_store::frame::Failure;

use crate::experiment::{Report, error};
use crate::request::writable;
use crate::{kinds, library, output};

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

pub(super) fn run(args: &ReportArgs) -> anyhow::Result<()> {
    if let Some(path) = &args.out {
        writable(path)?;
    }
    let folder = library::find(&args.run)?;
    let kind = kinds::of_folder(&folder)?;
    let Report { page, data } =
        (kind.report)(&folder).map_err(|failure| error(failure, &folder))?;
    let default = || folder.join(report::FILE);
    let path = args.out.clone().or_else(|| (!args.json).then(default));
    if let Some(path) = &path {
        mendel_store::replace(path, page.render().as_bytes())?;
    }
    let shown = path.unwrap_or_default();
    output::print(args.json, || data, || format!("{}\n", shown.display()))
}

/// The error of a folder: one without results is a wrong request, a damaged file is not.
pub(super) fn failure(error: ReportError) -> Failure {
    match error {
        ReportError::Manifest(ManifestError::Frame(_))
        | ReportError::Unfinished { .. }
        | ReportError::NotStarted { .. } => Failure::invalid(error).with_hint(EXPERIMENTS),
        error => error.into(),
    }
}

/// The same for the commands that read a folder themselves.
pub(super) fn unusable(folder: &Path) -> impl Fn(ReportError) -> anyhow::Error {
    |it| error(failure(it), folder)
}

const EXPERIMENTS: &str = "`mendel runs` lists the experiments";
