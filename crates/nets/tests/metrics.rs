//! What is measured of a network.

use mendel_board::Role;
use mendel_nets::train::metrics::{Figure, Moves, Right, Scores};
use mendel_nets::train::{Facts, Phase};

fn facts(role: Role, rating: u16, phase: Phase) -> Facts {
    Facts {
        role: Some(role),
        rating,
        phase,
    }
}

fn figure(figures: &[Figure], name: &str) -> Option<f64> {
    figures.iter().find(|it| it.0 == name).map(|it| it.1)
}

#[test]
fn pieces_count_only_where_the_from_square_was_right() {
    let mut moves = Moves::default();
    let right = |from, to| Right {
        from,
        to,
        ..Right::default()
    };
    let pawn = facts(Role::Pawn, 2500, Phase::Opening);
    let rook = facts(Role::Rook, 1300, Phase::Ending);
    moves.add(&pawn, right(true, true));
    moves.add(&pawn, right(true, false));
    moves.add(&pawn, right(false, true));
    moves.add(&pawn, right(false, true));
    moves.add(&rook, right(true, false));
    let figures = moves.squares();
    assert_eq!(figure(&figures, "from"), Some(0.6));
    assert_eq!(figure(&figures, "pawn"), Some(0.5));
    assert_eq!(figure(&figures, "rook"), Some(0.0));
    assert_eq!(figure(&figures, "queen"), None);
    assert_eq!(figure(&figures, "overall"), Some(1.0 / 3.0));
    assert_eq!(figure(&figures, "overall-by-moves"), Some(0.4));
}

#[test]
fn agreement_is_told_by_phase_and_rating() {
    let mut moves = Moves::default();
    let first = Right {
        first: true,
        third: true,
        ..Right::default()
    };
    let third = Right {
        third: true,
        ..Right::default()
    };
    moves.add(&facts(Role::King, 2499, Phase::Ending), first);
    moves.add(&facts(Role::King, 2500, Phase::Ending), third);
    moves.add(&facts(Role::King, 0, Phase::Middle), Right::default());
    let figures = moves.agreement();
    assert_eq!(figure(&figures, "phase.ending.first"), Some(0.5));
    assert_eq!(figure(&figures, "phase.ending.third"), Some(1.0));
    assert_eq!(figure(&figures, "rating.2400+.first"), Some(1.0));
    assert_eq!(figure(&figures, "rating.2500+.first"), Some(0.0));
    assert_eq!(figure(&figures, "rating.unknown.third"), Some(0.0));
    assert_eq!(figure(&figures, "rating.1+.first"), None);
}

#[test]
fn always_answering_the_mean_explains_nothing() {
    let mut scores = Scores::default();
    let facts = facts(Role::Pawn, 0, Phase::Middle);
    for wanted in [1.0, 2.0, 3.0] {
        scores.add(&facts, 2.0, wanted);
    }
    let figures = scores.figures();
    assert_eq!(figure(&figures, "mse"), Some(2.0 / 3.0));
    let explained = figure(&figures, "r2").expect("scores differ");
    assert!(explained.abs() < 1e-12, "{explained}");
}
