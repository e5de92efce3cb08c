use mendel_board::{CastlingMode, NotationError, Position};
use proptest::prelude::*;

use crate::walks::positions;

const INITIAL: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

#[test]
fn what_is_written_reads_back() {
    for position in positions(11, 3_000) {
        let fen = position.fen();
        let back = match position.castling_mode() {
            CastlingMode::Standard => Position::from_fen(&fen),
            CastlingMode::Chess960 => Position::from_fen960(&fen),
        };
        let back = back.unwrap();
        assert_eq!(back, position, "{fen}");
        assert_eq!(back.fen(), fen);
        assert_eq!(back.halfmoves(), position.halfmoves());
        assert_eq!(back.fullmoves(), position.fullmoves());
        for m in position.legal_moves() {
            let (san, uci) = (position.san(m), position.uci(m));
            assert_eq!(position.parse_san(&san), Ok(m), "{san} in {fen}");
            assert_eq!(position.parse_uci(&uci), Ok(m), "{uci} in {fen}");
            assert_eq!(position.parse_move(&san), Ok(m), "{san} in {fen}");
            assert_eq!(position.parse_move(&uci), Ok(m), "{uci} in {fen}");
        }
    }
}

#[test]
fn castling_fields_are_read_in_every_dialect() {
    // (what is read, what is written)
    const TABLE: [(&str, &str); 8] = [
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "KQkq"),
        // Shredder-FEN of the same, and mixed.
        ("r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1", "KQkq"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w HQkq - 0 1", "KQkq"),
        // The inner rook castles: X-FEN needs its file.
        ("2r1kr1r/8/8/8/8/8/8/2R1KR1R w Ff - 0 1", "Ff"),
        ("2r1kr1r/8/8/8/8/8/8/2R1KR1R w KQkq - 0 1", "KQkq"),
        ("1rk4r/8/8/8/8/8/8/1RK4R w HBhb - 0 1", "KQkq"),
        // Rights without a rook or king in place are dropped.
        ("4k2r/8/8/8/8/8/8/R3K3 w KQkq - 0 1", "Qk"),
        ("r3k2r/8/8/8/8/8/4K3/R6R w KQkq - 0 1", "kq"),
    ];
    for (fen, castling) in TABLE {
        let written = Position::from_fen(fen).unwrap().fen();
        assert_eq!(written.split(' ').nth(2), Some(castling), "{fen}");
    }
}

#[test]
fn chess960_is_recognised_where_it_is_needed() {
    let mode = |fen: &str| Position::from_fen(fen).unwrap().castling_mode();
    assert_eq!(mode(INITIAL), CastlingMode::Standard);
    assert_eq!(
        mode("1rk4r/8/8/8/8/8/8/1RK4R w HBhb - 0 1"),
        CastlingMode::Chess960
    );
    let forced = Position::from_fen960(INITIAL).unwrap();
    assert_eq!(forced.castling_mode(), CastlingMode::Chess960);
}

#[test]
fn castling_is_written_as_the_mode_wants_and_read_both_ways() {
    let fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    let standard = Position::from_fen(fen).unwrap();
    let other = Position::from_fen960(fen).unwrap();
    let castling = standard.parse_san("O-O").unwrap();
    assert_eq!(standard.uci(castling), "e1g1");
    assert_eq!(other.uci(castling), "e1h1");
    for position in [&standard, &other] {
        assert_eq!(position.parse_uci("e1h1"), Ok(castling));
    }
    assert_eq!(standard.parse_uci("e1g1"), Ok(castling));
}

#[test]
fn counters_and_spaces_may_be_missing_or_plenty() {
    let short = Position::from_fen("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -").unwrap();
    assert_eq!((short.halfmoves(), short.fullmoves()), (0, 1));
    let spaced = Position::from_fen(&format!("  {INITIAL}\r\n")).unwrap();
    assert_eq!(spaced, Position::initial());
    let late = Position::from_fen("8/8/8/8/8/4k3/8/4K2R w K - 37 81").unwrap();
    assert_eq!((late.halfmoves(), late.fullmoves()), (37, 81));
}

#[test]
fn en_passant_is_kept_only_where_it_can_be_played() {
    let square = |fen: &str| {
        let fen = Position::from_fen(fen).unwrap().fen();
        fen.split(' ').nth(3).unwrap().to_owned()
    };
    assert_eq!(square("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1"), "e3");
    assert_eq!(square("4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1"), "-");
    // No pawn has just passed there.
    assert_eq!(square("4k3/8/8/8/3p4/8/8/4K3 b - e3 0 1"), "-");
}

#[test]
fn bad_fens_are_refused_with_a_reason() {
    // (text, whether it has the form of a FEN at all, a word of the reason)
    const TABLE: [(&str, bool, &str); 18] = [
        ("", false, ""),
        ("startpos", false, "board"),
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP w KQkq - 0 1",
            false,
            "board",
        ),
        (
            "rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            false,
            "board",
        ),
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNRR w KQkq - 0 1",
            false,
            "board",
        ),
        (
            "rnbqkbnr/ppppxppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            false,
            "board",
        ),
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1",
            false,
            "turn",
        ),
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w XYZ - 0 1",
            false,
            "castling",
        ),
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e9 0 1",
            false,
            "ep square",
        ),
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - x 1",
            false,
            "half",
        ),
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 x",
            false,
            "full",
        ),
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 junk",
            false,
            "",
        ),
        ("8/8/8/8/8/8/8/8 w - - 0 1", true, "empty"),
        ("8/8/8/8/8/8/8/4K3 w - - 0 1", true, "king"),
        ("4k3/8/8/8/8/8/8/4KK2 w - - 0 1", true, "king"),
        ("P3k3/8/8/8/8/8/8/4K3 w - - 0 1", true, "pawn"),
        ("4k3/8/8/8/8/8/8/4RK2 w - - 0 1", true, "check"),
        ("8/8/8/3Kk3/8/8/8/8 w - - 0 1", true, "check"),
    ];
    for (fen, has_form, word) in TABLE {
        let error = Position::from_fen(fen).unwrap_err();
        let is_position = matches!(error, NotationError::Position { .. });
        assert_eq!(is_position, has_form, "{fen}: {error}");
        let message = error.to_string();
        assert!(message.contains(&format!("`{fen}`")), "{message}");
        assert!(message.to_lowercase().contains(word), "{message}");
    }
}

