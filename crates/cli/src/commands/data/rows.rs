//! `mendel data rows`: positions as rows of coefficients, for other programs.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use mendel_data::Sample;
use mendel_engine::Player;
use mendel_fitness::matrix::Rows;
use serde_json::json;

use crate::output;
use crate::request::{self, OrUsageError as _, UsageError, writable};

const PLAYERS: &str = "`mendel players` lists the built-in ones";

/// Write positions as rows of coefficients, for statistics programs
#[derive(Args, Debug)]
#[command(after_help = "\
The file is CSV: a line with the names of the player's weights, then a line for each
position. A column holds what its weight is multiplied by there, as the side to move
sees it; taper and scale are in it. The last column is the label. The sum of
coefficients times weights, cut to whole centipawns, is the score of the evaluator.

Examples:
  mendel data rows quiet --player gerald-base --out quiet.csv
  mendel data rows mine.mds --part train --json --out mine.csv")]
pub(super) struct DataRowsArgs {
    /// A built-in set or a file
    #[arg(value_name = "SET")]
    set: String,
    /// Whose evaluator counts: a built-in player or a player file
    #[arg(long, value_name = "PLAYER", default_value = "mendel")]
    player: String,
    /// The file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Which positions
    #[arg(long, value_enum, default_value_t = SplitArg::All)]
    part: SplitArg,
    /// What the last column is
    #[arg(long, value_enum, default_value_t = LabelArg::Score)]
    label: LabelArg,
    /// Print JSON: the file, its rows, and the name and value of each weight
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SplitArg {
    /// All of them
    All,
    /// Those to train on
    Train,
    /// Those held out
    HoldOut,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum LabelArg {
    /// Centipawns for the side to move
    Score,
    /// Points for the side to move: 0, 0.5 or 1
    Result,
}

impl LabelArg {
    fn name(self) -> &'static str {
        match self {
            Self::Score => "score",
            Self::Result => "result",
        }
    }

    fn of(self, sample: &Sample) -> Option<f64> {
        match self {
            Self::Score => sample.score.map(f64::from),
            Self::Result => sample.result.map(mendel_data::GameResult::points),
        }
    }
}

pub(super) fn run(args: &DataRowsArgs) -> anyhow::Result<()> {
    // 1. The request.
    writable(&args.out)?;
    let player = Player::find(&args.player).or_hint(PLAYERS)?;
    let evaluator = request::evaluator(&player)?;
    let set = request::data_set(&args.set)?;
    let (train, hold_out) = set.split();
    let chosen = match args.part {
        SplitArg::All => (0..set.samples.len()).collect(),
        SplitArg::Train => train,
        SplitArg::HoldOut => hold_out,
    };
    let label = args.label.name();
    let mut positions = Vec::with_capacity(chosen.len());
    let mut labels = Vec::with_capacity(chosen.len());
    for index in chosen {
        let sample = &set.samples[index];
        let value = args.label.of(sample).ok_or_else(|| {
            let reason = format!("position {index} of the set has no {label}");
            UsageError::new(reason, "`mendel data info` shows what a set holds")
        })?;
        positions.push(&sample.position);
        labels.push(value);
    }

    // 2. The rows.
    let rows = Rows::new(evaluator, &positions, 1).or_hint(PLAYERS)?;
    let weights = evaluator.weights();
    let names: Vec<&str> = weights.iter().map(|weight| weight.name.as_str()).collect();
    output::write_file(&args.out, |file| write(file, label, &names, &rows, &labels))?;

    // 3. What was done.
    let (count, file) = (rows.len(), args.out.display());
    let data = || {
        let weights = weights.iter();
        let weights = weights.map(|it| json!({ "name": it.name, "value": it.value }));
        json!({
            "file": args.out, "player": player.name, "rows": count, "label": label,
            "weights": weights.collect::<Vec<_>>(),
        })
    };
    output::print(args.json, data, || {
        let weights = names.len();
        format!("{count} rows of {weights} weights and the {label}: {file}\n")
    })
}

fn write(
    file: &mut impl Write,
    label: &str,
    names: &[&str],
    rows: &Rows,
    labels: &[f64],
) -> io::Result<()> {
    for name in names {
        write!(file, "{name},")?;
    }
    writeln!(file, "{label}")?;
    for (row, label) in labels.iter().enumerate() {
        for coefficient in rows.dense(row).unwrap_or_default() {
            write!(file, "{coefficient},")?;
        }
        writeln!(file, "{label}")?;
    }
    Ok(())
}
