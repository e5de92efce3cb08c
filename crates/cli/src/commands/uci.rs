//! `mendel uci`: the engine for GUIs.

use std::io;
use std::sync::Arc;

use clap::Args;
use mendel_engine::{Options, session};

use crate::request;

/// Speak UCI with a chess GUI; or xboard, if greeted so
#[derive(Args, Debug, Default)]
#[command(after_help = "\
Examples:
  mendel uci
  mendel uci --player material
  mendel uci --tunable             the numbers of the search as options too
  xboard -fcp \"mendel uci\"

A GUI needs no arguments: with piped input, `mendel` alone does the same.")]
pub(super) struct Arguments {
    /// A built-in player or a player file
    #[arg(long, value_name = "PLAYER")]
    player: Option<String>,
    /// Show the numbers of the search as options
    #[arg(long)]
    tunable: bool,
}

/// Speaks until the GUI quits or its input ends.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let settings = session::Settings {
        player: Arc::new(request::player(arguments.player.as_deref())?),
        options: Options::default(),
        tunable: arguments.tunable,
    };
    session::run(io::stdin(), io::stdout(), settings)?;
    Ok(())
}
