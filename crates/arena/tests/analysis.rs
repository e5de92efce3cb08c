//! Programs that analyse.

use std::time::Duration;

use mendel_arena::{Fault, Pace};
use mendel_board::{Game, Position};

use crate::stage::{DEADLINE, bad, depth, nodes};

#[test]
fn the_best_lines_come_best_first() {
    let mut program = bad("uci", "bounds");
    let lines = program
        .analyse(&Game::default(), &nodes(), 2, DEADLINE)
        .expect("it analyses");
    let ranks: Vec<_> = lines.iter().map(|line| line.multipv).collect();
    assert_eq!(ranks, [Some(1), Some(2)], "{lines:?}");
    assert_eq!(lines[0].depth, Some(5), "a bound does not replace a score");
    assert_eq!(lines[0].pv.len(), 1);

    let fault = program.analyse(&Game::default(), &nodes(), 9, DEADLINE);
    let fault = fault.expect_err("it shows four at most").to_string();
    assert!(fault.contains("from 1 to 4"), "{fault}");
    assert!(
        program
            .analyse(&Game::default(), &nodes(), 1, DEADLINE)
            .is_ok()
    );
}

#[test]
fn an_analysis_has_an_end() {
    let mut program = bad("uci", "stall");
    let fault = program.analyse(&Game::default(), &Pace::default(), 1, DEADLINE);
    assert!(matches!(fault, Err(Fault::Stalled { .. })), "{fault:?}");
}

#[test]
fn a_program_of_xboard_shows_its_line() {
    let mut program = bad("xboard", "xboard full");
    let fen = "4k3/8/8/8/8/8/4P3/4K3 b - - 3 7";
    let game = Game::new(Position::from_fen(fen).expect("a FEN"));
    for _ in 0..2 {
        let lines = program
            .analyse(&game, &depth(4), 1, Duration::from_secs(5))
            .expect("it analyses");
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].pv, ["e8d7"]);
        assert_eq!(lines[0].nodes, Some(345));
    }
    assert!(program.analyse(&game, &depth(4), 2, DEADLINE).is_err());
}
