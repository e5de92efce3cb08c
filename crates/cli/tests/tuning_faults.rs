//! Engines that fail in positions or at values, openings that repeat, proofs that go on.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use mendel_lab::tune::TunePlan;
use serde_json::Value;

use crate::support::{MENDEL, Scratch, json, last_json, read};
use crate::tuning::PARAMS;

/// The first number of [`PARAMS`] only.
fn one_param() -> &'static str {
    PARAMS.split("\n\n").next().expect("there are two")
}

/// Positions that any engine can be asked about, none of them twice.
fn openings(count: usize) -> Vec<String> {
    let pawns = |rank: &str, at: usize| {
        let mut text = rank.repeat(8);
        text.replace_range(at..=at, "1");
        text
    };
    let all = (0..8).flat_map(|white| (0..8).map(move |black| (white, black)));
    all.take(count)
        .map(|(white, black)| {
            let (black, white) = (pawns("p", black), pawns("P", white));
            format!("rnbqkbnr/{black}/8/8/8/8/{white}/RNBQKBNR w KQkq -")
        })
        .collect()
}

fn write_openings(scratch: &Scratch, lines: &[String]) -> String {
    scratch.put("openings.epd", lines.join("\n") + "\n")
}

/// Our own program, but it dies in some positions: at once with any values, or only
/// after the first number of the parameters was set to another value than 1.
fn frail(scratch: &Scratch, positions: &[String], only_other_values: bool) -> String {
    let cases: Vec<String> = positions
        .iter()
        .map(|it| format!("  'position fen {it}'*) test $bad = 1 && exit 3;;\n"))
        .collect();
    let cases = cases.concat();
    let good = u8::from(!only_other_values);
    let script = format!(
        "bad={good}\nwhile read -r line; do\n case \"$line\" in\n  *'name null_reduction value 1') bad={good};;\n  \
         *'name null_reduction value '*) bad=1;;\n{cases} esac\n printf '%s\\n' \"$line\"\ndone | '{MENDEL}' uci --tunable\n"
    );
    let path = scratch.put("frail.sh", script);
    format!("uci:sh '{path}'")
}

/// What a tuning is asked for, without a proof.
fn request<'a>(engine: &'a str, params: &'a str, openings: &'a str, out: &'a str) -> Vec<&'a str> {
    vec![
        "tune",
        engine,
        "--params",
        params,
        "--nodes",
        "30",
        "--games",
        "40",
        "--no-proof",
        "--tuner",
        "random",
        "--openings",
        openings,
        "--out",
        out,
        "--json",
        "--quiet",
    ]
}

/// The openings that a tuning with these arguments tunes with, and those it holds out.
fn parts(folder: &str) -> [Vec<String>; 2] {
    let plan = TunePlan::read(Path::new(folder)).expect("a plan");
    let (tuned, held) = plan.parts().expect("openings");
    [tuned, held].map(|part| {
        let fen = |it: &mendel_arena::Opening| it.game().position().fen();
        let four = |fen: String| fen.split(' ').take(4).collect::<Vec<_>>().join(" ");
        part.iter().map(fen).map(four).collect()
    })
}

/// Where the openings go does not depend on the engine: a first tuning tells.
fn parts_of(scratch: &Scratch, params: &str, openings: &str) -> [Vec<String>; 2] {
    let folder = scratch.at("sound");
    scratch.printed(&request("mendel?Hash=1", params, openings, &folder));
    parts(&folder)
}

fn params_file(scratch: &Scratch, text: &str) -> String {
    scratch.put("params.toml", text)
}

#[test]
fn a_fault_in_a_position_is_not_blamed_on_values() {
    let scratch = Scratch::new("tune-frail");
    let params = params_file(&scratch, PARAMS);
    let openings = write_openings(&scratch, &openings(8));
    let [tuned, held] = parts_of(&scratch, &params, &openings);
    let engine = frail(&scratch, &[tuned[0].clone(), held[0].clone()], false);
    let folder = scratch.at("frail");
    let result = last_json(&scratch.printed(&request(&engine, &params, &openings, &folder)));
    assert_eq!(result["infeasible"], Value::Array(Vec::new()), "{result}");
    assert!(result["left_out"].is_null(), "{result}");
    let pairs = read(&folder, "pairs.jsonl");
    let again = pairs.lines().filter(|line| line.contains("\"again\":true"));
    assert!(again.count() > 1, "both parts were played again: {pairs}");
}

#[test]
fn a_start_that_fails_on_few_openings_is_left_out_and_on_many_given_up() {
    let scratch = Scratch::new("tune-start-fails");
    let params = params_file(&scratch, PARAMS);
    let few = write_openings(&scratch, &openings(4));
    let [tuned, _] = parts_of(&scratch, &params, &few);
    assert_eq!(tuned.len(), 2);
    let engine = frail(&scratch, &tuned, false);
    let folder = scratch.at("few");
    let result = last_json(&scratch.printed(&request(&engine, &params, &few, &folder)));
    let left_out = result["left_out"].as_array().expect("a list");
    assert!(!left_out.is_empty(), "{result}");
    assert_eq!(result["infeasible"], Value::Array(Vec::new()), "{result}");

    // Everywhere.
    let all = openings(12);
    let many = write_openings(&scratch, &all);
    let engine = frail(&scratch, &all, false);
    let said = scratch.run(request(&engine, &params, &many, &scratch.at("many")));
    assert_eq!(said.code, Some(2), "{}", said.err);
    for words in ["starts from", "in game", "rnbqkbnr/", "mendel match"] {
        assert!(said.err.contains(words), "{words}: {}", said.err);
    }
}

