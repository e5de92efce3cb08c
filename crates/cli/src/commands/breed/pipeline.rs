//! A recipe of several steps in the commands for all kinds of experiments.

use std::path::Path;

use mendel_lab::execution::RunOptions;
use mendel_lab::pipeline::PipelineRun;
use mendel_lab::record::{CHAMPION, Output, Pipeline, Step};
use mendel_report::plot::number;
use mendel_report::{
    AgreementView, JudgementView, PipelineRecord, PlayedView, describe_pipeline, step_words,
};
use mendel_store::frame::{Failure, Folder, Manifest};
use serde::Deserialize;
use serde_json::{Value, json};

use super::experiment::run_options;
use super::write_nested_reports;
use crate::commands::report::failure;
use crate::exec_options::ExecOptions;
use crate::experiment::{PAGE, ProgramExperiment, Report};
use crate::progress::{RecordView, Shown};
use crate::table::TextTable;

impl ProgramExperiment for PipelineRun {
    const GROUP: &'static str = "runs";

    fn exec_options(options: &ExecOptions) -> Result<RunOptions, Failure> {
        run_options(options, "pipeline")
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
        Ok(Report {
            page: pipeline.page(),
            data: json!(pipeline),
        })
    }

    fn view() -> Box<dyn RecordView> {
        Box::new(StepView)
    }

    fn write_nested_pages(folder: &Path) -> Result<(), Failure> {
        write_nested_reports(folder)
    }
}

/// A line when a step begins and one when it is done.
struct StepView;

#[derive(Deserialize)]
struct StartedStep {
    number: usize,
    name: String,
}

impl RecordView for StepView {
    fn show(&mut self, name: &str, data: &Value) -> Shown {
        let line = match name {
            "step" => StartedStep::deserialize(data)
                .ok()
                .map(|step| format!("step {}: {}", step.number, step.name)),
            "step-done" => Step::deserialize(data)
                .ok()
                .map(|step| format!("  {}", step_words(&step))),
            _ => None,
        };
        Shown { status: None, line }
    }
}

/// The steps and what came out, the tables of the matches, and the paper's figures.
fn render(record: &PipelineRecord) -> String {
    let state = &record.state;
    let mut table = TextTable::default();
    table.row(["", "step", "kind", "what came out", "seconds"]);
    table.rule();
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
        match &step.result {
            Some(Output::Match(it)) => {
                let shown = PlayedView(it).tables();
                text.push_str(&tables(step, &it.conditions, shown, &it.notes));
            }
            Some(Output::Agreement(it)) => {
                let shown = AgreementView(it).tables();
                text.push_str(&tables(step, &it.conditions, shown, &it.notes));
            }
            Some(Output::Judgement(it)) => {
                let shown = JudgementView(it).tables();
                text.push_str(&tables(step, &it.conditions, shown, &it.notes));
            }
            _ => {}
        }
    }
    if !record.paper.is_empty() {
        let mut table = TextTable::default();
        table.row(["what", "paper", "ours", "unit"]);
        table.rule();
        for it in &record.paper {
            let paper = match &it.paper {
                mendel_lab::recipe::Published::Number(value) => number(*value),
                mendel_lab::recipe::Published::Words(words) => words.clone(),
            };
            table.row([it.what.clone(), paper, it.words.clone(), it.unit.clone()]);
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

/// The tables of a step, each with its title.
fn tables(
    step: &Step,
    conditions: &str,
    tables: Vec<(String, Vec<Vec<String>>)>,
    notes: &[String],
) -> String {
    let mut text = format!("\n{}: {conditions}\n", step.title());
    for (title, rows) in tables {
        let mut table = TextTable::default();
        for (at, row) in rows.into_iter().enumerate() {
            table.row(row);
            if at == 0 {
                table.rule();
            }
        }
        text = format!("{text}\n{title}\n{}", table.render());
    }
    for note in notes {
        text = format!("{text}{note}\n");
    }
    text
}
