//! `eval` and `players`.

use serde_json::Value;

use crate::support::printed;

const FENS: [&str; 5] = [
    "startpos",
    "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 0 1",
    "4k3/8/8/8/8/8/8/3QK3 b - - 0 1",
];

#[test]
fn the_terms_add_up_to_the_score() {
    for player in ["mendel", "material"] {
        for fen in FENS {
            let mut arguments = vec!["eval", "--json", "--player", player];
            arguments.extend(fen.split(' '));
            let report: Value = serde_json::from_str(&printed(&arguments)).unwrap();
            let exact = |value: &Value| {
                (
                    value["parts"].as_i64().unwrap(),
                    value["of"].as_i64().unwrap(),
                )
            };
            let (mut sum, of) = exact(&report["rounding"]);
            for row in report["rows"].as_array().unwrap() {
                let (parts, denominator) = exact(&row["contribution"]);
                assert_eq!(denominator, of, "{row}");
                sum += parts;
            }
            let white = report["white_score"].as_i64().unwrap();
            assert_eq!(sum, white * of, "{player}: {fen}");
            let score = report["score"].as_i64().unwrap();
            let sign = if fen.contains(" b ") { -1 } else { 1 };
            assert_eq!(score, sign * white, "{player}: {fen}");
        }
    }
}

#[test]
fn the_table_shows_both_sides_and_the_same_score() {
    for fen in FENS {
        let mut arguments = vec!["eval"];
        arguments.extend(fen.split(' '));
        let table = printed(&arguments);
        assert!(table.contains("White mg"), "{table}");
        arguments.push("--json");
        let report: Value = serde_json::from_str(&printed(&arguments)).unwrap();
        let score = table
            .lines()
            .find(|line| line.starts_with("score "))
            .and_then(|line| line.split_whitespace().last())
            .expect("the table has a score");
        let white: i64 = score.parse().unwrap();
        assert_eq!(report["white_score"].as_i64(), Some(white), "{table}");
    }
}

#[test]
fn the_worth_of_the_groups_adds_up_as_far_as_its_digits_go() {
    let text = printed(&["eval", FENS[2]]);
    let rows = text
        .lines()
        .skip_while(|line| !line.starts_with('─'))
        .skip(1)
        .take_while(|line| !line.starts_with('─'));
    let last = |line: &str| -> f64 { line.split_whitespace().last().unwrap().parse().unwrap() };
    let (count, sum) = rows.fold((0, 0.0), |(n, sum), line| (n + 1, sum + last(line)));
    let score = text
        .lines()
        .find(|line| line.starts_with("score "))
        .unwrap();
    assert!(
        (sum - last(score)).abs() <= 0.005 * f64::from(count) + 1e-9,
        "{text}"
    );
}

#[test]
fn the_players_are_listed_with_their_evaluators() {
    let list: Value = serde_json::from_str(&printed(&["players", "--json"])).unwrap();
    let table = printed(&["players"]);
    let players = list.as_array().unwrap();
    for name in ["mendel", "material"] {
        assert!(
            players.iter().any(|player| player["name"] == name),
            "{list}"
        );
    }
    for player in players {
        let name = player["name"].as_str().unwrap();
        assert!(table.lines().any(|line| line.starts_with(name)), "{table}");
    }
}

const CHECKMATE: &str = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3";
const STALEMATE: &str = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1";

#[test]
fn a_position_without_legal_moves_is_named_checkmate_or_stalemate_first() {
    for (fen, words, reason, winner) in [
        (CHECKMATE, "Checkmate: Black wins", "checkmate", "black"),
        (STALEMATE, "Stalemate: a draw", "stalemate", "null"),
    ] {
        let text = printed(&["eval", fen]);
        let first = text.lines().next().unwrap_or_default();
        assert!(first.starts_with(words), "{text}");
        assert!(
            text.contains("White mg"),
            "the terms are still shown: {text}"
        );
        for player in ["mendel", "human-network"] {
            let json = printed(&["eval", fen, "--json", "--player", player]);
            assert!(json.starts_with("{\n  \"outcome\":"), "{json}");
            let report: Value = serde_json::from_str(&json).unwrap();
            assert_eq!(report["outcome"]["reason"], reason, "{player}: {report}");
            let named = report["outcome"]["winner"].as_str().unwrap_or("null");
            assert_eq!(named, winner, "{player}: {report}");
        }
        let text = printed(&["eval", fen, "--player", "human-network"]);
        assert!(text.starts_with(words), "{text}");
    }
}

#[test]
fn a_position_with_legal_moves_has_no_outcome() {
    for fen in FENS {
        let mut arguments = vec!["eval", "--json"];
        arguments.extend(fen.split(' '));
        let report: Value = serde_json::from_str(&printed(&arguments)).unwrap();
        assert!(report["outcome"].is_null(), "{report}");
        arguments.remove(1);
        let text = printed(&arguments);
        let first = text.lines().next().unwrap_or_default();
        assert!(!first.contains("mate:"), "{text}");
    }
}
