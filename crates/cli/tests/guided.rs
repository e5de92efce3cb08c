//! Players with networks: `eval`, `play`, `match`, `uci`.

use std::fs;

use mendel_evaluator::vision::{Activation, File, Head, Shape, View};
use serde_json::Value;

use crate::support::{Scratch, mendel, printed};

/// A network of chance.
fn network(shape: Shape) -> Vec<u8> {
    let mut state = 11_u32;
    let mut number = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((state >> 16) as f32 / 32_768.0 - 1.0) / 4.0
    };
    let file = File::new(shape, |tensor| {
        (0..tensor.count()).map(|_| number()).collect()
    });
    file.and_then(|file| file.write()).expect("small numbers")
}

/// A folder with `human.toml` and `lambda.toml`.
fn folder(name: &str) -> Scratch {
    let scratch = Scratch::new(name);
    let moves = Shape {
        filters: 2,
        blocks: 1,
        ..Shape::chessnet()
    };
    let pairs = Shape {
        view: View::Sides { plies: 2 },
        activation: Activation::Relu,
        head: Head::Pairs { width: 2, value: 2 },
        ..moves.clone()
    };
    for (file, bytes) in [("moves.net", network(moves)), ("pairs.net", network(pairs))] {
        fs::write(scratch.at(file), bytes).expect("a writable folder");
    }
    let text = |name: &str, policy: &str| {
        format!(
            "name = \"{name}\"\n[search]\nprofile = \"plain\"\n[evaluator]\nkind = \"material\"\n\
             [policy]\n{policy}\n"
        )
    };
    let human = text("human", "use = \"choose\"\nfile = \"pairs.net\"");
    let lambda = text("lambda", "use = \"bonus\"\nfile = \"moves.net\"");
    scratch.put("human.toml", human);
    scratch.put("lambda.toml", lambda);
    scratch
}

#[test]
fn likely_moves_are_shown_with_their_squares_and_the_result() {
    let scratch = folder("likely");
    let human = scratch.at("human.toml");
    let text = printed(&["eval", "startpos", "--player", &human, "--rating", "2000"]);
    assert!(text.contains("rating 2000"), "{text}");
    assert!(
        text.contains("chance %") && text.contains("and 8 more"),
        "{text}"
    );
    assert!(
        text.contains("White wins ") && text.contains("leaves from"),
        "{text}"
    );
    assert!(!text.contains("White mg"), "{text}");

    let report =
        |arguments: &[&str]| -> Value { serde_json::from_str(&printed(arguments)).expect("JSON") };
    let json = report(&[
        "eval", "startpos", "--player", &human, "--rating", "2000", "--json",
    ]);
    let moves = json["policy"]["moves"].as_array().expect("moves");
    assert_eq!(moves.len(), 20);
    let sum: f64 = moves
        .iter()
        .filter_map(|it| it["probability"].as_f64())
        .sum();
    assert!((sum - 1.0).abs() < 1e-3, "{sum}");
    for plane in ["from", "to"] {
        let squares = json["policy"][plane].as_array().expect("a plane");
        let sum: f64 = squares.iter().filter_map(Value::as_f64).sum();
        assert!(
            squares.len() == 64 && (sum - 1.0).abs() < 1e-3,
            "{plane}: {sum}"
        );
    }
    assert_eq!(json["policy"]["rating"], 2000);
    assert!(json["policy"]["result"]["win"].is_number() && json["evaluation"].is_null());

    let lambda = scratch.at("lambda.toml");
    let both = report(&["eval", "startpos", "--player", &lambda, "--json"]);
    assert_eq!(both["evaluation"]["score"], 0);
    assert_eq!(both["policy"]["use"], "bonus");
    let text = printed(&["eval", "startpos", "--player", &lambda]);
    assert!(
        text.contains("White mg") && text.contains("leaves from"),
        "{text}"
    );
}

#[test]
fn a_rating_out_of_range_or_without_meaning_is_refused() {
    let scratch = folder("refusals");
    let (human, lambda) = (scratch.at("human.toml"), scratch.at("lambda.toml"));
    let with = |options: &str| format!("{human}?{options}");
    let refusals = [
        (
            vec!["eval", "--player", &human, "--rating", "300"],
            "out of range",
        ),
        (
            vec!["eval", "--player", &lambda, "--rating", "1500"],
            "means nothing",
        ),
        (vec!["eval", "--rating", "1500"], "means nothing"),
        (
            vec!["play", "--player", &human, "--elo", "1500"],
            "as its network expects",
        ),
        (vec!["play", "--seed", "3"], "`--seed` means nothing"),
    ];
    for (arguments, reason) in refusals {
        let said = mendel(&arguments, b"");
        assert_eq!(said.code, Some(2), "{arguments:?}: {}", said.err);
        assert!(said.err.contains(reason), "{arguments:?}: {}", said.err);
    }
    for (options, reason) in [
        ("Rating=9", "600 to 3000"),
        ("Lambda=3", "Lambda"),
        ("Rating=high", "no whole number"),
        (".depth=3", "numbers of its own"),
    ] {
        let said = mendel(&["eval", "--player", &with(options)], b"");
        assert_eq!(said.code, Some(2), "{options}: {}", said.err);
        assert!(said.err.contains(reason), "{options}: {}", said.err);
    }
}

