//! A training in the commands for all kinds of experiments.

use std::path::Path;

use indicatif::HumanCount;
use mendel_nets::record::{
    EVALUATION, Evaluation, START, STEP, TrainProgress, TrainedGrid, TrainedNetwork,
    TrainingOutcome, TrainingStart,
};
use mendel_nets::train::{TrainOptions, Training};
use mendel_report::TrainingRecord;
use mendel_store::frame::{Failure, Folder, Manifest};
use mendel_store::replace;
use serde::Deserialize as _;
use serde_json::{Value, json};

use crate::exec_options::ExecOptions;
use crate::experiment::{PAGE, ProgramExperiment, Report};
use crate::progress::{RecordText, RecordView, last_progress};
use crate::table::TextTable;

/// The figures of an evaluation that are printed.
const SHOWN: [&str; 5] = ["from", "overall", "first", "mse", "r2"];

/// The figures that say most about a network, the first that there is.
const TELLING: [&str; 3] = ["first", "from", "mse"];

impl ProgramExperiment for Training {
    const GROUP: &'static str = "nets";

    fn exec_options(options: &ExecOptions) -> TrainOptions {
        TrainOptions {
            threads: options.threads,
        }
    }

    fn text(outcome: &TrainingOutcome, folder: &Folder) -> Result<String, Failure> {
        Ok(match outcome {
            TrainingOutcome::Network(network) => network_text(network, folder),
            TrainingOutcome::Grid(grid) => grid_text(grid, folder),
        })
    }

    fn describe(folder: &Folder, manifest: &Manifest) -> Value {
        let mut value = json!({ "recipe": manifest.name, "seed": manifest.seed });
        match folder.read_result::<TrainingOutcome>() {
            Ok(Some(TrainingOutcome::Network(network))) => {
                let told = |figure: &&&str| network.test.contains_key(**figure);
                let figure = TELLING.iter().find(told);
                value["steps"] = json!(network.steps);
                value["best"] = json!(figure.map(|it| network.test[*it]));
                value["best_on"] = json!(figure.map(|it| format!("unseen positions, {it}")));
                value["progress"] = json!(format!("{} steps", network.steps));
            }
            Ok(Some(TrainingOutcome::Grid(grid))) => {
                let networks = format!("{} networks", grid.cells.len());
                value["result"] = json!(format!("{networks} compared"));
                value["progress"] = json!(networks);
            }
            _ => value["progress"] = json!(last_progress(folder)),
        }
        value
    }

    fn report(folder: &Path) -> Result<Report, Failure> {
        let record = TrainingRecord::read(folder)?;
        Ok(Report::new(record.page(), &record))
    }

    /// A line for each start and each evaluation; loss, rate and speed next to the progress.
    fn view() -> RecordView {
        Box::new(|name, data| match name {
            START => RecordText::line(TrainingStart::deserialize(data).ok().map(|it| start(&it))),
            EVALUATION => {
                RecordText::line(Evaluation::deserialize(data).ok().map(|it| evaluated(&it)))
            }
            STEP => RecordText::status(TrainProgress::deserialize(data).ok().map(status)),
            _ => RecordText::default(),
        })
    }

    /// The pages of the networks of a grid.
    fn write_nested_pages(folder: &Path) -> Result<(), Failure> {
        let files = Folder::at(folder);
        let Ok(Some(TrainingOutcome::Grid(grid))) = files.read_result::<TrainingOutcome>() else {
            return Ok(());
        };
        for cell in grid.cells.iter().filter(|cell| cell.outcome.is_some()) {
            let folder = files.file(&cell.name);
            let page = TrainingRecord::read(&folder)?.page();
            replace(&folder.join(PAGE), page.render().as_bytes())?;
        }
        Ok(())
    }
}

fn start(start: &TrainingStart) -> String {
    let numbers = HumanCount(start.numbers as u64);
    let mut text = format!("{numbers} numbers learn from {}", start.data);
    if start.taken > 0 {
        let taken = HumanCount(start.taken as u64);
        text = format!("{text}; {taken} are those of the network it begins with");
    }
    if start.step > 0 {
        text = format!("{text}; resumed after {} steps", start.step);
    }
    text
}

fn evaluated(evaluation: &Evaluation) -> String {
    let figures = SHOWN.iter().filter_map(|name| {
        let value = evaluation.figures.get(*name)?;
        Some(format!("{name} {value:.4}"))
    });
    let figures: Vec<String> = figures.collect();
    let best = if evaluation.best { "  best" } else { "" };
    format!(
        "step {}: loss {:.4}, validation {:.4}  {}{best}",
        evaluation.step,
        evaluation.loss,
        evaluation.validation_loss,
        figures.join("  ")
    )
}

fn status(progress: TrainProgress) -> String {
    let waiting = match progress.waiting {
        share if share > 0.1 => format!(", {:.0} % waiting for data", 100.0 * share),
        _ => String::new(),
    };
    format!(
        "epoch {}  loss {:.4}  rate {:.1e}  {} positions/s{waiting}",
        progress.epoch + 1,
        progress.loss,
        progress.rate,
        HumanCount(progress.positions_per_second as u64),
    )
}

fn network_text(network: &TrainedNetwork, folder: &Folder) -> String {
    let mut table = TextTable::new("figure | ours | paper");
    for (name, value) in &network.test {
        let paper = network.paper.get(name);
        let paper = paper.map_or_else(String::new, |value| format!("{value:.3}"));
        table.row([name.clone(), format!("{value:.4}"), paper]);
    }
    format!(
        "{}{} positions never seen, loss {:.4}; {} after {} steps\n{}\n",
        table.render(),
        network.test_positions,
        network.test_loss,
        network.end.as_str(),
        network.steps,
        folder.file(&network.file).display()
    )
}

fn grid_text(grid: &TrainedGrid, folder: &Folder) -> String {
    let mut table = TextTable::new("network | loss | from | overall | steps");
    for cell in &grid.cells {
        let Some(network) = &cell.outcome else {
            table.row([cell.name.as_str(), "", "", "", "diverged"]);
            continue;
        };
        let figure = |name: &str| {
            let value = network.test.get(name);
            value.map_or_else(String::new, |value| format!("{value:.4}"))
        };
        table.row([
            cell.name.clone(),
            format!("{:.4}", network.test_loss),
            figure("from"),
            figure("overall"),
            network.steps.to_string(),
        ]);
    }
    format!("{}{}\n", table.render(), folder.file(PAGE).display())
}
