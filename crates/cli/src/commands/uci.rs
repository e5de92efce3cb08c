//! `mendel uci`: the engine for GUIs.

use std::io;
use std::sync::Arc;

use clap::Args;
use mendel_engine::{Options, session};
use mendel_lab::learning::{OpponentKind, PLAYER};

use crate::crew::ServerArgs;
use crate::population_learner::PopulationLearner;
use crate::{output, request};

/// Speak UCI with a chess GUI; or xboard, if greeted so
#[derive(Args, Debug, Default)]
#[command(after_help = "\
Examples:
  mendel uci
  mendel uci --player material
  mendel uci --learn               sets that learn from each game
  mendel uci --tunable             the numbers of the search as options too
  xboard -fcp \"mendel uci\"

A GUI needs no arguments: with piped input, `mendel` alone does the same.")]
pub(super) struct UciArgs {
    /// A built-in player or a player file
    #[arg(long, value_name = "PLAYER")]
    player: Option<String>,
    /// Learn from each game whose end is known: the sets of `cwu-online` play
    #[arg(long)]
    learn: bool,
    #[command(flatten)]
    crew: ServerArgs,
    /// Show the numbers of the search as options
    #[arg(long)]
    tunable: bool,
}

pub(super) fn run(args: &UciArgs) -> anyhow::Result<()> {
    let mut name = args.player.as_deref();
    let mut learner: Option<Box<dyn session::Pupil>> = None;
    if args.learn {
        let new = PopulationLearner::new(name, OpponentKind::Gui, None, &args.crew)?;
        learner = Some(Box::new(new));
        name = Some(PLAYER);
    }
    let settings = session::Settings {
        player: Arc::new(request::player(name)?),
        options: Options::default(),
        tunable: args.tunable,
    };
    session::run_with(io::stdin(), output::stdout(), settings, learner)?;
    Ok(())
}
