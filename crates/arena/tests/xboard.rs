//! Programs that speak xboard's language, in several dialects.

use std::time::{Duration, Instant};

use mendel_arena::{Contestant, Entrant, Fault, Pace, Protocol, Reply, Turn};
use mendel_board::{Game, Position};
use mendel_engine::{Clock, Score, SideClock};

use crate::stage::{BAD_ENGINE, DEADLINE, PATIENT, ask, ask_within, bad, depth, nodes, play};

/// Plays some moves with the program on one side only.
fn plays_black(dialect: &str) -> Vec<String> {
    let mut program = bad("xboard", &format!("xboard {dialect}"));
    for _ in 0..2 {
        program
            .new_game(false)
            .unwrap_or_else(|fault| panic!("{dialect}: {fault}"));
        let mut game = Game::default();
        for text in ["e2e4", "d2d4", "g1f3"] {
            let m = game.position().parse_uci(text).expect("legal");
            game.play(m).expect("legal");
            let answer = play(&mut program, &mut game, depth(3));
            assert_eq!(answer.thought.score, Some(Score::Centipawns(17)));
            assert_eq!(answer.thought.depth, Some(3));
            assert_eq!(answer.thought.nodes, Some(345));
        }
        program.game_over("1-0", "White mates");
    }
    program.recent_output()
}

#[test]
fn every_dialect_plays() {
    let words = plays_black("full").join("\n");
    assert!(words.contains("> usermove d2d4"), "{words}");
    assert!(words.contains("> result 1-0 {White mates}"), "{words}");
    assert!(words.contains("> sd 3"), "{words}");
    let words = plays_black("plain").join("\n");
    assert!(words.contains("> d2d4"), "{words}");
    let words = plays_black("san").join("\n");
    assert!(words.contains("> Nf3"), "{words}");
    plays_black("once");
    plays_black("old");
}

#[test]
fn both_sides_and_positions_can_be_played() {
    let mut program = bad("xboard", "xboard full");
    program.new_game(false).expect("it is ready");
    let fen = "4k3/8/8/8/8/8/4P3/4K3 b - - 3 7";
    let mut game = Game::new(Position::from_fen(fen).expect("a FEN"));
    for _ in 0..6 {
        play(&mut program, &mut game, depth(3));
    }
    assert!(program.recent_output().join("\n").contains("> force"));
}

#[test]
fn a_program_without_setboard_is_given_the_moves() {
    let mut program = bad("xboard", "xboard plain");
    program.new_game(false).expect("it is ready");
    let mut game = Game::default();
    for text in ["e2e4", "e7e5", "g1f3"] {
        let m = game.position().parse_uci(text).expect("legal");
        game.play(m).expect("legal");
    }
    play(&mut program, &mut game, depth(3));

    program.new_game(false).expect("it is ready");
    let fen = "4k3/8/8/8/8/8/4P3/4K3 b - - 3 7";
    let game = Game::new(Position::from_fen(fen).expect("a FEN"));
    let fault = ask(&mut program, &game, depth(3)).expect_err("no setboard");
    assert!(fault.to_string().contains("written as moves"), "{fault}");
}

#[test]
fn a_limit_of_nodes_is_refused_before_the_match() {
    let text = format!("xboard:'{BAD_ENGINE}' xboard full?.nodes=1000");
    let error = Entrant::parse(&text)
        .expect("it parses")
        .seat()
        .err()
        .expect("no nodes")
        .to_string();
    assert!(error.contains("know no limit of nodes"), "{error}");

    let text = format!("cmd:'{BAD_ENGINE}' xboard full");
    let mut seat = Entrant::parse(&text)
        .expect("it parses")
        .start_analyst()
        .unwrap_or_else(|error| panic!("{error}"));
    assert!(seat.supports(&nodes()).is_err());
    assert!(seat.supports(&depth(4)).is_ok());
    assert_eq!(seat.name(), "Bad Engine");
    seat.new_game(false).expect("it is ready");
    assert!(ask(&mut *seat, &Game::default(), nodes()).is_err());
}

#[test]
fn giving_up_is_no_misdeed() {
    for misdeed in ["resign", "claim-loss"] {
        let mut program = bad("xboard", &format!("xboard full {misdeed}"));
        for _ in 0..2 {
            program.new_game(false).expect("it is ready");
            let reply = ask(&mut program, &Game::default(), depth(3));
            assert_eq!(reply, Ok(Reply::Resigns), "{misdeed}");
        }
    }
}

#[test]
fn a_claim_is_no_move() {
    let mut program = bad("xboard", "xboard full claim-draw");
    program.new_game(false).expect("it is ready");
    let fault = ask(&mut program, &Game::default(), depth(3)).expect_err("no move");
    assert!(
        matches!(&fault, Fault::Illegal { text } if text.contains("I am tired")),
        "{fault}"
    );
}

