//! Each group of terms on a position made for it.

use mendel_board::Color::{self, Black, White};
use mendel_evaluator::classic::{GROUPS, Scratch};
use mendel_evaluator::{Breakdown, Evaluator};

use crate::{classic, position};

fn breakdown(fen: &str) -> Breakdown {
    let mut breakdown = Breakdown::default();
    classic().evaluate(&position(fen), &mut Scratch::default(), &mut breakdown);
    breakdown
}

/// What a side counts in a group: labels and counts, in the order of the table.
fn counts(breakdown: &Breakdown, name: &str, side: Color) -> Vec<(String, i32)> {
    let group = GROUPS.iter().find(|group| group.name == name).expect(name);
    (0..group.length)
        .map(|index| {
            (
                group.label(index),
                breakdown.count(group.first + index, side),
            )
        })
        .filter(|(_, count)| *count != 0)
        .collect()
}

/// A row of the table below: group, side, and what it should count as
/// `label×count`, separated by commas; empty for nothing.
type Expected = (&'static str, Color, &'static str);

fn check(fen: &str, expected: &[Expected]) {
    let breakdown = breakdown(fen);
    for (name, side, wanted) in expected {
        let found: Vec<String> = counts(&breakdown, name, *side)
            .into_iter()
            .map(|(label, count)| format!("{label}×{count}"))
            .collect();
        assert_eq!(found.join(", "), *wanted, "{name} of {side} in `{fen}`");
    }
}

#[test]
fn material_and_squares() {
    check(
        "4k2q/8/8/8/8/2N5/P7/4K3 w - - 0 1",
        &[
            ("material", White, "pawn×1, knight×1"),
            ("material", Black, "queen×1"),
            ("square_pawn", White, "a2×1"),
            ("square_knight", White, "c3×1"),
            // Black's squares are read from Black's side.
            ("square_queen", Black, "h1×1"),
            ("square_king", Black, "e1×1"),
        ],
    );
}

#[test]
fn mobility_counts_safe_squares() {
    // The knight's d4 and b4 are attacked by the pawn c5; the rook sees the
    // whole first rank up to its own king, which does not count, and the a-file.
    check(
        "4k3/8/8/2p5/8/2N5/8/R3K3 w - - 0 1",
        &[
            ("mobility_knight", White, "8×1"),
            ("mobility_rook", White, "10×1"),
        ],
    );
    check(
        "4k3/8/2p5/8/8/2N5/8/4K3 w - - 0 1",
        &[("mobility_knight", White, "6×1")],
    );
}

#[test]
fn a_pinned_piece_moves_along_its_line_only() {
    check(
        "4r1k1/8/8/8/8/4N3/8/4K3 w - - 0 1",
        &[
            ("mobility_knight", White, "0×1"),
            ("pinned", White, "knight×1"),
            ("pinned", Black, ""),
        ],
    );
    // A rook on its own file keeps the squares between.
    check(
        "4r1k1/8/8/8/8/4R3/8/4K3 w - - 0 1",
        &[("mobility_rook", White, "6×1"), ("pinned", White, "rook×1")],
    );
}

#[test]
fn doubled_isolated_and_backward_pawns() {
    check(
        "4k3/3p4/8/8/8/P6P/P6P/4K3 w - - 0 1",
        &[
            ("pawn_doubled", White, "×2"),
            ("pawn_isolated", White, "unopposed×4"),
            ("pawn_isolated", Black, "unopposed×1"),
            ("pawn_doubled", Black, ""),
        ],
    );
    // d3 may not step forward: c5 and e5 would take it, and c4, e4 are past it.
    check(
        "4k3/8/8/2p1p3/2P1P3/3P4/8/4K3 w - - 0 1",
        &[
            ("pawn_backward", White, "unopposed×1"),
            ("pawn_isolated", White, ""),
            ("pawn_backward", Black, ""),
        ],
    );
}

