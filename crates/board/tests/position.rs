use mendel_board::CastlingSide::{KingSide, QueenSide};
use mendel_board::{Chess, Color, Move, PackedMove, Position, Role, Square};
use shakmaty::Position as _;

use crate::walks::{positions, walk};

#[test]
fn keys_kept_by_hand_are_keys_made_from_scratch() {
    let (mut castlings, mut en_passants, mut promotions) = (0, 0, 0);
    walk(1, 10_000, |before, m, after| {
        let scratch = Position::from(Chess::clone(after.chess()));
        let what = || format!("{} in {}", before.uci(m), before.fen());
        assert_eq!(after.key(), scratch.key(), "{}", what());
        assert_eq!(after.pawn_key(), scratch.pawn_key(), "{}", what());
        castlings += usize::from(m.is_castle());
        en_passants += usize::from(m.is_en_passant());
        promotions += usize::from(m.promotion().is_some());
    });
    // The law means little if the walk misses the moves it is about.
    assert!(castlings > 50, "{castlings} castlings");
    assert!(en_passants > 10, "{en_passants} captures en passant");
    assert!(promotions > 50, "{promotions} promotions");
}

#[test]
fn the_pawn_key_sees_pawns_and_kings_alone() {
    let moved = |fen: &str, san: &str| {
        let before = Position::from_fen(fen).unwrap();
        let after = before.after(before.parse_san(san).unwrap());
        (before.pawn_key(), after.pawn_key())
    };
    let (before, after) = moved("4k3/p7/8/8/8/8/P7/R3K2N w - - 0 1", "Nf2");
    assert_eq!(before, after);
    for san in ["a3", "Kd1", "a4"] {
        let (before, after) = moved("4k3/p7/8/8/8/8/P7/R3K2N w - - 0 1", san);
        assert_ne!(before, after, "{san}");
    }
}

/// The keys of the Polyglot book format's own examples.
#[test]
fn keys_are_those_of_polyglot() {
    const PUBLISHED: [(&str, u64); 9] = [
        ("", 0x463b_9618_1691_fc9c),
        ("e4", 0x823c_9b50_fd11_4196),
        ("e4 d5", 0x0756_b944_61c5_0fb0),
        ("e4 d5 e5", 0x662f_afb9_65db_29d4),
        ("e4 d5 e5 f5", 0x22a4_8b5a_8e47_ff78),
        ("e4 d5 e5 f5 Ke2", 0x652a_607c_a3f2_42c1),
        ("e4 d5 e5 f5 Ke2 Kf7", 0x00fd_d303_c946_bdd9),
        ("a4 b5 h4 b4 c4", 0x3c81_23ea_7b06_7637),
        ("a4 b5 h4 b4 c4 bxc3 Ra3", 0x5c3f_9b82_9b27_9560),
    ];
    for (line, key) in PUBLISHED {
        let mut position = Position::initial();
        for san in line.split_whitespace() {
            position.play(position.parse_san(san).unwrap());
        }
        assert_eq!(position.key(), key, "after `{line}`");
    }
}

#[test]
fn what_gives_check_is_what_checks_when_played() {
    let mut checks = 0;
    for position in positions(2, 4_000) {
        let squares = position.check_squares();
        for m in position.legal_moves() {
            let check = position.after(m).is_check();
            let what = || format!("{} in {}", position.uci(m), position.fen());
            assert_eq!(position.gives_check(m, &squares), check, "{}", what());
            checks += usize::from(check);
        }
    }
    assert!(checks > 1_000, "{checks} checks");
}

#[test]
fn every_legal_move_survives_packing() {
    for position in positions(3, 3_000) {
        for m in position.legal_moves() {
            let packed = PackedMove::from(m);
            assert!(!packed.is_none());
            assert_eq!(PackedMove::from_bits(packed.bits()), packed);
            assert_eq!(packed.unpack(&position), Some(m), "{}", position.fen());
        }
    }
}

