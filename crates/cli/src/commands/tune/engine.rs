//! An engine is tuned, or a tuning goes on.

use std::env;
use std::io::{self, Write as _};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use mendel_arena::{ContestError, Entrant, Pace};
use mendel_lab::report;
use mendel_lab::run::Work;
use mendel_lab::tune::{self, Order, ParamFile, TuneError, TunePlan, What};
use serde_json::json;

use super::live::Live;
use super::tell;
use crate::crew::{CrewArguments, account, went_wrong};
use crate::home;
use crate::interrupt::stop_on_ctrl_c;
use crate::limits::LimitArguments;
use crate::request::{Wrong, command_line};

/// What is tuned, and how.
#[derive(Args, Debug)]
pub(super) struct EngineArguments {
    /// The engine: `uci:PROGRAM ARGUMENTS`, a built-in player or a player file
    engine: Option<String>,
    /// Only the options with such names, with `*` and `?` for any letters [default: all
    /// that say how it plays]
    #[arg(
        long,
        value_name = "GLOB",
        value_delimiter = ',',
        conflicts_with = "params"
    )]
    options: Vec<String>,
    /// The options, bounds and steps of a parameter file, without a probe
    #[arg(long, value_name = "FILE")]
    params: Option<PathBuf>,
    /// Write the parameter file and tune nothing
    #[arg(long, value_name = "FILE", conflicts_with = "params")]
    write: Option<PathBuf>,
    /// Write over a parameter file that is there
    #[arg(long, requires = "write")]
    force: bool,
    /// Games of the tuner and of the validations, at least 20
    #[arg(long, value_name = "N", default_value_t = 2000)]
    pub(super) games: u64,
    #[command(flatten)]
    limits: LimitArguments,
    /// Who tunes [default: surface]
    #[arg(long, value_name = "NAME")]
    pub(super) tuner: Option<String>,
    /// Openings from an EPD, PGN or Polyglot file; else a small book of our own
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// What chance begins from: the same seed gives the same run at fixed nodes or depth
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
    /// Pairs in a round of the tuner, at least: as many as there are games at once
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    batch: u32,
    /// The most games of the proof; at fixed nodes or depth no more than openings held out give
    #[arg(long, value_name = "N", default_value_t = TunePlan::PROOF_GAMES, value_parser = clap::value_parser!(u64).range(2..))]
    proof_games: u64,
    /// Where it is kept; a folder of its own if not given
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    pub(super) work: WorkArguments,
}

/// How the work is done; it changes no result.
#[derive(Args, Debug)]
pub(in crate::commands) struct WorkArguments {
    /// Games at once; the result does not depend on them [default: all cores]
    #[arg(long, visible_alias = "concurrency", value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(super) threads: Option<u16>,
    #[command(flatten)]
    crew: CrewArguments,
    /// Play no match at the end
    #[arg(long)]
    no_proof: bool,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
    /// Say nothing before the result
    #[arg(long)]
    pub(super) quiet: bool,
}

/// How a tuning that was stopped goes on.
#[derive(Clone, Copy, Debug)]
pub(in crate::commands) struct Going {
    /// Print JSON.
    pub(in crate::commands) json: bool,
    /// Say nothing before the result.
    pub(in crate::commands) quiet: bool,
    /// The most games of its proof from now on.
    pub(in crate::commands) proof_games: Option<u64>,
}

impl EngineArguments {
    fn pace(&self) -> Pace {
        Pace {
            clock: self.limits.tc,
            movetime: self.limits.movetime.map(Duration::from_millis),
            nodes: self.limits.nodes,
            depth: self.limits.depth,
        }
    }

    fn order(&self, engine: &str) -> anyhow::Result<Order> {
        let absolute = |path: &PathBuf| std::path::absolute(path);
        Ok(Order {
            engine: engine.to_owned(),
            what: match &self.params {
                Some(path) => What::File(path.clone()),
                None => What::Options(self.options.iter().map(|it| it.trim().to_owned()).collect()),
            },
            games: self.games,
            proof_games: if self.work.no_proof {
                0
            } else {
                self.proof_games
            },
            pace: self.pace(),
            tuner: self.tuner.clone(),
            // A path is meant from here, also when it goes on from elsewhere.
            openings: self.openings.as_ref().map(absolute).transpose()?,
            seed: self.seed,
            batch: self.batch,
            command: command_line(),
        })
    }
}

