//! Tables of opening names.

use std::fs;

use mendel_board::BoardFileError;
use mendel_board::eco::OpeningNames;
use mendel_board::{Game, Position};

const NAMES: &str = "eco\tname\tpgn\n\
    A00\tBarnes Opening\t1. f3\n\
    A00\tBarnes Opening: Fool's Mate\t1. f3 e5 2. g4 Qh4#\n\
    D00\tQueen's Pawn Game\t1. d4 d5\n\
    D06\tQueen's Gambit\t1. d4 d5 2. c4\n";

fn table(name: &str, text: &str) -> (std::path::PathBuf, Result<OpeningNames, BoardFileError>) {
    let path = format!("mendel-names-{name}-{}.tsv", std::process::id());
    let path = std::env::temp_dir().join(path);
    fs::write(&path, text).expect("a file can be written");
    let names = OpeningNames::load(&path);
    let _ = fs::remove_file(&path);
    (path, names)
}

#[test]
fn a_line_is_found_by_its_positions() {
    let names = table("positions", NAMES).1.expect("it is whole");
    assert_eq!(names.len(), 4);

    // By position: another order of moves, and a start in the middle of the line.
    let game = |start: Position, moves: &[&str]| {
        let mut game = Game::new(start);
        for san in moves {
            game.play(game.position().parse_san(san).expect(san))
                .expect(san);
        }
        game
    };
    let gambit = game(Position::initial(), &["c4", "d5", "d4", "e6"]);
    assert_eq!(names.find(&gambit), Some(("D06", "Queen's Gambit")));
    let late = game(gambit.positions()[2].clone(), &["d4"]);
    assert_eq!(names.find(&late), Some(("D06", "Queen's Gambit")));
    assert_eq!(names.find(&game(Position::initial(), &["a4"])), None);
}

#[test]
fn a_broken_table_of_names_is_named_with_its_line() {
    for (name, text, line) in [
        ("columns", "eco\tname\tpgn\nA00 Barnes Opening\n", 2),
        ("moves", "A00\tBarnes Opening\t1. f3\nA00\tX\t1. f6\n", 2),
    ] {
        let (path, names) = table(name, text);
        let error = names.expect_err(name).to_string();
        assert!(error.contains(&path.display().to_string()), "{error}");
        assert!(error.contains(&format!("line {line}")), "{error}");
    }
    assert!(matches!(
        table("empty", "").1,
        Err(BoardFileError::NoOpeningNames { .. })
    ));
    let nowhere = OpeningNames::load("no/such/table.tsv");
    assert!(matches!(nowhere, Err(BoardFileError::Read { .. })));
}
