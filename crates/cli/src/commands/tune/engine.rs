//! Tunes an engine, or writes its parameter file.

use std::path::{Path, PathBuf};

use clap::Args;
use mendel_arena::Entrant;
use mendel_lab::tune::{self, ParamFile, Tune, TunePlan, TuneRequest, TuneTarget};
use mendel_store::frame::{Experiment as _, Manifest};
use mendel_store::is_taken;
use serde_json::json;

use super::output::params_table;
use crate::exec_options::{ExecArgs, ExecOptions, ProofArgs};
use crate::experiment::{NewExperiment, ProgramExperiment as _, Session};
use crate::limits::LimitArgs;
use crate::request::{UsageError, writable};
use crate::{library, output};

#[derive(Args, Debug)]
pub(super) struct TuneEngineArgs {
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
    limits: LimitArgs,
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
    pub(super) exec: ExecArgs,
    #[command(flatten)]
    proof: ProofArgs,
}

impl TuneEngineArgs {
    fn request(&self, engine: &str) -> anyhow::Result<TuneRequest> {
        let absolute = |path: &PathBuf| std::path::absolute(path);
        Ok(TuneRequest {
            engine: engine.to_owned(),
            what: match &self.params {
                Some(path) => TuneTarget::File(path.clone()),
                None => TuneTarget::Options(
                    self.options.iter().map(|it| it.trim().to_owned()).collect(),
                ),
            },
            games: self.games,
            proof_games: self.proof_games,
            pace: self.limits.pace(),
            tuner: self.tuner.clone(),
            // A path is meant from here, also when it is resumed elsewhere.
            openings: self.openings.as_ref().map(absolute).transpose()?,
            seed: self.seed,
            batch: self.batch,
        })
    }

    fn folder(&self, engine: &str) -> anyhow::Result<PathBuf> {
        if let Some(path) = self.write.as_ref().or(self.out.as_ref()) {
            return Ok(std::path::absolute(path)?);
        }
        // A name that is no engine is refused when the plan is made.
        let name = Entrant::parse(engine).map_or_else(|_| engine.to_owned(), |it| it.name);
        let names = [Tune::KIND, &name, &self.seed.to_string()];
        Ok(library::open()?.new_folder(Tune::GROUP, &names)?)
    }
}

pub(super) fn run(args: &TuneEngineArgs) -> anyhow::Result<()> {
    let Some(engine) = &args.engine else {
        return UsageError::bail(
            "there is no engine to tune",
            "for instance `mendel tune uci:stockfish --nodes 5000`, or `mendel tune --help`",
        );
    };
    // 1. What is known before the probe, which takes long.
    let request = args.request(engine)?;
    if let Some(path) = &args.write {
        check_free(path, args.force)?;
    }
    let folder = args.folder(engine)?;
    if args.write.is_none() && !matches!(Manifest::find(&folder), Ok(None)) {
        let shown = folder.display();
        return UsageError::bail(
            format!("`{shown}` has an experiment already"),
            format!("`--out DIR` names a new folder, `mendel resume {shown}` continues it"),
        );
    }

    // 2. The plan.
    let exec = &args.exec;
    let options = ExecOptions {
        proof: !args.proof.no_proof,
        ..exec.options()?
    };
    let session = Session::new(options, exec.output)?;
    let threads = session.options().threads_or_all();
    let plan = session.prepare(&folder, |context| tune::plan(&request, threads, context))?;

    // 3. The parameters alone, or the tuning.
    if let Some(path) = &args.write {
        session.clear();
        return write(&plan, path, exec.output.json);
    }
    session.start::<Tune>(NewExperiment {
        seed: plan.seed,
        plan,
        folder: Some(&folder),
        names: &[],
    })
}

/// Checks that the parameter file can be written, before the probe, which takes long.
fn check_free(path: &Path, force: bool) -> Result<(), UsageError> {
    writable(path)?;
    if is_taken(path) && !force {
        return Err(UsageError::new(
            format!("`{}` is there already", path.display()),
            "`--force` writes over it; what was edited in it is lost",
        ));
    }
    Ok(())
}

fn write(plan: &TunePlan, path: &Path, json: bool) -> anyhow::Result<()> {
    let file = ParamFile {
        params: plan.params.clone(),
        aside: plan.aside.clone(),
        infeasible: plan.infeasible.clone(),
    };
    mendel_store::replace(path, file.to_toml().as_bytes())?;
    let data = || {
        let mut value = json!(file);
        value["file"] = json!(path);
        value
    };
    output::print_line(json, data, || {
        format!("{}written to {}\n", params_table(&file), path.display())
    })
}