/// Prepares, and tunes or writes the parameters.
pub(super) fn run(arguments: &EngineArguments) -> anyhow::Result<()> {
    let Some(engine) = &arguments.engine else {
        return Err(Wrong::new(
            "there is no engine to tune",
            "for instance `mendel tune uci:stockfish --nodes 5000`, or `mendel tune --help`",
        )
        .into());
    };
    // 1. The whole request is checked before anything is written or played.
    let order = arguments.order(engine)?;
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let work = Work {
        threads: arguments.work.threads.map_or(cores, usize::from),
        crew: arguments
            .work
            .crew
            .workers(arguments.work.quiet || arguments.work.json)?,
        proof: !arguments.work.no_proof,
        stop: stop_on_ctrl_c()?,
    };
    if let Some(path) = &arguments.out
        && path.join(TunePlan::FILE).exists()
    {
        return Err(wrong(TuneError::Taken { path: path.clone() }, path));
    }
    if let Some(path) = &arguments.write {
        writable(path, arguments.force)?;
    }
    let live = Live::new(arguments.work.quiet);
    let prepared = tune::prepare(&order, &work, &|event| live.probe(&event));
    live.finish();
    let plan = prepared.map_err(|error| wrong(error, Path::new("")))?;

    // 2. Only the parameters.
    if let Some(path) = &arguments.write {
        return write(&plan, path, arguments.work.json);
    }

    // 3. The tuning.
    let folder = if let Some(path) = &arguments.out {
        std::path::absolute(path)?
    } else {
        let entrant = Entrant::parse(&plan.engine)?;
        home::new_folder("runs", &["tune", &entrant.name, &plan.seed.to_string()])?
    };
    tune::create(&folder, &plan).map_err(|error| wrong(error, &folder))?;
    let going = Going {
        json: arguments.work.json,
        quiet: arguments.work.quiet,
        proof_games: None,
    };
    live.begin(&plan, &folder);
    if plan.proof_games < order.proof_games {
        live.say(&fewer(plan.proof_games));
    }
    let result = finish(&folder, &work, going);
    account(work.crew.as_ref(), going.quiet || going.json);
    result
}

/// Goes on with the tuning in a folder.
pub(in crate::commands) fn resume(folder: &Path, work: &Work, going: Going) -> anyhow::Result<()> {
    let folder = std::path::absolute(folder)?;
    let plan = TunePlan::read(&folder).map_err(|error| wrong(error, &folder))?;
    // Paths in the plan are meant from where it began.
    env::set_current_dir(&plan.directory).with_context(|| {
        let directory = plan.directory.display();
        format!("the tuning began in `{directory}`, which cannot be entered")
    })?;
    if let Some(wanted) = going.proof_games {
        let games = tune::allow_proof(&folder, wanted).map_err(|error| wrong(error, &folder))?;
        if games < wanted {
            Live::new(going.quiet).say(&fewer(games));
        }
    }
    finish(&folder, work, going)
}

/// What is said where openings are too few for the proof that was asked for.
fn fewer(games: u64) -> String {
    format!(
        "the proof has at most {games} games: at a fixed depth or number of nodes each opening held out gives one pair"
    )
}

fn finish(folder: &Path, work: &Work, going: Going) -> anyhow::Result<()> {
    let mut live = Live::new(going.quiet);
    home::register_run(folder);
    let result = tune::tune(folder, work, &mut |event| live.show(&event));
    live.finish();
    home::register_run(folder);
    let result = result.map_err(|error| wrong(error, folder))?;
    let page = report::html(folder)?;
    let path = folder.join(report::FILE);
    mendel_store::replace(&path, page.as_bytes())?;
    home::register_run(folder);
    let mut out = io::stdout().lock();
    if going.json {
        let mut value = serde_json::to_value(&result)?;
        value["folder"] = json!(folder);
        value["page"] = json!(path);
        value["too_few_games"] = json!(result.too_few_games());
        writeln!(out, "{value}")?;
    } else {
        out.write_all(tell::result(&result, folder).as_bytes())?;
        writeln!(
            out,
            "folder: {}\npage: {}",
            folder.display(),
            path.display()
        )?;
    }
    Ok(())
}

