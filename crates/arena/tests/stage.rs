//! What the tests of programs share: seats, questions, and a look at who lives.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use mendel_arena::program::Program;
use mendel_arena::{Answer, Contestant, Entrant, Fault, Pace, Reply, Turn};
use mendel_board::Game;

/// The path of the scripted bad engine.
pub(crate) const BAD_ENGINE: &str = env!("CARGO_BIN_EXE_bad-engine");

/// A deadline that the program lets pass.
pub(crate) const DEADLINE: Duration = Duration::from_secs(3);

/// The bad engine, not started.
pub(crate) fn bad(scheme: &str, arguments: &str) -> Program {
    program(&format!("{scheme}:'{BAD_ENGINE}' {arguments}"))
}

/// A program, not started.
pub(crate) fn program(text: &str) -> Program {
    let entrant = Entrant::parse(text).unwrap_or_else(|error| panic!("{error}"));
    Program::new(&entrant)
        .expect("a program was written")
        .with_patience(PATIENT)
}

pub(crate) fn nodes() -> Pace {
    Pace {
        nodes: Some(100),
        ..Pace::default()
    }
}

pub(crate) fn depth(depth: u32) -> Pace {
    Pace {
        depth: Some(depth),
        ..Pace::default()
    }
}

/// What a program may take on a busy machine.
pub(crate) const PATIENT: Duration = Duration::from_mins(1);

/// Asks for a move, with time for it on a busy machine.
pub(crate) fn ask(
    contestant: &mut dyn Contestant,
    game: &Game,
    pace: Pace,
) -> Result<Reply, Fault> {
    ask_within(PATIENT, contestant, game, pace)
}

/// Asks for a move with another deadline.
pub(crate) fn ask_within(
    deadline: Duration,
    contestant: &mut dyn Contestant,
    game: &Game,
    pace: Pace,
) -> Result<Reply, Fault> {
    contestant.ask(&Turn {
        game,
        pace,
        clock: None,
        deadline,
        stop: None,
    })
}

/// Asks for a move, which must come, and plays it.
pub(crate) fn play(contestant: &mut dyn Contestant, game: &mut Game, pace: Pace) -> Answer {
    match ask_within(PATIENT, contestant, game, pace) {
        Ok(Reply::Move(answer)) => {
            game.play(answer.m).expect("answers are legal");
            answer
        }
        other => panic!("{other:?}; {:#?}", contestant.recent_output()),
    }
}

/// The processes whose command line contains `mark`, apart from ourselves.
pub(crate) fn living(mark: &str) -> Vec<u32> {
    let processes = std::fs::read_dir("/proc").expect("tests of processes run on Linux");
    processes
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok())
        .filter(|id| *id != std::process::id())
        .filter(|id| {
            let command = std::fs::read(PathBuf::from(format!("/proc/{id}/cmdline")));
            command.is_ok_and(|text| String::from_utf8_lossy(&text).contains(mark))
        })
        .collect()
}

/// Whether something holds, or soon does.
pub(crate) fn comes_true(mut holds: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    loop {
        if holds() {
            return true;
        }
        if start.elapsed() > PATIENT {
            return false;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Whether no process with that mark is left, or soon is not.
pub(crate) fn all_gone(mark: &str) -> bool {
    comes_true(|| living(mark).is_empty())
}

/// Our children that ended and were not reaped.
pub(crate) fn zombies() -> Vec<String> {
    let processes = std::fs::read_dir("/proc").expect("tests of processes run on Linux");
    let us = std::process::id().to_string();
    processes
        .filter_map(|entry| std::fs::read_to_string(entry.ok()?.path().join("stat")).ok())
        .filter(|stat| {
            let after_name = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
            let mut fields = after_name.split(' ');
            fields.next() == Some("Z") && fields.next() == Some(us.as_str())
        })
        .collect()
}
