//! Training in a program with the feature `train`.

use std::io::Write as _;
use std::path::Path;

use mendel_nets::train::recipe::Recipe;
use mendel_nets::train::record::{GridCell, Outcome};
use mendel_nets::train::{self, Event, Machine, Order, TrainError};
use mendel_report as report;
use mendel_store::replace;

use super::live::TrainDisplay;
use super::{DeviceArg, TrainArgs};
use crate::ctrl_c::stop_on_ctrl_c;
use crate::exec_options::all_cores;
use crate::library;
use crate::output;
use crate::request::{INPUTS_HINT, UsageError};
use crate::table::TextTable;

pub(super) fn train(recipe: Recipe, args: &TrainArgs) -> anyhow::Result<()> {
    let folder = match &args.out {
        Some(path) => std::path::absolute(path)?,
        None => library::open()?.new_folder("nets", &[&recipe.name, &args.seed.to_string()])?,
    };
    let order = Order {
        recipe,
        files: args.data.clone(),
        seed: args.seed,
        machine: match args.device {
            DeviceArg::Cpu => Machine::Cpu,
            DeviceArg::Cuda => Machine::Cuda,
        },
        threads: args.threads.map_or_else(all_cores, usize::from),
        start: args.start.clone(),
        folder,
    };
    let stop = stop_on_ctrl_c()?;
    let mut live = TrainDisplay::new(args.json, args.quiet);
    if order.recipe.grid.is_empty() {
        let result = train::train(&order, &stop, &mut |event| {
            if matches!(event, Event::Begun { .. }) {
                library::register(&order.folder);
            }
            live.on_event(&event);
        });
        live.finish();
        library::register(&order.folder);
        print(result, &order.folder, args)
    } else {
        let result = train::train_grid(&order, &stop, &mut |name, index, count, event| {
            live.name = format!("{name} ({}/{count}): ", index + 1);
            live.on_event(&event);
        });
        live.finish();
        print_grid(result, &order, args)
    }
}

pub(super) fn resume(folder: &Path, args: &TrainArgs) -> anyhow::Result<()> {
    let stop = stop_on_ctrl_c()?;
    let mut live = TrainDisplay::new(args.json, args.quiet);
    let result = train::resume(folder, &stop, &mut |event| live.on_event(&event));
    live.finish();
    library::register(folder);
    print(result, folder, args)
}

fn usage_error(error: TrainError) -> anyhow::Error {
    let hint = match &error {
        TrainError::Experiment(error) if error.is_about_inputs() => INPUTS_HINT,
        TrainError::NoData
        | TrainError::Games(_)
        | TrainError::ReadScores { .. }
        | TrainError::ScoreLine { .. }
        | TrainError::EmptyPart { .. } => {
            "`mendel data games FILE.pgn --out FILE.games` makes games to learn from"
        }
        TrainError::NoGpu => "`--device cpu` learns on the processor",
        TrainError::NotEmpty { .. } => "`mendel train --resume DIR` goes on with a training",
        TrainError::NoTraining { .. } | TrainError::OtherData { .. } => {
            "`mendel train RECIPE --data FILE` begins one"
        }
        TrainError::Recipe(_) => "`mendel train` lists the built-in recipes",
        _ => return error.into(),
    };
    UsageError::new(error, hint).into()
}

fn write_page(folder: &Path) -> anyhow::Result<()> {
    let page = report::training_page(folder)?.render();
    Ok(replace(&folder.join(report::FILE), page.as_bytes())?)
}

fn stopped(folder: &Path) -> anyhow::Result<()> {
    let folder = folder.display();
    output::log(format!("stopped; `mendel train --resume {folder}` goes on"));
    Ok(())
}

fn print(
    result: Result<Option<Outcome>, TrainError>,
    folder: &Path,
    args: &TrainArgs,
) -> anyhow::Result<()> {
    let Some(outcome) = result.map_err(usage_error)? else {
        return stopped(folder);
    };
    write_page(folder)?;
    let mut out = output::stdout();
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&outcome)?)?;
        return Ok(());
    }
    let mut table = TextTable::new("figure | ours | paper");
    for (name, value) in &outcome.test {
        let paper = outcome.paper.get(name);
        let paper = paper.map_or_else(String::new, |value| format!("{value:.3}"));
        table.row([name.clone(), format!("{value:.4}"), paper]);
    }
    write!(out, "{}", table.render())?;
    writeln!(
        out,
        "{} positions never seen, loss {:.4}; {} after {} steps",
        outcome.test_positions,
        outcome.test_loss,
        outcome.end.as_str(),
        outcome.steps
    )?;
    writeln!(out, "{}", folder.join(&outcome.file).display())?;
    Ok(())
}

fn print_grid(
    result: Result<Option<Vec<GridCell>>, TrainError>,
    order: &Order,
    args: &TrainArgs,
) -> anyhow::Result<()> {
    let Some(cells) = result.map_err(usage_error)? else {
        output::log("stopped; the same command goes on");
        return Ok(());
    };
    let folder = &order.folder;
    for cell in cells.iter().filter(|cell| cell.outcome.is_some()) {
        write_page(&folder.join(&cell.name))?;
    }
    let page = report::grid_page(&order.recipe, &cells).render();
    replace(&folder.join(report::FILE), page.as_bytes())?;
    let mut out = output::stdout();
    let mut table = TextTable::new("network | loss | from | overall | steps");
    for cell in &cells {
        let Some(outcome) = &cell.outcome else {
            table.row([cell.name.as_str(), "", "", "", "diverged"]);
            continue;
        };
        if args.json {
            let line = serde_json::json!({ "cell": cell.name, "outcome": outcome });
            writeln!(out, "{line}")?;
        }
        let figure = |name: &str| {
            let value = outcome.test.get(name);
            value.map_or_else(String::new, |value| format!("{value:.4}"))
        };
        table.row([
            cell.name.clone(),
            format!("{:.4}", outcome.test_loss),
            figure("from"),
            figure("overall"),
            outcome.steps.to_string(),
        ]);
    }
    if !args.json {
        write!(out, "{}", table.render())?;
        writeln!(out, "{}", folder.join(report::FILE).display())?;
    }
    Ok(())
}
