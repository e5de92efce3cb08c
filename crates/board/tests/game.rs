use mendel_board::{Color, Game, Position, Reason};

fn play(start: &str, line: &str) -> Game {
    let mut game = Game::new(Position::from_fen(start).unwrap());
    for text in line.split_whitespace() {
        let m = game.position().parse_move(text).unwrap();
        game.play(m).unwrap();
    }
    game
}

fn reason(game: &Game) -> Option<Reason> {
    game.outcome().map(|outcome| outcome.reason)
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

#[test]
fn the_third_time_is_a_draw_and_the_second_is_not() {
    let once = "Nf3 Nf6 Ng1 Ng8";
    assert_eq!(reason(&play(START, once)), None);
    assert_eq!(play(START, once).repetitions(), 2);
    let twice = play(START, &format!("{once} {once}"));
    assert_eq!(twice.repetitions(), 3);
    assert_eq!(reason(&twice), Some(Reason::Repetition));
    assert_eq!(
        twice.outcome().unwrap().to_string(),
        "1/2-1/2 {Threefold repetition}"
    );
}

#[test]
fn another_side_to_move_is_another_position() {
    // The king loses a move by a triangle: the same pieces, black to move.
    let game = play("6k1/8/8/8/8/8/8/K6R w - - 0 1", "Ka2 Kf8 Kb2 Kg8 Ka1");
    assert_eq!(game.repetitions(), 1);
}

#[test]
fn a_lost_castling_right_is_another_position() {
    let line = "Ke2 Ke7 Ke1 Ke8";
    let game = play(
        "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
        &format!("{line} {line}"),
    );
    assert_eq!(game.repetitions(), 2);
    assert_eq!(reason(&game), None);
}

/// Where a pawn could have been taken in passing, the position is another one
/// the second time, as that chance is gone.
#[test]
fn a_possible_capture_en_passant_is_another_position() {
    let with_chance = "r1bqkb1r/pppp1ppp/2n2n2/8/4p3/5N2/PPPPPPPP/RNBQKB1R w KQkq - 0 1";
    let game = play(with_chance, "d4 Ng8 Ng1 Nf6 Nf3 Ng8 Ng1 Nf6 Nf3");
    // d4 with the chance once, without it twice.
    assert_eq!(game.repetitions(), 2);
    assert_eq!(reason(&game), None);
}

/// The pawn on e4 is pinned, so it could never have taken: by the rules the
/// position after d4 is the same with and without the double step.
#[test]
fn an_impossible_capture_en_passant_is_the_same_position() {
    let game = play(
        "4k3/8/8/8/4p3/8/3P4/4RK2 w - - 0 1",
        "d4 Kd8 Kg1 Ke8 Kf1 Kd8 Kg1 Ke8 Kf1",
    );
    assert_eq!(game.repetitions(), 3);
    assert_eq!(reason(&game), Some(Reason::Repetition));
}

#[test]
fn nothing_before_a_pawn_move_counts() {
    let game = play(START, "Nf3 Nf6 Ng1 Ng8 a3 a6 Nf3 Nf6 Ng1 Ng8");
    assert_eq!(game.repetitions(), 2);
}

/// A start position may claim more half-moves than the game has; only what was
/// played can repeat.
#[test]
fn a_clock_older_than_the_game_does_no_harm() {
    let game = play("7k/8/8/8/8/8/8/KR6 w - - 80 90", "Ka2 Kg8 Ka1 Kh8");
    assert_eq!(game.repetitions(), 2);
}

#[test]
fn fifty_moves_of_each_side_are_a_draw_and_one_less_is_not() {
    let almost = play("7k/8/8/8/8/8/8/KR6 w - - 98 90", "Ka2");
    assert_eq!(reason(&almost), None);
    let full = play("7k/8/8/8/8/8/8/KR6 w - - 98 90", "Ka2 Kg8");
    assert_eq!(reason(&full), Some(Reason::FiftyMoves));
    assert_eq!(full.outcome().unwrap().winner, None);
}

#[test]
fn a_mate_on_the_last_move_of_fifty_wins() {
    let game = play("7k/8/6K1/8/8/8/8/R7 w - - 99 90", "Ra8#");
    assert_eq!(game.position().halfmoves(), 100);
    let outcome = game.outcome().unwrap();
    assert_eq!(outcome.reason, Reason::Checkmate);
    assert_eq!(outcome.winner, Some(Color::White));
    assert_eq!(outcome.to_string(), "1-0 {White mates}");
}

#[test]
fn no_move_and_no_check_is_stalemate() {
    let game = play("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", "Qf7");
    assert_eq!(reason(&game), Some(Reason::Stalemate));
}

#[test]
fn material_that_cannot_mate_is_a_draw() {
    // (position, whether neither side can mate)
    const TABLE: [(&str, bool); 12] = [
        ("8/8/4k3/8/8/4K3/8/8 w - - 0 1", true),
        ("8/8/4k3/8/8/4K2N/8/8 w - - 0 1", true),
        ("8/8/4k3/8/8/4K1B1/8/8 w - - 0 1", true),
        ("8/8/3k2b1/8/8/4K2B/8/8 w - - 0 1", true), // both on light squares
        ("8/8/3k1b2/8/8/4K2B/8/8 w - - 0 1", false),
        ("8/8/3k2n1/8/8/4K2B/8/8 w - - 0 1", false),
        ("8/8/4k1n1/8/8/4K2N/8/8 w - - 0 1", false),
        ("8/8/4k3/8/8/4K1NN/8/8 w - - 0 1", false), // cannot be forced, but can be
        ("8/8/4k3/8/8/4K2P/8/8 w - - 0 1", false),
        ("8/8/4k3/8/8/4K2R/8/8 w - - 0 1", false),
        ("8/8/4k3/8/8/4KQ2/8/8 w - - 0 1", false),
        ("8/8/4k3/8/8/4K1BN/8/8 w - - 0 1", false),
    ];
    for (fen, draw) in TABLE {
        let game = play(fen, "");
        let expected = draw.then_some(Reason::InsufficientMaterial);
        assert_eq!(reason(&game), expected, "{fen}");
    }
}

#[test]
fn an_illegal_move_leaves_the_game_untouched() {
    let mut game = Game::default();
    let other = Position::from_fen("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1").unwrap();
    let castling = other.parse_san("O-O-O").unwrap();
    let error = game.play(castling).unwrap_err();
    assert!(error.to_string().contains("illegal move `e1c1`"), "{error}");
    assert!(error.to_string().contains(START), "{error}");
    assert!(game.moves().is_empty());
    assert_eq!(game.position(), game.start());
}

#[test]
fn taking_back_restores_what_was() {
    let mut game = play(START, "e4 e5 Nf3");
    let before = play(START, "e4 e5");
    assert!(game.undo().is_some());
    assert_eq!(game.position().key(), before.position().key());
    assert_eq!(game.positions().len(), game.moves().len() + 1);
    assert!(game.undo().is_some() && game.undo().is_some() && game.undo().is_none());
    assert_eq!(game.position(), &Position::initial());
}
