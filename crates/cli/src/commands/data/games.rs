//! `mendel data games`: games as a compact file, for training networks.

use std::path::PathBuf;

use clap::Args;
use indicatif::HumanCount;
use mendel_data::DataError;
use mendel_data::shard::{
    ConvertReport, ConvertSettings, ConvertedShard, Shard, ShardFilter, ShardHeader, ShardInfo,
    convert,
};
use serde_json::json;

use super::import::{command, usage_error};
use super::info::histograms;
use super::unreadable;
use crate::ctrl_c::stop_on_ctrl_c;
use crate::output;
use crate::progress::bar;
use crate::request::{UsageError, writable};

/// Turn games from PGN into a compact file that networks are trained on
#[derive(Args, Debug)]
#[command(after_help = "\
A move takes one byte before it is squeezed: its place among the legal moves. Games
from another start position and games without a result are left out; all that is left
out is counted. PGN may be compressed with Zstandard (.zst).

Examples:
  mendel data games games.pgn.zst --min-moves 20 --out mine.games
  mendel data games a.pgn b.pgn --min-rating 2000 --distinct --out strong.games
  mendel data info mine.games")]
pub(super) struct DataGamesArgs {
    /// The files to read
    #[arg(value_name = "FILE", required = true)]
    sources: Vec<PathBuf>,
    /// The file to write, by convention NAME.games
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// The lower of the two ratings is at least this
    #[arg(long, value_name = "ELO", default_value_t = 0)]
    min_rating: u16,
    /// The lower of the two ratings is at most this
    #[arg(long, value_name = "ELO", default_value_t = u16::MAX, hide_default_value = true)]
    max_rating: u16,
    /// The game has at least so many moves
    #[arg(long, value_name = "N", default_value_t = 20)]
    min_moves: usize,
    /// Each game once, as its moves tell
    #[arg(long)]
    distinct: bool,
    /// Stop after so many games
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,
    /// One sentence about the games, kept in the file
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Say nothing before the result
    #[arg(long)]
    quiet: bool,
}

impl DataGamesArgs {
    fn setting(&self) -> ConvertSettings {
        ConvertSettings {
            filter: ShardFilter {
                min_rating: self.min_rating,
                max_rating: self.max_rating,
                min_moves: self.min_moves,
                distinct: self.distinct,
                limit: self.limit,
            },
            made_by: command(),
            description: self.description.clone(),
        }
    }
}

pub(super) fn run(args: &DataGamesArgs) -> anyhow::Result<()> {
    writable(&args.out)?;
    let stop = stop_on_ctrl_c()?;
    let bar = bar("{bar:40} {percent:>3} %, {msg}, {eta} left", args.quiet);
    let mut show = |report: &ConvertReport| {
        bar.set_length(report.of_bytes);
        bar.set_position(report.bytes);
        let (games, kept) = (HumanCount(report.games), HumanCount(report.kept));
        bar.set_message(format!("{games} games read, {kept} kept"));
    };
    let result = convert(&args.sources, &args.out, &args.setting(), &stop, &mut show);
    bar.finish_and_clear();
    let empty = "are these PGN files? then loosen `--min-moves` or `--min-rating`";
    let help = "`mendel data games --help` shows what can be read";
    let written = result.map_err(|error| usage_error(error, empty, help))?;
    let file = args.out.display().to_string();
    let data = || {
        json!({
            "file": file,
            "bytes": written.bytes,
            "report": written.report,
            "header": written.header,
        })
    };
    output::print(args.json, data, || text(&file, &written))
}

fn text(file: &str, written: &ConvertedShard) -> String {
    let report = &written.report;
    let mut text = format!(
        "{file}: {} games, {} positions, {} KiB, {:.2} bits a move\n{} games read\n",
        report.kept,
        report.plies,
        written.bytes.div_ceil(1024),
        written.bytes as f64 * 8.0 / report.plies.max(1) as f64,
        report.games
    );
    for (reason, count) in report.left_out() {
        text = format!("{text}{count:>9} left out: {reason}\n");
    }
    text + &unreadable(&report.examples)
}

pub(super) fn info(name: &str, as_json: bool) -> anyhow::Result<()> {
    let shard = Shard::open(name).map_err(unusable)?;
    let info = ShardInfo::of(&shard).map_err(unusable)?;
    let header = shard.header();
    let data = || json!({ "set": name, "header": header, "info": info });
    output::print(as_json, data, || {
        heading(name, header, &info) + &histograms(&info.histograms)
    })
}

fn unusable(error: DataError) -> anyhow::Error {
    let hint = "`mendel data games` makes such a file from PGN";
    UsageError::new(error, hint).into()
}

fn heading(name: &str, header: &ShardHeader, info: &ShardInfo) -> String {
    let [white, draws, black] = info.results;
    let mut lines = vec![
        format!("{name}: {}", header.description),
        format!("  made by    {}", header.made_by),
        format!("  from       {}", header.sources.join(", ")),
        format!("  contents   {}", header.fingerprint),
        format!(
            "  games      {} in {} blocks; {} with both ratings",
            info.games, info.blocks, info.rated
        ),
        format!("  positions  {}", info.plies),
        format!("  results    White won {white}, Black won {black}, {draws} drawn"),
    ];
    if info.scored > 0 {
        lines.push(format!("  scores     in {} games", info.scored));
    }
    lines.join("\n") + "\n"
}
