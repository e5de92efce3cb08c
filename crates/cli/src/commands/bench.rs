//! `mendel bench`: how fast it thinks, and that it thinks what it should.

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

/// Searches and counts.
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
    // Whoever does not listen any more is noticed after the search.
    let mut listened = Ok(());
    let counted = bench::run(&player, args.depth, &mut |index, nodes| {
        counts.push(json!({ "fen": bench::POSITIONS[index], "nodes": nodes }));
        if !args.json && listened.is_ok() {
            let number = index + 1;
            let fen = bench::POSITIONS[index];
            listened = writeln!(out, "{number:>3}/{total}  {nodes:>9}  {fen}");
        }
    });
    listened?;
    if args.json {
        let report = json!({
            "player": player.name,
            "depth": args.depth,
            "nodes": counted.nodes,
            "seconds": counted.time.as_secs_f64(),
            "nps": counted.nps(),
            "positions": counts,
        });
        writeln!(out, "{report:#}")?;
    } else {
        writeln!(out, "{} nodes {} nps", counted.nodes, counted.nps())?;
    }
    Ok(())
}