#[test]
fn an_offer_is_written_down_and_the_game_goes_on() {
    let mut program = bad("xboard", "xboard full offer");
    program.new_game(false).expect("it is ready");
    let answer = play(&mut program, &mut Game::default(), depth(3));
    assert_eq!(answer.thought.remark.as_deref(), Some("offers a draw"));
}

#[test]
fn misdeeds_lose_the_game() {
    type Fits = fn(&Fault) -> bool;
    let mut game = Game::default();
    let m = game.position().parse_uci("e2e4").expect("legal");
    game.play(m).expect("legal");
    let table: [(&str, Fits); 3] = [
        ("illegal", |fault| matches!(fault, Fault::Illegal { .. })),
        ("stall", |fault| matches!(fault, Fault::Stalled { .. })),
        (
            "refuse",
            |fault| matches!(fault, Fault::Refused { what, .. } if what == "e2e4"),
        ),
    ];
    for (misdeed, fits) in table {
        let mut program = bad("xboard", &format!("xboard full {misdeed}"));
        program.new_game(false).expect("it is ready");
        let deadline = if misdeed == "stall" {
            DEADLINE
        } else {
            PATIENT
        };
        let fault = ask_within(deadline, &mut program, &game, depth(3)).expect_err(misdeed);
        assert!(fits(&fault), "{misdeed}: {fault}");
        program.new_game(false).expect("it is started again");
    }
}

#[test]
fn times_are_told_so_that_old_programs_can_read_them() {
    let milliseconds = Duration::from_millis;
    let clock = Clock {
        white: SideClock {
            remaining: milliseconds(8_120),
            increment: milliseconds(80),
        },
        black: SideClock {
            remaining: milliseconds(7_990),
            increment: milliseconds(80),
        },
        moves_to_go: None,
    };
    let timed = |movetime| Pace {
        movetime: Some(milliseconds(movetime)),
        ..Pace::default()
    };
    let clocked = Pace {
        clock: Some("40/90.5+0.08".parse().expect("a time control")),
        ..Pace::default()
    };
    let table: [(Pace, Option<Clock>, &[&str]); 4] = [
        (
            clocked,
            Some(clock),
            &["> level 40 1:31 0.08", "> time 812", "> otim 799"],
        ),
        (timed(2000), None, &["> st 2", "> time 200"]),
        (timed(150), None, &["> level 1 0:01 0", "> time 15"]),
        (depth(4), None, &["> st 60", "> sd 4"]),
    ];
    for (pace, clock, lines) in table {
        let mut program = bad("xboard", "xboard full");
        program.new_game(false).expect("it is ready");
        let turn = Turn {
            game: &Game::default(),
            pace,
            clock,
            deadline: PATIENT,
            stop: None,
        };
        program.ask(&turn).expect("a move");
        let words = program.recent_output();
        for line in lines {
            assert!(words.iter().any(|it| it == line), "{words:#?} lacks {line}");
        }
    }
}

#[test]
fn options_go_by_the_names_of_uci() {
    let seat = |options: &str| {
        let text = format!("xboard:'{BAD_ENGINE}' xboard full?{options}");
        Entrant::parse(&text).expect("it parses").seat()
    };
    let words = seat("Hash=64&Style=wild")
        .unwrap_or_else(|error| panic!("{error}"))
        .recent_output()
        .join("\n");
    assert!(words.contains("> memory 64"), "{words}");
    assert!(words.contains("> option Style=Wild"), "{words}");
    let error = seat("Threads=2").err().expect("no smp").to_string();
    assert!(error.contains("only Hash, Style"), "{error}");
}

#[test]
fn cmd_finds_out_what_is_spoken() {
    let table = [
        ("fine", Protocol::Uci),
        ("xboard full", Protocol::Xboard),
        // It says nothing to either greeting but complains about `uci`.
        ("xboard old", Protocol::Xboard),
    ];
    for (arguments, protocol) in table {
        let begun = Instant::now();
        let mut program = bad("cmd", arguments);
        program
            .start()
            .unwrap_or_else(|fault| panic!("{arguments}: {fault}"));
        assert_eq!(program.protocol(), Some(protocol), "{arguments}");
        assert!(begun.elapsed() < PATIENT, "{arguments}");
    }
    let slow = bad("cmd", "slow").start();
    assert_eq!(slow, Ok(()), "who only needs longer is asked again");
    let impatient = |scheme, arguments| bad(scheme, arguments).with_patience(DEADLINE).start();
    assert!(impatient("cmd", "no-uciok").is_err());
    assert!(impatient("xboard", "xboard undone").is_err());
}
