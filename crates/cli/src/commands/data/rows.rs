//! `mendel data rows`: positions as rows of coefficients, for other programs.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use mendel_data::{DataSet, Sample};
use mendel_engine::Player;
use mendel_fitness::matrix::Rows;
use mendel_store::{ReplaceError, replace_with};
use serde_json::json;

use crate::output;
use crate::request::{self, UsageError, writable};

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

/// Counts and writes.
pub(super) fn run(args: &DataRowsArgs) -> anyhow::Result<()> {
    // 1. What was asked for.
    writable(&args.out)?;
    let player = Player::find(&args.player)
        .map_err(|error| UsageError::new(error, "`mendel players` lists the built-in ones"))?;
    let evaluator = request::evaluator(&player)?;
    let set = DataSet::find(&args.set).map_err(|error| {
        let hint = "`mendel data list` names the built-in sets; a file is named by its path";
        UsageError::new(error, hint)
    })?;
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
            let complaint = anyhow::anyhow!("position {index} of the set has no {label}");
            UsageError::new(complaint, "`mendel data info` shows what a set holds")
        })?;
        positions.push(&sample.position);
        labels.push(value);
    }

    // 2. The rows.
    let rows = Rows::new(evaluator, &positions, 1)
        .map_err(|error| UsageError::new(error, "`mendel players` lists the built-in ones"))?;
    let weights = evaluator.weights();
    let names: Vec<&str> = weights.iter().map(|weight| weight.name.as_str()).collect();
    replace_with(&args.out, |file| {
        write(file, args, &names, &rows, &labels).map_err(|source| ReplaceError::Write {
            path: args.out.clone(),
            source,
        })
    })?;

    // 3. What was done.
    let mut out = output::stdout();
    if args.json {
        let weights = weights
            .iter()
            .map(|weight| json!({ "name": weight.name, "value": weight.value }));
        let report = json!({
            "file": args.out, "player": player.name, "rows": rows.len(), "label": label,
            "weights": weights.collect::<Vec<_>>(),
        });
        writeln!(out, "{report:#}")?;
    } else {
        let file = args.out.display();
        writeln!(
            out,
            "{} rows of {} weights and the {label}: {file}",
            rows.len(),
            names.len()
        )?;
    }
    Ok(())
}

fn write(
    file: &mut File,
    args: &DataRowsArgs,
    names: &[&str],
    rows: &Rows,
    labels: &[f64],
) -> io::Result<()> {
    let mut file = BufWriter::new(file);
    for name in names {
        write!(file, "{name},")?;
    }
    writeln!(file, "{}", args.label.name())?;
    for (row, label) in labels.iter().enumerate() {
        for coefficient in rows.dense(row).unwrap_or_default() {
            write!(file, "{coefficient},")?;
        }
        writeln!(file, "{label}")?;
    }
    file.flush()
}