#[test]
fn connected_pawns_and_phalanxes() {
    check(
        "4k3/8/8/8/3PP3/2P5/8/4K3 w - - 0 1",
        &[
            ("pawn_connected", White, "rank 4×1"),
            ("pawn_phalanx", White, "rank 4×2"),
        ],
    );
}

#[test]
fn candidates_have_as_many_helpers_as_there_are_guards() {
    check(
        "4k3/1p6/8/8/PP6/8/8/4K3 w - - 0 1",
        &[("pawn_candidate", White, "rank 4×1"), ("passed", White, "")],
    );
    check(
        "4k3/1pp5/8/8/1P6/P7/8/4K3 w - - 0 1",
        &[
            ("pawn_candidate", White, ""),
            ("pawn_candidate", Black, "rank 2×1"),
        ],
    );
}

#[test]
fn passed_pawns_know_their_way() {
    // Nothing in front, nothing attacks it, the king helps.
    check(
        "7k/8/3P4/4K3/8/8/8/7r w - - 0 1",
        &[
            ("passed", White, "rank 6×1"),
            ("passed_free", White, "rank 6×1"),
            ("passed_clear", White, "rank 6×1"),
            ("passed_supported", White, ""),
            ("passed_blocked", White, ""),
            ("passed_own_king", White, "distance 2×3"),
            ("passed_enemy_king", White, "distance 4×3"),
            ("passed_unstoppable", White, ""),
        ],
    );
    // Blocked by the king in front.
    check(
        "8/3k4/3P4/3K4/8/8/8/8 w - - 0 1",
        &[
            ("passed_blocked", White, "rank 6×1"),
            ("passed_free", White, ""),
        ],
    );
    // An own pawn further on or an enemy pawn beside the way: not passed.
    check(
        "4k3/8/8/2p5/3P4/3P4/8/4K3 w - - 0 1",
        &[("passed", White, ""), ("passed", Black, "")],
    );
}

#[test]
fn a_king_outside_the_square_cannot_catch_the_pawn() {
    let caught = [
        ("8/8/8/P6k/8/8/8/K7 w - - 0 1", "×1"),
        ("8/8/8/P4k2/8/8/8/K7 w - - 0 1", "×1"),
        ("8/8/8/P3k3/8/8/8/K7 w - - 0 1", "×1"),
        ("8/8/8/P2k4/8/8/8/K7 w - - 0 1", ""),
        ("8/8/8/P3k3/8/8/8/K7 b - - 0 1", ""),
        ("8/8/8/P4k2/8/8/8/K7 b - - 0 1", "×1"),
        // With a knight, or with its own king in the way, nothing is sure.
        ("8/8/8/P6k/8/8/7n/K7 w - - 0 1", ""),
        ("8/K7/8/P6k/8/8/8/8 w - - 0 1", ""),
    ];
    for (fen, expected) in caught {
        check(fen, &[("passed_unstoppable", White, expected)]);
    }
}

#[test]
fn bishops_and_their_pawns() {
    check(
        "2b1k3/8/8/3p4/3P4/2P5/8/2B1KB2 w - - 0 1",
        &[
            ("bishop_pair", White, "×1"),
            ("bishop_pair", Black, ""),
            // Both white pawns stand on dark squares, and d4 is blocked there.
            ("bishop_pawns", White, "×2"),
            ("bishop_blocked_pawns", White, "×1"),
            ("bishop_pawns", Black, "×1"),
            ("bishop_blocked_pawns", Black, "×1"),
        ],
    );
}

#[test]
fn outposts_cannot_be_attacked_by_pawns() {
    check(
        "4k3/4p3/8/3N4/2P5/8/8/4K3 w - - 0 1",
        &[("knight_outpost", White, "")],
    );
    check(
        "4k3/7p/8/3N4/2P5/8/8/4K3 w - - 0 1",
        &[("knight_outpost", White, "with a pawn×1")],
    );
    check(
        "4k3/7p/8/3B4/8/8/8/4K3 w - - 0 1",
        &[("bishop_outpost", White, "alone×1")],
    );
    check(
        "4k3/7p/8/8/2P5/2N5/8/4K3 w - - 0 1",
        &[("knight_near_outpost", White, "×1")],
    );
}

