//! A recipe of several steps in the commands for all kinds of experiments.

use std::path::Path;

use mendel_lab::execution::RunOptions;
use mendel_lab::pipeline::PipelineRun;
use mendel_lab::record::{CHAMPION, Pipeline};
use mendel_report::{PipelineRecord, describe_pipeline, step_tables, step_words};
use mendel_store::frame::{Failure, Folder, Manifest};
use serde::Deserialize;
use serde_json::{Value, json};

use super::experiment::run_options;
use super::write_nested_reports;
use crate::commands::report::failure;
use crate::exec_options::ExecOptions;
use crate::experiment::{PAGE, ProgramExperiment, Report};
use crate::progress::{RecordText, RecordView, record};
use crate::table::TextTable;

impl ProgramExperiment for PipelineRun {
    const GROUP: &'static str = "runs";

    fn exec_options(options: &ExecOptions) -> RunOptions {
        run_options(options)
    }

    fn text(_outcome: &Pipeline, folder: &Folder) -> Result<String, Failure> {
        let record = PipelineRecord::read(folder.path()).map_err(failure)?;
        Ok(render(&record))
    }

    fn json(_outcome: &Pipeline, folder: &Folder) -> Result<Value, Failure> {
        let record = PipelineRecord::read(folder.path()).map_err(failure)?;
        let mut value = json!(record);
        if record.state.champion.is_some() {
            value["champion_file"] = json!(folder.file(CHAMPION));
        }
        Ok(value)
    }

    fn describe(folder: &Folder, _manifest: &Manifest) -> Value {
        let Ok(Some(state)) = Pipeline::read(folder.path()) else {
            return Value::Null;
        };
        let mut value = describe_pipeline(&state);
        let (done, steps) = (state.done(), state.steps.len());
        value["progress"] = json!(format!("{done}/{steps} steps"));
        value["result"] = value["verdict"].clone();
        value
    }

    fn report(folder: &Path) -> Result<Report, Failure> {
        let pipeline = PipelineRecord::read(folder).map_err(failure)?;
        Ok(Report::new(pipeline.page(), &pipeline))
    }

    /// A line at the start and at the end of each step.
    fn view() -> RecordView {
        Box::new(|name, data| {
            RecordText::line(match name {
                "step" => record(data)
                    .map(|StartedStep { number, name }| format!("step {number}: {name}")),
                "step-done" => record(data).map(|step| format!("  {}", step_words(&step))),
                _ => None,
            })
        })
    }

    fn write_nested_pages(folder: &Path) -> Result<(), Failure> {
        write_nested_reports(folder)
    }
}

#[derive(Deserialize)]
struct StartedStep {
    number: usize,
    name: String,
}

/// The steps with their results, the tables of the matches, and the figures of the paper.
fn render(record: &PipelineRecord) -> String {
    let state = &record.state;
    let mut table = TextTable::new(" | step | kind | what came out | seconds");
    for (step, seconds) in state.steps.iter().zip(&record.seconds) {
        table.row([
            step.number.to_string(),
            step.title(),
            step.kind.clone(),
            step_words(step),
            seconds.map_or_else(String::new, |it| format!("{it:.1}")),
        ]);
    }
    let mut text = table.render();
    for step in &state.steps {
        let Some(found) = step_tables(step) else {
            continue;
        };
        text = format!("{text}\n{}: {}\n", step.title(), found.conditions);
        for (title, rows) in found.tables {
            // The first row is the head.
            let mut rows = rows.into_iter();
            let mut table = TextTable::with_head(rows.next().unwrap_or_default());
            rows.for_each(|row| table.row(row));
            text = format!("{text}\n{title}\n{}", table.render());
        }
        for note in found.notes {
            text = format!("{text}{note}\n");
        }
    }
    if !record.paper.is_empty() {
        let mut table = TextTable::new("what | paper | ours | unit");
        for it in &record.paper {
            table.row([&it.what, &it.published(), &it.words, &it.unit]);
        }
        text = format!("{text}\n{}", table.render());
    }
    let folder = &record.folder;
    if state.champion.is_some() {
        let champion = folder.join(CHAMPION);
        text = format!("{text}\nchampion  {}", champion.display());
    }
    let page = folder.join(PAGE);
    format!("{text}\nreport    {}\n", page.display())
}
