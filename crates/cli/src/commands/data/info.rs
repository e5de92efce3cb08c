//! `mendel data info` and `mendel data list`: the contents of data sets.

use std::path::Path;

use clap::Args;
use mendel_data::info::{DataSetInfo, Histogram, HistogramBin};
use mendel_data::shard::SUFFIX;
use mendel_data::{BUILT_IN, DataSetHeader, Reader, SUITES};
use serde_json::json;

use super::games;
use crate::output;
use crate::request::{DATA_SETS, OrUsageError as _};
use crate::table::TextTable;

/// Show where a data set comes from and what is in it
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  mendel data info quiet
  mendel data info mine.mds --json
  mendel data info mine.games")]
pub(super) struct DataInfoArgs {
    /// A built-in set, or a file of positions (.mds) or of games (.games)
    #[arg(value_name = "SET")]
    set: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// List the built-in data sets
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  mendel data list
  mendel data list --json")]
pub(super) struct DataListArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Maximum length of a bar, in characters.
const WIDTH: u64 = 40;

pub(super) fn run(args: &DataInfoArgs) -> anyhow::Result<()> {
    let name = Path::new(&args.set);
    if name.extension().is_some_and(|suffix| suffix == SUFFIX) {
        return games::info(&args.set, args.json);
    }
    let mut reader = Reader::find(&args.set).or_hint(DATA_SETS)?;
    let header = reader.header().clone();
    let info = DataSetInfo::of(&mut reader).or_hint(DATA_SETS)?;
    let data = || json!({ "set": args.set, "header": header, "info": info });
    output::print(args.json, data, || {
        heading(&args.set, &header, &info) + &histograms(&info.histograms)
    })
}

pub(super) fn list(args: &DataListArgs) -> anyhow::Result<()> {
    let mut table = TextTable::new("set | positions | games | KiB | what it is");
    let mut rows = Vec::new();
    let sets = BUILT_IN.iter().map(|set| (set.name, set.bytes.len()));
    let suites = SUITES.iter().map(|(name, text)| (*name, text.len()));
    for (name, bytes) in sets.chain(suites) {
        let reader = Reader::find(name)?;
        let header = reader.header();
        rows.push(json!({ "name": name, "bytes": bytes, "header": header }));
        table.row([
            name,
            &header.positions.to_string(),
            &header.games.to_string(),
            &bytes.div_ceil(1024).to_string(),
            &header.description,
        ]);
    }
    output::print(args.json, || json!(rows), || table.render())
}

fn heading(set: &str, header: &DataSetHeader, info: &DataSetInfo) -> String {
    let mut lines = vec![
        format!("{set}: {}", header.description),
        format!("  kind       {}", header.kind.as_str()),
        format!("  made by    {}", header.made_by),
        format!("  seed       {}", header.seed),
    ];
    if let Some(expert) = &header.expert {
        lines.push(format!(
            "  expert     {}, {}, times {}",
            expert.name, expert.asked, header.scale
        ));
    }
    lines.push(format!(
        "  positions  {} from {} games, White to move in {}",
        info.positions, info.games, info.white_to_move
    ));
    lines.push(format!(
        "  split      {} to train on, {} held out (a share of {} of the games)",
        info.train, info.hold_out, header.hold_out
    ));
    let mean = format!("scores, {:.0} centipawns on average", info.mean_score);
    let labels = [
        (info.with_score, mean.as_str()),
        (info.with_best, "best moves"),
        (info.with_result, "results"),
    ];
    let labels = labels.into_iter().filter(|(count, _)| *count > 0);
    let labels: Vec<String> = labels
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    let are_none = labels.is_empty();
    let labels = if are_none { "none" } else { &labels.join("; ") };
    lines.push(format!("  labels     {labels}"));
    lines.join("\n") + "\n"
}

pub(super) fn histograms(all: &[Histogram]) -> String {
    let mut lines = Vec::new();
    for it in all {
        lines.push(format!("\n{}", it.name));
        let most = it.bars.iter().map(|bar| bar.count).max();
        let most = most.unwrap_or(0).max(1);
        for HistogramBin { label, count } in &it.bars {
            // A count above 0 has a bar.
            let length = (count * WIDTH).div_ceil(most) as usize;
            let line = format!("  {label:>12}  {count:>9}  {}", "█".repeat(length));
            lines.push(line.trim_end().to_owned());
        }
    }
    // The last line ends, too.
    lines.push(String::new());
    lines.join("\n")
}
