//! A sweep in the commands for all kinds of experiments.

use std::path::Path;

use mendel_lab::execution::RunOptions;
use mendel_lab::record::SweepOutcome;
use mendel_lab::sweep::{Sweep, SweepRun};
use mendel_report::SweepRecord;
use mendel_store::frame::{Failure, Folder, Manifest};
use serde::Deserialize as _;
use serde_json::{Value, json};

use super::experiment::run_options;
use super::tables::sweep_table;
use crate::commands::report::failure;
use crate::exec_options::ExecOptions;
use crate::experiment::{ProgramExperiment, Report};
use crate::progress::{RecordText, RecordView};

impl ProgramExperiment for Sweep {
    const GROUP: &'static str = "runs";

    fn exec_options(options: &ExecOptions) -> RunOptions {
        run_options(options)
    }

    fn text(outcome: &SweepOutcome, folder: &Folder) -> Result<String, Failure> {
        Ok(sweep_table(outcome, folder.path()))
    }

    fn describe(folder: &Folder, manifest: &Manifest) -> Value {
        let sweep = SweepRecord::read(folder.path()).ok();
        let settings = sweep.map(|sweep| sweep.results.cells.len());
        json!({
            "recipe": manifest.name,
            "seed": manifest.seed,
            "settings": settings,
            "result": settings.map(|settings| format!("{settings} settings compared")),
        })
    }

    fn report(folder: &Path) -> Result<Report, Failure> {
        let sweep = SweepRecord::read(folder).map_err(failure)?;
        Ok(Report::new(sweep.page(), &sweep))
    }

    /// The setting of the current run, next to the progress.
    fn view() -> RecordView {
        Box::new(|name, data| {
            let run = (name == "run").then(|| SweepRun::deserialize(data).ok());
            RecordText::status(run.flatten().map(|it| {
                let setting = mendel_report::setting_name(&it.setting);
                format!("{setting}, seed {}", it.seed)
            }))
        })
    }
}