#[test]
fn an_error_quotes_no_more_than_helps() {
    let error = Position::from_fen(&"é".repeat(1_000_000)).unwrap_err();
    assert!(error.to_string().len() < 500);
    let error = Position::initial().parse_move(&"Z".repeat(1_000_000));
    assert!(error.unwrap_err().to_string().len() < 500);
}

#[test]
fn bad_moves_are_refused_for_what_they_are() {
    let position = Position::from_fen("4k3/8/8/8/8/8/4K3/R6R w - - 0 1").unwrap();
    let san = |text| position.parse_san(text).unwrap_err();
    assert!(matches!(san("hello"), NotationError::Move { .. }));
    assert!(matches!(san(""), NotationError::Move { .. }));
    assert!(matches!(san("Ra9"), NotationError::Move { .. }));
    assert!(matches!(san("Qd1"), NotationError::IllegalMove { .. }));
    assert!(matches!(san("O-O"), NotationError::IllegalMove { .. }));
    assert!(matches!(san("Rd1"), NotationError::AmbiguousMove { .. }));
    assert!(san("Rd1").to_string().contains(&position.fen()));
    let uci = |text| position.parse_uci(text).unwrap_err();
    assert!(matches!(uci("e2"), NotationError::Move { .. }));
    assert!(matches!(uci("e2e2e2"), NotationError::Move { .. }));
    assert!(matches!(uci("e2e4"), NotationError::IllegalMove { .. }));
    assert!(matches!(uci("0000"), NotationError::IllegalMove { .. }));
    assert!(matches!(uci("Q@d4"), NotationError::IllegalMove { .. }));
}

proptest! {
    #[test]
    fn no_text_breaks_the_fen_reader(text in ".{0,120}") {
        let _ = Position::from_fen(&text);
        let _ = Position::from_fen960(&text);
    }

    /// Texts that look like FENs come further.
    #[test]
    fn no_fen_like_text_breaks_the_reader(
        text in "([1-8pnbrqkPNBRQK]{1,8}/){7}[1-8pnbrqkPNBRQK]{1,8} [wb] [KQkqA-Ha-h-]{1,4} ([a-h][36]|-) [0-9]{1,12} [0-9]{1,12}"
    ) {
        for position in [Position::from_fen(&text), Position::from_fen960(&text)].into_iter().flatten() {
            prop_assert!(Position::from_fen960(&position.fen()).is_ok());
            let _ = position.mirrored();
            let _ = position.after_null_move();
            for m in position.legal_moves() {
                let _ = position.after(m).legal_moves();
            }
        }
    }

    /// Any two kings and some pieces: what is accepted can be played on.
    #[test]
    fn what_is_accepted_can_be_played_on(
        squares in proptest::collection::vec((0_usize..64, "[pnbrqPNBRQ]"), 0..20),
        kings in (0_usize..64, 0_usize..64),
        fields in "[wb] [KQkq-]{1,4} ([a-h][36]|-)",
    ) {
        let mut board = vec![String::from("1"); 64];
        for (square, piece) in squares {
            board[square] = piece;
        }
        board[kings.0] = "K".into();
        board[kings.1] = "k".into();
        let ranks: Vec<String> = board.chunks(8).map(<[String]>::concat).collect();
        let fen = format!("{} {fields} 0 1", ranks.join("/"));
        if let Ok(position) = Position::from_fen(&fen) {
            prop_assert_eq!(&position.mirrored().mirrored(), &position);
            prop_assert_eq!(position.after_null_move().is_none(), position.is_check());
            let squares = position.check_squares();
            for m in position.legal_moves() {
                let next = position.after(m);
                prop_assert_eq!(next.is_check(), position.gives_check(m, &squares));
                prop_assert_eq!(next.key(), Position::from(next.chess().clone()).key());
            }
        }
    }

    #[test]
    fn no_text_breaks_the_move_readers(text in ".{0,12}", index in 0_usize..50) {
        let position = &positions(12, 50)[index];
        if let Ok(m) = position.parse_san(&text) {
            prop_assert!(position.is_legal(m));
        }
        if let Ok(m) = position.parse_uci(&text) {
            prop_assert!(position.is_legal(m));
        }
    }

    #[test]
    fn whatever_looks_like_a_move_is_legal_or_refused(
        san in "[KQRBNPO0]?[a-h]?[1-8]?x?[a-h][1-8](=?[QRBNKP])?[+#]?",
        uci in "[a-h][1-8][a-h][1-8][qrbnkp]?",
        index in 0_usize..50,
    ) {
        let position = &positions(13, 50)[index];
        for m in [position.parse_san(&san), position.parse_uci(&uci)].into_iter().flatten() {
            prop_assert!(position.is_legal(m));
        }
    }
}
