//! Players that are asked about positions.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use mendel_arena::program::Program;
use mendel_arena::{
    AnalysisLine, AnalysisRequest, Analyst, AnalystError, Contestant, Entrant, Fault, Pace, Reply,
    StockfishEval,
};
use mendel_board::{Game, Position};
use mendel_engine::Score;

use crate::stage::{BAD_ENGINE, DEADLINE, PATIENT, all_gone, ask, bad, depth, nodes};

fn request(limit: Pace, lines: u32) -> AnalysisRequest {
    AnalysisRequest {
        limit,
        lines,
        deadline: PATIENT,
    }
}

fn analyse(
    analyst: &mut dyn Analyst,
    game: &Game,
    request: AnalysisRequest,
) -> Result<Vec<AnalysisLine>, AnalystError> {
    analyst.analyse(game, &request, &Arc::default())
}

fn from(fen: &str) -> Game {
    Game::new(Position::from_fen(fen).expect(fen))
}

fn analyst(text: &str) -> Box<dyn Analyst> {
    let entrant = Entrant::parse(text).unwrap_or_else(|error| panic!("{error}"));
    entrant
        .start_analyst()
        .unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn the_best_lines_come_best_first() {
    let mut program = bad("uci", "bounds");
    let lines = analyse(&mut program, &Game::default(), request(nodes(), 2)).expect("it analyses");
    let ranks: Vec<_> = lines.iter().map(|line| line.rank).collect();
    assert_eq!(ranks, [1, 2], "{lines:?}");
    assert_eq!(lines[0].depth, Some(5), "a bound does not replace a score");
    assert_eq!(lines[0].pv.len(), 1);
    assert_eq!(lines[1].score, Some(Score::Centipawns(-70)));

    let fault = analyse(&mut program, &Game::default(), request(nodes(), 9));
    let fault = fault.expect_err("it shows four at most").to_string();
    assert!(fault.contains("from 1 to 4"), "{fault}");
    assert!(analyse(&mut program, &Game::default(), request(nodes(), 1)).is_ok());
}

#[test]
fn an_analysis_has_an_end() {
    let mut program = bad("uci", "stall");
    for limit in [Pace::default(), nodes()] {
        let short = AnalysisRequest {
            deadline: DEADLINE,
            ..request(limit, 1)
        };
        let fault = analyse(&mut program, &Game::default(), short);
        let stalled = AnalystError::Fault(Fault::Stalled { waited: DEADLINE });
        assert_eq!(fault, Err(stalled));
    }
}

#[test]
fn a_program_of_xboard_shows_its_line() {
    let mut program = bad("xboard", "xboard full");
    let game = from("4k3/8/8/8/8/8/4P3/4K3 b - - 3 7");
    for _ in 0..2 {
        let lines = analyse(&mut program, &game, request(depth(4), 1)).expect("it analyses");
        assert_eq!(lines.len(), 1);
        let pv: Vec<_> = lines[0]
            .pv
            .iter()
            .map(|m| game.position().uci(*m))
            .collect();
        assert_eq!(pv, ["e8d7"]);
        assert_eq!(lines[0].nodes, Some(345));
        assert_eq!(lines[0].wdl, None);
    }
    let refused = analyse(&mut program, &game, request(depth(4), 2));
    let refused = refused.expect_err("the protocol has one line").to_string();
    assert!(
        refused.contains("xboard programs show one line"),
        "{refused}"
    );
}

/// What was sent to the program since it was started.
fn sent(output: &[String]) -> Vec<&str> {
    let lines = output.iter();
    lines.filter_map(|line| line.strip_prefix("> ")).collect()
}

#[test]
fn one_line_sends_the_commands_of_a_move_in_a_new_game() {
    let fen = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3";
    let mut played = from(fen);
    let m = played.position().parse_move("Bb5").expect("it is legal");
    played.play(m).expect("it is legal");
    let start = || {
        let mut program = bad("uci", "none 1000000");
        program.start().expect("it starts");
        program
    };
    let mut asked = start();
    let mut analyst = start();
    for game in [from(fen), played, Game::default()] {
        // As labels, accuracy and the probe of a tuning ask for a move.
        Contestant::new_game(&mut asked, false).expect("it gets ready");
        let reply = ask(&mut asked, &game, nodes()).expect("it moves");
        let lines = analyse(&mut analyst, &game, request(nodes(), 1)).expect("it analyses");
        let Reply::Move(answer) = reply else {
            panic!("{reply:?}");
        };
        assert_eq!(lines[0].pv, [answer.m]);
        assert_eq!(lines[0].score, answer.thought.score);
        assert_eq!(lines[0].depth, answer.thought.depth);
        assert_eq!(lines[0].nodes, answer.thought.nodes);
    }
    let transcript = analyst.recent_output();
    assert_eq!(sent(&transcript), sent(&asked.recent_output()));
    let expected = [
        "ucinewgame",
        "isready",
        "isready",
        "position startpos",
        "go nodes 100",
    ];
    assert!(sent(&transcript).ends_with(&expected), "{transcript:#?}");
}

#[test]
fn more_lines_are_set_for_their_question_only() {
    let mut program = bad("uci", "none 1000000");
    let game = Game::default();
    for lines in [1, 3, 1] {
        analyse(&mut program, &game, request(nodes(), lines)).expect("it analyses");
    }
    let transcript = program.recent_output();
    let options: Vec<_> = sent(&transcript)
        .into_iter()
        .filter(|line| line.starts_with("setoption"))
        .map(str::to_owned)
        .collect();
    let expected = [
        "setoption name MultiPV value 3",
        "setoption name MultiPV value 1",
    ];
    assert_eq!(options, expected);
}

#[test]
fn a_chess960_position_is_asked_about_as_such() {
    let mut program = bad("uci", "none 1000000");
    let game = from("rk5r/pppppppp/8/8/8/8/PPPPPPPP/RK5R w HAha - 0 1");
    // The bad engine has no such option, which is said instead of a wrong castling.
    let fault = analyse(&mut program, &game, request(nodes(), 1));
    let fault = fault.expect_err("it has no such option").to_string();
    assert!(fault.contains("UCI_Chess960"), "{fault}");
    let mut mendel = analyst("mendel");
    assert!(analyse(&mut *mendel, &game, request(nodes(), 1)).is_ok());
}

#[test]
fn a_built_in_player_shows_its_best_lines() {
    let mut mendel = analyst("mendel");
    assert_eq!(mendel.name(), "mendel");
    let game = from("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1");
    let lines = analyse(&mut *mendel, &game, request(depth(5), 3)).expect("it analyses");
    let ranks: Vec<_> = lines.iter().map(|line| line.rank).collect();
    assert_eq!(ranks, [1, 2, 3]);
    assert_eq!(lines[0].score, Some(Score::Mate(1)));
    assert_eq!(game.position().san(lines[0].pv[0]), "Ra8#");
    let first: Vec<_> = lines.iter().map(|line| line.pv[0]).collect();
    assert!(first[0] != first[1] && first[1] != first[2] && first[0] != first[2]);
    for line in &lines {
        let wdl = line.wdl.expect("our engine reports chances");
        assert_eq!(wdl.win + wdl.draw + wdl.loss, 1000);
        let mut game = game.clone();
        assert!(line.pv.iter().all(|m| game.play(*m).is_ok()), "{line:?}");
    }
}

#[test]
fn a_built_in_player_answers_as_it_plays() {
    let entrant = Entrant::parse("mendel").expect("it is built in");
    let mut seat = entrant.seat().expect("it starts");
    let mut mendel = entrant.start_analyst().expect("it starts");
    let limit = Pace {
        nodes: Some(3000),
        ..Pace::default()
    };
    let game = from("r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3");
    // A question for more lines in between leaves nothing behind.
    for lines in [1, 4, 1] {
        let found = analyse(&mut *mendel, &game, request(limit, lines)).expect("it analyses");
        assert_eq!(found.len(), lines as usize);
        if lines > 1 {
            continue;
        }
        seat.new_game(false).expect("it gets ready");
        let Ok(Reply::Move(answer)) = ask(&mut *seat, &game, limit) else {
            panic!("it moves");
        };
        assert_eq!(found[0].pv[0], answer.m);
        assert_eq!(found[0].score, answer.thought.score);
        assert_eq!(found[0].nodes, answer.thought.nodes);
    }
}

#[test]
fn a_mate_on_the_board_has_no_line() {
    let mate = from("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1");
    let mut mendel = analyst("mendel");
    let fault = analyse(&mut *mendel, &mate, request(nodes(), 1));
    assert!(
        matches!(fault, Err(AnalystError::Fault(Fault::Illegal { .. }))),
        "{fault:?}"
    );
}

#[test]
fn a_stopped_analysis_has_no_partial_result() {
    let endless = Pace {
        depth: Some(100),
        ..Pace::default()
    };
    let mark = "stall 77";
    let programs: [Box<dyn Analyst>; 2] = [
        analyst("mendel"),
        analyst(&format!("uci:'{BAD_ENGINE}' {mark}?.name=Slow")),
    ];
    for mut analyst in programs {
        let external = analyst.name() != "mendel";
        let limit = if external { nodes() } else { endless };
        // Set before the search: what comes at once does not count either.
        let set = Arc::new(AtomicBool::new(true));
        let early = analyst.analyse(&Game::default(), &request(limit, 1), &set);
        assert_eq!(early, Err(AnalystError::Stopped));
        if external {
            continue;
        }

        // Set during the search.
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        let timer = thread::spawn(move || {
            thread::sleep(Duration::from_millis(50));
            flag.store(true, Ordering::Relaxed);
        });
        let begun = Instant::now();
        let stopped = analyst.analyse(&Game::default(), &request(limit, 2), &stop);
        assert_eq!(stopped, Err(AnalystError::Stopped));
        assert!(begun.elapsed() < PATIENT);
        timer.join().expect("it only waits");

        // The next question is answered as if nothing had happened.
        let again = analyse(&mut *analyst, &Game::default(), request(nodes(), 1));
        assert!(again.is_ok(), "{again:?}");
    }
}

#[test]
fn a_program_that_is_stopped_is_ended_and_started_again() {
    let mut program = bad("uci", "stall 2 stopped-analysis");
    analyse(&mut program, &Game::default(), request(nodes(), 1)).expect("its first move");
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    let timer = thread::spawn(move || {
        thread::sleep(Duration::from_millis(200));
        flag.store(true, Ordering::Relaxed);
    });
    let stopped = program.analyse(&Game::default(), &request(nodes(), 1), &stop);
    assert_eq!(stopped, Err(AnalystError::Stopped));
    timer.join().expect("it only waits");
    let again = analyse(&mut program, &Game::default(), request(nodes(), 1));
    assert!(again.is_ok(), "a new process has its first move again");
    drop(program);
    assert!(all_gone("stopped-analysis"));
}

#[test]
fn a_built_in_player_evaluates_without_a_search() {
    let mut mendel = analyst("mendel");
    let quiet = mendel.evaluate(&Game::default(), None, PATIENT);
    assert!(
        matches!(quiet, Ok(Some(score)) if score.abs() < 200.0),
        "{quiet:?}"
    );
    let check = from("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1");
    assert_eq!(mendel.evaluate(&check, None, PATIENT), Ok(None));
}

#[test]
fn a_program_without_an_evaluation_is_told_from_one_that_fails() {
    let which = Some(StockfishEval::Nnue);
    let mut program = bad("uci", "none 1000000");
    let none = program.evaluate(&Game::default(), which, PATIENT);
    assert_eq!(none, Err(AnalystError::NoEvaluation));
    let mut program: Program = bad("xboard", "xboard full");
    let refused = program.evaluate(&Game::default(), which, PATIENT);
    assert!(
        matches!(refused, Err(AnalystError::Fault(_))),
        "{refused:?}"
    );
}
