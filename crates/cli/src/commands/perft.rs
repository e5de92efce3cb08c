//! `mendel perft`: counts that check the move generator.

use std::num::NonZero;
use std::time::Instant;

use clap::Args;
use mendel_board::{divide_with, perft_with};
use serde_json::json;

use crate::output;
use crate::request;

/// Count the paths of legal moves from a position
#[derive(Args, Debug)]
#[command(after_help = "\
The last line is the total. Shredder-FEN and X-FEN castling rights are understood.

Examples:
  mendel perft 6                                              119060324
  mendel perft 5 r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -
  mendel perft 4 --divide          the count behind each first move
  mendel perft 7 --threads 8 --json")]
pub(super) struct PerftArgs {
    /// How many plies ahead
    #[arg(value_parser = clap::value_parser!(u8).range(0..=20))]
    depth: u8,
    /// The position; quotes are not needed [default: startpos]
    #[arg(value_name = "FEN")]
    fen: Vec<String>,
    /// Show the count behind each first move
    #[arg(long)]
    divide: bool,
    /// How many threads count
    #[arg(long, value_name = "N", default_value = "1")]
    threads: NonZero<usize>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &PerftArgs) -> anyhow::Result<()> {
    let position = request::position(&args.fen)?;
    let started = Instant::now();
    let (moves, nodes) = if args.divide && args.depth > 0 {
        let counted = divide_with(&position, args.depth, args.threads);
        let nodes = counted.iter().map(|&(_, count)| count).sum();
        (counted, nodes)
    } else {
        let nodes = perft_with(&position, args.depth, args.threads);
        (Vec::new(), nodes)
    };
    let seconds = started.elapsed().as_secs_f64();
    let speed = (nodes as f64 / seconds.max(1e-9)) as u64;

    let mut moves: Vec<(String, u64)> = moves
        .into_iter()
        .map(|(m, count)| (position.uci(m), count))
        .collect();
    moves.sort();

    let data = || {
        let mut report = json!({
            "fen": position.fen(),
            "depth": args.depth,
            "nodes": nodes,
            "seconds": seconds,
            "nps": speed,
        });
        if args.divide {
            report["divide"] = moves
                .iter()
                .map(|(m, count)| json!({ "move": m, "nodes": count }))
                .collect();
        }
        report
    };
    output::print(args.json, data, || {
        let moves = moves.iter().map(|(m, count)| format!("{m}: {count}\n"));
        let moves: String = moves.collect();
        format!("{moves}{nodes} nodes {seconds:.3} s {speed} nps\n{nodes}\n")
    })
}
