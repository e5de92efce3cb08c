//! Played games, analysed.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use mendel_arena::{Entrant, Pace, Side};
use mendel_board::{Game, Position};
use mendel_coach::{Analyser, AnalysisError, GameAccuracy};

fn nodes(nodes: u64) -> Pace {
    Pace {
        nodes: Some(nodes),
        ..Pace::default()
    }
}

fn mendel() -> Analyser {
    let entrant = Entrant::parse("mendel?Hash=1").expect("it ships with the program");
    Analyser::new(&entrant, nodes(2000)).expect("it can analyse")
}

fn played(start: Position, moves: &str) -> Game {
    let mut game = Game::new(start);
    for san in moves.split_whitespace() {
        let m = game.position().parse_move(san).expect(san);
        game.play(m).expect(san);
    }
    game
}

fn judge(analyser: &mut Analyser, game: &Game, opening: usize) -> GameAccuracy {
    let accuracy = analyser.accuracy(game, opening, &Arc::default());
    accuracy.unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_blunder_costs_its_player() {
    // The queen is given away on White's third move.
    let game = played(Position::initial(), "e4 e5 Qh5 Nc6 Qxe5 Nxe5");
    let accuracy = judge(&mut mendel(), &game, 0);
    assert!(accuracy.black > 90.0, "{accuracy:#?}");
    assert!(accuracy.white < 60.0, "{accuracy:#?}");
    let worst = accuracy
        .moves
        .iter()
        .enumerate()
        .min_by(|a, b| a.1.accuracy.total_cmp(&b.1.accuracy));
    let (ply, blunder) = worst.expect("there are moves");
    assert_eq!((ply, blunder.side), (4, Side::White), "{accuracy:#?}");
    assert_eq!(accuracy.of(Side::White).to_bits(), accuracy.white.to_bits());
    // Nothing is left of the last analysis.
    let mut analyser = mendel();
    judge(
        &mut analyser,
        &played(Position::initial(), "d4 d5 c4 dxc4"),
        0,
    );
    assert_eq!(judge(&mut analyser, &game, 0), accuracy);
}

#[test]
fn accuracy_excludes_opening_moves() {
    let game = played(Position::initial(), "f3 e5 g4 d6 e4 Nf6 h3 Be7");
    let all = judge(&mut mendel(), &game, 0);
    let rest = judge(&mut mendel(), &game, 4);
    assert_eq!((all.moves.len(), rest.moves.len()), (8, 4));
    assert!(rest.white > all.white, "{} {}", rest.white, all.white);
    let scores = |it: &GameAccuracy| it.moves.iter().map(|m| m.centipawns).collect::<Vec<_>>();
    assert_eq!(scores(&all)[4..], scores(&rest));
}

#[test]
fn a_mating_move_is_not_judged_and_a_stalemate_is_a_draw() {
    let fool = played(Position::initial(), "f3 e5 g4 Qh4#");
    let accuracy = judge(&mut mendel(), &fool, 0);
    assert_eq!(accuracy.moves.len(), 3);
    assert_eq!(accuracy.moves[2].centipawns, -1000, "Black mates");

    let start = Position::from_fen("7k/8/6K1/8/8/8/5Q2/8 b - - 0 1").expect("a FEN");
    let clumsy = played(start, "Kg8 Qf3 Kh8 Qf7");
    let accuracy = judge(&mut mendel(), &clumsy, 0);
    let last = accuracy.moves.last().expect("there are moves");
    assert_eq!((last.side, last.centipawns), (Side::White, 0));
    assert!(last.accuracy < 20.0, "{last:?}");
}

#[test]
fn what_cannot_be_judged_is_refused_with_the_reason() {
    let entrant = Entrant::parse("mendel?Hash=1").expect("it ships with the program");
    let timed = Pace {
        movetime: Some(Duration::from_millis(10)),
        ..Pace::default()
    };
    let error = Analyser::new(&entrant, timed).expect_err("time is no measure");
    assert!(error.to_string().contains("nodes or a depth"), "{error}");

    let game = played(Position::initial(), "e4 e5");
    let mut analyser = mendel();
    for opening in [1, 2, 3, usize::MAX] {
        let error = analyser.accuracy(&game, opening, &Arc::default());
        let error = error.expect_err("a side has made no move");
        assert!(matches!(error, AnalysisError::TooShort { .. }), "{error}");
    }
    let stop = Arc::new(AtomicBool::new(true));
    let error = analyser.accuracy(&game, 0, &stop).expect_err("stopped");
    assert!(matches!(error, AnalysisError::Stopped), "{error}");

    let gone = Entrant::parse("uci:/no/such/program").expect("a command");
    let error = Analyser::new(&gone, nodes(10)).expect_err("it is not there");
    assert!(error.to_string().contains("no/such/program"), "{error}");
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn a_program_analyses_as_a_player_does() {
    let places = ["/usr/games/stockfish", "/usr/bin/stockfish"];
    let Some(place) = places.iter().find(|it| std::path::Path::new(it).is_file()) else {
        eprintln!("skipped: stockfish is not installed");
        return;
    };
    let entrant = Entrant::parse(&format!("uci:{place}?Hash=1")).expect("a command");
    let limit = Pace {
        depth: Some(6),
        ..Pace::default()
    };
    let mut analyser = Analyser::new(&entrant, limit).expect("it is installed");
    let game = played(Position::initial(), "e4 e5 Qh5 Nc6 Qxe5 Nxe5");
    let accuracy = judge(&mut analyser, &game, 0);
    assert!(accuracy.moves[4].accuracy < 20.0, "{accuracy:#?}");
    assert!(accuracy.black > accuracy.white + 20.0, "{accuracy:#?}");
    assert_eq!(judge(&mut analyser, &game, 0), accuracy);
}
