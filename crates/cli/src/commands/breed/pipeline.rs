//! `mendel breed` and `mendel resume` of a recipe of several steps.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use mendel_lab::data::make;
use mendel_lab::pipeline::{self, Event, Output, Pipeline, PipelineError, Step};
use mendel_lab::report::PipelineRecord;
use mendel_lab::run::{Order, RunFolder, Work};
use mendel_store::plot::number;
use serde_json::json;

use super::tell::{Teller, merge, say};
use super::{WorkArguments, write_report, wrong};
use crate::home;
use crate::request::Wrong;
use crate::table::Table;

/// Does the steps from the first.
pub(super) fn breed(order: &Order, work: &Work, arguments: &WorkArguments) -> anyhow::Result<()> {
    let mut live = Live::new(&order.folder, arguments);
    let result = pipeline::breed(order, work, &mut |event| live.hear(event));
    finish(result, &order.folder, live)
}

/// Goes on with the steps in a folder.
pub(super) fn resume(folder: &Path, work: &Work, arguments: &WorkArguments) -> anyhow::Result<()> {
    let mut live = Live::new(folder, arguments);
    let result = pipeline::resume(folder, work, &mut |event| live.hear(event));
    finish(result, folder, live)
}

fn finish(
    result: Result<Pipeline, PipelineError>,
    folder: &Path,
    mut live: Live,
) -> anyhow::Result<()> {
    live.quieten();
    home::register_run(folder);
    let state = match result {
        Ok(state) => state,
        Err(PipelineError::Run(error)) => return Err(wrong(*error)),
        Err(error @ PipelineError::Data { .. }) => {
            let hint = "`mendel breed --help` shows what can be asked for";
            return Err(Wrong::new(error, hint).into());
        }
        Err(error) => return Err(error.into()),
    };
    if !state.finished {
        anyhow::bail!(
            "stopped before its end; `mendel resume {}` goes on with it",
            folder.display()
        );
    }
    write_report(folder)?;
    let record = PipelineRecord::read(folder)?;
    if live.json {
        let mut told = json!({ "event": "result" });
        merge(&mut told, json!(record));
        if record.state.champion.is_some() {
            told["champion_file"] = json!(folder.join(RunFolder::CHAMPION));
        }
        say(&told.to_string());
    } else {
        say(&render(&record));
    }
    Ok(())
}

/// What is said while the steps are done, on stderr: which of how many, and how far
/// that one is.
struct Live {
    folder: PathBuf,
    json: bool,
    quiet: bool,
    teller: Option<Teller>,
    bar: Option<ProgressBar>,
    said: Option<Instant>,
}

/// Where there is no terminal, a line is enough so often.
const EVERY: Duration = Duration::from_secs(10);

impl Live {
    fn new(folder: &Path, arguments: &WorkArguments) -> Self {
        Self {
            folder: folder.to_owned(),
            json: arguments.json,
            quiet: arguments.quiet || arguments.json,
            teller: None,
            bar: None,
            said: None,
        }
    }

    fn hear(&mut self, event: Event) {
        match event {
            Event::Begins(state) => {
                home::register_run(&self.folder);
                let (recipe, seed, id) = (&state.recipe, state.seed, &state.id);
                let place = self.folder.display();
                self.note(&format!("{recipe} · seed {seed} · pipeline {id} · {place}"));
            }
            Event::Step {
                step,
                steps,
                folder,
            } => {
                self.note(&format!(
                    "step {} of {steps}: {}",
                    step.number,
                    step.title()
                ));
                self.event("step", step, steps);
                self.teller = Some(Teller::of_step(folder, self.json, self.quiet));
            }
            Event::Run { run, runs, folder } => {
                self.quieten();
                self.note(&format!("run {run} of {runs}"));
                self.teller = Some(Teller::of_step(folder, self.json, self.quiet));
            }
            Event::Breeding(event) => {
                if let Some(teller) = &mut self.teller {
                    teller.hear(&event);
                }
            }
            Event::Gathering(progress) => {
                let words = match progress.stage {
                    make::Stage::Games => format!("positions from {} games", progress.games),
                    make::Stage::Labels => "positions labelled".to_owned(),
                };
                self.progress(progress.done, progress.total, &words);
            }
            Event::Epoch { epoch, epochs } => {
                let words = format!("epochs, error {:.5} on positions held out", epoch.holdout);
                self.progress(epoch.epoch.into(), epochs.into(), &words);
            }
            Event::Game(progress) => {
                self.progress(progress.standing.games(), progress.total, "games");
            }
            Event::Accuracy { done, total } => {
                self.progress(done, total, "games looked at for their accuracy");
            }
            Event::Answers { done, total } => {
                self.progress(done, total, "moves answered");
            }
            Event::Done(step) => {
                self.quieten();
                self.note(&format!("  {}", step.words()));
                self.event("step-done", step, 0);
            }
            _ => {}
        }
    }

    /// A line for people.
    fn note(&self, text: &str) {
        if !self.quiet {
            // With stderr closed there is nobody left to tell.
            let _ = writeln!(io::stderr().lock(), "{text}");
        }
    }

    /// A line for programs.
    fn event(&self, name: &str, step: &Step, steps: usize) {
        if self.json {
            let mut line = json!({ "event": name });
            merge(&mut line, json!(step));
            if steps > 0 {
                line["steps"] = json!(steps);
            }
            say(&line.to_string());
        }
    }

    fn progress(&mut self, done: u64, total: u64, words: &str) {
        if self.quiet {
            return;
        }
        if io::stderr().is_terminal() {
            let bar = self.bar.get_or_insert_with(|| {
                let style = "{bar:24} {pos}/{len} {msg} · {eta} left";
                let style =
                    ProgressStyle::with_template(style).expect("the template is tested by use");
                ProgressBar::new(total).with_style(style)
            });
            bar.set_length(total);
            bar.set_position(done);
            bar.set_message(words.to_owned());
        } else if self.said.is_none_or(|said| said.elapsed() >= EVERY) {
            self.said = Some(Instant::now());
            self.note(&format!("  {done}/{total} {words}"));
        }
    }

    fn quieten(&mut self) {
        if let Some(teller) = self.teller.take() {
            teller.fail();
        }
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
        self.said = None;
    }
}

/// The steps and what came out, the tables of the matches, and the paper's figures.
fn render(record: &PipelineRecord) -> String {
    let state = &record.state;
    let mut table = Table::default();
    table.row(["", "step", "kind", "what came out", "seconds"]);
    table.rule();
    for (step, seconds) in state.steps.iter().zip(&record.seconds) {
        table.row([
            step.number.to_string(),
            step.title(),
            step.kind.clone(),
            step.words(),
            seconds.map_or_else(String::new, |it| format!("{it:.1}")),
        ]);
    }
    let mut text = table.render();
    for step in &state.steps {
        match &step.result {
            Some(Output::Match(it)) => {
                text.push_str(&tables(step, &it.conditions, it.tables(), &it.notes));
            }
            Some(Output::Agreement(it)) => {
                text.push_str(&tables(step, &it.conditions, it.tables(), &it.notes));
            }
            Some(Output::Judgement(it)) => {
                text.push_str(&tables(step, &it.conditions, it.tables(), &it.notes));
            }
            _ => {}
        }
    }
    if !record.paper.is_empty() {
        let mut table = Table::default();
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
        let champion = folder.join(RunFolder::CHAMPION);
        text = format!("{text}\nchampion  {}", champion.display());
    }
    let page = folder.join(mendel_lab::report::FILE);
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
        let mut table = Table::default();
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
