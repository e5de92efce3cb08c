//! `mendel data import`: data sets from files of other programs.

use std::env;
use std::path::{Path, PathBuf};

use clap::Args;
use mendel_board::Color;
use mendel_data::DataSetHeader;
use mendel_data::import::score::Unit;
use mendel_data::import::{
    GameFilter, ImportError, ImportFormat, ImportReport, ImportSettings, Imported, PositionFilter,
    ResultFilter, ScorePerspective, import,
};
use serde_json::json;

use super::unreadable;
use crate::choice::{Choice, choice};
use crate::ctrl_c::stop_on_ctrl_c;
use crate::output;
use crate::progress::bar;
use crate::request::{UsageError, writable};

/// Turn games, positions or puzzles from a file into a data set
#[derive(Args, Debug)]
#[command(after_help = "\
PGN      games; the move that was played is the best move, the result the game's
EPD      positions with a result (`c9 \"1-0\"`, `[0.5]`, `FEN | score | 0.5`), a best
         move (`bm`), a score (`ce`) or a mate (`dm`)
CSV      columns FEN and score, with or without a heading: 35, #-3, M18; columns
         named result and bestmove are read, too
puzzles  the Lichess puzzle database, as CSV or as older JSON lines

Scores of EPD and of a column `cp` or `centipawns` are centipawns. Other columns need
--unit, and so do scores with a fraction in any file: the whole file is looked at before
anything is written.

All of them may be compressed with Zstandard (.zst). Lines and games that cannot be
read are counted, and the first are named.

Examples:
  mendel data import games.pgn.zst --one-per-game --result white --mover white --min-rating 2500 --out white.mds
  mendel data import games.pgn.zst --one-per-game --history 8 --sample 20000 --out rated.mds
  mendel data import quiet-labeled.epd --out results.mds
  mendel data import scores.csv --view white --unit centipawns --out scores.mds
  mendel data import games.pgn --sample 5000 --only-quiet --out sample.mds")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command"
)]
pub(super) struct DataImportArgs {
    /// The file to read
    #[arg(value_name = "FILE")]
    source: PathBuf,
    /// The data set to write, by convention NAME.mds
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// What the file is, if its name and its beginning do not tell
    #[arg(long, value_parser = choice(FORMATS))]
    format: Option<ImportFormat>,
    #[command(flatten)]
    games: ImportGameArgs,
    /// CSV: whose side the scores are seen from
    #[arg(long, default_value = "white", value_parser = choice(VIEWS))]
    view: ScorePerspective,
    /// CSV and EPD: what 1 means in scores [default: what the file says; else needed]
    #[arg(long, value_parser = choice(UNITS))]
    unit: Option<Unit>,
    /// Only positions in which nothing is to be won at once
    #[arg(long)]
    only_quiet: bool,
    /// Each position once
    #[arg(long)]
    distinct: bool,
    /// Stop after so many positions
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,
    /// Keep so many positions of the whole file, drawn at random
    #[arg(long, value_name = "N", conflicts_with = "limit", value_parser = clap::value_parser!(u64).range(1..=50_000_000))]
    sample: Option<u64>,
    /// Decides what is left to chance
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// The share of games that are held out from training
    #[arg(long, value_name = "SHARE", default_value_t = DataSetHeader::HOLD_OUT)]
    hold_out: f64,
    /// One sentence about the set, kept in it
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Say nothing before the result
    #[arg(long)]
    quiet: bool,
}

#[derive(Args, Debug)]
struct ImportGameArgs {
    /// PGN: both players are rated at least so
    #[arg(long, value_name = "ELO")]
    min_rating: Option<u32>,
    /// PGN: how the game ended
    #[arg(long, value_parser = choice(RESULTS))]
    result: Option<ResultFilter>,
    /// PGN: the game has at least so many half-moves
    #[arg(long, value_name = "N", default_value_t = 0)]
    min_plies: usize,
    /// PGN: one random position a game instead of all
    #[arg(long)]
    one_per_game: bool,
    /// PGN: only positions in which the winner is to move
    #[arg(long)]
    winner_to_move: bool,
    /// PGN: only positions in which this side is to move
    #[arg(long, value_parser = choice(COLORS))]
    mover: Option<Color>,
    /// PGN: only positions behind so many half-moves
    #[arg(long, value_name = "N", default_value_t = 0)]
    from_ply: usize,
    /// PGN: keep both ratings and the last N moves before each position, for players
    /// that look at them and for tables by rating
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=64))]
    history: Option<u8>,
}

