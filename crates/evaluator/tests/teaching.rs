//! The terms of the teaching engine, each on a position made for it.

use mendel_evaluator::{Centipawns, Evaluator, LinearEvaluator, Silent, Teaching};

use crate::counts::{Case, check};
use crate::{paper, position};

fn teaching() -> LinearEvaluator<Teaching> {
    paper(include_str!("../../../players/teaching.toml"))
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
            ("knight_at_home", -2, -2),
            ("bishop_at_home", -2, -2),
            ("rook_at_home", -2, -2),
            ("queen_at_home", -1, -1),
            ("pawn_on_rank_2", 8, 8),
            ("pawn_in_centre", 0, 0),
            ("castled", 0, 0),
            ("attacked_men", 0, 0),
            // The knights e2 and d2; the bishops b2, d2, e2, g2; the rooks a2, b1,
            // g1, h2; the queen c1, c2, d2, e2.
            ("defended_men", 2 + 4 + 4 + 4, 2 + 4 + 4 + 4),
        ],
    ),
    // c3 and f6 belong to the centre; b4, g5 and e2 do not.
    (
        "7k/8/2B2N2/2R3n1/1b3Q2/2P2r2/4p3/6K1 w - - 0 1",
        &[
            ("pawn_in_centre", 1, 0),
            ("knight_in_centre", 1, 0),
            ("bishop_in_centre", 1, 0),
            ("rook_in_centre", 1, 1),
            ("queen_in_centre", 1, 0),
            ("knight_at_home", 0, 0),
        ],
    ),
    (
        "4k3/P7/1P4p1/2P2p2/3Pp3/3pP3/2p4P/4K3 w - - 0 1",
        &[
            ("pawn_on_rank_2", 1, 0),
            ("pawn_on_rank_3", 1, 1),
            ("pawn_on_rank_4", 1, 1),
            ("pawn_on_rank_5", 1, 1),
            ("pawn_on_rank_6", 1, 1),
            ("pawn_on_rank_7", 1, 1),
        ],
    ),
    // Black has four pieces, White three: only White's king needs a castle.
    (
        "r1b2rk1/8/2n5/8/8/8/8/R2Q1RK1 w - - 0 1",
        &[("castled", 1, 0)],
    ),
    (
        "r1b2rk1/8/2n5/8/3N4/8/8/R2Q1RK1 w - - 0 1",
        &[("castled", 1, 1)],
    ),
    // A rook on h1: the king has walked.
    (
        "r1b2rk1/8/2n5/8/3N4/8/8/R2Q2KR w - - 0 1",
        &[("castled", 0, 1)],
    ),
    // To the other side: the rook has passed the king, or it has not.
    (
        "1kr1r3/8/2n5/6b1/3N4/8/8/2KR1R1Q w - - 0 1",
        &[("castled", 1, 1)],
    ),
    (
        "rk2r3/8/2n5/6b1/3N4/8/8/R1K2R1Q w - - 0 1",
        &[("castled", 0, 0)],
    ),
    // The knight attacks a4 and d7 and defends b3; the pawn b3 attacks a4; a4 attacks
    // b3. The check on the king is not counted, nor is what kings do.
    (
        "4k3/3p4/8/2N5/p7/1P6/8/4K3 w - - 0 1",
        &[("attacked_men", 3, 1), ("defended_men", 1, 0)],
    ),
    ("4k3/8/3N4/8/8/8/8/4K3 b - - 0 1", &[("attacked_men", 0, 0)]),
];

#[test]
fn every_term_counts_what_it_says() {
    check(&teaching(), CASES);
}

#[test]
fn the_papers_numbers_come_out_in_hundredths() {
    let table = [
        // A bishop of 3.3, a fifth more in the centre, a fifth less at home.
        ("4k3/8/8/8/3B4/8/8/4K3 w - - 0 1", 396),
        ("4k3/8/8/8/8/8/8/2B1K3 w - - 0 1", 264),
        ("4k3/8/8/8/8/8/1B6/4K3 w - - 0 1", 330),
        // A pawn: 1 with 0.75 on the seventh rank, 1.2 with 0.2 on e5.
        ("k7/7P/8/8/8/8/8/4K3 w - - 0 1", 175),
        ("4k3/8/8/4P3/8/8/8/4K3 w - - 0 1", 140),
        ("4k3/8/8/4P3/8/8/8/4K3 b - - 0 1", -140),
    ];
    for (fen, score) in table {
        let found = teaching().evaluate(&position(fen), &mut (), &mut Silent);
        assert_eq!(found, Centipawns(score), "{fen}");
    }
}

#[test]
fn the_improvement_prefers_the_bishop_that_does_more() {
    let plus: LinearEvaluator<Teaching> =
        paper(include_str!("../../../players/teaching-plus.toml"));
    let idle = position("4k3/p7/8/8/1P6/8/7B/4K3 w - - 0 1");
    let busy = position("4k3/p7/8/8/1P6/8/5B2/4K3 w - - 0 1");
    let score = |evaluator: &LinearEvaluator<Teaching>, position| {
        evaluator.evaluate(position, &mut (), &mut Silent).0
    };
    assert_eq!(score(&teaching(), &idle), score(&teaching(), &busy));
    assert_eq!(score(&plus, &busy) - score(&plus, &idle), 4);
}
