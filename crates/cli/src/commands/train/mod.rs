//! `mendel train`: networks from games or scores.

mod experiment;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use mendel_nets::recipe::{BUILT_IN, Recipe};
use mendel_nets::record::ComputeDevice;
use mendel_nets::train::{Training, TrainingPlan};
use serde_json::{Value, json};

use super::breed::setting;
use crate::exec_options::{ExecOptions, OutputArgs, all_cores};
use crate::experiment::{NewExperiment, Session};
use crate::output;
use crate::request::OrUsageError as _;
use crate::table::TextTable;

/// Train a network as a recipe says
#[derive(Args, Debug)]
#[command(after_help = "\
A recipe is a built-in name or a TOML file; `mendel train` alone lists the built-in
ones. Games come from `mendel data games`; scores are lines `FEN,centipawns` as White
sees them, plain or compressed with Zstandard (.zst). The folder has the network
(NAME.net), `epochs.jsonl`, `result.json` and `report.html`. Ctrl-C stops cleanly;
`mendel resume DIR` continues exactly.

Examples:
  mendel train chessnet --data strong.games --device cuda
  mendel train chessnet --data a.games b.games --set training.epochs=1 --out nets/small
  mendel train chessnet-grid --data strong.games --device cuda --out nets/grid
  mendel train value --data scores.csv --start nets/human --out nets/value
  mendel resume nets/small")]
pub(super) struct TrainArgs {
    /// The experiment: a built-in name or a file
    recipe: Option<String>,
    /// What is learnt from, instead of the recipe's files
    #[arg(long, value_name = "FILE", num_args = 1..)]
    data: Vec<PathBuf>,
    /// What chance begins from: the same seed gives the same network
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Where all of it is kept; a folder of its own if not given
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Begin with the network of the training in this folder, as far as layers agree
    #[arg(long, value_name = "DIR")]
    start: Option<PathBuf>,
    /// Where the network learns
    #[arg(long, value_enum, default_value_t = DeviceArg::Cpu)]
    device: DeviceArg,
    /// Change a number of the recipe, such as training.batch=512
    #[arg(long, value_name = "KEY=VALUE", value_parser = setting)]
    set: Vec<(String, toml::Value)>,
    /// Threads that make batches and, on a processor, learn [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DeviceArg {
    /// The processor
    Cpu,
    /// The first GPU
    Cuda,
}

pub(super) fn run(args: &TrainArgs) -> anyhow::Result<()> {
    let Some(name) = &args.recipe else {
        return list(args.output.json);
    };
    let recipe = Recipe::find(name, &args.set).or_hint(TRAIN_RECIPES)?;
    let device = match args.device {
        DeviceArg::Cpu => ComputeDevice::Cpu,
        DeviceArg::Cuda => ComputeDevice::Cuda,
    };
    let threads = args.threads.map_or_else(all_cores, usize::from);
    let mut plan = TrainingPlan::new(recipe, &args.data, device, threads);
    plan.start = args.start.as_ref().map(std::path::absolute).transpose()?;
    let session = Session::new(ExecOptions::default(), args.output)?;
    session.start::<Training>(NewExperiment {
        seed: args.seed,
        folder: args.out.as_deref(),
        names: &[&plan.recipe.name.clone(), &args.seed.to_string()],
        plan,
    })
}

pub(super) const TRAIN_RECIPES: &str = "`mendel train` lists the built-in recipes";

fn list(json: bool) -> anyhow::Result<()> {
    let mut table = TextTable::new("recipe | about");
    let mut rows = Vec::new();
    for (name, text) in BUILT_IN {
        let recipe = Recipe::parse(text, name, &[])?;
        rows.push(json!({
            "name": name,
            "about": recipe.about,
            "numbers": recipe.shape.count(),
        }));
        table.row([*name, recipe.about.as_str()]);
    }
    output::print_line(json, || Value::Array(rows), || table.render())
}
