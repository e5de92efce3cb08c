//! `mendel train`: networks from games or scores.

#[cfg(feature = "train")]
mod live;
#[cfg(feature = "train")]
mod work;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use mendel_nets::train::recipe::{BUILT_IN, Recipe};
use serde_json::{Value, json};

use super::breed::setting;
use crate::output;
use crate::request::OrUsageError as _;
#[cfg(not(feature = "train"))]
use crate::request::UsageError;
use crate::table::TextTable;

/// Train a network as a recipe says
#[derive(Args, Debug)]
#[command(after_help = "\
A recipe is a built-in name or a TOML file; `mendel train` alone lists the built-in
ones. Games come from `mendel data games`; scores are lines `FEN,centipawns` as White
sees them, plain or compressed with Zstandard (.zst). The folder has the network
(NAME.net), `epochs.jsonl`, `result.json` and `report.html`. Ctrl-C stops cleanly;
`--resume DIR` goes on exactly.

Examples:
  mendel train chessnet --data strong.games --device cuda
  mendel train chessnet --data a.games b.games --set training.epochs=1 --out nets/small
  mendel train chessnet-grid --data strong.games --device cuda --out nets/grid
  mendel train value --data scores.csv --start nets/human --out nets/value
  mendel train --resume nets/small")]
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
    /// Go on with the training in this folder
    #[arg(long, value_name = "DIR", conflicts_with_all = ["recipe", "data", "seed", "out", "set", "device", "start"])]
    resume: Option<PathBuf>,
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
    /// Print JSON: a line for each evaluation, then the result
    #[arg(long)]
    json: bool,
    /// Say nothing before the result
    #[arg(long)]
    quiet: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DeviceArg {
    /// The processor
    Cpu,
    /// The first GPU
    Cuda,
}

pub(super) fn run(args: &TrainArgs) -> anyhow::Result<()> {
    match (&args.resume, &args.recipe) {
        (Some(folder), _) => resume(folder, args),
        (None, None) => list(args.json),
        (None, Some(name)) => train(Recipe::find(name, &args.set).or_hint(TRAIN_RECIPES)?, args),
    }
}

#[cfg(feature = "train")]
use work::{resume, train};

#[cfg(not(feature = "train"))]
fn train(_recipe: Recipe, _arguments: &TrainArgs) -> anyhow::Result<()> {
    Err(without().into())
}

#[cfg(not(feature = "train"))]
fn resume(_folder: &std::path::Path, _arguments: &TrainArgs) -> anyhow::Result<()> {
    Err(without().into())
}

#[cfg(not(feature = "train"))]
fn without() -> UsageError {
    UsageError {
        message: "this program was built without training".to_owned(),
        hints: vec![
            "`make train-setup` fetches torch 2.11.0 into `.venv-train` (about 5 GB), once"
                .to_owned(),
            "`make train` then builds `target/train/release/mendel`, which trains".to_owned(),
        ],
    }
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