#[test]
fn minors_behind_pawns_and_near_the_king() {
    check(
        "4k3/8/8/8/8/4P3/4B3/6K1 w - - 0 1",
        &[
            ("minor_behind_pawn", White, "×1"),
            ("minor_from_king", White, "bishop×2"),
        ],
    );
}

#[test]
fn rooks_and_queens_on_files_and_ranks() {
    check(
        "6k1/p4ppp/8/8/8/8/5PPP/RQ1R2K1 w - - 0 1",
        &[
            ("rook_open_file", White, "×1"),
            ("rook_half_open_file", White, "×1"),
            ("queen_open_file", White, "×1"),
        ],
    );
    check(
        "6k1/3R4/1Q6/8/8/8/r3q3/7K b - - 0 1",
        &[
            ("rook_on_seventh", White, "×1"),
            ("rook_on_seventh", Black, "×1"),
            ("queen_on_seventh", Black, "×1"),
            ("queen_on_seventh", White, ""),
        ],
    );
    check(
        "6k1/8/8/P6p/8/8/8/R5KR w - - 0 1",
        &[
            ("rook_behind_passer", White, "own×1"),
            ("rook_behind_passer", Black, ""),
        ],
    );
    check(
        "6kR/8/8/P6p/8/8/8/6K1 b - - 0 1",
        &[("rook_behind_passer", White, "enemy×1")],
    );
}

#[test]
fn a_rook_beside_its_king_is_trapped() {
    check(
        "4k3/8/8/8/8/8/5PPP/5K1R w - - 0 1",
        &[("rook_trapped", White, "may not castle×1")],
    );
    check(
        "4k3/8/8/8/8/8/5PPP/5RK1 w - - 0 1",
        &[("rook_trapped", White, "")],
    );
    check(
        "4k2r/6pp/6n1/8/8/8/8/4K3 b k - 0 1",
        &[("rook_trapped", Black, "may castle×1")],
    );
}

#[test]
fn threats_by_pawns_minors_rooks_and_king() {
    check(
        "6k1/8/8/3n1b2/4P3/3K4/8/8 w - - 0 1",
        &[("threat_by_pawn", White, "knight×1, bishop×1")],
    );
    // A pawn that would be taken makes no threat; it hangs itself.
    check(
        "6k1/8/8/3n1b2/4P3/8/8/6K1 w - - 0 1",
        &[
            ("threat_by_pawn", White, ""),
            ("threat_by_minor", Black, "pawn×1"),
            ("threat_hanging", Black, "×1"),
        ],
    );
    check(
        "6k1/8/8/3q4/8/1B6/3R4/6K1 b - - 0 1",
        &[
            ("threat_by_minor", White, "queen×1"),
            ("threat_by_rook", White, "queen×1"),
            ("threat_hanging", White, "×1"),
        ],
    );
    check(
        "6k1/8/8/8/8/8/6n1/6K1 w - - 0 1",
        &[("threat_by_king", White, "×1")],
    );
    check(
        "6k1/8/3n1b2/8/8/4P3/8/6K1 w - - 0 1",
        &[("threat_by_push", White, "")],
    );
    check(
        "6k1/8/3n4/8/2P5/8/8/6K1 w - - 0 1",
        &[("threat_by_push", White, "×1")],
    );
}

#[test]
fn a_queen_can_be_chased() {
    check(
        "6k1/8/8/3q4/8/2N5/8/6K1 b - - 0 1",
        &[("threat_on_queen", White, "")],
    );
    // From d5, and from nowhere else, the knight would attack it.
    check(
        "6k1/4q3/8/8/8/2N5/8/6K1 w - - 0 1",
        &[("threat_on_queen", White, "×1")],
    );
}

