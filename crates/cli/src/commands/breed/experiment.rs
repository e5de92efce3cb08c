//! A run in the commands for all kinds of experiments.

use std::path::Path;

use mendel_lab::breed::Breed;
use mendel_lab::execution::RunOptions;
use mendel_lab::record::manifest::Manifest as RunManifest;
use mendel_lab::record::{CHAMPION, RunOutcome};
use mendel_report::{RunRecord, describe_run};
use mendel_store::frame::{Failure, Folder, Manifest};
use serde_json::{Value, json};

use super::tables::render;
use super::view::RunView;
use crate::commands::report::failure;
use crate::exec_options::ExecOptions;
use crate::experiment::{PAGE, ProgramExperiment, Report};
use crate::progress::RecordView;

/// The options of runs, sweeps and pipelines.
pub(super) fn run_options(options: &ExecOptions) -> RunOptions {
    RunOptions {
        crew: options.crew_or_all(),
        proof: options.proof,
    }
}

impl ProgramExperiment for Breed {
    const GROUP: &'static str = "runs";

    fn exec_options(options: &ExecOptions) -> RunOptions {
        run_options(options)
    }

    fn text(outcome: &RunOutcome, folder: &Folder) -> Result<String, Failure> {
        let champion = folder.file(CHAMPION);
        let champion = champion.display();
        Ok(format!(
            "{}\nchampion  {champion}\nreport    {}\nplay it   mendel play --player {champion}\n",
            render(&outcome.proof),
            folder.file(PAGE).display(),
        ))
    }

    fn json(outcome: &RunOutcome, folder: &Folder) -> Result<Value, Failure> {
        let manifest = Manifest::read(folder.path())?;
        let mut value = json!({
            "run": manifest.id,
            "recipe": manifest.name,
            "seed": manifest.seed,
            "champion": folder.file(CHAMPION),
        });
        if let (Some(value), Value::Object(proof)) = (value.as_object_mut(), json!(outcome.proof)) {
            value.extend(proof);
        }
        Ok(value)
    }

    fn describe(folder: &Folder, manifest: &Manifest) -> Value {
        let Ok(manifest) = RunManifest::of(manifest) else {
            return Value::Null;
        };
        let mut value = describe_run(folder.path(), &manifest);
        let generations = value["generations"].as_u64().unwrap_or(0);
        let best = value["best"].as_f64();
        let best = best.map_or_else(String::new, |best| format!(", best {best:.4}"));
        value["progress"] = json!(format!("{generations} generations{best}"));
        value["result"] = json!(value["verdict"].as_str().unwrap_or_default());
        value
    }

    fn report(folder: &Path) -> Result<Report, Failure> {
        let run = RunRecord::read(folder).and_then(RunRecord::with_analyses);
        let run = run.map_err(failure)?;
        Ok(Report::new(run.page(), run.summary()))
    }

    fn view() -> RecordView {
        let mut view = RunView::default();
        Box::new(move |name, data| view.show(name, data))
    }
}
