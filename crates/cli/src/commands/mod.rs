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
    Uci(uci::UciArgs),
    Bench(bench::BenchArgs),
    Perft(perft::PerftArgs),
    Eval(eval::EvalArgs),
    Play(play::PlayArgs),
    Match(Box<match_cmd::MatchArgs>),
    Calibrate(Box<calibrate::CalibrateArgs>),
    Breed(breed::BreedArgs),
    Tune(Box<tune::TuneArgs>),
    Resume(Box<resume::ResumeArgs>),
    Runs(runs::RunsArgs),
    Report(report::ReportArgs),
    Analyse(analyse::AnalyseArgs),
    Players(players::PlayersArgs),
    Pedigree(pedigree::PedigreeArgs),
    Data(data::DataArgs),
    Train(Box<train::TrainArgs>),
    Worker(worker::WorkerArgs),
    Crew(crew::CrewCommandArgs),
}

pub(crate) fn run(cli: Cli) -> anyhow::Result<()> {
    match cli.command {
        None if io::stdin().is_terminal() => guide::run(),
        None => uci::run(&uci::UciArgs::default()),
        Some(Command::Uci(args)) => uci::run(&args),
        Some(Command::Bench(args)) => bench::run(&args),
        Some(Command::Perft(args)) => perft::run(&args),
        Some(Command::Eval(args)) => eval::run(&args),
        Some(Command::Play(args)) => play::run(&args),
        Some(Command::Match(args)) => match_cmd::run(&args),
        Some(Command::Calibrate(args)) => calibrate::run(&args),
        Some(Command::Breed(args)) => breed::run(&args),
        Some(Command::Tune(args)) => tune::run(&args),
        Some(Command::Resume(args)) => resume::run(&args),
        Some(Command::Runs(args)) => runs::run(&args),
        Some(Command::Report(args)) => report::run(&args),
        Some(Command::Analyse(args)) => analyse::run(&args),
        Some(Command::Players(args)) => players::run(&args),
        Some(Command::Pedigree(args)) => pedigree::run(&args),
        Some(Command::Data(args)) => data::run(&args),
        Some(Command::Train(args)) => train::run(&args),
        Some(Command::Worker(args)) => worker::run(&args),
        Some(Command::Crew(args)) => crew::run(&args),
    }
}
