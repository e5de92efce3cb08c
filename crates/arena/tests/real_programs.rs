//! Programs of other people, where they are installed (`apt install stockfish
//! gnuchess phalanx fairymax hoichess sjeng`).

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use mendel_arena::{AnalysisRequest, Contestant, Entrant, Pace, Reply, TimeControl, Turn};
use mendel_board::Game;
use mendel_engine::{Clock, SideClock};

use crate::stage::{PATIENT, ask_within, depth, play};

/// What to write, the program that must be there, and whether it has a word for
/// a limit of depth.
const PROGRAMS: [(&str, &str, bool); 8] = [
    ("cmd:stockfish?Hash=1&Threads=1", "stockfish", true),
    ("cmd:gnuchess", "gnuchess", false),
    ("cmd:gnuchess --xboard", "gnuchess", false),
    ("cmd:gnuchess --uci", "gnuchess", true),
    ("cmd:phalanx -o- -l-", "phalanx", false),
    ("cmd:fairymax", "fairymax", true),
    ("cmd:hoichess", "hoichess", true),
    ("cmd:sjeng", "sjeng", true),
];

/// Debian's folder of games, which is not in every PATH.
const GAMES: &str = "/usr/games";

/// The installed ones; the others are named.
fn installed() -> Vec<(String, bool)> {
    let mut there = Vec::new();
    for (text, program, knows_depth) in PROGRAMS {
        if Path::new(GAMES).join(program).exists() {
            let text = text.replacen(':', &format!(":{GAMES}/"), 1);
            there.push((text, knows_depth));
        } else {
            let _ = writeln!(std::io::stderr(), "skipped: {program} is not installed");
        }
    }
    there
}

/// Tries thrice: GNU Chess falls silent now and then with any driver, and what is
/// tested here is the driver.
fn thrice(trial: impl Fn()) {
    let tried = || catch_unwind(AssertUnwindSafe(&trial));
    if tried().or_else(|_| tried()).is_err() {
        trial();
    }
}

fn seat(text: &str) -> Box<dyn Contestant> {
    let entrant = Entrant::parse(text).unwrap_or_else(|error| panic!("{error}"));
    entrant
        .seat()
        .unwrap_or_else(|error| panic!("{text}: {error}; {:#?}", error.last_words))
}

#[test]
fn installed_programs_play_so_long_a_move() {
    for (text, _) in installed() {
        let pace = Pace {
            movetime: Some(Duration::from_millis(50)),
            ..Pace::default()
        };
        thrice(|| plays(&text, pace));
    }
}

#[test]
#[ignore = "takes minutes; for changes to the drivers"]
fn installed_programs_play_whole_games() {
    let pace = Pace {
        movetime: Some(Duration::from_millis(30)),
        ..Pace::default()
    };
    for (text, _) in installed() {
        let mut seats = [seat(&text), seat(&text)];
        for opening in [["e2e4", "e7e5"], ["d2d4", "g8f6"]] {
            let mut game = Game::default();
            for text in opening {
                let m = game.position().parse_uci(text).expect("legal");
                game.play(m).expect("legal");
            }
            for seat in &mut seats {
                seat.new_game(false).expect(&text);
            }
            while game.outcome().is_none() && game.moves().len() < 300 {
                let turn = Turn {
                    game: &game,
                    pace,
                    clock: None,
                    deadline: PATIENT,
                    stop: None,
                };
                let seat = &mut seats[game.moves().len() % 2];
                match seat.ask(&turn) {
                    Ok(Reply::Move(answer)) => game.play(answer.m).expect("legal"),
                    Ok(Reply::Resigns) => break,
                    Err(fault) => panic!("{text}: {fault}; {:#?}", seat.recent_output()),
                }
            }
            let plies = game.moves().len();
            let _ = writeln!(
                std::io::stderr(),
                "{text}: {plies} plies, {:?}",
                game.outcome()
            );
            for seat in &mut seats {
                seat.game_over("*", "enough seen");
            }
        }
    }
}

