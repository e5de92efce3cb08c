//! `mendel resume`: continues experiments of all kinds.

use std::path::Path;

use clap::Args;
use mendel_store::frame;

use crate::exec_options::{ExecArgs, ExecOptions, ProofArgs};
use crate::experiment::{Session, error};
use crate::{kinds, library, output};

/// Resume an experiment that was stopped or killed
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  mendel resume runs/gerald-7
  mendel resume runs/gerald-7 --crew nats://127.0.0.1:4222
  mendel resume runs/tune-toga2-1 --proof-games 4000
  mendel resume 3f2a9c        (the beginning of an id, see `mendel runs`)")]
pub(in crate::commands) struct ResumeArgs {
    /// The experiment: its folder, its name, or the beginning of its id
    #[arg(value_name = "EXPERIMENT")]
    experiment: String,
    /// Tunings: the most games of the proof from now on, also where there was none
    #[arg(long, value_name = "N", conflicts_with = "no_proof", value_parser = clap::value_parser!(u64).range(2..))]
    pub(in crate::commands) proof_games: Option<u64>,
    /// Matches: keep each of the games at once on a core of its own
    #[arg(long)]
    pin: bool,
    /// First cut damaged files back to their last intact state
    #[arg(long)]
    repair: bool,
    #[command(flatten)]
    pub(in crate::commands) exec: ExecArgs,
    #[command(flatten)]
    pub(in crate::commands) proof: ProofArgs,
}

/// Resumes the experiment of a folder; its manifest has the kind.
pub(super) fn run(args: &ResumeArgs) -> anyhow::Result<()> {
    let folder = library::find(&args.experiment)?;
    let kind = kinds::of_folder(&folder)?;
    if args.repair {
        repair(&folder)?;
    }
    let options = ExecOptions {
        pin: args.pin,
        proof: !args.proof.no_proof,
        proof_games: args.proof_games,
        ..args.exec.options()?
    };
    let session = Session::new(options, args.exec.output)?;
    (kind.resume)(&session, &folder)
}

/// Cuts damaged files and prints what was cut.
fn repair(folder: &Path) -> anyhow::Result<()> {
    let repairs = frame::repair(folder).map_err(|failure| error(failure, folder))?;
    for repair in &repairs {
        output::log(repair);
    }
    if repairs.is_empty() {
        output::log(format!("no file in `{}` is damaged", folder.display()));
    }
    Ok(())
}
