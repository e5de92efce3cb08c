//! `mendel bench`: the speed and the signature of the search.

use std::io::Write;
use std::sync::Arc;

use clap::Args;
use mendel_engine::bench;
use serde_json::json;

use crate::output;
use crate::request;

/// Search a fixed set of positions on one thread
#[derive(Args, Debug)]
#[command(after_help = "\
The last line is `<nodes> nodes <nps> nps`. The nodes are the signature: the same
on every machine, until the play changes.

Examples:
  mendel bench
  mendel bench --depth 8 --json
  mendel bench --positions         the positions, one FEN a line")]
pub(super) struct BenchArgs {
    /// How many plies deep
    #[arg(long, value_name = "PLIES", default_value_t = bench::DEPTH, value_parser = clap::value_parser!(u32).range(1..=128))]
    depth: u32,
    /// A built-in player or a player file
    #[arg(long, value_name = "PLAYER")]
    player: Option<String>,
    /// Print the positions and search nothing
    #[arg(long)]
    positions: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &BenchArgs) -> anyhow::Result<()> {
    let mut out = output::stdout();
    if args.positions {
        for fen in bench::POSITIONS {
            writeln!(out, "{fen}")?;
        }
        return Ok(());
    }

    let player = Arc::new(request::player(args.player.as_deref())?);
    let total = bench::POSITIONS.len();
    let mut counts = Vec::with_capacity(total);
    // A closed pipe is reported after the search.
    let mut written = Ok(());
    let counted = bench::run(&player, args.depth, &mut |index, nodes| {
        counts.push(json!({ "fen": bench::POSITIONS[index], "nodes": nodes }));
        if !args.json && written.is_ok() {
            let number = index + 1;
            let fen = bench::POSITIONS[index];
            written = writeln!(out, "{number:>3}/{total}  {nodes:>9}  {fen}");
        }
    });
    written?;
    let (nodes, nps) = (counted.nodes, counted.nps());
    let data = || {
        json!({
            "player": player.name,
            "depth": args.depth,
            "nodes": nodes,
            "seconds": counted.time.as_secs_f64(),
            "nps": nps,
            "positions": counts,
        })
    };
    output::print(args.json, data, || format!("{nodes} nodes {nps} nps\n"))
}
