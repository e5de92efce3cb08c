//! `mendel data scores`: positions and scores as lines, for networks.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use mendel_board::Color;
use mendel_coach::Phase;
use mendel_data::{DataSet, MATE, Sample};
use mendel_store::{ReplaceError, replace_with};
use serde_json::json;

use crate::output;
use crate::request::{UsageError, writable};

/// How hard the lines are squeezed.
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
    #[arg(long, value_enum)]
    phase: Option<PhaseArg>,
    /// Print JSON: the file, its lines, and how many positions were left out
    #[arg(long)]
    json: bool,
}

/// A part of a game.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum PhaseArg {
    /// Nearly all pieces are there, and the first ranks are full
    Opening,
    /// Neither of the others
    MiddleGame,
    /// At most six pieces beside kings and pawns are left
    Ending,
}

impl PhaseArg {
    fn phase(self) -> Phase {
        match self {
            Self::Opening => Phase::Opening,
            Self::MiddleGame => Phase::MiddleGame,
            Self::Ending => Phase::Ending,
        }
    }
}

/// Writes them.
pub(super) fn run(args: &DataScoresArgs) -> anyhow::Result<()> {
    writable(&args.out)?;
    let set = DataSet::find(&args.set).map_err(|error| {
        let hint = "`mendel data list` names the built-in sets; a file is named by its path";
        UsageError::new(error, hint)
    })?;
    let phase = args.phase.map(PhaseArg::phase);
    let wanted = |sample: &&Sample| phase.is_none_or(|it| it == Phase::of(&sample.position));
    let lines: Vec<String> = set.samples.iter().filter(wanted).filter_map(line).collect();
    let without = set.samples.len() - lines.len();
    if lines.is_empty() {
        let which = phase.map_or_else(String::new, |it| format!(" of the {}", it.name()));
        let complaint = anyhow::anyhow!("no position{which} of `{}` has a score", args.set);
        let hint = "`mendel data make quiet --from SET` has them labelled";
        return Err(UsageError::new(complaint, hint).into());
    }
    replace_with(&args.out, |file| {
        write(file, &args.out, &lines).map_err(|source| ReplaceError::Write {
            path: args.out.clone(),
            source,
        })
    })?;

    let mut out = output::stdout();
    if args.json {
        let report = json!({ "file": args.out, "lines": lines.len(), "left-out": without });
        writeln!(out, "{report:#}")?;
    } else {
        let file = args.out.display();
        writeln!(
            out,
            "{} positions with scores, {without} left out: {file}",
            lines.len()
        )?;
    }
    Ok(())
}

/// A position and its score from White's side; none if it has no score.
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

fn write(file: &mut File, path: &Path, lines: &[String]) -> io::Result<()> {
    let mut file = BufWriter::new(file);
    if path.extension().is_some_and(|it| it == "zst") {
        let mut squeezed = zstd::Encoder::new(&mut file, LEVEL)?;
        put(&mut squeezed, lines)?;
        squeezed.finish()?;
    } else {
        put(&mut file, lines)?;
    }
    file.flush()
}

fn put(out: &mut impl Write, lines: &[String]) -> io::Result<()> {
    writeln!(out, "FEN,Centipawns")?;
    lines.iter().try_for_each(|line| writeln!(out, "{line}"))
}