const FORMATS: &[Choice<ImportFormat>] = &[
    ("pgn", "", ImportFormat::Pgn),
    ("epd", "", ImportFormat::Epd),
    ("csv", "", ImportFormat::Csv),
    ("puzzles", "", ImportFormat::Puzzles),
    ("puzzle-trees", "", ImportFormat::PuzzleTrees),
];

const RESULTS: &[Choice<ResultFilter>] = &[
    ("white", "", ResultFilter::White),
    ("black", "", ResultFilter::Black),
    ("draw", "", ResultFilter::Draw),
    ("decisive", "", ResultFilter::Decisive),
];

const COLORS: &[Choice<Color>] = &[("white", "", Color::White), ("black", "", Color::Black)];

const VIEWS: &[Choice<ScorePerspective>] = &[
    ("white", "", ScorePerspective::White),
    ("mover", "", ScorePerspective::Mover),
];

const UNITS: &[Choice<Unit>] = &[
    ("pawns", "", Unit::Pawns),
    ("centipawns", "", Unit::Centipawns),
];

impl DataImportArgs {
    fn setting(&self) -> ImportSettings {
        let games = &self.games;
        ImportSettings {
            format: self.format,
            view: self.view,
            unit: self.unit,
            games: GameFilter {
                min_rating: games.min_rating,
                result: games.result,
                min_plies: games.min_plies,
            },
            pick: PositionFilter {
                one_per_game: games.one_per_game,
                winner_to_move: games.winner_to_move,
                mover: games.mover,
                from_ply: games.from_ply,
            },
            history: games.history.map(usize::from),
            only_quiet: self.only_quiet,
            distinct: self.distinct,
            limit: self.limit,
            sample: self.sample,
            seed: self.seed,
            hold_out: self.hold_out,
            made_by: command(),
            description: self.description.clone(),
        }
    }
}

/// The command as it was given, without the flags that do not change the contents of the file.
pub(super) fn command() -> String {
    let mut words = vec!["mendel".to_owned()];
    let mut given = env::args().skip(1);
    while let Some(word) = given.next() {
        match word.as_str() {
            "--out" => {
                given.next();
            }
            "--json" | "--quiet" => {}
            word if word.starts_with("--out=") => {}
            word if word.contains(' ') => words.push(format!("'{word}'")),
            _ => words.push(word),
        }
    }
    words.join(" ")
}

pub(super) fn run(args: &DataImportArgs) -> anyhow::Result<()> {
    writable(&args.out)?;
    let stop = stop_on_ctrl_c()?;
    let bar = bar("{spinner} {msg}, {elapsed}", args.quiet);
    let mut show = |report: &ImportReport| {
        let (records, found) = (report.records, report.found);
        bar.set_message(format!("{records} games or lines, {found} positions"));
        bar.tick();
    };
    let result = import(&args.source, &args.out, &args.setting(), &stop, &mut show);
    bar.finish_and_clear();
    let empty = "loosen the filters, or say what the file is with `--format`";
    let help = "`mendel data import --help` shows what can be read";
    let imported = result.map_err(|error| usage_error(error, empty, help))?;
    let data = || {
        json!({
            "file": args.out.display().to_string(),
            "format": imported.format,
            "bytes": imported.bytes,
            "report": imported.report,
            "header": imported.header,
        })
    };
    output::print(args.json, data, || text(&args.out, &imported))
}

fn text(file: &Path, imported: &Imported) -> String {
    let report = &imported.report;
    let what = match imported.format {
        ImportFormat::Pgn => "games",
        ImportFormat::Epd | ImportFormat::Csv => "lines",
        ImportFormat::Puzzles | ImportFormat::PuzzleTrees => "puzzles",
    };
    let mut text = format!(
        "{}: {} positions, {} KiB\n{} {what} read, {} left out by the filters, {} unreadable; {} positions found\n",
        file.display(),
        report.kept,
        imported.bytes.div_ceil(1024),
        report.records,
        report.filtered,
        report.unreadable,
        report.found
    );
    if report.unlabelled > 0 {
        text = format!(
            "{text}{} positions have no label; `mendel data make quiet --from` has an expert give them one\n",
            report.unlabelled
        );
    }
    text + &unreadable(&report.examples)
}

/// The error of a command: `empty` is the remedy where nothing was found, `help` where the file
/// cannot be read.
pub(super) fn usage_error(error: ImportError, empty: &str, help: &str) -> anyhow::Error {
    let hint = match &error {
        ImportError::Stopped | ImportError::Data(_) | ImportError::Write(_) => {
            return error.into();
        }
        ImportError::Unit { .. } => "`--unit pawns` or `--unit centipawns` says which it is",
        ImportError::Taken { .. } => "`--out FILE` names a new file",
        ImportError::Empty { .. } => empty,
        _ => help,
    };
    UsageError::new(error, hint).into()
}
