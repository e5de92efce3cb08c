//! `mendel data scores`: positions and scores as lines, for networks.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use mendel_board::Color;
use mendel_coach::Phase;
use mendel_data::{MATE, Sample};
use serde_json::json;

use crate::choice::{Choice, choice};
use crate::output;
use crate::request::{self, UsageError, writable};

/// Compression level of Zstandard.
const LEVEL: i32 = 9;

/// Write positions and scores as lines, for `mendel train` and other programs
#[derive(Args, Debug)]
#[command(after_help = "\
The file is CSV: FEN and centipawns as White sees them, `#+1` and `#-1` where the score
is a mate for White or Black. It is compressed with Zstandard if its name ends in .zst.
Positions without a score, and with --phase those of other parts of a game, are left out
and counted.

Examples:
  mendel data make quiet --from games.mds --expert-depth 6 --out labelled.mds
  mendel data scores labelled.mds --out labelled.csv.zst
  mendel data scores labelled.mds --phase ending --out endings.csv.zst
  mendel train teacher-net --data labelled.csv.zst")]
pub(super) struct DataScoresArgs {
    /// A built-in set or a file
    #[arg(value_name = "SET")]
    set: String,
    /// The file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Only positions of this part of a game
    #[arg(long, value_parser = choice(PHASES))]
    phase: Option<Phase>,
    /// Print JSON: the file, its lines, and how many positions were left out
    #[arg(long)]
    json: bool,
}

const FULL: &str = "Nearly all pieces are there, and the first ranks are full";
const FEW: &str = "At most six pieces beside kings and pawns are left";
const PHASES: &[Choice<Phase>] = &[
    ("opening", FULL, Phase::Opening),
    ("middle-game", "Neither of the others", Phase::MiddleGame),
    ("ending", FEW, Phase::Ending),
];

pub(super) fn run(args: &DataScoresArgs) -> anyhow::Result<()> {
    writable(&args.out)?;
    let set = request::data_set(&args.set)?;
    let wanted = |sample: &&Sample| {
        args.phase
            .is_none_or(|it| it == Phase::of(&sample.position))
    };
    let lines: Vec<String> = set.samples.iter().filter(wanted).filter_map(line).collect();
    let without = set.samples.len() - lines.len();
    if lines.is_empty() {
        let which = args
            .phase
            .map_or_else(String::new, |it| format!(" of the {}", it.name()));
        let reason = format!("no position{which} of `{}` has a score", args.set);
        let hint = "`mendel data make quiet --from SET` has them labelled";
        return UsageError::bail(reason, hint);
    }
    output::write_file(&args.out, |file| {
        if args.out.extension().is_none_or(|it| it != "zst") {
            return write(file, &lines);
        }
        let mut compressed = zstd::Encoder::new(file, LEVEL)?;
        write(&mut compressed, &lines)?;
        compressed.finish().map(drop)
    })?;

    let (count, file) = (lines.len(), args.out.display());
    output::print(
        args.json,
        || json!({ "file": args.out, "lines": count, "left-out": without }),
        || format!("{count} positions with scores, {without} left out: {file}\n"),
    )
}

/// A position and its score from White's side, if it has one.
fn line(sample: &Sample) -> Option<String> {
    let own = sample.score?;
    let score = match sample.position.turn() {
        Color::White => own,
        Color::Black => -own,
    };
    let fen = sample.position.fen();
    Some(match score {
        MATE => format!("{fen},#+1"),
        score if score == -MATE => format!("{fen},#-1"),
        score => format!("{fen},{score}"),
    })
}

fn write(out: &mut impl Write, lines: &[String]) -> io::Result<()> {
    writeln!(out, "FEN,Centipawns")?;
    lines.iter().try_for_each(|line| writeln!(out, "{line}"))
}
