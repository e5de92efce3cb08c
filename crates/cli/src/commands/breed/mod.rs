//! `mendel breed`: runs a recipe.

mod experiment;
mod learn;
mod pipeline;
mod sweep;
mod tables;
mod view;

use std::path::{Path, PathBuf};

use clap::Args;
use mendel_lab::breed::Breed;
use mendel_lab::pipeline::PipelineRun;
use mendel_lab::recipe::{Complaint, Recipe, RecipePlan, summaries};
use mendel_lab::sweep::Sweep;
use mendel_report as report;
use mendel_store::frame::Failure;
use serde_json::json;

use crate::exec_options::{ExecArgs, ExecOptions, ProofArgs};
use crate::experiment::{NewExperiment, Session};
use crate::output;
use crate::request::UsageError;
use crate::table::TextTable;

/// Breed players as a recipe says, and prove what was bred
#[derive(Args, Debug)]
#[command(after_help = "\
A recipe is a built-in name or a TOML file; `mendel breed` alone lists the built-in
ones. Each run has a folder with its records, its champion (a player file) and, with
`mendel report`, a page. Ctrl-C stops cleanly; `mendel resume RUN` goes on exactly.

Examples:
  mendel breed first-steps
  mendel breed gerald-eval --seed 7 --out runs/gerald-7
  mendel breed gerald-eval --data positions.mds --no-proof
  mendel breed first-steps --set breeder.population=200 --set stop.generations=50
  mendel breed gerald-search --full       (as in the thesis: days, not minutes)
  mendel breed my-experiment.toml --threads 2 --json
  mendel breed gerald-search --crew nats://127.0.0.1:4222     (see `mendel worker --help`)
  mendel breed cwu-online --set learn.opponent='material?.depth=1' --out learning")]
pub(super) struct BreedArgs {
    /// The experiment: a built-in name or a file
    recipe: Option<String>,
    /// What chance begins from: the same seed gives the same run
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Where the run is kept; a folder of its own if not given
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// A data set instead of the recipe's: a built-in name or a file
    #[arg(long, value_name = "FILE")]
    data: Option<String>,
    /// Change a number of the recipe, such as stop.generations=50
    #[arg(long, value_name = "KEY=VALUE", value_parser = setting)]
    set: Vec<(String, toml::Value)>,
    /// The whole form of the paper, where the recipe's own is a reduced one
    #[arg(long)]
    full: bool,
    #[command(flatten)]
    proof: ProofArgs,
    #[command(flatten)]
    exec: ExecArgs,
}

/// `KEY=VALUE`, the value as TOML writes it or a bare word.
pub(super) fn setting(text: &str) -> Result<(String, toml::Value), String> {
    let (key, value) = text
        .split_once('=')
        .ok_or("write KEY=VALUE, such as stop.generations=50")?;
    if value.trim().is_empty() {
        return Err(format!(
            "`{key}` has no value; write one behind the `=`, such as {key}=50, or {key}='\"\"' for an empty text"
        ));
    }
    let parsed = format!("value = {value}")
        .parse::<toml::Table>()
        .ok()
        .and_then(|mut table| table.remove("value"));
    let value = parsed.unwrap_or_else(|| toml::Value::String(value.to_owned()));
    Ok((key.trim().to_owned(), value))
}

pub(super) fn run(args: &BreedArgs) -> anyhow::Result<()> {
    let Some(name) = &args.recipe else {
        return list(args.exec.output.json);
    };
    // 1. The whole request is checked before a folder is made.
    let find = if args.full {
        Recipe::find_full
    } else {
        Recipe::find
    };
    let checked = |found: Result<Recipe, Complaint>| {
        let recipe = found?;
        mendel_lab::pipeline::check(&recipe).map(|()| recipe)
    };
    let recipe = checked(find(name, &args.set)).map_err(|complaint| {
        let hint = match checked(Recipe::find(name, &[])) {
            Ok(_) => "`--set TABLE.NAME=VALUE` changes a line of the recipe: docs/formats.md has them all",
            Err(_) => "`mendel breed` lists the built-in recipes",
        };
        UsageError::new(complaint, hint)
    })?;
    let data = match &args.data {
        // The path must hold also if the run is resumed in another folder.
        Some(path) if Path::new(path).is_file() => {
            let path = std::path::absolute(path)?;
            Some(path.to_string_lossy().into_owned())
        }
        other => other.clone(),
    };
    if let Some(settings) = &recipe.learn {
        return learn::run(args, &recipe, settings);
    }
    // 2. The experiment: a pipeline has steps, a sweep consists of many runs.
    let options = ExecOptions {
        proof: !args.proof.no_proof,
        ..args.exec.options()?
    };
    let session = Session::new(options, args.exec.output)?;
    let folder = args.out.as_deref();
    let (name, seed) = (recipe.name.clone(), args.seed);
    let names = [name.as_str(), &seed.to_string()];
    let start = if recipe.pipeline.is_some() {
        Session::start::<PipelineRun>
    } else if recipe.sweep.is_some() {
        Session::start::<Sweep>
    } else {
        Session::start::<Breed>
    };
    let new = NewExperiment {
        plan: RecipePlan { recipe, data },
        seed,
        folder,
        names: &names,
    };
    start(&session, new)
}

fn list(json: bool) -> anyhow::Result<()> {
    let recipes = summaries();
    let mut table = TextTable::new("recipe | parent | about");
    for it in &recipes {
        table.row([it.name.as_str(), &it.parent, &it.about]);
    }
    output::print(json, || json!(recipes), || table.render())
}

/// Writes the page of each finished run inside the folder of another experiment. A folder that
/// cannot be read has no page; its own command says why.
fn write_nested_reports(folder: &Path) -> Result<(), Failure> {
    for run in report::nested_runs(folder) {
        if let Ok(page) = report::html(&run) {
            mendel_store::replace(&run.join(report::FILE), page.as_bytes())?;
        }
    }
    Ok(())
}
