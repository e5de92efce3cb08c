//! Each term of GERALD's evaluation on positions made for it.

use mendel_board::Color::{Black, White};
use mendel_evaluator::gerald::FEATURES;
use mendel_evaluator::{Breakdown, Evaluator, Share};

use crate::{gerald, position};

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

fn breakdown(fen: &str) -> Breakdown {
    let mut breakdown = Breakdown::default();
    gerald().evaluate(&position(fen), &mut (), &mut breakdown);
    breakdown
}

fn number(term: &str) -> usize {
    let found = FEATURES.iter().position(|feature| feature.name == term);
    found.unwrap_or_else(|| panic!("no term `{term}`"))
}

/// Position, term, White's count, Black's count.
type Case = (&'static str, &'static str, i32, i32);

fn check(cases: &[Case]) {
    for &(fen, term, white, black) in cases {
        let breakdown = breakdown(fen);
        let count = |side| breakdown.count(number(term), side);
        assert_eq!(
            (count(White), count(Black)),
            (white, black),
            "{term}: {fen}"
        );
    }
}

#[test]
fn every_term_says_what_it_counts() {
    assert_eq!(FEATURES.len(), 29);
    for feature in FEATURES {
        assert!(feature.about.ends_with('.'), "{}", feature.name);
    }
}

/// What Figure 2.5.3 prints for Kiwipete, and what we count: White less Black.
#[test]
fn kiwipete_counts_as_the_figure_says() {
    let figure = [
        ("pawn", 0),
        ("knight", 0),
        ("bishop", 0),
        ("rook", 0),
        ("queen", 0),
        ("passed_pawn", 0),
        ("doubled_pawn", 0),
        ("isolated_pawn", 0),
        ("weak_pawn", 0),
        ("weak_square", 5),
        ("passed_pawn_enemy_king_square", 0),
        ("knight_mobility", 2),
        ("knight_outpost", 0),
        ("bishop_mobility", 3),
        ("bishop_pair", 0),
        ("rook_attack_king_file", 0),
        ("rook_attack_king_adjacent_file", 0),
        ("rook_seventh_rank", 0),
        ("rook_connected", 0),
        ("rook_mobility", -4),
        ("rook_behind_passed_pawn", 0),
        ("rook_open_file", 0),
        ("rook_semi_open_file", 0),
        ("rook_attack_weak_pawn", 0),
        ("queen_mobility", 5),
        ("king_friendly_pawn", -4),
        ("king_no_enemy_pawn", 0),
        ("king_pressure", -6),
    ];
    // The figure counts what a king suffers; ours belongs to the attacker.
    let differs = [("king_pressure", 6)];
    // The figure has no row for it.
    let missing = [("central_pawn", 2)];

    let breakdown = breakdown(KIWIPETE);
    let difference = |term| {
        let term = number(term);
        breakdown.count(term, White) - breakdown.count(term, Black)
    };
    assert_eq!(breakdown.taper(), Share { part: 24, of: 24 });
    assert_eq!(figure.len() + missing.len(), FEATURES.len());
    for (term, printed) in figure {
        let ours = differs.iter().find(|(name, _)| *name == term);
        let expected = ours.map_or(printed, |(_, ours)| *ours);
        assert_eq!(difference(term), expected, "{term}");
    }
    for (term, expected) in missing {
        assert_eq!(difference(term), expected, "{term}");
    }
}

#[test]
fn the_taper_goes_from_forty_eight_points_of_material_to_twenty_four() {
    let cases = [
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            24,
        ),
        ("3qk3/pppppppp/8/8/8/8/PPPPPPPP/3QK3 w - - 0 1", 10),
        ("r3k3/8/8/8/8/8/8/RR2K2R w - - 0 1", 0),
        ("r3k3/8/8/8/8/8/PPPPP3/RR2K2R w - - 0 1", 1),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", 0),
    ];
    for (fen, part) in cases {
        assert_eq!(breakdown(fen).taper(), Share { part, of: 24 }, "{fen}");
    }
}

#[test]
fn pieces_and_pairs() {
    check(&[
        ("2bqk3/p7/8/8/8/8/PP6/RN2K1NR w - - 0 1", "pawn", 2, 1),
        ("2bqk3/p7/8/8/8/8/PP6/RN2K1NR w - - 0 1", "knight", 2, 0),
        ("2bqk3/p7/8/8/8/8/PP6/RN2K1NR w - - 0 1", "bishop", 0, 1),
        ("2bqk3/p7/8/8/8/8/PP6/RN2K1NR w - - 0 1", "rook", 2, 0),
        ("2bqk3/p7/8/8/8/8/PP6/RN2K1NR w - - 0 1", "queen", 0, 1),
        ("2b1k3/8/8/8/8/8/8/2B1KB2 w - - 0 1", "bishop_pair", 1, 0),
    ]);
}

