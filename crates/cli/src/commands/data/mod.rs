//! `mendel data`: data sets made, imported and looked at.

mod draw;
mod games;
mod import;
mod info;
mod make;
mod rows;
mod scores;

use std::io::{self, Write};

use clap::{Args, Subcommand};

/// Make, import and inspect data sets
#[derive(Args, Debug)]
#[command(after_help = "\
Wherever a data set is asked for, the name of a built-in one or a file will do.

Examples:
  mendel data list
  mendel data info quiet
  mendel data make quiet --positions 20000 --out quiet.mds
  mendel data import games.pgn.zst --one-per-game --min-rating 2500 --out games.mds
  mendel data games games.pgn.zst --min-moves 20 --out mine.games
  mendel data draw mine.games --positions 5000 --out unseen.mds
  mendel data scores labelled.mds --out labelled.csv.zst")]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Make(Box<make::Arguments>),
    Import(Box<import::Arguments>),
    Games(games::Arguments),
    Draw(draw::Arguments),
    Info(info::InfoArguments),
    List(info::ListArguments),
    Rows(rows::Arguments),
    Scores(scores::Arguments),
}

/// Does what was asked for.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    match &arguments.command {
        Command::Make(arguments) => make::run(arguments),
        Command::Import(arguments) => import::run(arguments),
        Command::Games(arguments) => games::run(arguments),
        Command::Draw(arguments) => draw::run(arguments),
        Command::Info(arguments) => info::run(arguments),
        Command::List(arguments) => info::list(arguments),
        Command::Rows(arguments) => rows::run(arguments),
        Command::Scores(arguments) => scores::run(arguments),
    }
}

/// Shows the first records of a file that could not be read, if there are any.
fn tell_unreadable(out: &mut impl Write, examples: &[String]) -> io::Result<()> {
    if !examples.is_empty() {
        writeln!(out, "the first that could not be read:")?;
    }
    for example in examples {
        writeln!(out, "  {example}")?;
    }
    Ok(())
}
