//! The subcommands, one file each.

mod analyse;
mod bench;
mod breed;
mod calibrate;
mod crew;
mod data;
mod eval;
mod guide;
mod match_cmd;
mod pedigree;
mod perft;
mod play;
mod players;
mod report;
mod resume;
mod runs;
mod train;
mod tune;
mod uci;
mod worker;

use std::io::{self, IsTerminal};

use clap::{Parser, Subcommand};

/// Mendel breeds chess engines, and plays with what was bred
#[derive(Debug, Parser)]
#[command(
    name = "mendel",
    version = crate::crew::PROGRAM,
    after_help = "\
Examples:
  mendel                           on a terminal a short guide; in a chess GUI it speaks UCI
  mendel play --side black         a game in the terminal
  mendel breed first-steps         an evaluation bred from random genes, and proved
  mendel match mendel material --nodes 5000    who is better, and how sure that is
  mendel eval startpos             what the evaluation sees
  mendel perft 5                   count the positions five plies ahead

Exit codes: 0 done, 1 failed, 2 the request was wrong."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    Uci(uci::Arguments),
    Bench(bench::Arguments),
    Perft(perft::Arguments),
    Eval(eval::Arguments),
    Play(play::Arguments),
    Match(Box<match_cmd::Arguments>),
    Calibrate(Box<calibrate::Arguments>),
    Breed(breed::Arguments),
    Tune(Box<tune::Arguments>),
    Resume(Box<resume::Arguments>),
    Runs(runs::Arguments),
    Report(report::Arguments),
    Analyse(analyse::Arguments),
    Players(players::Arguments),
    Pedigree(pedigree::Arguments),
    Data(data::Arguments),
    Train(Box<train::Arguments>),
    Worker(worker::Arguments),
    Crew(crew::Arguments),
}

/// Does what was asked for.
pub(crate) fn run(cli: Cli) -> anyhow::Result<()> {
    match cli.command {
        None if io::stdin().is_terminal() => guide::run(),
        None => uci::run(&uci::Arguments::default()),
        Some(Command::Uci(arguments)) => uci::run(&arguments),
        Some(Command::Bench(arguments)) => bench::run(&arguments),
        Some(Command::Perft(arguments)) => perft::run(&arguments),
        Some(Command::Eval(arguments)) => eval::run(&arguments),
        Some(Command::Play(arguments)) => play::run(&arguments),
        Some(Command::Match(arguments)) => match_cmd::run(&arguments),
        Some(Command::Calibrate(arguments)) => calibrate::run(&arguments),
        Some(Command::Breed(arguments)) => breed::run(&arguments),
        Some(Command::Tune(arguments)) => tune::run(&arguments),
        Some(Command::Resume(arguments)) => resume::run(&arguments),
        Some(Command::Runs(arguments)) => runs::run(&arguments),
        Some(Command::Report(arguments)) => report::run(&arguments),
        Some(Command::Analyse(arguments)) => analyse::run(&arguments),
        Some(Command::Players(arguments)) => players::run(&arguments),
        Some(Command::Pedigree(arguments)) => pedigree::run(&arguments),
        Some(Command::Data(arguments)) => data::run(&arguments),
        Some(Command::Train(arguments)) => train::run(&arguments),
        Some(Command::Worker(arguments)) => worker::run(&arguments),
        Some(Command::Crew(arguments)) => crew::run(&arguments),
    }
}
