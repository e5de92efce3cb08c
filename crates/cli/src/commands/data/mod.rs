//! `mendel data`: makes, imports and inspects data sets.

mod draw;
mod games;
mod import;
mod info;
mod make;
mod rows;
mod scores;

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
pub(super) struct DataArgs {
    #[command(subcommand)]
    command: DataCommand,
}

#[derive(Debug, Subcommand)]
enum DataCommand {
    Make(Box<make::DataMakeArgs>),
    Import(Box<import::DataImportArgs>),
    Games(games::DataGamesArgs),
    Draw(draw::DataDrawArgs),
    Info(info::DataInfoArgs),
    List(info::DataListArgs),
    Rows(rows::DataRowsArgs),
    Scores(scores::DataScoresArgs),
}

pub(super) fn run(args: &DataArgs) -> anyhow::Result<()> {
    match &args.command {
        DataCommand::Make(args) => make::run(args),
        DataCommand::Import(args) => import::run(args),
        DataCommand::Games(args) => games::run(args),
        DataCommand::Draw(args) => draw::run(args),
        DataCommand::Info(args) => info::run(args),
        DataCommand::List(args) => info::list(args),
        DataCommand::Rows(args) => rows::run(args),
        DataCommand::Scores(args) => scores::run(args),
    }
}

/// The first records of a file that could not be read, as lines.
fn unreadable(examples: &[String]) -> String {
    if examples.is_empty() {
        return String::new();
    }
    let lines = examples.iter().map(|example| format!("  {example}\n"));
    format!(
        "the first that could not be read:\n{}",
        lines.collect::<String>()
    )
}