#[test]
fn shelter_and_storm_of_a_castled_king() {
    check(
        "6k1/5ppp/8/6P1/8/7p/5PP1/6K1 w - - 0 1",
        &[
            ("shelter", White, "a/h none×1, b/g rank 2×1, c/f rank 2×1"),
            ("storm", White, "a/h rank 3×1, b/g rank 7×1, c/f rank 7×1"),
            ("shelter", Black, "a/h rank 2×1, b/g rank 2×1, c/f rank 2×1"),
            ("storm", Black, "a/h none×1, b/g rank 4×1, c/f rank 7×1"),
            ("king_open_file", White, ""),
            ("king_nearest_pawn", White, "distance 1×1"),
        ],
    );
    check(
        "6k1/8/8/6p1/6P1/8/8/K7 w - - 0 1",
        &[
            ("king_open_file", White, "open×1"),
            ("king_pawnless_wing", White, "×1"),
            ("king_open_file", Black, ""),
        ],
    );
    // The pawn g5 is stopped by g6.
    check(
        "6k1/5p1p/6p1/6P1/8/8/8/6K1 w - - 0 1",
        &[("storm_blocked", Black, "rank 4×1")],
    );
}

#[test]
fn the_right_to_castle() {
    check(
        "r3k3/8/8/8/8/8/8/R3K2R w KQq - 0 1",
        &[
            ("castling", White, "king side×1, queen side×1"),
            ("castling", Black, "queen side×1"),
        ],
    );
}

#[test]
fn an_attack_on_the_king_counts_units_checks_and_weak_squares() {
    let quiet = breakdown("6k1/5ppp/8/8/8/8/5PPP/3QR1K1 w - - 0 1");
    let attack = breakdown("6k1/5p1p/8/8/7R/8/5PPP/3Q2K1 w - - 0 1");
    let units = |breakdown: &Breakdown| {
        let found = counts(breakdown, "king_attack", White);
        found.first().map_or(0, |(label, _)| {
            label.parse::<i32>().expect("a label that is a number")
        })
    };
    assert!(units(&attack) > units(&quiet) + 10);
    assert_eq!(
        counts(&attack, "king_safe_check", White),
        [("rook".to_owned(), 1), ("queen".to_owned(), 1)]
    );
    assert!(!counts(&attack, "king_weak_square", White).is_empty());
    // A bare king attacks nothing.
    assert_eq!(counts(&attack, "king_attack", Black), []);
}