/// Six plies against itself, twice with the same two processes.
fn plays(text: &str, pace: Pace) {
    let mut seats = [seat(text), seat(text)];
    for _ in 0..2 {
        for seat in &mut seats {
            seat.new_game(false)
                .unwrap_or_else(|fault| panic!("{text}: {fault}; {:#?}", seat.recent_output()));
        }
        let mut game = Game::default();
        for text in ["e2e4", "e7e5"] {
            let m = game.position().parse_uci(text).expect("legal");
            game.play(m).expect("legal");
        }
        for ply in 0..6 {
            play(&mut *seats[ply % 2], &mut game, pace);
        }
        for seat in &mut seats {
            seat.game_over("*", "enough seen");
        }
    }
}

#[test]
fn installed_programs_play_at_a_depth_or_say_that_they_cannot() {
    for (text, knows_depth) in installed() {
        thrice(|| {
            if knows_depth {
                return plays(&text, depth(3));
            }
            let mut seat = seat(&text);
            seat.new_game(false).expect(&text);
            let fault = ask_within(PATIENT, &mut *seat, &Game::default(), depth(3));
            let fault = fault.expect_err("it does not know the word").to_string();
            assert!(fault.contains("refused `sd 3`"), "{text}: {fault}");
        });
    }
}

#[test]
fn installed_programs_play_by_the_clock() {
    let control = "10+0.1".parse().expect("a time control");
    for (text, _) in installed() {
        thrice(|| plays_by_the_clock(&text, control));
    }
}

fn plays_by_the_clock(text: &str, control: TimeControl) {
    let mut seat = seat(text);
    seat.new_game(false).expect(text);
    let side = SideClock {
        remaining: Duration::from_secs(1),
        increment: Duration::from_millis(100),
    };
    let turn = Turn {
        game: &Game::default(),
        pace: Pace {
            clock: Some(control),
            ..Pace::default()
        },
        clock: Some(Clock {
            white: side,
            black: side,
            moves_to_go: None,
        }),
        deadline: PATIENT,
        stop: None,
    };
    match seat.ask(&turn) {
        // A program that waits for more time than it was told has never waited
        // so short; a busy machine may well be slower than the clock.
        Ok(Reply::Move(answer)) => assert!(answer.time < PATIENT / 2, "{text}"),
        other => panic!("{text}: {other:?}; {:#?}", seat.recent_output()),
    }
}

#[test]
fn stockfish_shows_its_best_lines() {
    let installed = installed();
    let Some((text, _)) = installed
        .iter()
        .find(|(text, _)| text.contains("stockfish"))
    else {
        return;
    };
    let entrant = Entrant::parse(text).expect("it parses");
    let mut stockfish = entrant.start_analyst().expect("it starts");
    let mut analyse = |limit, lines, deadline| {
        let request = AnalysisRequest {
            limit,
            lines,
            deadline,
        };
        let found = stockfish.analyse(&Game::default(), &request, &Arc::default());
        found.expect("it analyses")
    };
    let lines = analyse(depth(6), 3, PATIENT);
    assert_eq!(lines.len(), 3);
    assert!(lines.iter().all(|line| line.depth == Some(6)), "{lines:?}");
    // An endless analysis is stopped and what was found is the answer.
    let lines = analyse(Pace::default(), 1, Duration::from_secs(2));
    assert!(lines[0].depth > Some(6));
}

#[test]
fn stockfish_shows_lines_with_scores_and_chances() {
    for (text, _) in installed()
        .iter()
        .filter(|(text, _)| text.contains("stockfish"))
    {
        let mut analyst = Entrant::parse(text)
            .expect("it parses")
            .start_analyst()
            .unwrap_or_else(|error| panic!("{error}"));
        let request = AnalysisRequest {
            limit: depth(8),
            lines: 3,
            deadline: PATIENT,
        };
        let lines = analyst.analyse(&Game::default(), &request, &Arc::default());
        let lines = lines.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(lines.len(), 3);
        for line in &lines {
            assert!(line.score.is_some() && !line.pv.is_empty(), "{line:?}");
            let wdl = line.wdl.expect("it was asked for chances");
            assert_eq!(wdl.win + wdl.draw + wdl.loss, 1000, "{line:?}");
        }
    }
}
