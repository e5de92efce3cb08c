//! The terms of David and others, each on a position made for it.

use mendel_evaluator::{David, LinearEvaluator};

use crate::counts::{Case, check};
use crate::paper;

fn david() -> LinearEvaluator<David> {
    paper(include_str!("../../../players/evol-star.toml"))
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
            ("bishop_mobility", 4, 4),
            ("rook_mobility", 4, 4),
            ("queen_mobility", 5, 5),
            ("knight_sq_mult", 6, 6),
            ("rook_connected", 0, 0),
            ("pawn_advance_a", 0, 0),
            ("weak_square_penalty", 0, 0),
            ("king_no_friendly_pawn", 0, 0),
            ("king_no_friendly_pawn_adj", 0, 0),
            ("king_no_enemy_pawn", 0, 0),
            ("king_pressure_mult", 0, 0),
        ],
    ),
    // Steps: a4 and h3 are 2 + 1, c6 is 4; Black has made 3 + 1 and 2.
    (
        "4k3/6p1/2P4p/1p1p4/P7/7P/8/4K3 w - - 0 1",
        &[("pawn_advance_a", 3, 3), ("pawn_advance_b", 4, 2)],
    ),
    // a6 has made four steps, 1 + 2 + 3 + 4; h2 none. From e8 to a6 are four king
    // steps, to h2 six.
    (
        "4k3/8/P7/8/8/8/7P/4K3 w - - 0 1",
        &[
            ("passed_pawn_mult", 10, 0),
            ("passed_pawn_enemy_king_dist", 10, 0),
            ("doubled_pawn_penalty", 0, 0),
            ("isolated_pawn_penalty", -2, 0),
        ],
    ),
    (
        "4k3/p4p2/8/2p1p3/2P1P3/3P4/2P5/4K3 w - - 0 1",
        &[
            ("doubled_pawn_penalty", -1, 0),
            ("isolated_pawn_penalty", 0, -2),
            ("backward_pawn_penalty", 0, 0),
        ],
    ),
    (
        "4k3/8/8/2p1p3/2P1P3/3P4/8/4K3 w - - 0 1",
        &[("backward_pawn_penalty", -1, 0)],
    ),
    // One pawn on d4 still covers nothing of the eight squares; on e2 it would cover
    // d3, f3, d4 and f4. Black, without pawns, covers none.
    (
        "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
        &[("weak_square_penalty", -4, -8)],
    ),
    (
        "4k3/8/8/8/3P4/8/8/4K3 w - - 0 1",
        &[("weak_square_penalty", -8, -8)],
    ),
    // d5: outpost, central, defended. a5: outpost. g5: h7 can come. e2: too far back.
    (
        "4k3/7p/8/N2N2N1/4P3/8/4N3/4K3 w - - 0 1",
        &[
            ("knight_outpost_mult", 3 + 1, 0),
            ("knight_sq_mult", 4 + 8 + 6 + 6, 0),
        ],
    ),
    // The enemy king on g8: g is its file, f beside it and central, h beside it and at
    // the edge.
    (
        "6k1/8/8/8/8/8/8/K4RRR b - - 0 1",
        &[
            ("rook_attack_king_file", 1, 0),
            ("rook_attack_king_adj_file", 1, 0),
            ("rook_attack_king_adj_file_abgh", 1, 0),
            ("rook_open_file", 3, 0),
            ("rook_connected", 1, 0),
            ("rook_column_mult", 2 + 1, 0),
            ("rook_mobility", 13 + 9 + 8, 0),
            ("king_pressure_mult", 2 + 1 + 2, 0),
        ],
    ),
    // Own pawns on the file, and there is no attack.
    (
        "6k1/8/8/8/8/8/5PPP/K4RRR w - - 0 1",
        &[
            ("rook_attack_king_file", 0, 0),
            ("rook_attack_king_adj_file", 0, 0),
            ("rook_attack_king_adj_file_abgh", 0, 0),
            ("rook_open_file", 0, 0),
        ],
    ),
    // A file with an enemy pawn only is semi-open and not open; c7 is isolated. Two
    // rooks on the seventh rank, one for each side as it counts.
    (
        "4k3/R1p5/8/8/8/8/r7/2R1K3 w - - 0 1",
        &[
            ("rook_open_file", 1, 1),
            ("rook_semi_open_file", 1, 0),
            ("rook_atck_weak_pawn_open_column", 1, 0),
            ("rook_7th_rank", 1, 1),
        ],
    ),
    // Behind the own passed pawn and behind the enemy's; in front of it does not count.
    (
        "4k2r/7R/8/1P6/7p/8/8/1R2K3 w - - 0 1",
        &[("rook_behind_passed_pawn", 2, 1)],
    ),
    // White's king on g1 lacks the pawn in front and beside it the one on the f file;
    // h3 has made one step. No black pawn on g and h. Black has no queen to fear.
    (
        "q5k1/5p2/8/8/8/7P/8/6K1 w - - 0 1",
        &[
            ("king_no_friendly_pawn", -1, 0),
            ("king_no_friendly_pawn_adj", -1, 0),
            ("king_friendly_pawn_advanced1", -1, 0),
            ("king_no_enemy_pawn", -1, 0),
            ("king_no_enemy_pawn_adj", -1, 0),
        ],
    ),
    // The queen on g2 has f8, g8 … g7 behind pieces on the g-file: it hits g7 only, the bishop
    // on b2 g7 too, the knight on f5 g7 and h6, which is not beside the king.
    (
        "6k1/6p1/8/5N2/8/8/1B4Q1/6K1 w - - 0 1",
        &[("king_pressure_mult", 3, 0)],
    ),
];

#[test]
fn every_term_counts_what_it_says() {
    check(&david(), CASES);
}
