//! `mendel breed` and `mendel resume`: run an experiment to its proof.

mod live;
mod online;
mod pacing;
mod pipeline;
mod tell;

use std::io::{self, Write as _};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::Args;
use mendel_arena::ContestError;
use mendel_lab::proof::ProofError;
use mendel_lab::recipe::{Recipe, summaries};
use mendel_lab::run::{self, Event, FolderError, Order, Outcome, RunError, Work};
use mendel_lab::trial::TrialError;
use mendel_lab::{report, sweep};
use serde_json::json;

use super::tune;
use crate::crew::{CrewArguments, account, went_wrong};
use crate::home;
use crate::interrupt::stop_on_ctrl_c;
use crate::request::Wrong;
use crate::table::Table;
use tell::Teller;

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
  mendel breed cwu-online --opponent 'material?.depth=1' --games 300 --out learning")]
pub(super) struct Arguments {
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
    online: online::OnlineArguments,
    #[command(flatten)]
    work: WorkArguments,
}

/// Go on with a run that was stopped or killed
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  mendel resume runs/gerald-7
  mendel resume runs/gerald-7 --crew nats://127.0.0.1:4222
  mendel resume runs/tune-toga2-1 --proof-games 4000
  mendel resume 3f2a9c        (the beginning of a run's id, see `mendel runs`)")]
pub(super) struct ResumeArguments {
    /// The run: its folder, or the beginning of its id
    run: String,
    /// Tunings: the most games of the proof from now on, also where there was none
    #[arg(long, value_name = "N", conflicts_with = "no_proof", value_parser = clap::value_parser!(u64).range(2..))]
    proof_games: Option<u64>,
    #[command(flatten)]
    work: WorkArguments,
}

/// How the work is done; it changes no result.
#[derive(Args, Debug)]
struct WorkArguments {
    /// Threads; the result does not depend on them [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    #[command(flatten)]
    crew: CrewArguments,
    /// Play no matches at the end
    #[arg(long)]
    no_proof: bool,
    /// Print JSON: a line for each generation, then the result
    #[arg(long)]
    json: bool,
    /// Say nothing before the result
    #[arg(long)]
    quiet: bool,
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

impl WorkArguments {
    fn work(&self) -> anyhow::Result<Work> {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Ok(Work {
            threads: self.threads.map_or(cores, usize::from),
            crew: self.crew.workers(self.quiet || self.json)?,
            proof: !self.no_proof,
            stop: stop_on_ctrl_c()?,
        })
    }

    /// Tells what the crew did, where there is one.
    fn account(&self, work: &Work) {
        account(work.crew.as_ref(), self.quiet || self.json);
    }
}

/// Runs a recipe, or lists them.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let Some(name) = &arguments.recipe else {
        return list(arguments.work.json);
    };
    if name == mendel_lab::online::NAME {
        return online::run(arguments);
    }
    arguments.online.only_online()?;
    // 1. The whole request is checked before anything is written or bred.
    let find = if arguments.full {
        Recipe::find_full
    } else {
        Recipe::find
    };
    let recipe = find(name, &arguments.set).map_err(|complaint| {
        let online = mendel_lab::online::NAME;
        if Recipe::find(name, &[]).is_ok() {
            let hint = "`--set TABLE.NAME=VALUE` changes a line of the recipe: docs/formats.md has them all";
            return Wrong::new(complaint, hint.to_owned());
        }
        Wrong::new(
            complaint,
            format!(
                "`mendel breed` lists the built-in recipes; `{online}`, which is none of them, learns \
                 after each game: `mendel breed {online} --opponent PLAYER`"
            ),
        )
    })?;
    let folder = match &arguments.out {
        Some(path) => std::path::absolute(path)?,
        None => home::new_folder("runs", &[&recipe.name, &arguments.seed.to_string()])?,
    };
    let data = match &arguments.data {
        // A path is meant from here, also when the run goes on from elsewhere.
        Some(path) if Path::new(path).is_file() => {
            let path = std::path::absolute(path)?;
            Some(path.to_string_lossy().into_owned())
        }
        other => other.clone(),
    };
    let order = Order {
        recipe,
        seed: arguments.seed,
        data,
        folder,
    };

    // 2. It is done, here or by others.
    let work = arguments.work.work()?;
    let result = begin(&order, &work, &arguments.work);
    arguments.work.account(&work);
    result
}

/// A pipeline has steps, a sweep is many runs.
fn begin(order: &Order, work: &Work, arguments: &WorkArguments) -> anyhow::Result<()> {
    if order.recipe.pipeline.is_some() {
        return pipeline::breed(order, work, arguments);
    }
    if order.recipe.sweep.is_some() {
        return run_sweep(order, work, arguments);
    }
    let mut teller = Teller::new(&order.folder, arguments.json, arguments.quiet);
    let result = run::breed(order, work, &mut |event| teller.hear(&event));
    finish(result, &order.folder, teller)
}