#[test]
fn passed_pawns() {
    const RACE: &str = "k7/8/8/7P/8/p7/8/7K w - - 0 1";
    check(&[
        ("4k3/8/8/3p4/8/8/P3P3/4K3 w - - 0 1", "passed_pawn", 1, 0),
        // A pawn beside or behind does not stop it; one in front does.
        ("4k3/8/8/8/3pP3/8/8/4K3 w - - 0 1", "passed_pawn", 1, 1),
        ("4k3/4p3/8/4P3/8/8/8/4K3 w - - 0 1", "passed_pawn", 0, 0),
        // Of two on a file the first is passed.
        ("4k3/8/8/4P3/4P3/8/8/4K3 w - - 0 1", "passed_pawn", 1, 0),
        // Both kings are too far away.
        (RACE, "passed_pawn_enemy_king_square", 1, 1),
        // The king is three steps from d8, and the pawn needs four.
        (
            "6k1/8/8/8/3P4/8/8/4K3 w - - 0 1",
            "passed_pawn_enemy_king_square",
            0,
            0,
        ),
        // From b8 the king needs five steps to g8; the pawn needs four, or Black is to move.
        (
            "1k6/8/8/8/6P1/8/8/4K3 w - - 0 1",
            "passed_pawn_enemy_king_square",
            1,
            0,
        ),
        (
            "1k6/8/8/8/6P1/8/8/4K3 b - - 0 1",
            "passed_pawn_enemy_king_square",
            0,
            0,
        ),
        // A first step is a double step: five, not six.
        (
            "1k6/8/8/8/8/8/7P/4K3 w - - 0 1",
            "passed_pawn_enemy_king_square",
            1,
            0,
        ),
    ]);
}

#[test]
fn doubled_isolated_weak_and_central_pawns() {
    check(&[
        (
            "4k3/8/8/4p3/2P5/2P5/2P5/4K3 w - - 0 1",
            "doubled_pawn",
            -2,
            0,
        ),
        (
            "4k3/8/p1p5/8/8/8/PP1P4/4K3 w - - 0 1",
            "isolated_pawn",
            -1,
            -2,
        ),
        // The neighbour has gone past d6, and e4 guards d5.
        ("4k3/8/3p4/2p5/4P3/8/8/4K3 w - - 0 1", "weak_pawn", 0, -1),
        // The square in front of it is not attacked.
        ("4k3/8/3p4/2p5/8/8/4P3/4K3 w - - 0 1", "weak_pawn", 0, 0),
        // A neighbour level with it can still help.
        ("4k3/8/2pp4/8/4P3/8/8/4K3 w - - 0 1", "weak_pawn", 0, 0),
        // Isolated pawns are counted as such.
        ("4k3/8/3p4/8/4P3/8/8/4K3 w - - 0 1", "weak_pawn", 0, 0),
        (
            "4k3/8/8/3pp3/3PP3/8/2P2P2/4K3 w - - 0 1",
            "central_pawn",
            2,
            2,
        ),
    ]);
}

#[test]
fn weak_squares_are_those_no_pawn_can_guard() {
    check(&[
        // All thirty-two without pawns; one pawn on b2 guards two files.
        ("4k3/8/8/8/8/8/1P6/4K3 w - - 0 1", "weak_square", -24, -32),
        // On b4 it guards only what lies beyond it: a5, a6, c5, c6.
        ("4k3/8/8/8/1P6/8/8/4K3 w - - 0 1", "weak_square", -28, -32),
    ]);
}

#[test]
fn an_outpost_is_defended_by_a_pawn_and_safe_from_pawns() {
    check(&[
        ("4k3/8/8/3N4/4P3/8/8/4K3 w - - 0 1", "knight_outpost", 1, 0),
        ("4k3/8/8/3N4/8/8/8/4K3 w - - 0 1", "knight_outpost", 0, 0),
        (
            "4k3/2p5/8/3N4/4P3/8/8/4K3 w - - 0 1",
            "knight_outpost",
            0,
            0,
        ),
        // The pawn has gone past.
        (
            "4k3/8/8/3N4/2p1P3/8/8/4K3 w - - 0 1",
            "knight_outpost",
            1,
            0,
        ),
        // On the seventh rank it is no outpost.
        ("8/3N4/2P5/8/8/8/8/k3K3 w - - 0 1", "knight_outpost", 0, 0),
    ]);
}

#[test]
fn mobility_counts_squares_not_moves() {
    check(&[
        ("4k3/8/8/8/8/8/8/N3K3 w - - 0 1", "knight_mobility", 2, 0),
        // Both reach c3; a3, d2, b2, e3 and f2 are reached by one.
        ("4k3/8/8/8/8/8/6K1/1N1N4 w - - 0 1", "knight_mobility", 6, 0),
        (
            "4k3/8/8/8/8/1p6/2P5/N3K3 w - - 0 1",
            "knight_mobility",
            1,
            0,
        ),
        // A bishop's capture counts if it takes a rook or a queen.
        (
            "4k3/8/8/8/3n4/8/1P6/B3K3 w - - 0 1",
            "bishop_mobility",
            0,
            0,
        ),
        ("4k3/8/8/8/3n4/8/8/B3K3 w - - 0 1", "bishop_mobility", 2, 0),
        ("4k3/8/8/8/3r4/8/8/B3K3 w - - 0 1", "bishop_mobility", 3, 0),
        ("4k3/8/8/8/r7/8/8/R3K3 w - - 0 1", "rook_mobility", 5, 13),
        ("4k3/8/8/8/q7/8/8/R3K3 w - - 0 1", "rook_mobility", 6, 0),
        ("4k3/8/8/8/8/8/PP6/Qn2K3 w - - 0 1", "queen_mobility", 1, 0),
    ]);
}

