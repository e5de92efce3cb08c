//! No process is ever left, whatever ends first.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Instant;

use mendel_arena::Contestant;
use mendel_board::Game;

use crate::stage::{
    BAD_ENGINE, DEADLINE, PATIENT, all_gone, ask, ask_within, comes_true, living, nodes, play,
    program, zombies,
};

/// A bad engine that can be told from all others by its last argument.
fn marked(arguments: &str, mark: &str) -> String {
    format!("uci:'{BAD_ENGINE}' {arguments} 1 {mark}")
}

#[test]
fn leaving_takes_the_program_with_it() {
    let misdeeds = ["fine", "ignore-quit", "grandchild", "deaf", "flood-stderr"];
    for misdeed in misdeeds {
        let mark = format!("leaving-{misdeed}-{}", std::process::id());
        let mut program = program(&marked(misdeed, &mark));
        program.new_game(false).expect("it is ready");
        let _ = ask(&mut program, &Game::default(), nodes());
        let begun = Instant::now();
        drop(program);
        assert!(
            begun.elapsed() < PATIENT,
            "{misdeed}: {:?}",
            begun.elapsed()
        );
        assert!(all_gone(&mark), "{misdeed} is left");
    }
}

#[test]
fn a_program_that_ignores_signals_is_ended_too() {
    let mark = format!("trapped-{}", std::process::id());
    let text = format!(
        "uci:sh -c \"trap '' TERM INT HUP; '{BAD_ENGINE}' ignore-quit 1 {mark}; echo gone\""
    );
    let mut program = program(&text);
    program.new_game(false).expect("it is ready");
    play(&mut program, &mut Game::default(), nodes());
    assert_eq!(living(&mark).len(), 2, "the shell and the engine");
    drop(program);
    assert!(all_gone(&mark));
}

#[test]
fn a_grandchild_dies_with_the_engine_that_failed() {
    let mark = format!("failed-{}", std::process::id());
    let mut program = program(&format!(
        "uci:sh -c \"sh -c 'sleep 3600; echo {mark}' & exec '{BAD_ENGINE}' exit 1 {mark}\""
    ));
    program.new_game(false).expect("it is ready");
    assert!(ask(&mut program, &Game::default(), nodes()).is_err());
    assert!(all_gone(&mark));
}

#[test]
fn a_panic_leaves_no_program() {
    let mark = format!("panic-{}", std::process::id());
    let text = marked("ignore-quit", &mark);
    let thread = std::thread::spawn(move || {
        let mut program = program(&text);
        program.new_game(false).expect("it is ready");
        std::panic::resume_unwind(Box::new("on purpose"));
    });
    assert!(thread.join().is_err());
    assert!(all_gone(&mark));
}

#[test]
fn a_program_outlives_the_thread_that_started_it() {
    let thread = std::thread::spawn(|| {
        let mut program = program(&format!("uci:'{BAD_ENGINE}' fine"));
        program.new_game(false).expect("it is ready");
        program
    });
    let mut program = thread.join().expect("no panic");
    play(&mut program, &mut Game::default(), nodes());
}

#[test]
fn ended_programs_are_reaped() {
    for misdeed in ["exit", "abort", "stall", "fine"] {
        let mut program = program(&format!("uci:'{BAD_ENGINE}' {misdeed}"));
        program.new_game(false).expect("it is ready");
        let _ = ask_within(DEADLINE, &mut program, &Game::default(), nodes());
    }
    // Other tests have children of their own, which may be ending just now.
    assert!(comes_true(|| zombies().is_empty()), "{:?}", zombies());
}

/// Not a test: the runner that the next test kills. It runs only if told to.
#[test]
fn runner_to_be_killed() {
    let Ok(mark) = std::env::var("MENDEL_TEST_RUNNER") else {
        return;
    };
    let mut programs: Vec<_> = ["ignore-quit", "stall", "fine"]
        .iter()
        .map(|misdeed| program(&marked(misdeed, &mark)))
        .collect();
    for program in &mut programs {
        program.new_game(false).expect("it is ready");
    }
    // Longer than the next test waits for its programs.
    std::thread::sleep(2 * PATIENT);
}

#[test]
fn programs_die_with_a_runner_that_was_killed() {
    let mark = format!("orphan-{}", std::process::id());
    for signal in ["KILL", "INT"] {
        let mut runner = Command::new(std::env::current_exe().expect("we run"))
            .args(["--exact", "leftovers::runner_to_be_killed", "--nocapture"])
            .env("MENDEL_TEST_RUNNER", &mark)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the test binary runs");
        let output = runner.stdout.take().expect("the pipe was asked for");
        let heading = BufReader::new(output).lines().nth(1);
        assert!(heading.is_some(), "the runner began");
        let all_there = || living(&mark).len() == 3;
        assert!(comes_true(all_there), "{:?}", living(&mark));

        let killed = Command::new("kill")
            .args(["-s", signal, &runner.id().to_string()])
            .status();
        assert!(killed.expect("there is a kill").success());
        runner.wait().expect("it was killed");
        assert!(all_gone(&mark), "after SIG{signal}: {:?}", living(&mark));
    }
}