#[test]
fn space_needs_pieces_to_use_it() {
    let full = breakdown("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    assert_eq!(counts(&full, "space", White), counts(&full, "space", Black));
    assert!(counts(&full, "space", White)[0].1 > 0);
    check(
        "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1",
        &[("space", White, "")],
    );
}

#[test]
fn a_lone_king_is_driven_to_the_edge_and_the_right_corner() {
    check(
        "7k/8/5K2/8/8/8/8/R7 w - - 0 1",
        &[
            ("mate_edge", White, "distance 0×2"),
            ("mate_kings", White, "distance 2×1"),
            ("mate_corner", White, ""),
            ("mate_edge", Black, ""),
        ],
    );
    // A dark bishop mates in a1 or h8.
    check(
        "k7/8/2K5/8/8/8/8/2B4N w - - 0 1",
        &[("mate_corner", White, "distance 7×1")],
    );
    check(
        "7k/8/5K2/8/8/8/8/2B4N w - - 0 1",
        &[("mate_corner", White, "distance 0×1")],
    );
    // Two knights do not mate, and a pawn changes everything.
    check(
        "7k/8/5K2/8/8/8/8/6NN w - - 0 1",
        &[("mate_edge", White, "")],
    );
    check(
        "7k/p7/5K2/8/8/8/8/R7 w - - 0 1",
        &[("mate_edge", White, "")],
    );
}

#[test]
fn the_move_belongs_to_the_side_to_move() {
    let fen = "4k3/8/8/8/8/8/8/4K3 b - - 0 1";
    check(fen, &[("tempo", White, ""), ("tempo", Black, "×1")]);
}

#[test]
fn the_taper_goes_from_the_middle_game_to_the_end_game() {
    let taper = |fen| breakdown(fen).taper();
    let full = taper("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    assert_eq!(full.part, full.of);
    let bare = taper("4k2r/8/8/8/8/8/8/R3K3 w - - 0 1");
    assert_eq!(bare.part, 0);
    let between = taper("3qk2r/8/8/8/8/8/8/R2QK3 w - - 0 1");
    assert!(0 < between.part && between.part < between.of);
}

#[test]
fn endings_that_cannot_be_won_are_scaled_down() {
    let scale = |fen| breakdown(fen).scale().part;
    let dead = [
        "4k3/8/8/8/8/8/8/3BK3 w - - 0 1",
        "4k3/8/8/8/8/8/8/2NNK3 w - - 0 1",
        "4k3/8/8/8/8/8/8/n2BK3 w - - 0 1",
        // The wrong bishop, and a pawn on the edge alone.
        "k7/8/P7/8/8/8/8/2B1K3 w - - 0 1",
        "k7/8/P7/8/8/8/8/4K3 w - - 0 1",
    ];
    for fen in dead {
        assert!(scale(fen) <= 2, "{} for `{fen}`", scale(fen));
    }
    let drawish = [
        "4k3/8/8/8/8/8/8/b2RK3 w - - 0 1",
        "4k2r/8/8/8/8/8/8/3RK3 w - - 0 1",
        "4k2r/8/8/8/8/8/8/N2RK3 w - - 0 1",
        "4k3/5p2/3b4/8/8/5P2/4BP2/4K3 w - - 0 1",
        "4k3/8/3n4/8/8/5P2/4B3/4K3 w - - 0 1",
    ];
    for fen in drawish {
        assert!((1..=32).contains(&scale(fen)), "{} for `{fen}`", scale(fen));
    }
    let won = [
        "4k3/8/8/8/8/8/8/3RK3 w - - 0 1",
        "4k2r/8/8/8/8/8/8/3QK3 w - - 0 1",
        "k7/8/P7/8/8/8/8/3BK3 w - - 0 1",
        "8/8/P3k3/8/8/8/8/4K3 w - - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    ];
    for fen in won {
        assert_eq!(scale(fen), 64, "`{fen}`");
    }
}

#[test]
fn quiet_positions_are_judged_as_people_judge_them() {
    let judged = [
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            0,
            40,
        ),
        // A pawn, a piece, the exchange, a queen.
        (
            "rnbqkbnr/ppp1pppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            40,
            160,
        ),
        (
            "rnbqkb1r/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            250,
            500,
        ),
        (
            "r1bqkbn1/pppppppp/8/8/8/8/PPPPPPPP/1NBQKBNR w - - 0 1",
            300,
            700,
        ),
        ("4k3/5ppp/8/8/8/8/5PPP/3QK3 w - - 0 1", 900, 1600),
        // Castled against still in the middle, with the e-file open.
        (
            "r1bqk2r/pp3ppp/2n2n2/3p4/3P4/2N2N2/PP3PPP/R1BQ1RK1 w kq - 0 1",
            50,
            450,
        ),
        // A far passed pawn in a pawn ending.
        ("8/5k1p/6p1/P7/8/6P1/5K1P/8 w - - 0 1", 150, 700),
    ];
    for (fen, low, high) in judged {
        let score = classic()
            .evaluate(
                &position(fen),
                &mut Scratch::default(),
                &mut Breakdown::default(),
            )
            .0;
        assert!((low..=high).contains(&score), "{score} for `{fen}`");
    }
}