#[test]
fn options_make_many_players_of_one_and_a_match_can_be_repeated() {
    let scratch = folder("match");
    let human = scratch.at("human.toml");
    let lambda = |value: u32| {
        let path = scratch.at("lambda.toml");
        format!("{path}?Lambda={value}&Sampling=false&.name=lambda-{value}")
    };
    let (half, whole) = (lambda(50), lambda(100));
    let people = format!("{human}?Rating=1000&Temperature=80&Policy%20Seed=3");
    let games = |name: &str| {
        let out = scratch.at(name);
        let arguments = [
            "match",
            &half,
            &whole,
            &people,
            "--games",
            "4",
            "--depth",
            "1",
            "--seed",
            "5",
            "--quiet",
            "--max-plies",
            "60",
            "--out",
            &out,
        ];
        let said = mendel(&arguments, b"");
        assert_eq!(said.code, Some(0), "{}", said.err);
        let lines = fs::read_to_string(format!("{out}/games.pgn")).expect("the games");
        // What a clock gave stands in comments.
        let moves: Vec<String> = lines
            .split(['{', '}'])
            .step_by(2)
            .map(str::to_owned)
            .collect();
        moves.join(" ")
    };
    let once = games("once");
    assert!(
        once.contains("lambda-50") && once.contains("\"human\""),
        "{once}"
    );
    let without_dates = |text: &str| {
        let kept = text
            .lines()
            .filter(|line| !line.contains("Date") && !line.contains("Time"));
        kept.collect::<Vec<_>>().join("\n")
    };
    assert_eq!(without_dates(&once), without_dates(&games("twice")));

    let wrong = format!("{}?Lambda=101", scratch.at("lambda.toml"));
    let said = mendel(
        &["match", &wrong, "random", "--games", "2", "--depth", "1"],
        b"",
    );
    assert!(
        said.code != Some(0) && said.err.contains("from 0 to 100"),
        "{}",
        said.err
    );
}

#[test]
fn a_network_plays_in_the_terminal_and_for_guis() {
    let scratch = folder("plays");
    let human = format!("{}?Rating=900", scratch.at("human.toml"));
    let said = mendel(
        &["play", "--player", &human, "--seed", "4"],
        b"e4\nfen\nquit\n",
    );
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(
        said.out.contains(" w KQkq") || said.out.contains(" w "),
        "{}",
        said.out
    );
    let said = mendel(&["uci", "--player", &human], b"uci\ngo depth 1\nquit\n");
    assert!(
        said.out
            .contains("option name Rating type spin default 900"),
        "{}",
        said.out
    );
    assert!(said.out.contains("bestmove "), "{}", said.out);
}

/// Players whose network chooses the move alone: their material evaluator is never used.
const WITHOUT_EVALUATOR: [&str; 2] = ["chessnet", "human-network"];

#[test]
fn a_question_about_an_evaluator_that_is_not_used_is_refused() {
    let scratch = Scratch::new("no-evaluator");
    let out = scratch.at("out");
    let judging = scratch.at("judging.toml");
    for name in WITHOUT_EVALUATOR {
        let parent = format!("parent={name}");
        let steps = format!(
            "name = \"judging\"\nparent = \"material\"\n[[step]]\nname = \"scores\"\n\
             [step.judgement]\nplayers = [\"{name}\"]\ndata = \"quiet\"\npositions = 10\n"
        );
        fs::write(&judging, steps).expect("a writable folder");
        let make = ["data", "make", "--out", &out, "--positions", "2"];
        let asked: [&[&str]; 9] = [
            &["analyse", "--player", name, "--out", &out],
            &["analyse", "--player", name, "squares", "--json"],
            &["analyse", "--player", name, "network"],
            &["data", "rows", "quiet", "--player", name, "--out", &out],
            &[&make[..], &["quiet", "--expert", name]].concat(),
            &[&make[..], &["selfplay", "--player", name]].concat(),
            &[
                &make[..],
                &["quiet", "--player", name, "--expert", "mendel"],
            ]
            .concat(),
            &["breed", "first-steps", "--set", &parent, "--out", &out],
            &["breed", &judging, "--out", &out],
        ];
        for arguments in asked {
            let said = mendel(arguments, b"");
            assert_eq!(
                said.code,
                Some(2),
                "{arguments:?}: {}{}",
                said.out,
                said.err
            );
            let reason = format!("`{name}` uses no evaluator: its network chooses the moves alone");
            assert!(said.err.contains(&reason), "{arguments:?}: {}", said.err);
            assert!(said.err.contains("hint:"), "{arguments:?}: {}", said.err);
            assert!(!std::path::Path::new(&out).exists(), "{arguments:?}");
        }
    }
}

#[test]
fn an_evaluator_that_is_not_used_is_shown_nowhere() {
    for name in WITHOUT_EVALUATOR {
        let said = mendel(
            &["uci", "--player", name],
            b"position startpos\neval\nquit\n",
        );
        assert!(said.out.contains("uses no evaluator"), "{}", said.out);
        assert!(!said.out.contains("centipawns for White"), "{}", said.out);
        let report = printed(&["eval", "startpos", "--player", name, "--json"]);
        let report: Value = serde_json::from_str(&report).expect("JSON");
        assert!(report["evaluation"].is_null(), "{report}");
        let players: Value = serde_json::from_str(&printed(&["players", "--json"])).expect("JSON");
        let listed = players.as_array().expect("a list");
        let listed = listed.iter().find(|it| it["name"] == name);
        assert!(
            listed.expect("built in")["evaluator"].is_null(),
            "{players}"
        );
    }
}

#[test]
fn whoever_searches_has_an_evaluator_to_ask_about() {
    for name in ["random", "human", "lambda?Lambda=0", "lambda?Lambda=100"] {
        let said = mendel(&["analyse", "--player", name, "--json"], b"");
        assert_eq!(said.code, Some(0), "{name}: {}", said.err);
        let report: Value = serde_json::from_str(&said.out).expect("JSON");
        assert_eq!(report["squares"][0]["name"], "pawn", "{name}");
    }
}
