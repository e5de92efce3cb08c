//! The ten inputs of CWU-Chess, each on a position made for it.

use mendel_board::{Color, Position};
use mendel_evaluator::cwu::{COUNT, FEATURES, ONE, PAWN};
use mendel_evaluator::{AnyEvaluator, Breakdown, Centipawns, Cwu, Evaluator, Mlp, Silent, explain};

use crate::counts::Case;
use crate::position;

pub(crate) fn evaluator(player: &str) -> AnyEvaluator {
    let player: toml::Table = player.parse().expect("the player file is TOML");
    AnyEvaluator::from_toml(player["evaluator"].as_table().expect("a table")).expect("weights")
}

/// The paper's network, with random weights.
pub(crate) fn cwu() -> Cwu {
    match evaluator(include_str!("../../../players/cwu-random.toml")) {
        AnyEvaluator::Cwu(cwu) => cwu,
        other => panic!("no network of CWU-Chess: {other:?}"),
    }
}

/// Ours with a hidden layer.
pub(crate) fn hidden() -> Mlp {
    match evaluator(include_str!("../../../players/cwu-ours.toml")) {
        AnyEvaluator::Mlp(mlp) => mlp,
        other => panic!("no network of layers: {other:?}"),
    }
}

/// A weight for one input alone.
fn only(name: &str, weight: i32) -> Cwu {
    let mut weights = [0; COUNT];
    let place = FEATURES.iter().position(|it| it.name == name);
    weights[place.expect(name)] = weight;
    Cwu::new(&weights).expect("a weight in range")
}

const CASES: &[Case] = &[
    (
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        &[
            ("bishop_pair", 1, 1),
            ("doubled_pawns", 0, 0),
            ("numerical_advantage", 16, 16),
            ("isolated_pawns", 0, 0),
            ("pawn_advance", 16, 16),
            ("passed_pawns", 0, 0),
            // The third and the fourth rank.
            ("mobility", 16, 16),
            // All pieces and the king, no pawn.
            ("defensive_coordination", 8, 8),
            ("centre_control", 0, 0),
            ("king_safety", 0, 0),
        ],
    ),
    // Pawns d4, d5 and g2 against f7: d5 and d4 are passed, all are isolated. The rook
    // can check from a8; the pawn d4 attacks e5; the black king protects f7.
    (
        "4k3/5p2/8/3P4/3P4/8/6P1/R3K1N1 w - - 0 1",
        &[
            ("bishop_pair", 0, 0),
            ("doubled_pawns", 1, 0),
            ("numerical_advantage", 6, 2),
            ("isolated_pawns", 3, 1),
            ("pawn_advance", 5 + 4 + 2, 2),
            ("passed_pawns", 2, 0),
            // White: d6, g3, g4, a2 to a8, b1, c1, d1, e2, f3, h3, d2, f1, f2. Black: f6, f5,
            // d8, f8, d7, e7.
            ("mobility", 19, 6),
            ("defensive_coordination", 0, 1),
            ("centre_control", 1, 0),
            ("king_safety", 1, 0),
        ],
    ),
    // The bishop of the light squares checks from b5; Black's rook, which attacks the
    // centre, from e5, the knight from c2; the other rook's way to the king is shut.
    (
        "4k2r/8/8/r7/8/n7/8/2B1KB2 b k - 0 1",
        &[
            ("bishop_pair", 1, 0),
            ("numerical_advantage", 3, 4),
            ("king_safety", 1, 2),
            ("centre_control", 0, 1),
        ],
    ),
    // Squares that the enemy attacks do not count: the king has b1 only.
    (
        "4k3/8/8/8/8/8/7r/K7 w - - 0 1",
        &[("mobility", 1, 17), ("king_safety", 0, 1)],
    ),
];

#[test]
fn each_input_is_counted_as_by_hand() {
    let mut tested = [false; COUNT];
    for (fen, expected) in CASES {
        let mut counts = Breakdown::default();
        cwu().evaluate(&position(fen), &mut (), &mut counts);
        for (name, white, black) in *expected {
            let term = FEATURES.iter().position(|it| it.name == *name).expect(name);
            let found = [Color::White, Color::Black].map(|side| counts.count(term, side));
            assert_eq!(found, [*white, *black], "{name} in `{fen}`");
            tested[term] |= white != black;
        }
    }
    assert_eq!(tested, [true; COUNT], "an input without a position for it");
}

#[test]
fn the_output_is_rectified_for_the_side_to_move() {
    let half = only("numerical_advantage", ONE / 2);
    let score = |fen: &str| half.evaluate(&position(fen), &mut (), &mut Silent);
    // Four pieces more, half a weight each.
    assert_eq!(
        score("4k3/5p2/8/3P4/3P4/8/6P1/R3K1N1 w - - 0 1"),
        Centipawns(4 * PAWN / 2)
    );
    let black = "4k3/5p2/8/3P4/3P4/8/6P1/R3K1N1 b - - 0 1";
    assert_eq!(score(black), Centipawns(0));
    let why = explain(&half, &position(black));
    let rectifier = why.rows.last().expect("a row");
    assert_eq!(rectifier.group, "rectifier");
    assert_eq!(
        rectifier.contribution.centipawns().to_bits(),
        (-4.0 * 64.0_f64).to_bits()
    );
}

#[test]
fn weights_have_sixteen_bits() {
    for (weight, fits) in [
        (ONE - 1, true),
        (-ONE, true),
        (ONE, false),
        (-ONE - 1, false),
    ] {
        let mut weights = [0; COUNT];
        weights[3] = weight;
        assert_eq!(Cwu::new(&weights).is_ok(), fits, "{weight}");
    }
    assert!(Cwu::new(&[0; 9]).is_err());
    let wrong = |text: &str| {
        let table: toml::Table = text.parse().expect("TOML");
        Cwu::from_toml(&table).expect_err(text).to_string()
    };
    assert!(wrong("bishop_pear = 1").contains("did you mean `bishop_pair`"));
    assert!(wrong("bishop_pair = 1").contains("lacks `doubled_pawns`"));
    assert!(wrong("bishop_pair = 0.5").contains("whole numbers"));
}

#[test]
fn a_hidden_layer_without_biases_is_fair_to_both_sides() {
    let judge = |position: &Position| {
        let mut memory = <Mlp as Evaluator>::Scratch::default();
        hidden().evaluate(position, &mut memory, &mut Silent).0
    };
    let white = position("4k3/5p2/8/3P4/3P4/8/6P1/R3K1N1 w - - 0 1");
    let black = position("4k3/5p2/8/3P4/3P4/8/6P1/R3K1N1 b - - 0 1");
    assert_eq!(judge(&white), -judge(&black));
    assert!(
        judge(&white) > 0,
        "a rook and a knight ahead: {}",
        judge(&white)
    );
}
