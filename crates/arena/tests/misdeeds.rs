//! Whatever a UCI program does, the game ends and the reason is known.

use std::time::{Duration, Instant};

use mendel_arena::{Contestant, Entrant, Fault, Reply, Turn};
use mendel_board::{Game, Position};
use mendel_engine::{Clock, Score, SideClock};

use crate::stage::{BAD_ENGINE, DEADLINE, PATIENT, ask, ask_within, bad, nodes, play, program};

/// Plays until the bad engine misbehaves, which it must, as `fits` says; then it
/// must be able to begin another game.
fn misbehaves(arguments: &str, fits: impl Fn(&Fault) -> bool) -> Vec<String> {
    misbehaves_within(PATIENT, arguments, fits)
}

/// The same where the misdeed is to let a deadline pass.
fn stalls(arguments: &str, fits: impl Fn(&Fault) -> bool) {
    misbehaves_within(DEADLINE, arguments, fits);
}

fn misbehaves_within(
    deadline: Duration,
    arguments: &str,
    fits: impl Fn(&Fault) -> bool,
) -> Vec<String> {
    let begun = Instant::now();
    let mut program = bad("uci", arguments);
    program
        .new_game(false)
        .unwrap_or_else(|fault| panic!("{arguments}: {fault}"));
    let mut game = Game::default();
    let fault = loop {
        match ask_within(deadline, &mut program, &game, nodes()) {
            Ok(Reply::Move(answer)) => game.play(answer.m).expect("answers are legal"),
            Ok(Reply::Resigns) => panic!("{arguments}: UCI has no word for that"),
            Err(fault) => break fault,
        }
        assert!(game.moves().len() < 10, "{arguments}: nothing happened");
    };
    assert!(fits(&fault), "{arguments}: {fault}");
    let words = program.recent_output();
    assert!(!words.is_empty(), "{arguments}: what it said is kept");
    assert!(words.len() <= 62 && words.iter().all(|line| line.len() < 2000));

    let unused = ask(&mut program, &game, nodes());
    assert!(unused.is_err(), "{arguments}: it is not used after a fault");
    program
        .new_game(false)
        .unwrap_or_else(|fault| panic!("{arguments}: not started again: {fault}"));
    assert!(
        begun.elapsed() < PATIENT,
        "{arguments}: took {:?}",
        begun.elapsed()
    );
    words
}

fn is_illegal(said: &str) -> impl Fn(&Fault) -> bool {
    move |fault| matches!(fault, Fault::Illegal { text } if text.contains(said))
}

fn has_ended(said: &str) -> impl Fn(&Fault) -> bool {
    move |fault| matches!(fault, Fault::Ended { how } if how.contains(said))
}

fn is_flood(fault: &Fault) -> bool {
    matches!(fault, Fault::Flood { .. })
}

fn is_stalled(fault: &Fault) -> bool {
    matches!(fault, Fault::Stalled { waited } if *waited == DEADLINE)
}

#[test]
fn a_crash_loses_the_game_and_its_signal_is_known() {
    let words = misbehaves("abort 3", has_ended("SIGABRT"));
    assert!(words.iter().any(|line| line.contains("! assertion failed")));
    assert!(words.iter().any(|line| line.starts_with("> go nodes 100")));
    assert!(words.iter().any(|line| line.starts_with("< readyok")));
    misbehaves("segfault 2", has_ended("SIGSEGV"));
    misbehaves("exit", has_ended("exit status: 7"));
}

#[test]
fn a_stalled_engine_loses_the_game() {
    stalls("stall 2", is_stalled);
}

#[test]
fn an_answer_after_the_deadline_does_not_count() {
    stalls("late 2", is_stalled);
}

#[test]
fn no_legal_move_loses_the_game() {
    misbehaves("illegal", is_illegal("e2e5"));
    misbehaves("none 2", is_illegal("bestmove"));
    misbehaves("null", is_illegal("0000"));
    misbehaves("garbage", is_illegal("%s%n"));
}

#[test]
fn a_flood_is_dammed() {
    misbehaves("flood-stdout 2", is_flood);
    misbehaves("long-line", is_flood);
    misbehaves("flood-stderr", is_flood);
}

