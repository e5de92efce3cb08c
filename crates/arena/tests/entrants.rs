//! Who plays, as people write it.

use std::time::Duration;

use mendel_arena::{Contestant, Entrant, Kind, Pace, Protocol};
use mendel_board::Game;
use mendel_engine::uci::OptionKind;

use crate::stage;

fn parse(text: &str) -> Entrant {
    Entrant::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn commands_are_split_as_a_shell_would() {
    let table: [(&str, Option<Protocol>, &[&str], &str); 7] = [
        ("cmd:stockfish", None, &["stockfish"], "stockfish"),
        (
            "uci:/usr/games/gnuchess --uci",
            Some(Protocol::Uci),
            &["/usr/games/gnuchess", "--uci"],
            "gnuchess",
        ),
        (
            "xboard: phalanx -l- ",
            Some(Protocol::Xboard),
            &["phalanx", "-l-"],
            "phalanx",
        ),
        (
            "cmd:'/my engines/a b' \"x y\" c\\ d",
            None,
            &["/my engines/a b", "x y", "c d"],
            "a b",
        ),
        (
            "cmd:what%3F --on%3F?Hash=1",
            None,
            &["what?", "--on?"],
            "what?",
        ),
        (
            "cmd:half 50% 100%25",
            None,
            &["half", "50%", "100%"],
            "half",
        ),
        ("cmd:e%253F", None, &["e%3F"], "e%3F"),
    ];
    for (text, wanted, words, name) in table {
        let entrant = parse(text);
        let Kind::Program {
            command, protocol, ..
        } = &entrant.kind
        else {
            panic!("{text} is a program");
        };
        assert_eq!(*protocol, wanted, "{text}");
        assert_eq!(command, words, "{text}");
        assert_eq!(entrant.name, name, "{text}");
        assert_eq!(entrant.text, text.trim());
    }
}

#[test]
fn options_follow_the_last_question_mark() {
    let entrant = parse("cmd:engine%3Fx?Hash=64&Book%20File=a%26b%3Dc.bin&Style=&Plus=1+1");
    let options: Vec<(&str, &str)> = entrant
        .options
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    assert_eq!(
        options,
        [
            ("Hash", "64"),
            ("Book File", "a&b=c.bin"),
            ("Style", ""),
            ("Plus", "1+1")
        ]
    );
}

#[test]
fn keys_with_a_dot_are_for_the_runner() {
    let entrant = parse(
        "cmd:e?.name=My%20Engine&.dir=/some/where&.env.HOME=/x&.env.EMPTY=&.tc=40/60%2B0.5\
         &.nodes=5000&.depth=7&.movetime=50&Hash=1",
    );
    assert_eq!(entrant.name, "My Engine");
    assert_eq!(entrant.options.len(), 1);
    let Kind::Program {
        directory,
        environment,
        ..
    } = &entrant.kind
    else {
        panic!("a program");
    };
    assert_eq!(directory.as_deref(), Some("/some/where".as_ref()));
    assert_eq!(environment["HOME"], "/x");
    assert_eq!(environment["EMPTY"], "");
    let pace = Pace {
        clock: Some("40/60+0.5".parse().expect("a time control")),
        movetime: Some(Duration::from_millis(50)),
        nodes: Some(5000),
        depth: Some(7),
    };
    assert_eq!(entrant.pace, Some(pace));
    assert_eq!(parse("mendel").pace, None);
}

#[test]
fn bad_entrants_are_refused_with_the_reason() {
    let table = [
        ("", "there is no player"),
        ("nobody", "there is no player `nobody`"),
        ("nowhere/x.toml", "cannot read the player file"),
        ("nobody?Hash=1", "there is no player `nobody`"),
        ("cmd:", "names no program"),
        ("cmd:   ", "names no program"),
        ("cmd:''", "names no program"),
        ("cmd:'open", "a quote is not closed"),
        ("cmd:a\\", "a quote is not closed or a backslash"),
        ("cmd:e?", "nothing follows the last `?`"),
        ("cmd:e?Hash", "`Hash` has no `=`"),
        ("cmd:what?.exe", "as %3F"),
        ("cmd:e?Hash=1&", "`` has no `=`"),
        ("cmd:e?=1", "has no name"),
        ("cmd:e?%20=1", "has no name"),
        ("cmd:e?Hash=1&hash=2", "`hash` is given twice"),
        ("cmd:e?Hash=%ff", "does not decode to UTF-8"),
        ("cmd:e?.dir=%00", "a zero byte"),
        (
            "cmd:e?.nmae=x",
            "there is no `.nmae`; keys with a leading dot are .name",
        ),
        ("cmd:e?.env.=x", "there is no `.env.`"),
        ("cmd:e?.env=x", "there is no `.env`"),
        ("cmd:e?.name=", "needs a value"),
        ("cmd:e?.name=%20", "blank"),
        ("cmd:e?.nodes=0", "not a whole number above 0"),
        ("cmd:e?.nodes=-1", "not a whole number above 0"),
        ("cmd:e?.depth=x", "not a whole number above 0"),
        ("cmd:e?.depth=5000", "more than any search reaches"),
        ("cmd:e?.movetime=99999999999999999999", "not a whole number"),
        ("cmd:e?.tc=fast", "is not a time control"),
        ("mendel?.dir=/x", "are for programs"),
        ("mendel?.env.A=b", "are for programs"),
    ];
    for (text, reason) in table {
        let error = Entrant::parse(text).expect_err(text).to_string();
        assert!(error.contains(reason), "{text:?} gave {error:?}");
    }
    let error = Entrant::parse("mendel?.x=1").expect_err("no such key");
    let error = error.to_string();
    assert!(
        error.contains("keys with a leading dot are .name"),
        "{error}"
    );
}

#[test]
fn bred_players_take_options_and_the_numbers_of_their_search() {
    let mut seat = parse("mendel?hash=1&Threads=1&null_reduction=2")
        .seat()
        .unwrap_or_else(|error| panic!("{error}"));
    seat.new_game(false).expect("always ready");
    let mut game = Game::default();
    let first = stage::play(&mut *seat, &mut game, stage::nodes());
    assert!(first.thought.nodes.is_some_and(|nodes| nodes <= 200));
    assert!(first.thought.score.is_some() && first.thought.depth.is_some());

    let table = [
        ("material?Hash=0", "from 1 to 65536"),
        ("material?Hsah=1", "it offers no such option, only Hash"),
        ("material?Threads=many", "whole number from 1 to 256"),
        ("material?Book=/no/such.bin", "/no/such.bin"),
        ("material?null_reduction=99", "null_reduction=99"),
    ];
    for (text, reason) in table {
        let error = parse(text).seat().err().expect(text).to_string();
        assert!(error.contains(reason), "{text:?} gave {error:?}");
        assert!(error.starts_with("`material`"), "{error}");
    }
}

#[test]
fn a_bred_player_starts_each_game_afresh() {
    let mut seat = parse("mendel?Hash=1").seat().expect("a seat");
    let games: Vec<Vec<_>> = (0..2)
        .map(|_| {
            seat.new_game(false).expect("always ready");
            let mut game = Game::default();
            (0..12)
                .map(|_| stage::play(&mut *seat, &mut game, stage::nodes()))
                .map(|answer| (answer.m, answer.thought))
                .collect()
        })
        .collect();
    assert_eq!(games[0], games[1]);
}

#[test]
fn a_bred_player_that_needs_too_long_stalls() {
    let mut seat = parse("mendel").seat().expect("a seat");
    seat.new_game(false).expect("always ready");
    let game = Game::default();
    let answer = stage::ask_within(stage::DEADLINE, &mut *seat, &game, stage::depth(100));
    assert!(
        matches!(answer, Err(mendel_arena::Fault::Stalled { .. })),
        "{answer:?}"
    );
}

/// Seats are handed from thread to thread.
#[test]
fn a_contestant_can_be_sent() {
    fn sendable<T: Send + ?Sized>() {}
    sendable::<dyn Contestant>();
}

fn offer(entrant: &Entrant, name: &str) -> OptionKind {
    let offers = entrant.offers().unwrap_or_else(|error| panic!("{error}"));
    let offer = offers.into_iter().find(|offer| offer.name == name);
    offer.unwrap_or_else(|| panic!("no {name}")).kind
}

#[test]
fn an_entrant_says_what_it_offers_and_is_made_anew_with_other_options() {
    // A player of ours: its numbers as they are, or as they were set.
    let mendel = parse("mendel?null_reduction=2&.name=mine");
    assert!(
        matches!(offer(&mendel, "null_reduction"), OptionKind::Spin { default: 2, min, max } if min < 2 && max > 2)
    );
    let other = mendel.with_options([("Null_Reduction", "3"), ("Hash", "1")]);
    assert_eq!(other.text, "mendel?.name=mine&Null_Reduction=3&Hash=1");
    assert_eq!(parse(&other.text).options, other.options);
    assert!(other.seat().is_ok());

    // A program: as it says itself, and special characters survive the text.
    let bad = parse(&format!("uci:'{}' good?Style=wild", stage::BAD_ENGINE));
    let wild = OptionKind::Combo {
        default: "Wild".into(),
        vars: vec!["Solid".into(), "Wild".into()],
    };
    assert_eq!(offer(&bad, "Style"), wild);
    let odd = bad.with_options([("A=B & C?", "50%")]);
    assert_eq!(parse(&odd.text).options, odd.options);
    assert!(odd.offers().is_err(), "there is no such option");
    assert_eq!(bad.with_options([]).text, bad.text);
    assert_eq!(parse("mendel").with_options([]).text, "mendel");

    let missing = parse("uci:/no/such/program");
    let error = missing.offers().expect_err("no such program").to_string();
    assert!(error.contains("cannot be started"), "{error}");
}
