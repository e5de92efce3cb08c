//! The terms of the λ hybrid, each on a position made for it.

use mendel_evaluator::{Evaluator, Lambda, LinearEvaluator, Silent};

use crate::counts::{Case, check};
use crate::{paper, position};

fn lambda() -> LinearEvaluator<Lambda> {
    paper(include_str!("../../../players/lambda-ga.toml"))
}

const CASES: &[Case] = &[
    (
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        &[
            ("pawn_value", 8, 8),
            ("knight_value", 2, 2),
            ("bishop_value", 2, 2),
            ("rook_value", 2, 2),
            ("queen_value", 1, 1),
            ("bishop_pair", 1, 1),
            // Squares of own pieces are controlled too.
            ("knight_mobility", 6, 6),
            ("bishop_mobility", 4, 4),
            ("rook_mobility", 4, 4),
            ("queen_mobility", 5, 5),
            ("rook_connected", 0, 0),
            ("king_number_friendly_pawns", 1, 1),
            ("king_number_friendly_pawns_adjacent", 2, 2),
            ("king_friendly_pawn_advanced", 0, 0),
            ("passed_pawn_number", 0, 0),
            ("knight_piece_table", -6, -6),
            ("bishop_piece_table", -2, -2),
            ("rook_piece_table", -2, -2),
            ("queen_piece_table", 0, 0),
            ("pawn_piece_table", -2, -2),
            ("king_piece_table", -1, -1),
        ],
    ),
    // With White to move everything controls what it attacks.
    (
        "7k/6b1/2p5/3N4/3R4/8/8/3Q2K1 w - - 0 1",
        &[
            ("knight_mobility", 8, 0),
            ("bishop_mobility", 0, 6),
            ("rook_mobility", 11, 0),
            ("queen_mobility", 16, 0),
        ],
    ),
    // With Black to move the knight falls to the pawn and the rook to the bishop.
    (
        "7k/6b1/2p5/3N4/3R4/8/8/3Q2K1 b - - 0 1",
        &[
            ("knight_mobility", 0, 0),
            ("bishop_mobility", 0, 6),
            ("rook_mobility", 0, 0),
            ("queen_mobility", 16, 0),
        ],
    ),
    // A queen attacked by its like is lost only if it is not defended.
    (
        "8/7k/8/8/q2Q4/8/3R4/6K1 b - - 0 1",
        &[("queen_mobility", 26, 17)],
    ),
    (
        "8/7k/8/8/q2Q4/8/8/6K1 b - - 0 1",
        &[("queen_mobility", 0, 17)],
    ),
    // a5 is passed, 4 + 3 steps from the black king; b2 meets b4, and c7 would have to
    // pass it. f7 is free, 1 + 6 steps from the white king.
    (
        "4k3/2p2p2/8/P7/1p6/8/1P6/4K3 w - - 0 1",
        &[
            ("passed_pawn_number", 1, 1),
            ("passed_pawn_enemy_king_distance", 7, 7),
        ],
    ),
    // Three on one file are two too many; d, f and h stand alone.
    (
        "4k3/5p1p/8/3P4/3P4/3P4/5p2/K7 w - - 0 1",
        &[
            ("doubled_pawn_number", -2, -1),
            ("isolated_pawn_number", -3, -3),
            ("number_of_centre_pawns", 2, 0),
        ],
    ),
    // d3 cannot step to d4, where e5 takes, and c4 and e4 are past it. For Black e5 has
    // c5 without a neighbour: isolated.
    (
        "4k3/8/8/2p1p3/2P1P3/3P4/8/4K3 w - - 0 1",
        &[
            ("backward_pawn_number", -1, 0),
            ("isolated_pawn_number", 0, -2),
        ],
    ),
    // Knights on d5 (safe, defended), f5 (attackable by g7) and a5 (not defended); on
    // d3 it is neither in the centre nor in the enemy's half.
    (
        "4k3/6p1/8/N2N1N2/2P1P3/3N4/2P5/4K3 w - - 0 1",
        &[("knight_outpost_number", 1, 0)],
    ),
    // The centre counts, and so does one's own half of it.
    (
        "4k3/8/8/8/3N4/4P3/8/4K3 w - - 0 1",
        &[("knight_outpost_number", 1, 0)],
    ),
    // Both rooks are on files with a weak pawn: a7 alone, d6 backward behind c5. An own
    // pawn in between does not matter. The rook on d1 sees nothing of a1.
    (
        "4k3/p7/3p4/2p5/2P1P3/8/3P4/R2RK3 w - - 0 1",
        &[
            ("rook_attack_weak_pawn_open_column", 2, 0),
            ("rook_connected", 1, 0),
            ("rook_semi_open_file", 1, 0),
            ("rook_open_file", 0, 0),
        ],
    ),
    // a: no pawn; b: an enemy pawn; h: an own pawn. An open file is semi-open too.
    (
        "6k1/1p6/8/8/8/8/7P/RR2K2R w - - 0 1",
        &[
            ("rook_open_file", 1, 0),
            ("rook_semi_open_file", 2, 0),
            ("rook_attack_king_file", 0, 0),
            ("rook_attack_king_adj_file", 1, 0),
            ("rook_mobility", 8 + 10 + 4, 0),
        ],
    ),
    (
        "6k1/8/8/8/8/8/6R1/4K3 b - - 0 1",
        &[
            ("rook_attack_king_file", 1, 0),
            ("rook_attack_king_adj_file", 0, 0),
            ("rook_piece_table", 0, 0),
        ],
    ),
    // A white rook behind the pawn that comes down, and one in front of it; the black
    // rook stands behind its own pawn, which is not meant.
    (
        "1r2k3/1R6/8/8/1p6/8/8/1R2K3 w - - 0 1",
        &[("rook_behind_passed_pawn", 1, 0)],
    ),
    // The king's own file, the files beside it, and who has left the second rank.
    (
        "6k1/5pp1/8/7p/6P1/5P2/7P/6K1 w - - 0 1",
        &[
            ("king_number_friendly_pawns", 1, 1),
            ("king_number_friendly_pawns_adjacent", 2, 2),
            ("king_friendly_pawn_advanced", 2, 1),
            // Four ranks from g1 is h5, from g8 g4; the others are further away.
            ("king_number_enemy_pawns", 0, -1),
            ("king_number_enemy_pawns_adjacent", -1, 0),
        ],
    ),
    (
        "6k1/8/8/8/6p1/8/8/6K1 w - - 0 1",
        &[("king_number_enemy_pawns", -1, 0)],
    ),
    // From e1 to d8: 1 + 7. From e8 to h1 and a4: 3 + 7 and 4 + 4. Pawns and kings are
    // no pressure. The queen has its file, its rank and two diagonals.
    (
        "3qk3/p7/8/8/N7/8/8/4K2B w - - 0 1",
        &[
            ("pressure_against_king", 8, 18),
            ("queen_mobility", 0, 3 + 1 + 7 + 4 + 3),
        ],
    ),
    // Three pieces are an end game, in which the king belongs in the middle.
    (
        "4k3/8/8/3K4/8/8/8/RNB5 w - - 0 1",
        &[
            ("king_piece_table", 4, -2),
            ("knight_piece_table", -3, 0),
            ("bishop_piece_table", -1, 0),
            ("rook_piece_table", -1, 0),
        ],
    ),
    (
        "4k3/8/4q3/8/8/8/8/4K3 w - - 0 1",
        &[("queen_piece_table", 0, 1)],
    ),
    ("R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1", &[("checkmate", 1, 0)]),
    // The king can take.
    ("6Rk/6pp/8/8/8/8/8/4K3 b - - 0 1", &[("checkmate", 0, 0)]),
    // Stalemate is no mate.
    ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", &[("checkmate", 0, 0)]),
];

#[test]
fn every_term_counts_what_it_says() {
    check(&lambda(), CASES);
}

#[test]
fn a_queen_and_a_rook_do_not_make_up_for_a_mate() {
    let mated = "R5k1/5ppp/7q/7r/8/8/8/K7 b - - 0 1";
    let score = lambda().evaluate(&position(mated), &mut (), &mut Silent);
    assert!(score.0 < -10_000, "{score:?}");
}