#[test]
fn an_engine_without_output_has_ended() {
    misbehaves("close-stdout 2", has_ended("closed its output"));
}

#[test]
fn a_dead_engine_is_noticed_though_a_grandchild_keeps_its_pipes() {
    misbehaves("grandchild-and-exit 2", has_ended("exit status: 7"));
}

#[test]
fn an_engine_that_stops_listening_loses_the_game() {
    // Answers once and never reads again.
    let fits = |fault: &Fault| matches!(fault, Fault::NotReady { .. });
    stalls("deaf", fits);
    stalls("late-readyok", fits);
}

#[test]
fn a_program_that_does_not_read_cannot_block_the_writer() {
    let mut program = bad("uci", "deaf-from-start").with_patience(DEADLINE);
    let fault = program.start().expect_err("it never says uciok");
    assert!(matches!(fault, Fault::NotReady { .. }), "{fault}");

    // More than any pipe holds.
    let mut game = Game::default();
    for text in ["g1f3", "g8f6", "f3g1", "f6g8"].iter().cycle().take(30_000) {
        let m = game.position().parse_uci(text).expect("knights can dance");
        game.play(m).expect("legal");
    }
    let mut program = bad("uci", "stuck");
    program.new_game(false).expect("it is ready");
    let fault = ask_within(DEADLINE, &mut program, &game, nodes()).expect_err("it does not read");
    assert!(fault.to_string().contains("does not read"), "{fault}");
    let mut program = bad("uci", "fine");
    program.new_game(false).expect("it is ready");
    play(&mut program, &mut game, nodes());
}

#[test]
fn a_program_that_never_gets_ready_is_a_fault() {
    let begun = Instant::now();
    for (arguments, asked) in [("no-uciok", "uci"), ("no-readyok", "isready")] {
        let mut program = bad("uci", arguments).with_patience(DEADLINE);
        let fault = program.start().expect_err(arguments);
        assert!(
            matches!(&fault, Fault::NotReady { asked: it, .. } if it == asked),
            "{fault}"
        );
    }
    let fault = bad("uci", "flood-at-start").start().expect_err("a flood");
    assert!(is_flood(&fault), "{fault}");
    assert!(begun.elapsed() < PATIENT);
}

#[test]
fn an_exit_at_the_start_is_reported_with_what_stderr_says() {
    let mut program = bad("uci", "exit-at-start");
    let fault = program.start().expect_err("it exits");
    assert!(has_ended("exit status: 3")(&fault), "{fault}");
    let words = program.recent_output();
    assert!(
        words.contains(&"! no licence found".to_owned()),
        "{words:?}"
    );
}

#[test]
fn a_file_that_is_not_a_program_cannot_be_started() {
    for text in [
        "cmd:/no/such/engine",
        "cmd:/etc/passwd",
        "cmd:no-such-engine",
        "uci:/",
    ] {
        let seat = Entrant::parse(text).expect(text).seat();
        let error = seat.err().expect(text).to_string();
        assert!(error.contains("cannot be started"), "{text}: {error}");
    }
    let text = format!("cmd:'{BAD_ENGINE}'?.dir=/no/such/folder");
    assert!(Entrant::parse(&text).expect("it parses").seat().is_err());
}

#[test]
fn a_second_answer_is_not_taken_for_the_next_one() {
    let mut program = bad("uci", "twice");
    program.new_game(false).expect("it is ready");
    let mut game = Game::default();
    for _ in 0..8 {
        // The alphabetically first move changes with the position, so a stale
        // answer would be illegal or another one.
        let expected = game.position().legal_moves();
        let expected = expected.iter().map(|m| game.position().uci(*m)).min();
        let before = game.position().clone();
        let answer = play(&mut program, &mut game, nodes());
        assert_eq!(Some(before.uci(answer.m)), expected);
    }
}

#[test]
fn an_answer_before_the_question_loses_the_game() {
    misbehaves("early", is_illegal("h7h8"));
}