/// Goes on with a run, a sweep, a pipeline or a tuning.
pub(super) fn resume(arguments: &ResumeArguments) -> anyhow::Result<()> {
    let folder = home::find_run(&arguments.run)?;
    let work = arguments.work.work()?;
    let result = go_on(&folder, &work, arguments);
    arguments.work.account(&work);
    result
}

fn go_on(folder: &Path, work: &Work, request: &ResumeArguments) -> anyhow::Result<()> {
    let arguments = &request.work;
    if mendel_lab::tune::is_tuning(folder) {
        let going = tune::Going {
            json: arguments.json,
            quiet: arguments.quiet,
            proof_games: request.proof_games,
        };
        return tune::resume(folder, work, going);
    }
    if request.proof_games.is_some() {
        return Err(Wrong::new(
            format!(
                "`--proof-games` is for tunings, and `{}` is none",
                folder.display()
            ),
            "`mendel runs` lists the runs and what each is",
        )
        .into());
    }
    if mendel_lab::pipeline::is_pipeline(folder) {
        return pipeline::resume(folder, work, arguments);
    }
    if report::is_sweep(folder) {
        let order = sweep::order_of(folder).map_err(wrong)?;
        return run_sweep(&order, work, arguments);
    }
    let mut teller = Teller::new(folder, arguments.json, arguments.quiet);
    let result = run::resume(folder, work, &mut |event| teller.hear(&event));
    finish(result, folder, teller)
}

fn finish(result: Result<Outcome, RunError>, folder: &Path, teller: Teller) -> anyhow::Result<()> {
    match result {
        Ok(outcome) => {
            home::register_run(folder);
            if outcome.proof.is_some() {
                // The page is part of the run.
                write_report(folder)?;
            }
            teller.tell(&outcome)
        }
        Err(error) => {
            teller.fail();
            home::register_run(folder);
            Err(wrong(error))
        }
    }
}

/// What is wrong with the request is the asker's fault, what breaks later is not.
fn wrong(error: RunError) -> anyhow::Error {
    let error = match error {
        RunError::Away(away)
        | RunError::Trial(TrialError::Away(away))
        | RunError::Proof(ProofError::Contest(ContestError::Away(away))) => {
            return went_wrong(away);
        }
        error => error,
    };
    let hint = match &error {
        // A full disk is nobody's request.
        RunError::Trial(TrialError::Journal(_)) => return error.into(),
        RunError::Folder(FolderError::Taken { .. }) => {
            "`--out DIR` names a new folder, `mendel resume DIR` goes on with one"
        }
        RunError::Folder(FolderError::Manifest(_) | FolderError::Lock(_)) => {
            "`mendel runs` lists the runs and how far each has come"
        }
        RunError::Recipe(_)
        | RunError::Data(_)
        | RunError::Trial(_)
        | RunError::Stage(_)
        | RunError::Changed { .. } => "`mendel breed --help` shows what can be asked for",
        _ => return error.into(),
    };
    Wrong::new(error, hint).into()
}

fn run_sweep(order: &Order, work: &Work, arguments: &WorkArguments) -> anyhow::Result<()> {
    let mut turns = tell::Turns::new(arguments.quiet || arguments.json);
    let result = sweep::sweep(
        order,
        work,
        &mut |turn| turns.begin(turn),
        &mut |_: Event| {},
    );
    turns.finish();
    match result.map_err(wrong)? {
        Some(found) => {
            write_report(&order.folder)?;
            home::register_run(&order.folder);
            tell::sweep(&found, &order.folder, arguments.json);
            Ok(())
        }
        None => anyhow::bail!(
            "stopped before its end; `mendel resume {}` goes on with it",
            order.folder.display()
        ),
    }
}

/// The built-in recipes.
fn list(json: bool) -> anyhow::Result<()> {
    let recipes = summaries();
    let mut out = io::stdout().lock();
    if json {
        writeln!(out, "{:#}", json!(recipes))?;
        return Ok(());
    }
    let mut table = Table::default();
    table.row(["recipe", "parent", "about"]);
    table.rule();
    for it in &recipes {
        table.row([it.name.as_str(), &it.parent, &it.about]);
    }
    // Not a recipe: it has no end of its own.
    table.row([
        mendel_lab::online::NAME,
        mendel_lab::online::PLAYER,
        mendel_lab::online::ABOUT,
    ]);
    out.write_all(table.render().as_bytes())?;
    Ok(())
}

/// Writes the page of a run, a sweep or a pipeline into its folder.
fn write_report(folder: &Path) -> anyhow::Result<()> {
    let page = report::html(folder)?;
    Ok(mendel_store::replace(
        &folder.join(report::FILE),
        page.as_bytes(),
    )?)
}