#[test]
fn openings_that_repeat_are_not_in_both_parts_and_cap_what_is_played() {
    let scratch = Scratch::new("tune-repeats");
    let params = params_file(&scratch, PARAMS);
    let mut lines = openings(5);
    for it in openings(5) {
        lines.extend([format!("{it} 0 1"), format!("{it} 7 30"), it]);
    }
    let path = write_openings(&scratch, &lines);
    let folder = scratch.at("repeats");
    let mut arguments = request("mendel?Hash=1", &params, &path, &folder);
    arguments.retain(|it| !["--no-proof", "--quiet"].contains(it));
    arguments.extend(["--games", "240"]);
    let place = arguments.iter().position(|it| *it == "40").expect("there");
    arguments.drain(place - 1..=place);
    let said = scratch.run(arguments);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(said.out.contains("at most 6 games"), "{}", said.out);
    let [tuned, held] = parts(&folder);
    assert_eq!((tuned.len(), held.len()), (2, 3));
    assert!(
        tuned.iter().all(|it| !held.contains(it)),
        "{tuned:?} {held:?}"
    );
    let plan = TunePlan::read(Path::new(&folder)).expect("a plan");
    assert_eq!((plan.validation_games, plan.proof_games), (6, 6));
    let result = last_json(&said.out);
    assert_eq!(result["most_games"], 6, "{result}");

    let path = write_openings(&scratch, &lines[5..8]);
    let said = scratch.run(request("mendel", &params, &path, &scratch.at("one")));
    assert_eq!(said.code, Some(2), "{}", said.err);
    assert!(said.err.contains("the same position"), "{}", said.err);
}

#[test]
fn the_same_games_are_played_and_counted_once() {
    let scratch = Scratch::new("tune-once");
    let params = params_file(&scratch, one_param());
    let path = write_openings(&scratch, &openings(6));
    let folder = scratch.at("once");
    let mut arguments = request("mendel?Hash=1", &params, &path, &folder);
    arguments.retain(|it| !["--tuner", "random"].contains(it));
    let place = arguments.iter().position(|it| *it == "40").expect("there");
    arguments[place] = "200";
    let result = last_json(&scratch.printed(&arguments));
    let spared = result["spared_games"].as_u64().expect("a number");
    assert!(spared > 0, "five values and two openings: {result}");
    let mut seen = BTreeSet::new();
    for line in read(&folder, "pairs.jsonl").lines() {
        let pair = json(line);
        if pair["purpose"] != "duel" {
            continue;
        }
        let mut two = [&pair["first"], &pair["second"]].map(ToString::to_string);
        two.sort();
        assert_ne!(two[0], two[1], "a setting does not meet itself");
        let key = (two, pair["opening"].as_u64());
        assert!(seen.insert(key), "it was played before: {line}");
    }
    assert!(!seen.is_empty());
    let rounds = read(&folder, "rounds.jsonl");
    let last = json(rounds.lines().last().expect("rounds"));
    assert_eq!(
        2 * seen.len() as u64 + spared,
        last["games"].as_u64().expect("a number")
    );
}

#[test]
fn an_option_that_is_named_twice_is_one() {
    let scratch = Scratch::new("tune-twice");
    let script = format!("'{MENDEL}' uci --tunable | sed -u 's/^option .*/&\\n&/'\n");
    let path = scratch.put("twice.sh", script);
    let engine = format!("uci:sh '{path}'");
    let openings = write_openings(&scratch, &openings(8));
    let folder = scratch.at("twice");
    let mut arguments = request(&engine, "*margin*", &openings, &folder);
    (arguments[2], arguments[5]) = ("--options", "1000");
    let result = last_json(&scratch.printed(&arguments));
    let names = result["params"].as_array().expect("a list").iter();
    let names: Vec<String> = names.map(|it| it["name"].to_string()).collect();
    let once: BTreeSet<&String> = names.iter().collect();
    assert!(!names.is_empty() && once.len() == names.len(), "{names:?}");
}