#[test]
fn rooks_on_files_and_ranks() {
    check(&[
        (
            "4k3/8/8/8/8/8/8/3RRR1K b - - 0 1",
            "rook_attack_king_file",
            1,
            0,
        ),
        (
            "4k3/8/8/8/8/8/8/3RRR1K b - - 0 1",
            "rook_attack_king_adjacent_file",
            2,
            0,
        ),
        ("7k/R7/8/8/8/8/r6r/3K4 w - - 0 1", "rook_seventh_rank", 1, 2),
        ("4k3/8/8/8/8/8/8/R4RK1 w - - 0 1", "rook_connected", 1, 0),
        ("4k3/8/8/8/8/8/8/R2N1RK1 w - - 0 1", "rook_connected", 0, 0),
        ("4k3/8/8/8/R7/8/8/R4RK1 w - - 0 1", "rook_connected", 1, 0),
        ("4k3/p7/8/8/8/8/7P/RR4KR w - - 0 1", "rook_open_file", 1, 0),
        (
            "4k3/p7/8/8/8/8/7P/RR4KR w - - 0 1",
            "rook_semi_open_file",
            1,
            0,
        ),
        (
            "4k3/8/8/P7/8/8/8/R3K3 w - - 0 1",
            "rook_behind_passed_pawn",
            1,
            0,
        ),
        (
            "4k3/R7/8/P7/8/8/8/4K3 w - - 0 1",
            "rook_behind_passed_pawn",
            0,
            0,
        ),
        (
            "4k3/8/8/8/8/p7/8/R3K2r w - - 0 1",
            "rook_behind_passed_pawn",
            0,
            0,
        ),
        (
            "4k2r/8/8/7p/8/8/8/4K3 w - - 0 1",
            "rook_behind_passed_pawn",
            0,
            1,
        ),
    ]);
}

#[test]
fn a_rook_attacks_a_weak_pawn_along_its_file() {
    check(&[
        (
            "4k3/8/3p4/2p5/4P3/8/8/3RK3 w - - 0 1",
            "rook_attack_weak_pawn",
            1,
            0,
        ),
        (
            "4k3/8/3p4/2p5/4P3/3N4/8/3RK3 w - - 0 1",
            "rook_attack_weak_pawn",
            0,
            0,
        ),
        (
            "4k3/8/3p3R/2p5/4P3/8/8/4K3 w - - 0 1",
            "rook_attack_weak_pawn",
            0,
            0,
        ),
    ]);
}

#[test]
fn pawns_near_the_king() {
    check(&[
        // f2 and h2 two steps away, g3 two: 3 + 3 + 3; the pawn on a2 is elsewhere.
        (
            "4k3/8/8/8/8/6P1/P4P1P/6K1 w - - 0 1",
            "king_friendly_pawn",
            9,
            0,
        ),
        // Five steps and more count nothing, and never less.
        (
            "4k3/8/8/6PP/8/8/8/6K1 w - - 0 1",
            "king_friendly_pawn",
            1,
            0,
        ),
        (
            "4k3/6P1/8/8/8/8/8/6K1 w - - 0 1",
            "king_friendly_pawn",
            0,
            0,
        ),
        // g2 is one step away, h3 three.
        (
            "4k3/8/8/8/8/7p/6p1/6K1 w - - 0 1",
            "king_no_enemy_pawn",
            -2,
            0,
        ),
        (
            "4k3/4P3/3P4/8/8/8/8/6K1 w - - 0 1",
            "king_no_enemy_pawn",
            0,
            -2,
        ),
    ]);
}

#[test]
fn pressure_weighs_the_pieces_that_reach_the_kings_zone() {
    check(&[
        // f7 and h7; the zone of g8 is f6 to h8.
        ("6k1/8/8/6N1/8/8/8/K7 w - - 0 1", "king_pressure", 2, 0),
        // The seventh rank: f7, g7, h7, three each.
        ("6k1/R7/8/8/8/8/8/K7 w - - 0 1", "king_pressure", 9, 0),
        // The same three by a queen, five each.
        ("6k1/Q7/8/8/8/8/8/K7 w - - 0 1", "king_pressure", 15, 0),
        ("6k1/8/8/8/8/2B5/8/K7 w - - 0 1", "king_pressure", 3, 0),
    ]);
}
