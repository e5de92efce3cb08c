//! `perft` and `bench`.

use serde_json::Value;

use crate::support::printed;

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -";

#[test]
fn the_last_line_of_perft_is_the_known_total() {
    for (depth, fen, total) in [
        ("0", "startpos", "1"),
        ("4", "", "197281"),
        ("3", KIWIPETE, "97862"),
        ("5", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -", "674624"),
        (
            "3",
            "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
            "12189",
        ),
    ] {
        for threads in ["1", "3"] {
            let mut arguments = vec!["perft", depth, "--threads", threads];
            arguments.extend(fen.split_whitespace());
            let text = printed(&arguments);
            assert_eq!(text.lines().last(), Some(total), "{fen}: {text}");
        }
    }
}

#[test]
fn divided_counts_add_up() {
    let text = printed(&["perft", "3", "--divide"]);
    let counts = text.lines().filter_map(|line| line.split_once(": "));
    let (moves, sum) = counts.fold((0, 0), |(moves, sum), (_, count)| {
        (moves + 1, sum + count.parse::<u64>().unwrap())
    });
    assert_eq!((moves, sum), (20, 8902));
    assert_eq!(text.lines().last(), Some("8902"));
}

#[test]
fn perft_as_json_says_the_same() {
    let text = printed(&["perft", "3", KIWIPETE, "--divide", "--json"]);
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["nodes"], 97862);
    assert_eq!(report["depth"], 3);
    let divided = report["divide"].as_array().unwrap();
    assert_eq!(divided.len(), 48);
    let sum: u64 = divided.iter().map(|m| m["nodes"].as_u64().unwrap()).sum();
    assert_eq!(sum, 97862);
}

#[test]
fn the_bench_counts_the_same_nodes_every_time() {
    let first = printed(&["bench", "--depth", "3"]);
    let last = first.lines().last().unwrap().to_owned();
    let words: Vec<&str> = last.split(' ').collect();
    assert!(matches!(words[..], [_, "nodes", _, "nps"]), "{last}");
    let nodes: u64 = words[0].parse().unwrap();
    let text = printed(&["bench", "--depth", "3", "--json"]);
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["nodes"].as_u64(), Some(nodes));
    let positions = report["positions"].as_array().unwrap();
    let sum: u64 = positions.iter().map(|p| p["nodes"].as_u64().unwrap()).sum();
    assert_eq!(sum, nodes);
}

#[test]
fn the_bench_shows_its_positions() {
    let text = printed(&["bench", "--positions"]);
    assert!(text.lines().count() >= 40, "{text}");
    assert!(
        text.lines().all(|fen| fen.split(' ').count() == 6),
        "{text}"
    );
}
