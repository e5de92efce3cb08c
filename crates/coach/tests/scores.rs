//! Accuracies from given scores.

use mendel_board::Color;
use mendel_coach::GameAccuracy;
use mendel_coach::accuracy::{INITIAL, move_accuracy, win_percent};
use proptest::prelude::*;

fn close(ours: f64, theirs: f64) {
    assert!((ours - theirs).abs() < 1e-9, "{ours} is not {theirs}");
}

/// `50 + 50 · (2 / (1 + exp(−0.00368208 · cp)) − 1)`, in Python.
#[test]
fn chances_are_those_of_the_published_curve() {
    for (centipawns, percent) in [
        (0, 50.0),
        (15, 51.380_429_102_931_544),
        (100, 59.102_589_719_161_28),
        (-250, 28.485_195_256_375_974),
        (1000, 97.544_743_634_143_23),
        (5000, 97.544_743_634_143_23),
    ] {
        close(win_percent(centipawns), percent);
    }
}

/// `103.1668100711649 · exp(−0.04354415386753951 · d) − 3.166924740191411 + 1`
/// between 0 and 100, in Python.
#[test]
fn a_move_is_worth_what_the_published_curve_says() {
    for (lost, percent) in [
        (0.0, 100.0),
        (0.5, 98.778_004_849_389_9),
        (5.0, 80.815_299_920_414_36),
        (20.0, 41.016_818_741_417_126),
        (80.0, 1.000_170_640_274_321),
        (100.0, 0.0),
    ] {
        close(move_accuracy(lost, 0.0), percent);
    }
    close(move_accuracy(10.0, 30.0), 100.0);
}

/// Both means of both sides, in Python: windows `ws[i:i+n]` with
/// `n = clamp(moves // 10, 2, 8)` behind `n − 2` copies of the first, weights
/// `clamp(pstdev, 0.5, 12)`, then
/// `(Σ a·w / Σ w + count / Σ 1/max(1, a)) / 2`.
#[test]
fn a_short_game_as_worked_out_by_hand() {
    let scores = [30, 20, -80, -60, -300, 250, -20];
    let game = GameAccuracy::of_scores(Color::White, 15, &scores).expect("both have moved");
    close(game.white, 48.223_120_492_784_4);
    close(game.black, 23.913_086_768_937_09);
    let weights = game.moves.iter().map(|it| it.weight);
    let expected = [
        0.689_163, 0.5, 4.575_789, 0.905_302, 9.805_893, 12.0, 11.677_507,
    ];
    for (ours, theirs) in weights.zip(expected) {
        assert!((ours - theirs).abs() < 1e-6, "{ours} is not {theirs}");
    }
}

/// Four positions make a window here, so that the first three moves share one.
#[test]
fn a_long_game_as_worked_out_by_hand() {
    let scores = [
        20, 25, 18, 30, 22, 40, -35, -20, -60, -10, 15, 5, 60, 120, 95, 180, -150, -130, -210, 40,
        35, 70, 65, 300, 280, 450, 400, 1200, 900, 1000, 1000, -40, 0, 0, 10, 5, -5, -900, -1000,
        -800, -1000,
    ];
    let game = GameAccuracy::of_scores(Color::White, 15, &scores).expect("both have moved");
    close(game.white, 84.325_699_526_216_33);
    close(game.black, 79.160_351_783_587_91);
}

#[test]
fn who_has_not_moved_has_no_accuracy() {
    assert_eq!(GameAccuracy::of_scores(Color::White, 15, &[]), None);
    assert_eq!(GameAccuracy::of_scores(Color::White, 15, &[20]), None);
    assert!(GameAccuracy::of_scores(Color::Black, 15, &[20, 10]).is_some());
}

proptest! {
    #[test]
    fn accuracies_are_percentages(
        scores in prop::collection::vec(any::<i32>(), 2..150),
        before: i32,
    ) {
        let game = GameAccuracy::of_scores(Color::White, before, &scores);
        let game = game.expect("both have moved");
        prop_assert_eq!(game.moves.len(), scores.len());
        let moves = game.moves.iter().map(|it| it.accuracy);
        for accuracy in moves.chain([game.white, game.black]) {
            prop_assert!((0.0..=100.0).contains(&accuracy), "{}", accuracy);
        }
    }

    #[test]
    fn with_the_colours_changed_so_are_the_accuracies(
        scores in prop::collection::vec(-1500..1500, 2..150),
    ) {
        let mirrored: Vec<i32> = scores.iter().map(|score| -score).collect();
        let game = GameAccuracy::of_scores(Color::White, INITIAL, &scores);
        let mirror = GameAccuracy::of_scores(Color::Black, -INITIAL, &mirrored);
        let (game, mirror) = (game.expect("moves"), mirror.expect("moves"));
        prop_assert!((game.white - mirror.black).abs() < 1e-9);
        prop_assert!((game.black - mirror.white).abs() < 1e-9);
    }

    #[test]
    fn who_never_loses_ground_has_played_perfectly(
        score in -1500..1500,
        plies in 2..120_usize,
        gain in 10..50,
    ) {
        let level = GameAccuracy::of_scores(Color::White, score, &vec![score; plies]);
        let level = level.expect("both have moved");
        prop_assert!((level.white - 100.0).abs() < 1e-9 && (level.black - 100.0).abs() < 1e-9);
        // Black gives more away with each move than the point for uncertainty
        // forgives, and White nothing.
        let scores: Vec<i32> = (1..=plies as i32).map(|ply| ply / 2 * gain).collect();
        let uneven = GameAccuracy::of_scores(Color::White, 0, &scores).expect("moves");
        prop_assert!((uneven.white - 100.0).abs() < 1e-9);
        prop_assert!(uneven.black < 98.0, "{}", uneven.black);
    }
}