/// Whether a parameter file can be written there; known before the probe.
fn writable(path: &Path, force: bool) -> Result<(), Wrong> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let shown = path.display();
    if !folder.is_dir() {
        let message = format!(
            "cannot write `{shown}`: there is no folder `{}`",
            folder.display()
        );
        return Err(Wrong::new(message, "make the folder, or name another file"));
    }
    if path.is_dir() {
        return Err(Wrong::new(
            format!("cannot write `{shown}`: it is a folder"),
            "name a file in it",
        ));
    }
    if path.exists() && !force {
        return Err(Wrong::new(
            format!("`{shown}` is there already"),
            "`--force` writes over it; what was edited in it is lost",
        ));
    }
    Ok(())
}

/// Writes what the probe proposes.
fn write(plan: &TunePlan, path: &Path, json: bool) -> anyhow::Result<()> {
    let file = ParamFile {
        params: plan.params.clone(),
        aside: plan.aside.clone(),
        infeasible: plan.infeasible.clone(),
    };
    mendel_store::replace(path, file.to_toml().as_bytes())?;
    let mut out = io::stdout().lock();
    if json {
        let mut value = serde_json::to_value(&file)?;
        value["file"] = json!(path);
        writeln!(out, "{value}")?;
    } else {
        out.write_all(tell::params(&file).as_bytes())?;
        writeln!(out, "written to {}", path.display())?;
    }
    Ok(())
}

/// What is wrong with the request is the asker's fault, what breaks later is not.
fn wrong(error: TuneError, folder: &Path) -> anyhow::Error {
    let error = match error {
        TuneError::Away(away) | TuneError::Contest(ContestError::Away(away)) => {
            return went_wrong(away);
        }
        error => error,
    };
    let hint = match &error {
        TuneError::Entrant(_) => {
            "an engine is `uci:PROGRAM ARGUMENTS?Name=Value`, a built-in player or a player file"
                .to_owned()
        }
        TuneError::Seat(_) => {
            "an engine is `uci:PROGRAM ARGUMENTS?Name=Value`, and has to speak UCI: programs of the xboard protocol, such \
             as fairymax, cannot be tuned"
                .to_owned()
        }
        TuneError::NoOptions { only, .. } if only.is_empty() => {
            "only an engine with options can be tuned: see what it answers to `uci`".to_owned()
        }
        TuneError::NoOptions { .. } | TuneError::NoMatch { .. } => {
            "`--options NAME` tunes an option by its whole name, if it is a number, a switch or one of some words".to_owned()
        }
        TuneError::NoEffect { .. } => {
            "`--params FILE` tunes what a file says, with or without effect".to_owned()
        }
        TuneError::NoFile { .. } | TuneError::Syntax { .. } | TuneError::Param { .. } => {
            "`mendel tune ENGINE --write FILE` writes a parameter file that fits".to_owned()
        }
        TuneError::Setting { .. } | TuneError::Openings(_) => {
            "`mendel tune --help` shows what can be asked for".to_owned()
        }
        TuneError::Start { .. } => {
            "some engines ignore `--nodes`, others think for ever at `--depth`: try `--movetime`; or watch it \
             by hand in `mendel match ENGINE ENGINE --games 2`"
                .to_owned()
        }
        TuneError::StartFails { last, .. } => format!(
            "watch it by hand: `mendel match ENGINE ENGINE --games 2 --openings FILE` with the line `{}` in the file",
            last.opening
        ),
        TuneError::AllFail { .. } => {
            "the bounds of the parameter file may reach too far: `mendel tune ENGINE --write FILE` probes where the \
             engine works"
                .to_owned()
        }
        TuneError::Taken { .. } => {
            "`--out DIR` names a new folder, `mendel resume DIR` goes on with one".to_owned()
        }
        TuneError::NoTuning { .. } | TuneError::Changed { .. } | TuneError::Lock(_) => {
            "`mendel runs` lists the runs and how far each has come".to_owned()
        }
        TuneError::Stopped => {
            return anyhow::anyhow!(
                "stopped before its end; `mendel resume {}` goes on with it",
                folder.display()
            );
        }
        _ => return error.into(),
    };
    Wrong::new(error, hint).into()
}