#[test]
fn an_engine_that_fails_whatever_is_tried_is_not_tuned() {
    let scratch = Scratch::new("tune-hopeless");
    let params = params_file(&scratch, one_param());
    let openings = write_openings(&scratch, &openings(8));
    // It cannot think at all.
    let script = format!(
        "while read -r line; do\n case \"$line\" in go*) exit 3;; esac\n printf '%s\\n' \"$line\"\ndone | '{MENDEL}' uci --tunable\n"
    );
    let path = scratch.put("mute.sh", script);
    let engine = format!("uci:sh '{path}'");
    let said = scratch.run(request(&engine, &params, &openings, &scratch.at("mute")));
    assert_eq!(said.code, Some(2), "{}", said.err);
    assert!(
        said.err.contains("values that it starts from"),
        "{}",
        said.err
    );
    assert!(
        !Path::new(&scratch.at("mute")).exists(),
        "nothing was begun"
    );

    // It works with one value only.
    let all = self::openings(8);
    let engine = frail(&scratch, &all, true);
    let mut arguments = request(&engine, &params, &openings, "");
    let folder = scratch.at("only");
    arguments.retain(|it| !["--tuner", "random", ""].contains(it));
    let place = arguments
        .iter()
        .position(|it| *it == "--out")
        .expect("there");
    arguments.insert(place + 1, &folder);
    let said = scratch.run(arguments);
    assert_eq!(said.code, Some(2), "{}", said.err);
    assert!(
        said.err.contains("every setting that was tried"),
        "{}",
        said.err
    );
}

#[test]
fn what_fails_in_a_validation_is_not_proposed() {
    let scratch = Scratch::new("tune-validation");
    let params = params_file(&scratch, PARAMS);
    let openings = write_openings(&scratch, &openings(8));
    let [_, held] = parts_of(&scratch, &params, &openings);
    let engine = frail(&scratch, &held, true);
    for tuner in ["surface", "random"] {
        let folder = scratch.at(tuner);
        let mut arguments = request(&engine, &params, &openings, &folder);
        let place = arguments
            .iter()
            .position(|it| *it == "random")
            .expect("there");
        arguments[place] = tuner;
        let result = last_json(&scratch.printed(&arguments));
        let infeasible = result["infeasible"].as_array().expect("a list");
        let refused = |it: &Value| it["options"] == result["options"];
        assert!(!infeasible.iter().any(refused), "{tuner}: {result}");
    }
}

#[test]
fn a_proof_can_be_had_later_and_made_longer() {
    let scratch = Scratch::new("tune-proof-later");
    let params = params_file(&scratch, PARAMS);
    let openings = write_openings(&scratch, &openings(40));
    let folder = scratch.at("later");
    let mut arguments = request("mendel?Hash=1", &params, &openings, &folder);
    // One that does not keep the start: it proposes the middle of its population.
    for it in arguments.iter_mut().filter(|it| **it == "random") {
        *it = "differential";
    }
    let result = last_json(&scratch.printed(&arguments));
    assert!(result["proof"].is_null(), "{result}");
    assert!(
        !result["verdict"]
            .as_str()
            .expect("a text")
            .contains("nothing better"),
        "{result}"
    );
    let id = result["id"].clone();
    for (wanted, most) in [("4", 4), ("10", 10), ("900", 48)] {
        let said = scratch.run(["resume", &folder, "--proof-games", wanted, "--json"]);
        assert_eq!(said.code, Some(0), "{}", said.err);
        assert_eq!(said.out.contains("at most 48"), most == 48, "{}", said.out);
        let result = last_json(&said.out);
        assert_eq!(result["id"], id, "it is the same tuning");
        let games = result["proof"]["games"].as_u64().expect("a number");
        let stopped = result["proof"]["conclusion"] != "all played";
        assert!(
            games == most || stopped && games <= most,
            "{wanted}: {result}"
        );
    }
    let said = scratch.run(["resume", &folder, "--proof-games", "1"]);
    assert_eq!(said.code, Some(2), "{}", said.err);
}

#[test]
fn what_does_not_fit_is_refused() {
    let scratch = Scratch::new("tune-misfits");
    let there = scratch.put("there.toml", "# mine\n");
    let nodes = ["--nodes", "30"];
    let table: [(&[&str], &str); 10] = [
        (&["mendel", "--params", "nofile"], "nofile"),
        (&["mendel", "--params", "."], "parameter file `.`"),
        (
            &["mendel", "--write", "/nonexist/x.toml"],
            "cannot write `/nonexist/x.toml`",
        ),
        (&["mendel", "--write", &there], "is there already"),
        (&["mendel", "--seeds", "3"], "--bench"),
        (&["mendel", "--sizes", "3"], "--bench"),
        (&["mendel", "--by-landscape"], "--bench"),
        (&["--bench"], "--nodes"),
        (&["--bench", "--batch", "3"], "--batch"),
        (&["--bench", "--proof-games", "30"], "--proof-games"),
    ];
    for (arguments, reason) in table {
        let said = scratch.run([&["tune"], arguments, &nodes].concat());
        assert_eq!(said.code, Some(2), "{arguments:?}: {}", said.err);
        assert!(said.err.contains(reason), "{arguments:?}: {}", said.err);
        assert_eq!(
            said.err.matches("os error").count() / 2,
            0,
            "said once: {}",
            said.err
        );
    }
    assert_eq!(fs::read_to_string(&there).expect("there"), "# mine\n");
    let said = scratch.run(["tune", "--bench", "--tuner", "foo"]);
    assert!(said.err.contains("surface, spsa, cma-es"), "{}", said.err);
}