#[test]
fn babble_around_the_answer_is_ignored() {
    for arguments in ["babble", "binary"] {
        let mut program = bad("uci", arguments);
        program.new_game(false).expect(arguments);
        let mut game = Game::default();
        for _ in 0..4 {
            play(&mut program, &mut game, nodes());
        }
    }
}

#[test]
fn a_death_between_games_costs_nobody_a_game() {
    let mut program = bad("uci", "die-between");
    for _ in 0..3 {
        program.new_game(false).expect("it is started again");
        play(&mut program, &mut Game::default(), nodes());
    }
}

#[test]
fn options_are_checked_against_what_is_offered() {
    let table = [
        ("Hash=2048", "whole number from 1 to 1024"),
        ("Threads=1", "it offers no such option, only Hash, Style"),
        ("Style=Mild", "one of Solid, Wild"),
    ];
    for (option, reason) in table {
        let text = format!("cmd:'{BAD_ENGINE}' fine?{option}");
        let seat = Entrant::parse(&text).expect("it parses").seat();
        let error = seat.err().expect(option).to_string();
        assert!(error.contains(reason), "{option} gave {error}");
    }
    let text = format!("cmd:'{BAD_ENGINE}' fine?hash=64&style=wild&Clear%20Hash=");
    let mut seat = Entrant::parse(&text)
        .expect("it parses")
        .start_analyst()
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(seat.name(), "Bad Engine 1.0");
    seat.new_game(false).expect("it is ready");
    let words = seat.recent_output().join("\n");
    assert!(words.contains("> setoption name Hash value 64"), "{words}");
    assert!(words.contains("! Style is now Wild"), "{words}");
    assert!(words.contains("> setoption name Clear Hash\n"), "{words}");
    let fault = seat.new_game(true).expect_err("no Chess960");
    assert!(fault.to_string().contains("UCI_Chess960"), "{fault}");
}

#[test]
fn the_last_exact_line_about_the_best_move_is_the_thought() {
    let mut program = bad("uci", "bounds");
    program.new_game(false).expect("it is ready");
    let answer = play(&mut program, &mut Game::default(), nodes());
    assert_eq!(answer.thought.score, Some(Score::Centipawns(50)));
    assert_eq!(answer.thought.depth, Some(5));
    assert_eq!(answer.thought.nodes, Some(900));
    assert!(answer.time < PATIENT);
}

#[test]
fn the_question_says_clocks_limits_and_positions() {
    let mut program = bad("uci", "fine");
    program.new_game(false).expect("it is ready");
    let side = |seconds: u64| SideClock {
        remaining: Duration::from_millis(seconds * 1000 + 5),
        increment: Duration::from_millis(80),
    };
    let clock = Clock {
        white: side(8),
        black: side(7),
        moves_to_go: Some(40),
    };
    let fen = "4k3/8/8/8/8/8/4P3/4K3 b - - 3 7";
    let mut game = Game::new(Position::from_fen(fen).expect("a FEN"));
    let m = game.position().parse_uci("e8e7").expect("legal");
    game.play(m).expect("legal");
    let turn = Turn {
        game: &game,
        pace: mendel_arena::Pace {
            depth: Some(5),
            ..nodes()
        },
        clock: Some(clock),
        deadline: PATIENT,
        stop: None,
    };
    program.ask(&turn).expect("a move");
    let words = program.recent_output().join("\n");
    for line in [
        format!("> position fen {fen} moves e8e7\n"),
        "> go wtime 8005 btime 7005 winc 80 binc 80 movestogo 40 depth 5 nodes 100\n".to_owned(),
    ] {
        assert!(words.contains(&line), "{words} lacks {line}");
    }
}

#[test]
fn environment_and_folder_reach_the_program() {
    let text = "uci:sh -c 'echo $GREETING >&2; pwd >&2'?.env.GREETING=hello%20there&.dir=/usr";
    let mut program = program(text);
    program.start().expect_err("a shell plays no chess");
    let words = program.recent_output();
    assert!(words.contains(&"! hello there".to_owned()), "{words:?}");
    assert!(words.contains(&"! /usr".to_owned()), "{words:?}");
}