/// All 65,536 words: exactly the legal moves unpack, and each word that does is
/// the word of its move.
#[test]
fn what_unpacks_is_legal_and_packs_to_the_same_word() {
    for position in positions(4, 400).iter().step_by(20) {
        let mut unpacked = 0;
        for bits in 0..=u16::MAX {
            let packed = PackedMove::from_bits(bits);
            if let Some(m) = packed.unpack(position) {
                assert!(position.is_legal(m));
                assert_eq!(PackedMove::from(m), packed, "{}", position.fen());
                unpacked += 1;
            }
        }
        assert_eq!(unpacked, position.legal_moves().len());
    }
}

#[test]
fn mirrored_twice_is_the_same() {
    for position in positions(5, 3_000) {
        let mirrored = position.mirrored();
        assert_eq!(mirrored.turn(), !position.turn());
        assert_eq!(mirrored.legal_moves().len(), position.legal_moves().len());
        assert_ne!(mirrored.key(), position.key());

        let twice = mirrored.mirrored();
        assert_eq!(twice, position);
        assert_eq!(twice.key(), position.key());
        assert_eq!(twice.pawn_key(), position.pawn_key());
        assert_eq!(twice.fen(), position.fen());
    }
}

#[test]
fn passing_changes_the_side_to_move_and_the_clock_only() {
    let mut passed = 0;
    for position in positions(6, 5_000) {
        let Some(next) = position.after_null_move() else {
            assert!(position.is_check());
            continue;
        };
        assert!(!position.is_check());
        assert_eq!(next.board(), position.board());
        assert_eq!(next.turn(), !position.turn());
        assert_eq!(next.halfmoves(), position.halfmoves() + 1);
        assert_eq!(next.en_passant_square(), None);
        let rights = |p: &Position| p.chess().castles().castling_rights();
        assert_eq!(rights(&next), rights(&position));

        let scratch = Position::from(next.chess().clone());
        assert_eq!(next.key(), scratch.key());
        assert_eq!(next.pawn_key(), scratch.pawn_key());
        passed += 1;
    }
    assert!(passed > 4_000, "{passed} passes");
}

#[test]
fn passing_twice_is_staying_unless_a_pawn_could_be_taken_in_passing() {
    for position in positions(7, 2_000) {
        let twice = position
            .after_null_move()
            .and_then(|next| next.after_null_move());
        if let Some(twice) = twice {
            assert_eq!(
                twice.key() == position.key(),
                position.en_passant_square().is_none()
            );
        }
    }
}

#[test]
fn all_starts_of_chess960_are_there_and_no_more() {
    let mut fens: Vec<String> = (0..960)
        .map(|number| Position::chess960(number).unwrap().fen())
        .collect();
    assert_eq!(fens[518], Position::initial().fen());
    assert!(fens.iter().all(|fen| fen.contains(" KQkq ")));
    fens.sort();
    fens.dedup();
    assert_eq!(fens.len(), 960);
    assert!(Position::chess960(960).is_none());
    assert!(Position::chess960(u32::MAX).is_none());
}

#[test]
fn a_castling_right_goes_with_the_rook_that_is_taken() {
    let position = Position::from_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").unwrap();
    let after = position.after(position.parse_san("Rxa8+").unwrap());
    let rights = |color, side| after.may_castle(color, side);
    assert!(rights(Color::White, KingSide) && !rights(Color::White, QueenSide));
    assert!(rights(Color::Black, KingSide) && !rights(Color::Black, QueenSide));
}

#[test]
fn a_move_of_another_position_is_not_legal() {
    let position = Position::initial();
    for m in [
        Move::Normal {
            role: Role::Rook,
            from: Square::A1,
            capture: None,
            to: Square::A4,
            promotion: None,
        },
        Move::Castle {
            king: Square::E1,
            rook: Square::H1,
        },
    ] {
        assert!(!position.is_legal(m));
    }
}
